package release

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// SyntheticSets are m synthetic data sets of the given rows from a learned structure, by a parametric bootstrap. For
// each set the release is repeated: as many records as the table has, or as the noisy tables say, are drawn from the
// released fit, every measured table of them gets fresh noise of its distribution, the sums within bins too, and the
// set is drawn from the fit to these. The rows of a unit are taken to be alike, as they may be. So sets differ by
// sampling, by noise, and by what the fit makes of both. 0 is for the defaults: 20 sets of five times the records. They
// are a function of the release: the same each time, and free. Analyse each as if it were the table and Combine: see
// package synthetic. Source: theory/structure.md §12.
//
// The choices are those of the release, and are not made again. Of a pair that was never measured the sets tell
// nothing. Tests of measured pairs are [Release.TestPair]'s: those from sets are valid, and reject less often.
//
// Errors: *dp.ParameterError for a release that learned no structure by noisy tables, those of synthetic.New. ctx ends
// sets that are asked for later.
func (r *Release) SyntheticSets(ctx context.Context, m, rows int) (*synthetic.Sets, error) {
	s := r.Structure()
	if s == nil || len(s.Measured) == 0 {
		return nil, domain.Refuse("release", "sets", r.plan.Title(), "a structure learned by noisy tables; of other "+
			"networks, the sets of a posterior that accounts for the noise")
	}
	spec := synthetic.Spec{Sets: m, Rows: rows, Graph: r.fitted.Network().DAG(), Records: s.Size,
		Title: "Repetitions of the release, each fitted again: " + r.plan.Shape().Model().String(), ID: r.ID(),
		Public: r.Caption(), Reason: r.SyntheticReason(), Learned: &synthetic.Learned{Distances: r.distanceText()}}
	for _, t := range s.Measured {
		for i, a := range t.Columns {
			for _, b := range t.Columns[i+1:] {
				if pair := [2]string{a, b}; !slices.Contains(spec.Learned.Pairs, pair) {
					spec.Learned.Pairs = append(spec.Learned.Pairs, pair)
				}
			}
		}
	}
	if slices.ContainsFunc(s.Rounds, func(t model.Round) bool { return !t.Given }) {
		spec.Learned.Chosen, spec.Warnings = true, warning.List{warning.LearnedRows()}
	}
	for _, w := range r.est.Within {
		if !w.Vague() {
			spec.WithinBins = append(spec.WithinBins, w.Column)
		}
	}
	spec.Draw = func(set, rows int) (*frame.Frame, error) {
		src := rand.NewChaCha8(r.setSeed(set))
		f, err := r.repeated(ctx, src)
		if err != nil {
			return nil, err
		}
		return f.Synthesize(rows, src)
	}
	return synthetic.New(spec)
}

// repeated is the fit to a repetition of the release.
func (r *Release) repeated(ctx context.Context, src rand.Source) (*model.Fitted, error) {
	n := int(math.Max(1, math.Round(r.Structure().Size)))
	e, err := r.plan.Bootstrap(ctx, r.drawn, r.fitted, n, r.est.Potentials, src)
	if err != nil {
		return nil, err
	}
	return model.Fit(r.plan.Shape(), e)
}

// setSeed is a function of what was drawn and of the plan that drew it.
func (r *Release) setSeed(set int) [32]byte {
	h := sha256.New()
	write := func(v []int64) {
		binary.Write(h, binary.LittleEndian, int64(len(v)))
		binary.Write(h, binary.LittleEndian, v)
	}
	h.Write([]byte("sets\n" + r.plan.Mechanism() + "\n" + string(r.plan.Params()) + "\n" +
		r.plan.Shape().Model().String() + "\n"))
	for _, t := range slices.Concat(r.drawn.Raw, r.drawn.Within) {
		write(t)
	}
	for _, round := range r.drawn.Rounds {
		write(round.Counts)
	}
	write([]int64{int64(set)})
	return [32]byte(h.Sum(nil))
}
