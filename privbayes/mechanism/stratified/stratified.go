// Package stratified releases means, and shares of one column's levels, of a population that was sampled in strata
// which no unit leaves, such as regions, with public sizes.
//
// # Neighbours
//
// Two tables are neighbours where the row of one unit is another row of the same stratum. How many units each stratum
// has, in the population (N_h) and in the table (n_h), is the same in both, and public. Strata are then disjoint
// parts: a unit changes the numbers of its own stratum alone, so that independent noise in every stratum spends on a
// unit what its own stratum spends, and each may have the whole ε, or ρ. Proof: the ratio of the densities of all
// numbers is that of the one stratum in which they differ, and so are its Rényi divergences of every order. Where a
// unit may move, n_h differs and the loss is infinite.
//
// # What is released
//
// In every stratum, under ε and (ε, δ) with two-sided geometric noise:
//
//	two levels          how many rows have the first: one row changes it by at most 1, rate ε
//	more levels         how many rows have each: one row changes two of them by 1, rate ε/2
//	a column in [0, 1]  Σk and Σc², k = x·K, c = 2j − J, with j the nearest of J steps to k: rates ε/(rK) and ε/(4rJ²)
//
// where r = 1 + 1/J, and 1 where J = K. Of one row, with u = 2k/K − 1 and v = c/J, |u − u′| ≤ d + 2/J for d = |v −
// v′|, and |v² − v′²| ≤ d(2 − d), so that |u − u′|/2 + |v² − v′²|/4 ≤ 1 − (1 − d/2)² + 1/J ≤ r.
//
// Under ρ and Rényi levels noise is discrete Gaussian: of counts with σ² = 1/(2ρ), and 1/ρ for more levels than two; on
// Σk with σ² = r²K²/(2ρ) and on Σc² with 16J⁴σ²/(11K²), rounded up. With t = d/2 the change of a row has ρ at most
// ((t + 1/J)² + 11t²(1 − t)²)/r² times that, and the second is at most 1 − t²: see package weighted. Squares are free.
//
// Intervals add up the strata, each by its weight N_h/n_h, and are inverted once: package survey. Source:
// docs/theory/survey.md, Strata.
package stratified

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// kind is the registered name.
const kind = "stratified"

// New adds integer noise to the numbers of every stratum. It supports models in strata that no unit leaves, every
// privacy definition, and replace-one within strata. Arithmetic: exact.
func New() mechanism.Front { return mathematics().Front() }

func mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: kind, Title: "Noise in every stratum", Supports: supports, Prepare: prepare, Calibrate: calibrate,
		Certify: certify, NoNominal: true,
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			return p.expected(q), nil
		},
	}
}

// Descriptors describes the mechanism of this package.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{mechanism.Describe(New(), "Stratified", "stratified", "Stratified")}
}

// problem is what a plan is made for.
type problem struct {
	shape  *model.Shape
	target dp.Request
	strata []frame.Stratum
	rule   rule
}

// rule is what is released of a stratum: counts of so many levels, or of none Σk and Σc² on K and J steps.
type rule struct {
	Levels int   `json:"levels,omitempty"`
	Steps  int64 `json:"steps,omitempty"`  // K
	Coarse int64 `json:"coarse,omitempty"` // J
}

// String says what is counted.
func (r rule) String() string {
	if r.Levels > 0 {
		return fmt.Sprintf("%d levels", r.Levels)
	}
	return fmt.Sprintf("K = %d, J = %d", r.Steps, r.Coarse)
}

// each is how many numbers a stratum has.
func (r rule) each() int {
	switch {
	case r.Levels == 2:
		return 1
	case r.Levels > 2:
		return r.Levels
	}
	return 2
}

// changed is how many units of their noise one row changes the numbers by.
func (r rule) changed() int64 {
	if r.Levels > 2 {
		return 2
	}
	return 1
}

// room is r for a column in [0, 1]: by how much more than 1 a row may change its sums.
func (r rule) room() float64 {
	if r.Levels > 0 || r.Coarse == r.Steps {
		return 1
	}
	return 1 + 1/float64(r.Coarse)
}

// shift is rK rounded up: how many steps of Σk the change of a row's sums amounts to under Gaussian noise.
func (r rule) shift() int64 {
	if r.Coarse == r.Steps {
		return r.Steps
	}
	return r.Steps + (r.Steps+r.Coarse-1)/r.Coarse
}

// lattice is that of the model with so many strata.
func (r rule) lattice(like *model.Lattice, strata int) *model.Lattice {
	l := &model.Lattice{Form: like.Form, Steps: r.Steps, Coarse: r.Coarse, Groups: strata}
	if r.Levels > 0 {
		l.Steps = int64(r.Levels) - 1
	}
	return l
}

// released are the numbers of all strata from the sums that the model counts, of n_h rows each.
func (r rule) released(whole, sampled []int64) (out []int64) {
	each := len(whole) / len(sampled)
	for h, n := range sampled {
		own := whole[h*each : (h+1)*each]
		switch j := r.Coarse; {
		case r.Levels == 2:
			out = append(out, own[0])
		case r.Levels > 2:
			out = append(out, own...)
		default: // Σ(2j − J)², expanded
			out = append(out, own[1], 4*own[3]-4*j*own[2]+n*j*j)
		}
	}
	return out
}

