package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// formulaSums are the exact sums of the products of a formula. Numbers, clipped to their public bounds and scaled to
// [−1, 1], are rounded to the formula's lattice and the response to multiples of 2^−22. Columns are then integers in
// units of 2^−23, their products in units of 2^−46, and sums of up to 2^53 rows fit 128 bits.
type formulaSums struct {
	f       *Formula
	columns []frame.Column
	scaled  [][]float64 // blocks of scaled numbers, of levels, of columns and of integers, the response last
	levels  [][]int
	filled  [][]float64
	whole   [][]int64
	classes []float64 // −1 and 1, of a response of two levels
	total   []num.Int128
	step    *stepSums // of a regression by steps, in place of products
}

func (m LinearModel) summer(sh *Shape) (summer, error) { return newFormulaSums(sh), nil }

func newFormulaSums(sh *Shape) *formulaSums {
	f := sh.linear.Formula
	s := &formulaSums{f: f, columns: sh.columns, total: make([]num.Int128, len(sh.sums)),
		scaled: make([][]float64, len(f.numbers)), levels: make([][]int, len(f.factors)),
		filled: make([][]float64, len(f.Columns)), whole: make([][]int64, len(f.Columns)+1)}
	for j := range s.scaled {
		s.scaled[j] = make([]float64, indicatorRows)
	}
	for k := range s.levels {
		s.levels[k] = make([]int, indicatorRows)
	}
	for c := range s.filled {
		s.filled[c] = make([]float64, indicatorRows)
	}
	for c := range s.whole {
		s.whole[c] = make([]int64, indicatorRows)
	}
	if !sh.columns[0].Numeric() {
		s.classes = make([]float64, indicatorRows)
	}
	if family, ok := sh.Family(); ok {
		s.step = &stepSums{family: family, at: sh.firstPoint(family), row: make([]float64, len(f.Columns))}
		if sh.pass != nil {
			s.step.at = *sh.pass
		}
	}
	return s
}

// toUnit is a value moved to [−1, 1] by the bounds of its column; a missing one is the middle.
func toUnit(c *frame.Column, v float64) float64 {
	u := (v - (c.Min/2 + c.Max/2)) / (c.Max/2 - c.Min/2)
	if math.IsNaN(u) {
		return 0
	}
	return math.Min(math.Max(u, -1), 1)
}

func (s *formulaSums) add(codes []frame.Codes, values [][]float64) error {
	all := len(values[0])
	if s.classes != nil {
		all = codes[0].Len()
	}
	for first := 0; first < all; first += indicatorRows {
		n := min(indicatorRows, all-first)
		for j, place := range s.f.numbers {
			for r, v := range values[place][first : first+n] {
				s.scaled[j][r] = s.f.Round(toUnit(&s.columns[place], v))
			}
		}
		for k, place := range s.f.factors {
			for r := range n {
				if s.levels[k][r] = codes[place].At(first + r); s.levels[k][r] >= s.columns[place].Levels() {
					return strangeLevel()
				}
			}
		}
		y := s.classes[:min(n, len(s.classes))]
		for r := range y {
			code := codes[0].At(first + r)
			if code > 1 {
				return strangeLevel()
			}
			y[r] = 2*float64(code) - 1
		}
		if s.classes == nil {
			y = values[0][first : first+n]
		}
		s.block(y, 1)
	}
	return nil
}

func (s *formulaSums) addRow(codes []int32, values []float64, count int64) error {
	for j, place := range s.f.numbers {
		s.scaled[j][0] = s.f.Round(toUnit(&s.columns[place], values[place]))
	}
	level := func(place int) (int, error) {
		code := int(codes[place])
		if code < 0 || code >= s.columns[place].Levels() {
			return 0, strangeLevel()
		}
		return code, nil
	}
	var err error
	for k, place := range s.f.factors {
		if s.levels[k][0], err = level(place); err != nil {
			return err
		}
	}
	y := values[0]
	if s.classes != nil {
		code, err := level(0)
		if err != nil {
			return err
		}
		y = 2*float64(code) - 1
	}
	s.block([]float64{y}, count)
	return nil
}

// block adds the rows whose numbers and levels were set, each so many times.
func (s *formulaSums) block(y []float64, count int64) {
	n, d := len(y), len(s.f.Columns)
	filled := make([][]float64, d)
	for c := range filled {
		filled[c] = s.filled[c][:n]
	}
	s.f.Fill(filled, s.scaled, s.levels)
	for c, column := range filled {
		for r, x := range column {
			s.whole[c][r] = int64(x * (1 << formula.LatticeBits))
		}
	}
	if s.step != nil {
		for r, v := range y {
			s.stepRow(r, v, count)
		}
		return
	}
	for r, v := range y {
		s.whole[d][r] = 2 * int64(math.RoundToEven(toUnit(&s.columns[0], v)*(1<<(formula.LatticeBits-1))))
	}
	add := func(k, i, j int) {
		sum, b := int64(0), s.whole[j][:n] // of 2^12 products of 2^46 at most
		for r, a := range s.whole[i][:n] {
			sum += a * b[r]
		}
		s.total[k] = s.total[k].AddProduct(sum, count)
	}
	for k, at := range s.f.Places {
		add(k, at[0][0], at[0][1])
	}
	for i := range d + 1 {
		add(len(s.f.Places)+i, i, d)
	}
}

