package leastsquares

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Rows are turned into columns block by block, small enough for the first-level cache up to a dozen columns. Columns
// lie stride apart: a little more than a block, since distances that are powers of two fall on the same cache lines.
const (
	block  = 256
	stride = block + 8
)

// Moments are the second moments of the rows added so far: XᵀX, Xᵀy, yᵀy and their number, private statistics. They are
// sums over rows; the order of rows changes them by rounding only. Values come from NewMoments. Not safe for concurrent
// use.
type Moments struct {
	d    int
	n    int
	sums []float64 // products of columns i ≤ j of [X y], packed by rows
	cols []float64 // one block of d+1 columns, and three of zeros
	part []float64 // one column's products in the block
}

// NewMoments is empty, for rows of d features and a response. Errors: *domain.Error.
func NewMoments(d int) (*Moments, error) {
	if d < 1 || d > 4096 {
		return nil, domain.Refuse("leastsquares", "dimension", float64(d), "1 to 4096")
	}
	return &Moments{d: d, sums: make([]float64, (d+1)*(d+2)/2), cols: make([]float64, stride*(d+4)),
		part: make([]float64, d+4)}, nil
}

// AddRows adds rows stored one after the other, d features then the response. Errors: *domain.Error when the length is
// no multiple of d+1.
func (m *Moments) AddRows(rows []float64) error {
	width := m.d + 1
	if len(rows)%width != 0 {
		return domain.Refuse("leastsquares", "length of rows", float64(len(rows)), "a multiple of the dimension + 1")
	}
	for len(rows) > 0 {
		n := min(block, len(rows)/width)
		turn(m.cols, rows[:n*width], width)
		m.addBlock(n)
		rows = rows[n*width:]
	}
	return nil
}

func checkColumns(x [][]float64, y []float64, features int) error {
	if len(x) != features {
		return domain.Refuse("leastsquares", "number of columns", float64(len(x)), fmt.Sprintf("%d, the number of "+
			"features", features))
	}
	for _, c := range x {
		if len(c) != len(y) {
			return domain.Refuse("leastsquares", "length of a column", float64(len(c)), "that of the response")
		}
	}
	return nil
}

// column is the place of a column of the block.
func (m *Moments) column(c int) []float64 { return m.cols[c*stride : c*stride+block] }

// turn writes rows as columns, four rows at a time.
func turn(cols, rows []float64, width int) {
	i := 0
	for ; len(rows) >= 4*width; i += 4 {
		at, r := i, rows[:4*width]
		for j := range width {
			to := cols[at : at+4 : at+4]
			to[0], to[1], to[2], to[3] = r[j], r[j+width], r[j+2*width], r[j+3*width]
			at += stride
		}
		rows = rows[4*width:]
	}
	for ; len(rows) > 0; i++ {
		for j, v := range rows[:width] {
			cols[j*stride+i] = v
		}
		rows = rows[width:]
	}
}

// addBlock adds the products of the first n numbers of the columns.
func (m *Moments) addBlock(n int) {
	m.products(n, func(at int, part []float64) {
		for j, v := range part {
			m.sums[at+j] += v
		}
	})
	m.n += n
}

// products gives the products of the first n numbers of the columns, where their sums stand: column i with itself and
// all later ones is one matrix-vector product, which gonum vectorises on amd64. It is fast for four columns at a time,
// hence the columns of zeros.
func (m *Moments) products(n int, add func(at int, part []float64)) {
	at := 0
	for i := range m.d + 1 {
		later := m.d + 1 - i
		a := blas64.General{Rows: (later + 3) &^ 3, Cols: n, Stride: stride, Data: m.cols[i*stride:]}
		blas64.Gemv(blas.NoTrans, 1, a, blas64.Vector{N: n, Inc: 1, Data: a.Data}, 0,
			blas64.Vector{N: a.Rows, Inc: 1, Data: m.part})
		add(at, m.part[:later])
		at += later
	}
}

// at is the place of (i, j), i ≤ j ≤ d, in sums.
func (m *Moments) at(i, j int) int { return i*(m.d+1) - i*(i-1)/2 + j - i }

// N is the number of rows.
func (m *Moments) N() int { return m.n }

// Dim is d.
func (m *Moments) Dim() int { return m.d }

// XX is XᵀX.
func (m *Moments) XX() *mat.SymDense {
	out := mat.NewSymDense(m.d, nil)
	for i := range m.d {
		for j := i; j < m.d; j++ {
			out.SetSym(i, j, m.sums[m.at(i, j)])
		}
	}
	return out
}