func supports(sh *model.Shape) error {
	if sh.Stratified() == nil {
		return mechanism.Unsupported(sh.Model().String(), "Mean, or Table of one column, under a schema with strata that no "+
			"unit leaves")
	}
	return nil
}

func prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	p := &problem{shape: sh, target: t, strata: sh.Stratified()}
	l, all := sh.Lattice(), int64(0)
	if p.rule = (rule{Steps: l.Steps, Coarse: l.Coarse}); l.Coarse == 0 {
		p.rule = rule{Levels: int(l.Steps) + 1}
	}
	for _, h := range p.strata {
		all += h.Sampled
	}
	n, public := sh.N()
	switch {
	case len(sh.Rows()) > 0 || !public:
		return nil, mechanism.Unsupported("some of the rows that were sampled", "the whole table: of a part of it no one "+
			"knows how many rows each stratum has")
	case int64(n) != all:
		return nil, mechanism.Unsupported(fmt.Sprintf("n = %d", n), fmt.Sprintf(`%d rows, as "strata" of the schema says `+
			`under "sampled"`, all))
	case float64(all)*math.Max(float64(l.Steps), float64(l.Coarse)*float64(l.Coarse)) >= 1<<62:
		return nil, mechanism.Unsupported(fmt.Sprintf("%d rows on %d steps", all, l.Steps),
			"WithResolution(K) with fewer steps")
	}
	return p, nil
}

// sampled are the n_h.
func (p *problem) sampled() []int64 {
	out := make([]int64, len(p.strata))
	for h, s := range p.strata {
		out[h] = s.Sampled
	}
	return out
}

// weighted are the strata as package survey takes them, the largest weight N_h/n_h as 1.
func (p *problem) weighted() []survey.Stratum {
	out, most := make([]survey.Stratum, len(p.strata)), 0.0
	for _, s := range p.strata {
		most = math.Max(most, float64(s.Size)/float64(s.Sampled))
	}
	for h, s := range p.strata {
		out[h] = survey.Stratum{Size: float64(s.Sampled), Weight: float64(s.Size) / float64(s.Sampled) / most}
	}
	return out
}

// expected are the predicted errors: half the width of a 95 % interval that had the noise alone.
func (p *problem) expected(q params) []mechanism.Expectation {
	squares, people, value, what := 0.0, 0.0, 1.0, "share"
	for _, s := range p.strata {
		w := float64(s.Size) / float64(s.Sampled)
		squares, people = squares+w*w, people+float64(s.Size)
	}
	if p.rule.Levels == 0 {
		l := p.shape.Lattice()
		value, what = l.High[0]-l.Low[0], "mean"
	}
	reach, how := math.Log(20)/q.box(p.rule), "closed form, as if one stratum had all of the noise"
	if q.Sigma2 != nil {
		reach, how = distuv.UnitNormal.Quantile(.975)*q.sd(p.rule), "closed form"
	}
	return []mechanism.Expectation{{Name: "noise of a " + what + " (95 %)",
		Value: reach * math.Sqrt(squares) / people * value, How: how}}
}

// settings are the public parameters, for people.
func (p *problem) settings(q params) []mechanism.Setting {
	text := fmt.Sprintf("geometric, rate %s, on a count", q.Rate)
	switch {
	case q.Sigma2 != nil && p.rule.Levels > 0:
		text = fmt.Sprintf("discrete Gaussian, σ² = %s, on a count", q.Sigma2)
	case q.Sigma2 != nil:
		squares, _ := q.squares(p.rule) // of a plan that was built
		text = fmt.Sprintf("discrete Gaussian, σ² = %s on the sum of values in steps of 1/%d, %s on that of squares in "+
			"steps of 1/%d", q.Sigma2, p.rule.Steps, squares, p.rule.Coarse*p.rule.Coarse)
	case p.rule.Levels == 0:
		text = fmt.Sprintf("geometric, rate %s on the sum of values in steps of 1/%d, %s on that of squares in steps of 1/%d",
			q.Rate, p.rule.Steps, q.Squares, p.rule.Coarse*p.rule.Coarse)
	}
	people, rows := int64(0), int64(0)
	for _, s := range p.strata {
		people, rows = people+s.Size, rows+s.Sampled
	}
	return []mechanism.Setting{
		{Name: "strata", Value: fmt.Sprintf("%d, of %d in the population and %d in the table", len(p.strata), people, rows)},
		{Name: "numbers", Value: fmt.Sprintf("%d in each stratum", p.rule.each())},
		{Name: "noise", Value: text},
	}
}

// standardFormula is what the usual formula claims: the sum of the changes times their rates, or of their squares over
// variances.
func (p *problem) standardFormula(q params) mechanism.StandardFormula {
	if q.Sigma2 != nil {
		squared := float64(p.rule.changed())
		if p.rule.Levels == 0 {
			squared = float64(p.rule.shift()) * float64(p.rule.shift())
		}
		out := mechanism.StandardFormula{}
		out.Level, out.Source = noise.StandardGaussian(q.Sigma2.Float(), squared, p.target.Parameters)
		return out
	}
	return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(q.epsilon(p.rule))},
		Source: "ε = Δ₁γ, Dwork, McSherry, Nissim, Smith 2006; disjoint parts, McSherry 2009"}
}
