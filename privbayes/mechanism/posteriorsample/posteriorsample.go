// Package posteriorsample releases N posterior draws of a model's parameters. The posterior is truncated to public
// bounds, tempered, or both, and its privacy loss is accounted exactly.
//
// # What is released
//
//	θ_1, …, θ_N ~ ξ(θ)·p_θ(x)^η on the box, independent given the data:
//
// every probability at least w, or a rate within [c1, c2].
//
// # The dominating bounds, and why they hold
//
// In a one-parameter exponential family with natural parameter t(θ) in [a, b] and statistic S, neighbours are S and S +
// d, d ≤ Δ, and
//
//	ln ξ(θ|S+d)/ξ(θ|S) = d·t − (Λ(S + d) − Λ(S)),  Λ the log evidence, convex,
//
// affine in t: its extremes are at a and b, and as Λ′ = E t rises with S, the worst data sets are the ends S_0, S_1 of
// the statistic's range:
//
//	ε_1 = max(bΔ − [Λ(S_0+Δ) − Λ(S_0)], [Λ(S_1+Δ) − Λ(S_1)] − aΔ),  between osc/2 and osc = (b − a)Δ.
//
// The set where the ratio exceeds e^ε is a tail, so δ(ε) is one integral for a pair of data sets, and D_λ a second
// difference of Λ; package internal/logratio finds the worst pair, or bounds it. The power η scales t. A conditional on
// more levels has its ratio bounded by the box alone: range 2ηℓ, ℓ = ln((1 − (r−1)w)/w). A record moves every
// conditional of a network once, so ranges and Rényi bounds of the nodes add.
//
// N draws cost N·ε_1 exactly (one θ may come N times) and N·D_λ; δ(ε) follows from the best order λ, from the range
// N·osc, or from the family's own profile when N = 1.
//
// # Calibration
//
// One of η, w and N is free: the largest power, the least trim, or the most draws at which the bounds meet the target.
//
// AsPublished(ε) is the papers' own trim at their own ε, labelled with what it spends: for networks and naive Bayes ω =
// e^{−ε/2} (Zhang, Rubinstein, Dimitrakakis, AAAI 2016, Appendix C.2), whose true ε for one draw is up to 2Σ
// ln((1−(r−1)ω)/ω), as many times as there are draws.
//
// Source: Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein, "Differential Privacy for Bayesian Inference through
// Posterior Sampling" (JMLR 18(11), 2017), Algorithm 1, corrected in theory/sampling.md and theory/networks.md §3.
package posteriorsample

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Kind is the registered name.
const Kind = "posterior-sample"

// rule says which knob meets the target.
type rule string

const (
	byPower rule = "temper"
	byTrim  rule = "trim"
	byDraws rule = "draws"
	fixed   rule = "fixed"
)

// Sample releases N draws of the parameters. Every call of an option returns a changed copy.
type Sample struct {
	mechanism.Front
	draws   int
	trim    float64
	trimmed bool // trim was given
	power   float64
	powered bool // power was given
	rule    rule
	anyN    bool // account for data of any size
}

// New is N draws, in order, with the likelihood tempered: the power η in (0, 1] is the largest that meets the target.
// Every probability is kept at least 0.1/r, r the number of levels (0.05 for two), unless WithBounds says otherwise: a
// tenth of the uniform distribution's changes most posteriors little, and the privacy loss grows only like ln 1/w, so a
// smaller one costs little at the same η; rates keep to the range of their model.
func New(draws int) Sample { return Sample{draws: draws, rule: byPower}.made() }

// WithBounds keeps every probability at least w, 0 < w < 1/r for the largest number r of levels; a binary parameter
// stays in [w, 1−w]. w is public. A binary model may have w = 0, no trim: it then has no pure ε, but exact (ε, δ) and
// Rényi guarantees. Rates are trimmed by their model's WithRange instead.
func (m Sample) WithBounds(w float64) Sample { m.trim, m.trimmed = w, true; return m.made() }

// WithPower fixes the likelihood's power η in (0, 1]; nothing is calibrated then, unless ByBounds or ByDraws follows.
func (m Sample) WithPower(eta float64) Sample {
	m.power, m.powered = eta, true
	if m.rule == byPower {
		m.rule = fixed
	}
	return m.made()
}