func strangeLevel() error {
	return &Error{Model: "regression", Value: "a code of no level", Want: "codes below the levels of the column"}
}

func (s *formulaSums) numbers() []num.Int128 { return s.total }

func (s *formulaSums) sums() (out []float64) {
	for k, v := range s.total {
		bits := 2 * formula.LatticeBits
		if s.step != nil {
			bits = s.f.stepBits(k)
		}
		out = append(out, v.Float(-bits)*s.f.scale(k))
	}
	return out
}

// scale takes the sum k of products of [−1, 1] to that of rows of the unit ball.
func (f *Formula) scale(k int) float64 {
	switch unit := f.unit(); {
	case k < len(f.Places):
		return unit * unit
	case k < len(f.Places)+len(f.Columns):
		return unit
	}
	return 1
}

// moments are XᵀX, Xᵀy and yᵀy.
func (f *Formula) moments(sums []float64) (xx *mat.SymDense, xy []float64, yy float64) {
	d, m := len(f.Columns), len(f.Places)
	xx = mat.NewSymDense(d, nil)
	for k, places := range f.Places {
		for _, at := range places {
			xx.SetSym(at[0], at[1], sums[k])
		}
	}
	return xx, slices.Clone(sums[m : m+d]), sums[m+d]
}

// rows gives the scaled rows of the features of a frame, the response aside.
func (f *Formula) rows(s *Shape, x *frame.Frame) (row func(r int, out []float64) error, err error) {
	values, codes := make([][]float64, len(f.numbers)), make([]frame.Codes, len(f.factors))
	for j, place := range f.numbers {
		if values[j], err = x.Values(s.columns[place].Name); err != nil {
			return nil, err
		}
	}
	for k, place := range f.factors {
		if codes[k], err = x.Codes(s.columns[place].Name); err != nil {
			return nil, err
		}
	}
	numbers, levels := make([][]float64, len(values)), make([][]int, len(codes))
	return func(r int, out []float64) error {
		for j, v := range values {
			numbers[j] = []float64{toUnit(&s.columns[f.numbers[j]], v[r])}
		}
		for k, c := range codes {
			levels[k] = []int{c.At(r)}
		}
		f.row(numbers, levels, out)
		return nil
	}, nil
}

// row is one row of the unit ball.
func (f *Formula) row(numbers [][]float64, levels [][]int, out []float64) {
	filled := make([][]float64, len(f.Columns))
	for c := range filled {
		filled[c] = out[c : c+1]
	}
	f.Fill(filled, numbers, levels)
	for c := range filled {
		out[c] *= f.unit()
	}
}

func (m LinearModel) steps(sh *Shape, _ int) float64 {
	d := float64(len(sh.linear.weights))
	return 8e5 + 50*regressionRows*d*d
}

// simulate draws slopes from their prior, an intercept between −½ and ½, columns uniform between their bounds and over
// their levels, a residual standard deviation of up to a quarter of the response's range, and responses, cut to their
// range.
func (m LinearModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	f, s := sh.linear.Formula, newFormulaSums(sh)
	w := make([]float64, len(f.Columns))
	for c := range w {
		if w[c] = m.slopes * sample.Normal(src); constant(f.Columns[c]) {
			w[c] = sample.Float64(src) - .5
		}
	}
	rows, sigma := min(n, regressionRows), sample.Float64(src)/2
	codes, values, x := make([]int32, len(sh.columns)), make([]float64, len(sh.columns)), make([]float64, len(w))
	numbers, levels := make([][]float64, len(f.numbers)), make([][]int, len(f.factors))
	for range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j, place := range f.numbers {
			c := &sh.columns[place]
			values[place] = c.Min + sample.Float64(src)*(c.Max-c.Min)
			numbers[j] = []float64{toUnit(c, values[place])}
		}
		for k, place := range f.factors {
			codes[place] = int32(sample.Uniform(src, uint64(sh.columns[place].Levels())))
			levels[k] = []int{int(codes[place])}
		}
		f.row(numbers, levels, x)
		y := sigma * sample.Normal(src)
		for c, v := range x {
			y += w[c] * v / f.unit()
		}
		response := &sh.columns[0]
		values[0] = response.Min + (1+math.Min(math.Max(y, -1), 1))*(response.Max/2-response.Min/2)
		if err := s.addRow(codes, values, 1); err != nil {
			return nil, err
		}
	}
	sums := s.sums()
	for i := range sums {
		sums[i] *= float64(n) / float64(max(rows, 1))
	}
	return FromSums(sh, n, sums)
}
