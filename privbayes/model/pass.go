package model

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/steps"
)

// again counts the rows of statistics once more, under a shape of the same columns.
type again func(ctx context.Context, sh *Shape) (*Statistics, error)

// CanPass reports whether OpenPass can read the rows once more: it can where they are in memory, or in a source.
func (s *Statistics) CanPass() bool { return s.again != nil }

// Again says how the rows of a source are counted once more: they may have changed, which the number of rows tells, or
// nothing, and costs no privacy. The key keeps it inside this module.
func (s *Statistics) Again(key access.Key, count func(ctx context.Context, sh *Shape) (*Statistics, error)) {
	if key.Opens() {
		s.again = count
	}
}

// Family is that of the response of a logistic or Poisson regression, which FisherScoring reads; ok is false for other
// models.
func (s *Shape) Family() (f steps.Family, ok bool) {
	switch l := s.linear; {
	case l == nil:
		return f, false
	case l.Counts > 0:
		return l.counted, true
	}
	return steps.Logistic, s.Classifies()
}

// FamilyPrior are the prior deviations of a slope, for half of a column's range, and of the intercept of a logistic or
// Poisson regression: those of a formula, or 2/√λ and 5/√λ.
func (s *Shape) FamilyPrior() (slope, intercept float64) {
	if f := s.linear.Formula; f != nil {
		return f.Slopes, f.InterceptSD
	}
	root := math.Sqrt(s.model.Prior()[0])
	return 2 / root, 5 / root
}

// firstPoint is where the first reading of a formula's rows is made.
func (s *Shape) firstPoint(f steps.Family) steps.Point {
	return (&steps.Design{Columns: s.linear.Columns(), Family: f}).First()
}

// Passing reports whether the shape is that of one more reading of rows at a public point: no model is released of it.
func (s *Shape) Passing() bool { return s.pass != nil }

// passing is the shape of one more reading, at a point of as many coefficients.
func (s *Shape) passing(at steps.Point) (*Shape, error) {
	if _, ok := s.Family(); !ok || len(at.Beta) != len(s.linear.weights) {
		return nil, wrong(s.model, "", fmt.Sprintf("a point of %d coefficients", len(at.Beta)),
			"one of a logistic or Poisson regression")
	}
	c := *s
	c.pass = &at
	return &c, nil
}

// OpenPass reads the rows of a logistic or Poisson regression once more, at a public point: with residual r and weight
// a of [steps.Family.Weigh], columns k·2^−22 and y last, the integers Σ a·k_i·k_j in units of 2^−66 and Σ r·k_i, in the
// place of products with y, in units of 2^−44, packed by rows as OpenMoments. Of a formula, with columns k·2^−23, they
// are the sums Σ a·k_i·k_j of its distinct products in units of 2^−68, then Σ r·k_i in units of 2^−45. The key keeps
// them inside this module. Errors: ErrSealed without it, *Error where the rows are gone, *ChangedError for another
// number of rows, the context's, those of the source.
func (s *Statistics) OpenPass(ctx context.Context, key access.Key, at steps.Point) ([]num.Int128, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if !s.CanPass() {
		return nil, wrong(s.shape.model, "", "no rows to read again", "a frame or a source")
	}
	at.Likelihood = false // what a release is made of is bounded
	return s.readAgain(ctx, at)
}

// readAgain is OpenPass at any point. Errors: *Error for another model, *ChangedError, the context's, of the source.
func (s *Statistics) readAgain(ctx context.Context, at steps.Point) ([]num.Int128, error) {
	sh, err := s.shape.passing(at)
	if err != nil {
		return nil, err
	}
	next, err := s.sameRows(ctx, sh)
	if err != nil {
		return nil, err
	}
	return next.moments, nil
}

// sameRows reads the rows once more, in another shape.
func (s *Statistics) sameRows(ctx context.Context, sh *Shape) (*Statistics, error) {
	next, err := s.again(ctx, sh)
	if err != nil {
		return nil, err
	}
	if next.rows != s.rows {
		return nil, &ChangedError{}
	}
	return next, ctx.Err()
}

// passAt is the place among the sums of a pass of the product of columns i ≤ j, −1 for one that is 0 in every row; with
// j their number that of G.
func (l *RegressionDesign) passAt(i, j int) int {
	d := len(l.weights)
	switch f := l.Formula; {
	case f == nil:
		return i*(d+1) - i*(i-1)/2 + j - i
	case j == d:
		return len(f.Places) + i
	default:
		return f.Product([2]int{i, j})
	}
}

// rowSums add up what rows of features and a response contribute.
type rowSums interface {
	Add(x [][]float64, y []float64) error
	AddRow(x []float64, y float64, count int64) error
	Numbers() []num.Int128
	Moments() []float64
}

