package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/internal/regression"
)

// LinearRegression is target = intercept + Σ slope·feature + noise. Rows are scaled by the public bounds of their columns, so that ‖x̃‖ ≤ 1
// and |ỹ| ≤ 1; weights w on the scaled rows have the prior N(0, b⁻¹I), b = 1, truncated to ‖w‖ ≤ 2.
func LinearRegression(target string, features ...string) Model {
	return Model{Kind: KindLinearRegression, Target: target, Features: features, Alpha: Prior{1}, Radius: 2}
}

// WithRadius sets the bound ‖w‖ ≤ B on the weights of a linear regression, in scaled units: a public choice.
func (m Model) WithRadius(b float64) Model { m.Radius = b; return m }

// WithoutIntercept leaves the intercept out: the fitted plane passes through the middle of all ranges.
func (m Model) WithoutIntercept() Model { m.NoIntercept = true; return m }

// regressionColumns checks response and features: numeric, with public bounds.
func (m Model) regressionColumns(s *frame.Schema) ([]frame.Column, error) {
	if want, ok := m.Alpha.valid(1, true); !ok {
		return nil, &Error{Model: m.String(), Value: fmt.Sprintf("prior precision b = %s", m.Alpha), Want: want}
	}
	if !(m.Radius > 0) || math.IsInf(m.Radius, 1) {
		return nil, &Error{Model: m.String(), Value: fmt.Sprintf("radius B = %v", m.Radius), Want: "a finite bound ‖w‖ ≤ B, B > 0, in scaled units"}
	}
	names := m.Features
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Name != m.Target && c.Numeric() && !c.HasMissing() {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &Error{Model: m.String(), Want: "at least one numeric feature besides the response"}
	}
	seen, of := map[string]bool{}, nameColumns(s)
	var cols []frame.Column
	for _, name := range append([]string{m.Target}, names...) {
		if seen[name] {
			return nil, &Error{Model: m.String(), Column: name, Value: "named twice", Want: "each column once, and the response not among the features"}
		}
		seen[name] = true
		c, err := m.bounded(of, name)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// Design maps rows of a linear regression into the unit ball; nil for other models.
func (s *Shape) Design() *regression.Design {
	if s.model.Kind != KindLinearRegression {
		return nil
	}
	ranges := make([]regression.Range, len(s.columns)-1)
	for i, c := range s.columns[1:] {
		ranges[i] = regression.Range{Lo: c.Min, Hi: c.Max}
	}
	d, err := regression.NewDesign(ranges, regression.Range{Lo: s.columns[0].Min, Hi: s.columns[0].Max}, !s.model.NoIntercept)
	if err != nil {
		return nil // regressionColumns admits no such columns
	}
	return d
}

// Weights names the coordinates of a scaled row.
func (s *Shape) Weights() []string {
	var out []string
	if !s.model.NoIntercept {
		out = append(out, "(intercept)")
	}
	for _, c := range s.columns[1:] {
		out = append(out, c.Name)
	}
	return out
}

// regressionSums names the second moments: the upper triangle of XᵀX, Xᵀy, and yᵀy, over scaled rows.
func (s *Shape) regressionSums() []string {
	names := s.Weights()
	var out []string
	for i, a := range names {
		for _, b := range names[i:] {
			out = append(out, fmt.Sprintf("Σ %s·%s", a, b))
		}
	}
	for _, a := range names {
		out = append(out, fmt.Sprintf("Σ %s·%s", a, s.columns[0].Name))
	}
	return append(out, fmt.Sprintf("Σ %s²", s.columns[0].Name))
}

// sumRegression adds the second moments of the scaled rows, in the order of regressionSums. Clipping to the public bounds is what keeps
// the privacy claim true whatever the data.
func (s *Shape) sumRegression(f *frame.Frame) ([]float64, error) {
	m, err := s.moments(f)
	if err != nil {
		return nil, err
	}
	var out []float64
	xx := m.XX()
	for i := range m.Dim() {
		for j := i; j < m.Dim(); j++ {
			out = append(out, xx.At(i, j))
		}
	}
	return append(append(out, m.XY()...), m.YY()), nil
}

func (s *Shape) moments(f *frame.Frame) (*regression.Moments, error) {
	design := s.Design()
	columns := make([][]float64, len(s.columns))
	for i, c := range s.columns {
		var err error
		if columns[i], err = f.Values(c.Name); err != nil {
			return nil, err
		}
	}
	m, err := regression.NewMoments(design.Dim())
	if err != nil {
		return nil, err
	}
	if err := m.AddScaled(design, columns[1:], columns[0]); err != nil {
		return nil, err
	}
	return m, nil
}

// RegressionMoments are XᵀX, Xᵀy and yᵀy of the sums of a linear regression.
func (s *Shape) RegressionMoments(sums []float64) (xx *mat.SymDense, xy []float64, yy float64) {
	d := len(s.Weights())
	xx = mat.NewSymDense(d, nil)
	at := 0
	for i := range d {
		for j := i; j < d; j++ {
			xx.SetSym(i, j, sums[at])
			at++
		}
	}
	return xx, append([]float64(nil), sums[at:at+d]...), sums[at+d]
}