// XY is Xᵀy.
func (m *Moments) XY() []float64 {
	out := make([]float64, m.d)
	for i := range out {
		out[i] = m.sums[m.at(i, m.d)]
	}
	return out
}

// YY is yᵀy.
func (m *Moments) YY() float64 { return m.sums[len(m.sums)-1] }

// Gaussian is the posterior of the weights, before any truncation, at noise variance σ² under the prior N(0, b⁻¹I): the
// precision P = XᵀX/σ² + bI and h = Xᵀy/σ² = P·mean. Errors: *domain.Error. Source: theory/networks.md §5.1, Lemma D.1.
func (m *Moments) Gaussian(sigma2, b float64) (p *mat.SymDense, h []float64, err error) {
	if err := checkPositive("noise variance", sigma2); err != nil {
		return nil, nil, err
	}
	if err := checkPositive("prior precision", b); err != nil {
		return nil, nil, err
	}
	p, h = m.XX(), m.XY()
	p.ScaleSym(1/sigma2, p)
	for i := range h {
		h[i] /= sigma2
		p.SetSym(i, i, p.At(i, i)+b)
	}
	return p, h, nil
}

// Stack is the vector whose Euclidean norm is that of the pair (XᵀX in Frobenius norm, Xᵀy): the diagonal and √2 times
// the entries above it, row by row, then Xᵀy; length d(d+1)/2 + d. Noise of one size on it is noise of that size on the
// diagonal and on Xᵀy, and smaller by √2 off the diagonal.
func (m *Moments) Stack() []float64 {
	out := make([]float64, 0, m.d*(m.d+3)/2)
	for i := range m.d {
		for j := i; j < m.d; j++ {
			v := m.sums[m.at(i, j)]
			if j > i {
				v *= math.Sqrt2
			}
			out = append(out, v)
		}
	}
	return append(out, m.XY()...)
}

// latticeBits are those of a scaled coordinate: products of two, summed over a block of 256 rows, stay within 2^52, so
// that floating point adds them exactly, in whatever order the vector unit takes.
const latticeBits = LatticeBits

// LatticeBits says that coordinates of rows are rounded to multiples of 2^−LatticeBits.
const LatticeBits = 22

// Sums are exact second moments of scaled rows. Every coordinate t of a row, clipped to [−1, 1] by its public bounds,
// is rounded to the nearest multiple k·2^−22, ties to even, and the integers Σ k_i·k_j are kept in 128 bits: the same
// for every order of the rows and every division of them into parts. With x̃_j = k_j·2^−22·unit, unit ≤ 1/√D, the
// rounded rows are rows of the unit ball, ‖x̃‖ ≤ 1 and |ỹ| ≤ 1, so that what is proved for all rows holds for them.
// Values come from NewSums. Not safe for concurrent use.
type Sums struct {
	design *Design
	block  *Moments
	rows   int64
	sums   []num.Int128 // products of columns i ≤ j of [x y], packed by rows
}

// NewSums is empty, for rows of a design. Errors: *domain.Error.
func NewSums(d *Design) (*Sums, error) {
	m, err := NewMoments(d.Dim())
	if err != nil {
		return nil, err
	}
	return &Sums{design: d, block: m, sums: make([]num.Int128, len(m.sums))}, nil
}

// Add adds rows in the units of the data, stored as feature columns and the response's. Errors: *domain.Error.
func (s *Sums) Add(x [][]float64, y []float64) error {
	d, m := s.design, s.block
	if err := checkColumns(x, y, len(d.mid)); err != nil {
		return err
	}
	for from := 0; from < len(y); from += block {
		to, c := min(from+block, len(y)), 0
		if d.intercept {
			for i := range m.column(0) {
				m.cols[i] = 1 << latticeBits
			}
			c = 1
		}
		for j := range x {
			round(m.column(c+j), x[j][from:to], d.mid[j], d.half[j])
		}
		round(m.column(m.d), y[from:to], d.yMid, d.yHalf)
		s.addBlock(to - from)
	}
	return nil
}

// AddRow adds a row that many times. Errors: *domain.Error.
func (s *Sums) AddRow(x []float64, y float64, count int64) error {
	d, m := s.design, s.block
	if count < 0 {
		return domain.Refuse("leastsquares", "count", float64(count), "0 or more")
	}
	k, one := make([]int64, d.Dim()+1), []float64{y}
	if err := d.Lattice(x, k[:d.Dim()]); err != nil {
		return err
	}
	round(one, one, d.yMid, d.yHalf)
	k[d.Dim()] = int64(one[0])
	for i := range k {
		for j := i; j < len(k); j++ {
			p := &s.sums[m.at(i, j)]
			*p = p.AddProduct(k[i]*k[j], count)
		}
	}
	s.rows += count
	return nil
}

