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

// WithBounds keeps every probability at least w, 0 < w < 1/r for the largest number r of levels; a binary parameter stays
// in [w, 1−w]. w is public. A binary model may have w = 0, no trim: it then has no pure ε, but exact (ε, δ) and Rényi
// guarantees. Rates are trimmed by their model's WithRange instead.
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
// that ByBounds's box is w = 1/(r − 1 + e^{ε/(2KN)}) for K conditionals at η = 1. Without it the exact ε at the public n
// is used where it is known, which is smaller for binary conditionals. Not for rates. Source: theory/networks.md §3.5,
// calibration A.
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
