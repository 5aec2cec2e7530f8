package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/internal/truncated"
)

// Exponential is the rate θ of a column with density θe^{−θx} on values ≥ 0, under the prior Exp(λ), λ = 1, on a range that WithRange
// sets.
func Exponential(column string) Model {
	return Model{Kind: KindExponential, Target: column, Alpha: Prior{1}}
}

// LaplaceScale is the inverse scale θ of a column with density ½θe^{−θ|x−μ|} and known location μ.
func LaplaceScale(column string, mu float64) Model {
	return Model{Kind: KindLaplaceScale, Target: column, Center: mu, Alpha: Prior{1}}
}

// NormalPrecision is the precision θ of a normal column with known mean μ.
func NormalPrecision(column string, mu float64) Model {
	return Model{Kind: KindNormalPrecision, Target: column, Center: mu, Alpha: Prior{1}}
}

// WithRange sets the range [c1, c2] of a rate, 0 < c1 < c2: a public choice, and what bounds the privacy loss of a posterior sample.
func (m Model) WithRange(c1, c2 float64) Model { m.Range = []float64{c1, c2}; return m }

func (k Kind) rate() bool {
	return k == KindExponential || k == KindLaplaceScale || k == KindNormalPrecision
}

// rateColumns checks the column, its public bounds, and the range.
func (m Model) rateColumns(s *frame.Schema) ([]frame.Column, error) {
	c, err := m.bounded(nameColumns(s), m.Target)
	if err != nil {
		return nil, err
	}
	if want, ok := m.Alpha.valid(1, true); !ok {
		return nil, &Error{Model: m.String(), Value: fmt.Sprintf("prior rate λ = %s", m.Alpha), Want: want}
	}
	if len(m.Range) != 2 || !(m.Range[0] > 0 && m.Range[0] < m.Range[1]) || math.IsInf(m.Range[1], 1) {
		return nil, &Error{Model: m.String(), Value: fmt.Sprintf("range %v", m.Range), Want: "WithRange(c1, c2), 0 < c1 < c2 finite"}
	}
	if m.Kind == KindExponential && c.Min < 0 {
		return nil, &Error{Model: m.String(), Column: m.Target, Value: fmt.Sprintf("bounds [%v, %v]", c.Min, c.Max), Want: "values ≥ 0 for exponential data"}
	}
	if math.IsNaN(m.Center) || math.IsInf(m.Center, 0) {
		return nil, &Error{Model: m.String(), Value: fmt.Sprintf("location %v", m.Center), Want: "a finite number"}
	}
	return []frame.Column{c}, nil
}

// bounded is a numeric column with public bounds and no missing values.
func (m Model) bounded(of named, name string) (frame.Column, error) {
	c, err := of.column(name)
	if err != nil {
		return frame.Column{}, err
	}
	switch {
	case !c.Numeric():
		return *c, &Error{Model: m.String(), Column: name, Value: fmt.Sprintf("a %s column", c.Kind), Want: "an integer or real column"}
	case !(c.Min < c.Max) || math.IsInf(c.Max-c.Min, 0):
		return *c, &Error{Model: m.String(), Column: name, Value: fmt.Sprintf("bounds [%v, %v]", c.Min, c.Max), Want: "finite public bounds in the schema"}
	case c.HasMissing():
		return *c, &Error{Model: m.String(), Column: name, Value: "missing values as a category", Want: "a column without missing values"}
	}
	return *c, nil
}

// rateStatistic names Σ T(x).
func (m Model) rateStatistic() string {
	switch m.Kind {
	case KindLaplaceScale:
		return fmt.Sprintf("Σ |%s − %v|", m.Target, m.Center)
	case KindNormalPrecision:
		return fmt.Sprintf("Σ (%s − %v)²/2", m.Target, m.Center)
	}
	return "Σ " + m.Target
}

// RateStatistic is T(x) of a rate model, with its range over the column's bounds, and the power κ of θ that one record adds: the
// likelihood is ∝ θ^{nκ}e^{−θΣT}. For other models ok is false.
func (s *Shape) RateStatistic() (statistic func(x float64) float64, low, high, power float64, ok bool) {
	m := s.model
	if !m.Kind.rate() {
		return nil, 0, 0, 0, false
	}
	c := s.columns[0]
	apart := math.Max(math.Abs(c.Min-m.Center), math.Abs(c.Max-m.Center))
	near := math.Max(0, math.Max(c.Min-m.Center, m.Center-c.Max))
	switch m.Kind {
	case KindLaplaceScale:
		return func(x float64) float64 { return math.Abs(x - m.Center) }, near, apart, 1, true
	case KindNormalPrecision:
		return func(x float64) float64 { return (x - m.Center) * (x - m.Center) / 2 }, near * near / 2, apart * apart / 2, .5, true
	}
	return func(x float64) float64 { return x }, c.Min, c.Max, 1, true
}

// sumRate adds T(x) over the rows. Values outside the bounds, where the schema lets them in, count as the nearest bound.
func (s *Shape) sumRate(f *frame.Frame) ([]float64, error) {
	values, err := f.Values(s.columns[0].Name)
	if err != nil {
		return nil, err
	}
	statistic, _, _, _, _ := s.RateStatistic()
	c, sum := s.columns[0], 0.0
	for _, x := range values {
		sum += statistic(math.Min(math.Max(x, c.Min), c.Max))
	}
	return []float64{sum}, nil
}

// RatePosterior is the exact posterior of the rate given Σ T, on the model's range: Gamma(1 + nκ, λ + ΣT) truncated.
func (s *Shape) RatePosterior(n int, sum float64) (*truncated.Gamma, error) {
	_, _, _, power, ok := s.RateStatistic()
	if !ok {
		return nil, &Error{Model: s.model.String(), Value: "not a rate", Want: "Exponential, LaplaceScale or NormalPrecision"}
	}
	return truncated.NewGamma(1+power*float64(n), s.model.Alpha[0]+sum, s.model.Range[0], s.model.Range[1])
}
