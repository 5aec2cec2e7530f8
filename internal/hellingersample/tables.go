package hellingersample

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
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

// Limits of enumeration: candidates, and cells (the walk visits every prefix).
const (
	MaxCandidates = 5_000_000
	MaxWalkCells  = 4096
)

// Exponents fills out, of length Count(n, d), with A·H(x, r) for the candidates in the order of [Unrank]. The sampler
// [Choose] draws from these very numbers. Errors: *domain.Error, *[InfeasibleError].
func Exponents(alpha []float64, x []int64, a float64, out []float64) error {
	p, err := newProblem(alpha, x, a, a)
	if err != nil {
		return err
	}
	if err := p.enumerable(); err != nil {
		return err
	}
	if m := Count(p.n, p.dim()); uint64(len(out)) != m {
		return domain.Refuse("hellingersample", "length of out", len(out), "the number of candidates")
	}
	p.exponents(out)
	return nil
}

func (p *problem) enumerable() error {
	if m := Count(p.n, p.dim()); m > MaxCandidates {
		return &InfeasibleError{"enumerated", "the number of candidates", float64(m), MaxCandidates,
			"shells for two cells, else the mixture"}
	}
	if p.dim() > MaxWalkCells {
		return &InfeasibleError{"enumerated", "the number of cells", float64(p.dim()), MaxWalkCells, "the mixture"}
	}
	return nil
}

// exponents walks the candidates with tables for this x only.
func (p *problem) exponents(out []float64) {
	phi := make([][]float64, p.dim())
	for i := range phi {
		phi[i] = make([]float64, p.n+1)
		for v := range phi[i] {
			phi[i][v] = logBC(p.alpha[i], p.x[i], int64(v))
		}
	}
	p.walk(phi, out)
}

// enumerated draws by the table of all candidates.
type enumerated struct {
	problem
	weights *sample.Weights
}

// newEnumerated tabulates all candidates, and draws from exp(−A·H) as [Exponents] rounds it. Proposals counts the one
// draw from the table.
func newEnumerated(p problem) (Sampler, error) {
	out := make([]float64, Count(p.n, p.dim()))
	p.exponents(out)
	w, err := sample.NewWeights(out)
	if err != nil {
		return nil, err
	}
	return &enumerated{p, w}, nil
}

func (e *enumerated) Draw(src rand.Source) ([]int64, error) {
	return Unrank(e.weights.Draw(src), e.n, e.dim()), nil
}

// Slack is the error of A·H plus that of the dyadic weight.
func (e *enumerated) Slack() float64 { return e.exponentError() + sample.RelativeError(e.bound) }

func (e *enumerated) Name() string { return "enumeration of all candidates" }

func (e *enumerated) Proposals() float64 { return 1 }

// Prospect says before any data is read what [Choose] will take for a prior, n and a bound on the rate: the method's
// name and the Slack of its draws. Errors are those of Choose, except the context's.
func Prospect(alpha []float64, n int64, bound float64) (name string, slack float64, err error) {
	x := make([]int64, len(alpha))
	if len(x) > 0 {
		x[0] = n // any data set of n records: neither choice nor slack depends on it
	}
	p, err := newProblem(alpha, x, 0, bound)
	if err != nil {
		return "", 0, err
	}
	var s Sampler
	switch {
	case p.dim() == 2:
		s = &shelled{problem: p}
	case p.enumerable() == nil:
		s = &enumerated{problem: p}
	case bound <= chooseUniformBelow:
		s = &uniform{p}
	default:
		if err := p.mixable(); err != nil {
			return "", 0, err
		}
		s = &mixture{problem: p}
	}
	return s.Name(), s.Slack(), nil
}