// Lattice writes the columns of a row, the intercept first, if any, in units of 2^−LatticeBits. Error: *domain.Error
// for wrong lengths.
func (d *Design) Lattice(x []float64, out []int64) error {
	if len(x) != len(d.mid) || len(out) != d.Dim() {
		return domain.Refuse("leastsquares", "length of x", float64(len(x)), "the number of features, and as many columns")
	}
	if d.intercept {
		out[0], out = 1<<latticeBits, out[1:]
	}
	var one [1]float64
	for j := range x {
		round(one[:], x[j:j+1], d.mid[j], d.half[j])
		out[j] = int64(one[0])
	}
	return nil
}

// round writes the numbers k of every number of from to the front of to.
func round(to, from []float64, mid, half float64) {
	const whole = 3 << 51 // floats this large are whole numbers, so that adding it rounds, ties to even
	to = to[:len(from)]
	for i, v := range from {
		t := (v - mid) / half
		if !(t >= -1 && t <= 1) {
			t, _ = clip(t)
		}
		to[i] = (t*(1<<latticeBits) + whole) - whole
	}
}

// addBlock adds the products of the first n numbers of the columns, as Moments does, which are integers.
func (s *Sums) addBlock(n int) {
	s.block.products(n, func(at int, part []float64) {
		for j, v := range part {
			s.sums[at+j] = s.sums[at+j].Add(int64(v))
		}
	})
	s.rows += int64(n)
}

// Numbers are the sums: Σ k_i·k_j of the columns i ≤ j of [x y], packed by rows. They are the sums' own memory: what is
// added to them is added to the sums.
func (s *Sums) Numbers() []num.Int128 { return s.sums }

// Moments are XᵀX's upper triangle row by row, Xᵀy and yᵀy, each rounded three times at most.
func (s *Sums) Moments() []float64 {
	m, unit := s.block, s.design.unit
	var xx, xy []float64
	for i := range m.d {
		for j := i; j < m.d; j++ {
			xx = append(xx, s.sums[m.at(i, j)].Float(-2*latticeBits)*unit*unit)
		}
		xy = append(xy, s.sums[m.at(i, m.d)].Float(-2*latticeBits)*unit)
	}
	return append(append(xx, xy...), s.sums[len(s.sums)-1].Float(-2*latticeBits))
}

// LogitScale is what least squares on classes −1 and 1 are multiplied by to stand for log-odds: between 2, the slope of
// the log-odds of (1+m)/2 at m = 0, and their chord over |m| ≤ .88.
const LogitScale = 2.4

// Logit is LogitScale·(S₊ + λI)⁻¹s, S₊ being S = XᵀX with its eigenvalues below floor raised to it, s = Xᵀy of classes
// y = −1, 1; and how many were raised. It is not the logistic regression but near it where most probabilities lie
// between .05 and .95. Of noisy moments it is post-processing, for public floor and λ > 0. Errors: *domain.Error.
// Source: theory/numbers.md §5.
func Logit(xx *mat.SymDense, xy []float64, lambda, floor float64) (w []float64, raised int, err error) {
	if err := checkPositive("ridge λ", lambda); err != nil {
		return nil, 0, err
	}
	system, raised, err := Repair(xx, floor)
	if err != nil {
		return nil, 0, err
	}
	if len(xy) != system.SymmetricDim() {
		return nil, 0, domain.Refuse("leastsquares", "length of Xᵀy", float64(len(xy)), "the dimension of XᵀX")
	}
	for i := range xy {
		system.SetSym(i, i, system.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	var out mat.VecDense
	if !chol.Factorize(system) || chol.SolveVecTo(&out, mat.NewVecDense(len(xy), xy)) != nil {
		return nil, 0, domain.Refuse("leastsquares", "ridge λ", lambda,
			"one that makes XᵀX + λI positive definite in floating point")
	}
	out.ScaleVec(LogitScale, &out)
	for _, v := range out.RawVector().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, 0, domain.Refuse("leastsquares", "weight", v, "moments and a ridge whose weights are finite")
		}
	}
	return out.RawVector().Data, raised, nil
}
