package model

import (
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// regressionSums are the second moments of the scaled rows. Clipping to the public bounds is what keeps the privacy
// claim true whatever the data; of a factor at most one indicator is 1.
type regressionSums struct {
	*leastsquares.Sums
	coordinates []coordinate
	levels      []int // of every column of the shape; 0 for numbers
	rows        [][]float64
	classes     []float64 // of a response with two levels: −1 and 1
}

// indicatorRows are turned from codes into indicators at a time.
const indicatorRows = 4096

func (m LinearRegressionModel) summer(sh *Shape) (summer, error) { return newRegressionSums(sh) }

func newRegressionSums(sh *Shape) (summer, error) {
	sums, err := leastsquares.NewSums(sh.linear.Design)
	s := &regressionSums{Sums: sums, coordinates: sh.coordinates(), levels: make([]int, len(sh.columns))}
	s.rows = make([][]float64, len(s.coordinates))
	if sh.grouping(0) {
		s.levels[0], s.classes = sh.columns[0].Levels(), make([]float64, indicatorRows)
	}
	for j, c := range s.coordinates {
		if c.level > 0 {
			s.levels[c.column], s.rows[j] = sh.columns[c.column].Levels(), make([]float64, indicatorRows)
		}
	}
	return s, err
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (s *regressionSums) add(codes []frame.Codes, values [][]float64) error {
	x, n := make([][]float64, len(s.coordinates)), len(values[0])
	if s.classes != nil {
		n = codes[0].Len()
	}
	for first := 0; first < n; first += indicatorRows {
		last := min(first+indicatorRows, n)
		for j, c := range s.coordinates {
			if c.level == 0 {
				x[j] = values[c.column][first:last]
				continue
			}
			x[j] = s.rows[j][:last-first]
			for r := range x[j] {
				code := codes[c.column].At(first + r)
				if code >= s.levels[c.column] {
					return s.strange()
				}
				x[j][r] = indicator(code == c.level)
			}
		}
		y := s.classes[:min(last-first, len(s.classes))]
		for r := range y {
			code := codes[0].At(first + r)
			if code >= s.levels[0] {
				return s.strange()
			}
			y[r] = 2*indicator(code > 0) - 1
		}
		if s.classes == nil {
			y = values[0][first:last]
		}
		if err := s.Add(x, y); err != nil {
			return err
		}
	}
	return nil
}

func (s *regressionSums) addRow(codes []int32, values []float64, count int64) error {
	x := make([]float64, len(s.coordinates))
	for j, c := range s.coordinates {
		if c.level == 0 {
			x[j] = values[c.column]
			continue
		}
		code := int(codes[c.column])
		if code < 0 || code >= s.levels[c.column] {
			return s.strange()
		}
		x[j] = indicator(code == c.level)
	}
	y := values[0]
	if s.classes != nil {
		code := int(codes[0])
		if code < 0 || code >= s.levels[0] {
			return s.strange()
		}
		y = 2*indicator(code > 0) - 1
	}
	return s.AddRow(x, y, count)
}

func (s *regressionSums) strange() error {
	return &Error{Model: "regression", Value: "a code of no level", Want: "codes below the levels of the column"}
}

func (s *regressionSums) numbers() []num.Int128 { return s.Numbers() }

func (s *regressionSums) sums() []float64 { return s.Moments() }

// featureReader reads rows of the features of a frame as the design has them.
type featureReader struct {
	coordinates []coordinate
	values      [][]float64
	codes       []frame.Codes
}

// readFeatures reads the features of a regression.
func (s *Shape) readFeatures(x *frame.Frame) (*featureReader, error) {
	f := &featureReader{s.coordinates(), make([][]float64, len(s.columns)), make([]frame.Codes, len(s.columns))}
	for i, c := range s.columns {
		var err error
		switch {
		case i == 0:
		case s.grouping(i):
			f.codes[i], err = x.Codes(c.Name)
		default:
			f.values[i], err = x.Values(c.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *featureReader) row(r int, x []float64) {
	for j, c := range f.coordinates {
		if c.level == 0 {
			x[j] = f.values[c.column][r]
		} else {
			x[j] = indicator(f.codes[c.column].At(r) == c.level)
		}
	}
}

// OpenMoments reads the exact second moments of a linear regression: the integers Σ k_i·k_j of columns i ≤ j of [x y],
// packed by rows, with coordinates k·2^−22, k in {−2^22, …, 2^22}. The key keeps them inside this module, and without
// it there are none. Moments made by FromSums are rounded to such integers.
func (s *Statistics) OpenMoments(key access.Key) []num.Int128 {
	design := s.shape.linear
	if !key.Opens() || design == nil {
		return nil
	}
	if s.moments != nil {
		return s.moments
	}
	xx, xy, yy := s.shape.linear.Moments(s.sums)
	square, root := float64(design.Square()), math.Sqrt(float64(design.Square()))
	var out []num.Int128
	for i, v := range xy {
		for j := i; j < len(xy); j++ {
			out = append(out, onLattice(xx.At(i, j)*square))
		}
		out = append(out, onLattice(v*root))
	}
	return append(out, onLattice(yy))
}

// onLattice is the integer nearest to x·2^44, of sums of at most 2^53 rows.
func onLattice(x float64) num.Int128 {
	const most = 1 << 53
	if !(math.Abs(x) <= most) {
		x = 0
	}
	v, _ := new(big.Float).SetMantExp(big.NewFloat(x), 2*leastsquares.LatticeBits).Int(nil)
	low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64))
	return num.Int128{Hi: v.Rsh(v, 64).Int64(), Lo: low.Uint64()}
}
