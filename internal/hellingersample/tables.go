package hellingersample

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Tables holds every cell's share of ln BC for all pairs of counts, for enumerations that visit every data set:
// d·(n+1)² numbers. It is safe for concurrent use.
type Tables struct {
	alpha []float64
	n     int64
	phi   [][][]float64 // [cell][x][r]
}

// MaxTableEntries bounds Tables to 128 MB.
const MaxTableEntries = 1 << 24

// NewTables fills the tables; ok is false above MaxTableEntries, when [Exponents] does without.
func NewTables(alpha []float64, n int64) (t *Tables, ok bool) {
	side := float64(n) + 1
	if n < 0 || float64(len(alpha))*side*side > MaxTableEntries {
		return nil, false
	}
	t = &Tables{alpha: alpha, n: n}
	for i, a := range alpha {
		if i > 0 && a == alpha[i-1] {
			t.phi = append(t.phi, t.phi[i-1])
			continue
		}
		rows := make([][]float64, n+1)
		for x := range rows {
			rows[x] = make([]float64, n+1)
			for v := range x {
				rows[x][v] = logBC(a, int64(x), int64(v))
				rows[v][x] = rows[x][v] // logBC is symmetric in the counts
			}
		}
		t.phi = append(t.phi, rows)
	}
	return t, true
}

// Exponents is the function of that name, to the same bits.
func (t *Tables) Exponents(x []int64, a float64, out []float64) error {
	p, err := newProblem(t.alpha, x, a, a)
	if err != nil {
		return err
	}
	if err := p.enumerable(); err != nil {
		return err
	}
	if m := Count(p.n, p.dim()); p.n != t.n || uint64(len(out)) != m {
		return domain.Refuse("hellingersample", "x, length of out", len(out), "counts of the tables' n, and the "+
			"number of candidates")
	}
	phi := make([][]float64, p.dim())
	for i, v := range x {
		phi[i] = t.phi[i][v]
	}
	p.walk(phi, out)
	return nil
}

// walk visits the candidates in lexicographic order. Partial sums of ln BC are carried from the first cell on.
func (p *problem) walk(phi [][]float64, out []float64) {
	if p.dim() == 1 {
		out[0] = p.exponent(phi[0][p.n])
		return
	}
	at := 0
	var visit func(i, left int, prefix float64)
	visit = func(i, left int, prefix float64) {
		here := phi[i][:left+1]
		if i < p.dim()-2 {
			for v, s := range here {
				visit(i+1, left-v, prefix+s)
			}
			return
		}
		last, row := phi[i+1], out[at:at+left+1]
		for v, s := range here {
			row[v] = p.a * math.Sqrt(-math.Expm1(prefix+s+last[left-v]))
		}
		at += left + 1
	}
	visit(0, int(p.n), 0)
}
