package leastsquares

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

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
	if len(x) != len(d.mid) || count < 0 {
		return domain.Refuse("leastsquares", "length of x", float64(len(x)), "the number of features, 0 times or more")
	}
	var k []int64
	if d.intercept {
		k = append(k, 1<<latticeBits)
	}
	one := make([]float64, 1)
	for j := range len(x) + 1 {
		if j < len(x) {
			round(one, x[j:j+1], d.mid[j], d.half[j])
		} else {
			round(one, []float64{y}, d.yMid, d.yHalf)
		}
		k = append(k, int64(one[0]))
	}
	for i := range k {
		for j := i; j < len(k); j++ {
			p := &s.sums[m.at(i, j)]
			*p = p.AddProduct(k[i]*k[j], count)
		}
	}
	s.rows += count
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
	m, sums := s.block, s.sums
	for i := range m.d + 1 {
		later := m.d + 1 - i
		a := blas64.General{Rows: (later + 3) &^ 3, Cols: n, Stride: stride, Data: m.cols[i*stride:]}
		blas64.Gemv(blas.NoTrans, 1, a, blas64.Vector{N: n, Inc: 1, Data: a.Data}, 0,
			blas64.Vector{N: a.Rows, Inc: 1, Data: m.part})
		for j, v := range m.part[:later] {
			sums[j] = sums[j].Add(int64(v))
		}
		sums = sums[later:]
	}
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
