// Package stratified releases means, and shares of one column's levels, of a population that was sampled in strata
// which no unit leaves, such as regions, with public sizes.
//
// # Neighbours
//
// Two tables are neighbours where the row of one unit is another row of the same stratum. How many units each stratum
// has, in the population (N_h) and in the table (n_h), is the same in both, and public. Strata are then disjoint
// parts: a unit changes the numbers of its own stratum alone, so that independent noise in every stratum spends on a
// unit what its own stratum spends, and each may have the whole ε. Proof: the ratio of the densities of all numbers is
// that of the one stratum in which they differ. Where a unit may move, n_h differs and the loss is infinite.
//
// # What is released
//
// In every stratum, with two-sided geometric noise:
//
//	two levels          how many rows have the first: one row changes it by at most 1, rate ε
//	more levels         how many rows have each: one row changes two of them by 1, rate ε/2
//	a column in [0, 1]  Σk and Σc², k = x·K, c = 2j − J, with j the nearest of J steps to k: rates ε/(rK) and ε/(4rJ²)
//
// where r = 1 + 1/J, and 1 where J = K. Of one row, with u = 2k/K − 1 and v = c/J, |u − u′| ≤ d + 2/J for d = |v −
// v′|, and |v² − v′²| ≤ d(2 − d), so that |u − u′|/2 + |v² − v′²|/4 ≤ 1 − (1 − d/2)² + 1/J ≤ r.
//
// Intervals add up the strata, each by its weight N_h/n_h, and are inverted once: package survey. Source:
// docs/theory/survey.md, Strata.
package stratified

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
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

// New adds geometric noise to the numbers of every stratum. It supports models in strata that no unit leaves, pure ε
// and (ε, δ), and replace-one within strata. Arithmetic: exact.
func New() mechanism.Front { return mathematics().Front() }

func mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: kind, Title: "Geometric noise in every stratum", Supports: supports, Prepare: prepare, Calibrate: calibrate,
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
	case t.Notion != dp.Pure && t.Notion != dp.Approximate:
		return nil, mechanism.Unsupported(t.Parameters.String(), "pure ε, or (ε, δ), whose ε is taken")
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

// params are what a release file keeps: the rate of the noise on counts, or on Σk, and on Σc².
type params struct {
	Rate    noise.Rational  `json:"rate"`
	Squares *noise.Rational `json:"squares,omitempty"`
}

// Valid checks parameters of a file: *dp.ParameterError.
func (q params) Valid() error {
	if err := q.Rate.Valid(); err != nil || q.Squares == nil {
		return err
	}
	return q.Squares.Valid()
}

// noise are the distributions of the numbers of a stratum: all are one, or the second has its own.
func (q params) noise(r rule) (out []noise.Distribution, err error) {
	if (q.Squares == nil) != (r.Levels > 0) {
		return nil, domain.Refuse("stratified", "squares", fmt.Sprint(q.Squares), "a rate for squares of a column in "+
			"[0, 1], and none for levels")
	}
	for i := range r.each() {
		rate := q.Rate
		if i == 1 && q.Squares != nil {
			rate = *q.Squares
		}
		g, err := noise.NewGeometric(rate)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// epsilon bounds the loss of a unit.
func (q params) epsilon(r rule) float64 {
	if r.Levels > 0 {
		return float64(r.changed()) * q.Rate.Float()
	}
	j := float64(r.Coarse)
	return r.room() * math.Max(q.Rate.Float()*float64(r.Steps), q.Squares.Float()*4*j*j)
}

// box is the rate of the noise of a share's count, or of half the sum of u, in one stratum: what is projected on n_h
// has less noise.
func (q params) box(r rule) float64 {
	switch {
	case r.Levels > 2:
		return q.Rate.Float() / math.Sqrt(1-1/float64(r.Levels))
	case r.Levels == 2:
		return q.Rate.Float()
	}
	return q.Rate.Float() * float64(r.Steps)
}

// calibrate takes the greatest rates for ε.
func calibrate(_ context.Context, p *problem) (q params, err error) {
	r, epsilon := p.rule, float64(p.target.Epsilon)
	if r.Levels > 0 {
		of := func(rate float64) float64 { return params{Rate: dyadic(rate)}.epsilon(r) }
		q.Rate = below(epsilon/float64(r.changed()), of, epsilon)
	} else {
		j := float64(r.Coarse)
		one := func(rate float64) float64 { return r.room() * dyadic(rate).Float() * float64(r.Steps) }
		two := func(rate float64) float64 { return r.room() * dyadic(rate).Float() * 4 * j * j }
		q.Rate = below(epsilon/r.room()/float64(r.Steps), one, epsilon)
		squares := below(epsilon/r.room()/(4*j*j), two, epsilon)
		q.Squares = &squares
	}
	if _, err := q.noise(r); err != nil || q.epsilon(r) > epsilon {
		return q, mechanism.Unsupported(p.target.Parameters.String(), "a larger ε, or WithResolution(K) with fewer steps")
	}
	return q, nil
}

func dyadic(rate float64) noise.Rational { return noise.Dyadic(rate, 32, false) }

// below is a rate, or a billionth less of it, whose ε is at most what was asked for in floating point, too.
func below(rate float64, of func(rate float64) float64, epsilon float64) noise.Rational {
	if of(rate) > epsilon {
		rate *= 1 - 1e-9
	}
	return dyadic(rate).Reduced()
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
	return []mechanism.Expectation{{Name: "noise of a " + what + " (95 %)",
		Value: math.Log(20) / q.box(p.rule) * math.Sqrt(squares) / people * value,
		How:   "closed form, as if one stratum had all of the noise"}}
}

// settings are the public parameters, for people.
func (p *problem) settings(q params) []mechanism.Setting {
	text := fmt.Sprintf("geometric, rate %s, on a count", q.Rate)
	if p.rule.Levels == 0 {
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

// standardFormula is what the usual formula claims: the sum of the changes times their rates.
func (p *problem) standardFormula(q params) mechanism.StandardFormula {
	return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(q.epsilon(p.rule))},
		Source: "ε = Δ₁γ, Dwork, McSherry, Nissim, Smith 2006; disjoint parts, McSherry 2009"}
}
