package release

import (
	"context"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// PosteriorDraws are draws of the parameters of a release, in the units of the data: chain by chain, equally many of
// each, and so in order within a chain.
type PosteriorDraws struct {
	Names  []string    `json:"names"`
	Values [][]float64 `json:"values"` // draws × parameters
	Chains int         `json:"chains"` // 1: draws that do not depend on each other
	// Kind is "posterior" for draws given what was released, whose spread includes the noise; "approximate" where a
	// posterior was flattened or cut for privacy, and "noise ignored" where noisy numbers were taken for true.
	Kind string `json:"kind"`
}

// ResidualSD names the residual standard deviation of a linear regression, in the units of the response.
const ResidualSD = "residual sd"

// PosteriorDraws are the draws of a regression's coefficients and residual standard deviation, or of the parameters of
// a posterior sample. Any function of them costs nothing more. Errors: *dp.ParameterError for a release without such
// draws; of [model.Fitted.Unsampled], where chains do not agree, or wait until Sample runs them.
func (r *Release) PosteriorDraws() (*PosteriorDraws, error) {
	sampled, tempered := r.plan.Sampled()
	d := r.Draws()
	if err := r.fitted.Unsampled(); err != nil {
		return nil, err
	}
	plain := r.plan.Shape().Linear() != nil && d.Len() > 1 // of a posterior that takes noisy numbers for true
	if r.est.Sampling == nil && !tempered && !plain {
		return nil, domain.Refuse("release", "posterior draws", r.plan.Title()+", "+r.plan.Shape().Model().String(),
			"a linear regression, a logistic one by FisherScoring, or a posterior sample")
	}
	out := &PosteriorDraws{Kind: "posterior"}
	switch {
	case r.est.Sampling != nil:
	case !tempered:
		out.Kind = "noise ignored"
	case sampled.Power != 1 || sampled.AtMost || sampled.Box < 1:
		out.Kind = "approximate"
	}
	var residual []float64
	if r.plan.Shape().Linear() != nil {
		residual = r.fitted.ResidualDraws()
		var err error
		if d, err = r.fitted.CoefficientDraws(); err != nil {
			return nil, err
		}
	}
	out.Names, out.Values, out.Chains = slices.Clone(d.Names), make([][]float64, d.Len()), max(d.Chains, 1)
	for k, v := range d.Values {
		out.Values[k] = slices.Clone(v)
		if residual != nil {
			out.Values[k] = append(out.Values[k], residual[k])
		}
	}
	if residual != nil {
		out.Names = append(out.Names, ResidualSD)
	}
	return out, nil
}

// Place is the chain of draw k and its place in it, both from 0.
func (d *PosteriorDraws) Place(k int) (chain, draw int) {
	each := len(d.Values) / d.Chains
	return k / each, k % each
}

// sampled leaves the intervals of a posterior sample out: the posterior was cut, or flattened towards its prior, for
// privacy, and its intervals with it.
func (r *Release) sampled(t *table.Table) *table.Table {
	_, ok := r.plan.Sampled()
	first := slices.IndexFunc(t.Columns, func(c string) bool { return strings.Contains(c, "%") })
	if !ok {
		return t
	}
	if first < 0 {
		first = len(t.Columns)
	}
	t.Columns = t.Columns[:first]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:first]
	}
	return t.Note("No interval is shown: that of the draws holds as far as the prior does. Draws().Summary() has it.")
}

// coefficients are the intercept and the slopes of a linear regression.
func (r *Release) coefficients(ctx context.Context, level float64) (list []Interval, how string, err error) {
	if !(level > 0 && level < 1) {
		return nil, "", domain.Refuse("release", "level", level, "a number above 0 and below 1")
	}
	if err := r.fitted.Sample(ctx); err != nil {
		return nil, "", err
	}
	d, err := r.fitted.CoefficientDraws()
	if err != nil {
		return nil, "", err
	}
	for i, v := range d.Mean() {
		within := mechanism.Range{Lower: d.Quantile(i, (1-level)/2), Upper: d.Quantile(i, (1+level)/2)}
		list = append(list, Interval{Of: d.Names[i], Estimate: v, Interval: mechanism.Interval{Population: &within}})
	}
	return list, r.posteriorGiven() + ", by Markov chains", nil
}

// posteriorGiven says what the posterior of coefficients is given.
func (r *Release) posteriorGiven() string {
	if r.drawn.Raw != nil {
		return "posterior given the noisy counts"
	}
	return "posterior given the noisy moments"
}