// made is the mechanism with its options as they are.
func (m Sample) made() Sample {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

// ByBounds calibrates the trim in place of the power: the widest box that meets the target, of the same log-range
// ln((1−(r−1)w)/w) for every conditional distribution.
func (m Sample) ByBounds() Sample { m.rule = byTrim; return m.made() }

// ByDraws calibrates the number of draws: the most that meet the target, in place of New's N.
func (m Sample) ByDraws() Sample { m.rule = byDraws; return m.made() }

// ForAnyN accounts and calibrates for data of any size, by the closed form that is tight as n grows: pure ε = 2NηΣℓ, so
// that ByBounds's box is w = 1/(r − 1 + e^{ε/(2KN)}) for K conditionals at η = 1. Without it the exact ε at the public
// n is used where it is known, which is smaller for binary conditionals. Not for rates. Source: theory/networks.md
// §3.5, calibration A.
func (m Sample) ForAnyN() Sample { m.anyN = true; return m.made() }

func (m Sample) title() string {
	t := fmt.Sprintf("Posterior sample of %d", m.draws)
	switch m.rule {
	case byTrim:
		return t + ", trimmed to the target"
	case byDraws:
		return "Posterior sample, as many draws as the target allows"
	case fixed:
		return t + ", power fixed"
	}
	return t + ", tempered"
}

// supports accepts every model made of count tables, and rates.
func supports(sh *model.Shape) error {
	if sh.Rate() == nil && !sh.Counts() {
		return mechanism.Unsupported(sh.Model().String(), "a mechanism for regression, or a model of counts or a rate")
	}
	return nil
}

// Limits: of the numbers released, of N, and of η and w that the samplers and the accounting keep their accuracy for.
const (
	maxNumbers = 1 << 24
	maxDraws   = 1 << 20
	minPower   = 1e-9
	minFloor   = 1e-9
	// maxOscillation bounds (c2−c1)(t1−t0) of a rate, the log-range of one record.
	maxOscillation = 1e5
)

func (m Sample) mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: Kind, Title: m.title(), Supports: supports, Certify: certify,
		Of: func(q params) (mechanism.Family[*problem, params], error) {
			return Sample{draws: q.Asked, trim: q.TrimText, trimmed: q.Trimmed, power: q.Power, powered: q.Powered,
				rule: q.Rule, anyN: q.AnyN}.mathematics(), nil
		},
		Prepare: func(ctx context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
			p, err := m.prepare(sh, t)
			if err == nil {
				p.stop = func() bool { return ctx.Err() != nil }
			}
			return p, err
		},
		Calibrate: func(ctx context.Context, p *problem) (params, error) {
			s, err := p.calibrate(ctx)
			return params{m.rule, m.draws, m.trimmed, m.powered, m.anyN, s.draws, s.power, s.floors, m.trim},
				cmp.Or(ctx.Err(), err)
		},
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			return p.expect(q.setting()), nil
		},
	}
}

// params are what a release file keeps.
type params struct {
	Rule     rule      `json:"rule"`
	Asked    int       `json:"asked_draws"`
	Trimmed  bool      `json:"trim_given,omitempty"`
	Powered  bool      `json:"power_given,omitempty"`
	AnyN     bool      `json:"any_n,omitempty"`
	Draws    int       `json:"draws"`
	Power    float64   `json:"power"`
	Floors   []float64 `json:"floors,omitempty"` // of every conditional distribution; none for rates
	TrimText float64   `json:"trim,omitempty"`
}

func (q params) setting() setting { return setting{draws: q.Draws, power: q.Power, floors: q.Floors} }

// Valid checks parameters from a file: *dp.ParameterError.
func (q params) Valid() error {
	switch q.Rule {
	case byPower, byTrim, byDraws, fixed:
		return nil
	}
	return domain.Refuse("posteriorsample", "rule", safetext.Short(string(q.Rule)), "temper, trim, draws or fixed")
}

// setting is a calibrated choice of the knobs.
type setting struct {
	draws  int
	power  float64
	floors []float64
}

