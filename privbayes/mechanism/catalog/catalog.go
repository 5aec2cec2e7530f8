// Package catalog lists the mechanisms of the library, once. Release files, advice, the command line, the tests that
// every mechanism passes and the tables of the documentation read this list.
//
// To add a mechanism, describe it in a package below package mechanism, and add a line here.
package catalog

import (
	"context"
	"errors"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/privbayes2017"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/stratified"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/weighted"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// all lists the mechanisms, the plainest first: of equals, advice recommends the first.
var all = slices.Concat(counts.Descriptors(), dirichlet.Descriptors(), posteriorsample.Descriptors(),
	gridmap.Descriptors(),
	hellinger.Descriptors(), regression.Descriptors(), sums.Descriptors(), quantiles.Descriptors(),
	structure.Descriptors(), privbayes2017.Descriptors(), weighted.Descriptors(),
	stratified.Descriptors())

func init() {
	kinds := map[string]bool{}
	for _, d := range all {
		if !kinds[d.Kind] { // of one kind, the first rebuilds
			mechanism.Register(d)
		}
		kinds[d.Kind] = true
	}
}

// All lists the mechanisms of the library.
func All() []mechanism.Descriptor { return slices.Clone(all) }

// ByFlag is the mechanism of a name on the command line; ok is false if there is none.
func ByFlag(flag string) (d mechanism.Descriptor, ok bool) {
	i := slices.IndexFunc(all, func(d mechanism.Descriptor) bool { return d.Flag == flag })
	if i < 0 {
		return d, false
	}
	return all[i], true
}

// Flags are the names on the command line.
func Flags() []string {
	out := make([]string, len(all))
	for i, d := range all {
		out[i] = d.Flag
	}
	return out
}

// For is the mechanism that releases a shape's model when m is asked for: of a structure to learn the learner with the
// noise of m, of a weighted model Tokens in the place of NoisySums and of Geometric, with the noise that is smallest
// for the target, of a model in strata Stratified; otherwise m itself. Error: *mechanism.UnsupportedError.
func For(sh *model.Shape, m mechanism.Mechanism) (mechanism.Mechanism, error) {
	if (sh.Weighted() != nil || sh.Stratified() != nil) && m != nil {
		refined, ok := m.(mechanism.Refined)
		usual := m.Name() == "noisy-sums" || m.Name() == "geometric"
		if usual && !(ok && len(refined.Refinements()) > 0) {
			if sh.Stratified() != nil {
				return stratified.New(), nil
			}
			return weighted.New(), nil
		}
	}
	switch l := sh.Learning(); {
	case l == nil:
		return m, nil
	case l.Algorithm == model.Greedy:
		return privbayes2017.With(m)
	}
	return structure.With(m)
}

// Usual is the mechanism of a model where none is asked for: geometric noise of counts, noisy sums of means and rates,
// else the first of the list that plans for the model and the target, those that are
// compared before others. Errors: of the plan.
func Usual(ctx context.Context, sh *model.Shape, t dp.Request) (mechanism.Descriptor, error) {
	first, _ := ByFlag("geometric")
	second, _ := ByFlag("noisy-sums")
	if sh.Learning() != nil {
		return first, nil
	}
	if sh.Weighted() != nil {
		first, _ = ByFlag("tokens")
		return first, nil
	}
	if sh.Stratified() != nil {
		first, _ = ByFlag("stratified")
		return first, nil
	}
	list := []mechanism.Descriptor{first, second}
	for _, compared := range []bool{true, false} {
		list = append(list, slices.DeleteFunc(All(), func(d mechanism.Descriptor) bool {
			return (d.Choices != nil) != compared
		})...)
	}
	var refused error
	for _, d := range list {
		m := d.New(mechanism.Options{Count: 1})
		if m.Supports(sh) != nil {
			continue
		}
		_, err := m.Plan(ctx, sh, t)
		var no *mechanism.UnsupportedError
		if !errors.As(err, &no) {
			return d, err
		}
		if refused == nil {
			refused = err
		}
	}
	return first, refused
}