// passSums are what a pass at a public point reads of rows.
type passSums struct {
	linear  *RegressionDesign
	at      steps.Point
	numbers []num.Int128 // see OpenPass
	row     []float64    // of columns
	whole   []int64      // the same, in units of 2^−22
}

func newPassSums(l *RegressionDesign, at steps.Point) *passSums {
	d := l.Dim()
	return &passSums{l, at, make([]num.Int128, (d+1)*(d+2)/2), make([]float64, d), make([]int64, d)}
}

// Add adds rows one by one.
func (s *passSums) Add(x [][]float64, y []float64) error {
	row := make([]float64, len(x))
	for i, v := range y {
		for j := range x {
			row[j] = x[j][i]
		}
		if err := s.AddRow(row, v, 1); err != nil {
			return err
		}
	}
	return nil
}

// most is how many equal rows are added at once: products of their number with a weight stay within 63 bits.
const most = 1 << 40

// AddRow adds a row that many times.
func (s *passSums) AddRow(x []float64, y float64, count int64) error {
	if err := s.linear.Lattice(x, s.whole); err != nil {
		return err
	}
	for j, k := range s.whole {
		s.row[j] = float64(k) / (1 << steps.Bits)
	}
	weigh := steps.Logistic.Weigh
	if s.at.Likelihood {
		weigh = steps.Logistic.Score
	}
	residual, weight := weigh(s.at, s.row, y)
	for ; count > 0; count -= most {
		times, k := min(count, most), 0
		for i, a := range s.whole {
			for _, b := range s.whole[i:] {
				s.numbers[k] = s.numbers[k].AddProduct(a*b, weight*times)
				k++
			}
			s.numbers[k] = s.numbers[k].AddProduct(a, residual*times)
			k++
		}
	}
	return nil
}

// Numbers are the sums' own memory.
func (s *passSums) Numbers() []num.Int128 { return s.numbers }

// Moments are none: a pass is of integers.
func (*passSums) Moments() []float64 { return nil }

// stepSums are what a formula's sums read of rows at a public point.
type stepSums struct {
	family steps.Family
	at     steps.Point
	row    []float64
}

// stepRow adds row r of a block, whose columns were filled, so many times: see OpenPass.
func (s *formulaSums) stepRow(r int, y float64, count int64) {
	for c := range s.step.row {
		s.step.row[c] = s.filled[c][r]
	}
	if math.IsNaN(y) {
		y = 0
	}
	weigh, most := s.step.family.Weigh, int64(most)
	if s.step.at.Likelihood {
		weigh, most = s.step.family.Score, 1<<20 // whose numbers are larger by a count
	}
	residual, weight := weigh(s.step.at, s.step.row, math.RoundToEven(y))
	for ; count > 0; count -= most {
		times := min(count, most)
		for k, at := range s.f.Places {
			product := s.whole[at[0][0]][r] * s.whole[at[0][1]][r]
			s.total[k] = s.total[k].AddProduct(product, weight*times)
		}
		for c := range s.step.row {
			k := len(s.f.Places) + c
			s.total[k] = s.total[k].AddProduct(s.whole[c][r], residual*times)
		}
	}
}

// stepBits says in units of which power of ½ sum k is: see OpenPass.
func (f *Formula) stepBits(k int) int {
	if k < len(f.Places) {
		return 2*formula.LatticeBits + steps.Bits
	}
	return formula.LatticeBits + steps.Bits
}

// Crossed is the shape of the contingency table of all columns of a model, the target first: its cells are the classes
// of the target times those of the features. Errors: those of NewShape, *Error for a column that is a number.
func (s *Shape) Crossed() (*Shape, error) {
	for i, c := range s.columns {
		if !s.grouping(i) {
			return nil, wrong(s.model, c.Name, "a number", "a categorical column, whose levels are counted")
		}
	}
	sh, err := NewShape(s.schema, ContingencyTable(s.columnNames()...), s.n, s.publicN, s.nStep)
	if err != nil {
		return nil, err
	}
	return sh.OfRows(s.rows...), nil
}

// OpenCrossed counts the rows once more, in the table of Crossed. The key keeps it inside this module. Errors:
// ErrSealed without it, those of Crossed, *Error where the rows are gone, *ChangedError for another number of rows, the
// context's, those of the source.
func (s *Statistics) OpenCrossed(ctx context.Context, key access.Key) (*Statistics, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if !s.CanPass() {
		return nil, wrong(s.shape.model, "", "no rows to count again", "a frame or a source")
	}
	sh, err := s.shape.Crossed()
	if err != nil {
		return nil, err
	}
	return s.sameRows(ctx, sh)
}