func (p *problem) valid(s setting) error {
	if s.draws < 1 || s.draws > maxDraws || s.draws*p.size > maxNumbers {
		return domain.Refuse("posteriorsample", "N", s.draws, fmt.Sprintf("1 to %d draws of %d "+
			"numbers", min(maxDraws, maxNumbers/p.size), p.size))
	}
	if !(s.power >= minPower && s.power <= 1) {
		return domain.Refuse("posteriorsample", "power", s.power, fmt.Sprintf("η in [%g, 1]", minPower))
	}
	if len(s.floors) != len(p.nodes) {
		return domain.Refuse("posteriorsample", "floors", len(s.floors),
			fmt.Sprintf("%d, one for every conditional distribution", len(p.nodes)))
	}
	for i, w := range s.floors {
		if err := p.validFloor(w, p.nodes[i].Levels); err != nil {
			return err
		}
	}
	return nil
}

// validFloor checks a trim for r levels.
func (p *problem) validFloor(w float64, levels int) error {
	switch {
	case w == 0 && p.untrimmed():
		return nil
	case math.IsNaN(w) || w < minFloor || w*float64(levels) >= 1:
		want := fmt.Sprintf("w in [%g, 1/%d): every one of %d probabilities at least w leaves a box [a, b] with a < b",
			minFloor, levels, levels)
		if p.binary {
			want += ", or 0 for no trim"
		}
		return domain.Refuse("posteriorsample", "trim", w, want)
	}
	return nil
}

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	d := mechanism.Describe(New(1), "PosteriorSample", "posterior-sample", "Posterior sample")
	d.Title, d.Choices = "Posterior sample, tempered", choices
	d.New = func(o mechanism.Options) mechanism.Mechanism { return New(max(o.Count, 1)) }
	return []mechanism.Descriptor{d}
}

// manyRecords bounds n for more than one draw: beyond, and for one probability, whose profile is summed over all data,
// several draws take seconds to account.
const manyRecords = 50_000

// choices are numbers of draws, whose mean is the estimate.
func choices(sh *model.Shape) []mechanism.Choice {
	out := []mechanism.Choice{{Name: "N = 1", Mechanism: New(1), Go: "PosteriorSample(1)"}}
	conds := sh.Conditionals()
	single := len(conds) == 1 && conds[0].Levels == 2
	if n, _ := sh.N(); n <= manyRecords && !single {
		out = append(out, mechanism.Choice{Name: "mean of N = 10", Mechanism: New(10), Go: "PosteriorSample(10)"})
	}
	return out
}

// Steps of a plan, by what its profile is made of.
const (
	pureSteps  = 2e6   // closed form
	pureCount  = 1e7   // the same of one probability
	rateSteps  = 2.5e8 // integrals over a range, at every order
	countSteps = 3e7   // sums over all counts, at every order
	levelSteps = 1.5e7 // one distribution of more levels
	composed   = 2.5e7 // several distributions
)

// Cost estimates a plan by the profiles it composes, and a draw by the levels of every row: the trim couples them. A
// smaller ε takes more terms of a profile, and one count of more records more orders of its divergence.
func (m Sample) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	conds := sh.Conditionals()
	n, _ := sh.N()
	pure, approximate := t.Notion == dp.Pure, t.Notion == dp.Approximate
	c := mechanism.Cost{Plan: pureSteps, Draw: 1e5, Bytes: 1 << 22}
	if len(conds) == 0 {
		if !pure {
			c.Plan = rateSteps
		}
		return c
	}
	more := 1.0
	if approximate {
		more = math.Min(math.Max(1/float64(t.Epsilon), 1), 10)
	}
	switch one := len(conds) == 1; {
	case one && conds[0].Levels == 2 && pure:
		c.Plan = pureCount * math.Min(1, float64(n+50)/1000)
	case one && conds[0].Levels == 2 && approximate:
		c.Plan = countSteps * more * math.Min(1, float64(n+50)/500) * math.Max(1, math.Pow(float64(n)/1e5, .15))
	case one && conds[0].Levels == 2:
		c.Plan = 1.5e6 * math.Pow(float64(n+1), .34)
	case pure:
	case one:
		c.Plan = levelSteps
	case approximate:
		c.Plan = composed * math.Sqrt(more)
	default:
		c.Plan = composed / 3
	}
	c.Plan += 5e3 * float64(len(conds))
	parameters, draw := 0.0, 0.0
	for _, k := range conds {
		size, levels := float64(k.Rows)*float64(k.Levels), float64(k.Levels)
		draw += size * math.Min(8e4, 7e3*levels)
		parameters += size
	}
	c.Draw, c.Bytes = draw, 1<<22+512*parameters
	return c
}
