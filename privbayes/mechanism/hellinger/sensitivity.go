package hellinger

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Sensitivity is the sensitivity of the score −H(x, r) with which an exponential mechanism picks a posterior near that
// of the data x, under replace-one adjacency with public n. H is the Hellinger distance of Dirichlet posteriors,
//
//	H(x, r) = √(1 − BC(α + x, α + r)),  BC = ∫ √(pq),  α ∈ (0, ∞)^d,  x, r ∈ ℕ^d with sum n,
//
// without a factor 1/√2. Neighbours, one count of which moved from cell i to cell j, are edge(α_i + x_i − 1, α_j + x_j)
// apart, where
//
//	edge(p, q) = √(1 − g(p)·g(q)),  g(t) = Γ(t + ½)/(Γ(t)·√t).
//
// Everything but [Sensitivity.At] is public: a function of prior and n.
type Sensitivity struct{ space *hellinger.Space }

// Extremum is a sensitivity and neighbours X, Y between which the score changes by it.
type Extremum struct {
	Value float64 // relative error at most 2e-15
	Upper float64 // surely not below the exact value: computed with outward rounding; use this for privacy
	X, Y  []int64
}

// CountsError says what is wrong with a vector of counts.
type CountsError = hellinger.CountsError

// NewSensitivity is the sensitivity for prior α and n records, in O(d) whatever n. Errors: *dp.ParameterError unless α
// has at least 2 parameters, all finite and positive, and 0 ≤ n ≤ 10¹⁵.
func NewSensitivity(alpha []float64, n int64) (*Sensitivity, error) {
	s, err := hellinger.New(alpha, n)
	if err != nil {
		return nil, err
	}
	return &Sensitivity{s}, nil
}

// Global is the global sensitivity, the largest |H(x, r) − H(y, r)| over neighbours x, y and all r:
//
//	d = 2: edge(α_min, α_max + n − 1),
//	d ≥ 3: edge(α_(1), α_(2)) of the two smallest α, for every n ≥ 1,
//
// and 0 for n = 0. By the triangle inequality it is the largest H(x, y), attained at r = x and r = y only; L = ln g is
// increasing and concave, so that the corner named is the best.
func (h *Sensitivity) Global() Extremum {
	v, x, y := h.space.Global()
	return Extremum{Value: v, Upper: h.space.GlobalUpper(), X: x, Y: y}
}

// LipschitzPlus is γ⁺, rounded up: the most by which 1/LS⁺ changes between neighbours, for every n ≥ 1,
//
//	γ⁺ = T(α_min + 1) − T(α_min),  T(p) = (1 − g(p))^{−1/2},
//
// where LS⁺(x) = max_{i≠j} edge(α_i + max(x_i − 1, 0), α_j + x_j) is at least the local sensitivity. It is below
// 1.9646966. The exponential mechanism with rate κ/LS⁺ is κ·ρ-DP, ρ = min(2 + γ⁺, 1 + √(1 + 2γ⁺²)).
func (h *Sensitivity) LipschitzPlus() float64 { return h.space.GammaPlusUpper() }

// Diagnostic is what the score's sensitivity is at one data set. Private: do not publish.
type Diagnostic struct {
	Local     Attained // LS(x) = max over neighbours y of H(x, y)
	LocalPlus Attained // LS⁺(x) ≥ LS(x), which also counts moves from empty cells; the pair is then at distance 1
	Global    Extremum // public
	space     *hellinger.Space
	x         []int64
}

// Attained is a sensitivity at a data set and where it comes from: the neighbours X, Y, of which X is at Distance
// records from the data.
type Attained struct {
	Value    float64 // relative error at most 1e-14
	Distance int64
	X, Y     []int64
}

// At is the sensitivity at counts x. Its result is private. Errors: *CountsError unless x holds d counts ≥ 0 of sum n.
func (h *Sensitivity) At(x []int64) (*Diagnostic, error) {
	if err := h.space.Check(x); err != nil {
		return nil, err
	}
	d := &Diagnostic{Global: h.Global(), space: h.space, x: append([]int64(nil), x...)}
	v, from, to := h.space.Local(x)
	d.Local = pair(v, 0, d.x, from, to)
	v, from, to = h.space.LocalPlus(x)
	if from >= 0 && x[from] == 0 {
		d.LocalPlus = d.Local // also where rounding made equals differ
		d.LocalPlus.Value = v
		for k, c := range x { // a record of a third cell moves to the empty one first
			if k != to && c > 0 {
				near := append([]int64(nil), x...)
				near[k]--
				near[from]++
				d.LocalPlus = pair(v, 1, near, from, to)
				break
			}
		}
	} else {
		d.LocalPlus = pair(v, 0, x, from, to)
	}
	return d, nil
}

// pair is the move from → to at x; no pair for n = 0.
func pair(v float64, dist int64, x []int64, from, to int) Attained {
	a := Attained{Value: v, Distance: dist}
	if from < 0 {
		return a
	}
	a.X, a.Y = append([]int64(nil), x...), append([]int64(nil), x...)
	a.Y[from]--
	a.Y[to]++
	return a
}

// Smooth is the smooth sensitivity at the data,
//
//	S_β(x) = max_y LS(y)·e^{−β·dist(x, y)},  β > 0,
//
// in O(1) for d = 2 and O(d²) otherwise. Errors: *dp.ParameterError unless β is finite and positive.
// Source: Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data analysis" (2007).
func (d *Diagnostic) Smooth(beta float64) (Attained, error) {
	if err := domain.Check("hellinger", "smoothing", domain.Positive("beta", beta)); err != nil {
		return Attained{}, err
	}
	a := d.space.Smooth(d.x, beta)
	return pair(a.Value, a.Distance, a.Y, a.From, a.To), nil
}

// Reciprocal is the sensitivity smoothed in its reciprocal,
//
//	S_γ(x) = max_y 1/(1/LS(y) + γ·dist(x, y)),  γ > 0,
//
// with which the exponential mechanism is private without a δ. Cost and errors are those of Smooth.
func (d *Diagnostic) Reciprocal(gamma float64) (Attained, error) {
	if err := domain.Check("hellinger", "smoothing", domain.Positive("gamma", gamma)); err != nil {
		return Attained{}, err
	}
	a := d.space.Reciprocal(d.x, gamma)
	return pair(a.Value, a.Distance, a.Y, a.From, a.To), nil
}

// Table shows the local sensitivities beside the global one.
func (d *Diagnostic) Table() *table.Table {
	t := table.New("Hellinger sensitivity at the data (private: do not publish)", "sensitivity", "value",
		"of the global", "records away")
	row := func(name string, v float64, dist any) {
		share := any(nil)
		if d.Global.Value > 0 {
			share = v / d.Global.Value
		}
		t.Add(name, v, share, dist)
	}
	row("local, LS", d.Local.Value, d.Local.Distance)
	row("local with empty cells, LS⁺", d.LocalPlus.Value, d.LocalPlus.Distance)
	row("global", d.Global.Value, hellinger.Dist(d.x, d.Global.X))
	return t.Note(fmt.Sprintf("%d cells, n = %d. Local sensitivities depend on the data: publishing them has no "+
		"privacy guarantee at any ε.", len(d.x), d.space.N()))
}

// String shows the diagnostic as text.
func (d *Diagnostic) String() string { return table.Text(d) }

// hellingerParams is the public input of the checks of a sensitivity.
type hellingerParams struct {
	Prior   []float64 `json:"prior"`
	N       int64     `json:"n"`
	Outputs bool      `json:"outputs,omitempty"` // visit all outputs r too, not only r = x
}

// The checkers of a sensitivity. Those that enumerate subtract the rounding of their own sums, so that what they derive
// is not above the exact value.
var (
	// globalChecker finds the largest |H(x, r) − H(y, r)| by visiting neighbours.
	globalChecker = defineEnumeration("hellinger/global", enumerateGlobal)
	// globalIntervalChecker is the closed form in interval arithmetic.
	globalIntervalChecker = defineInterval("hellinger/global-interval", (*hellinger.Space).GlobalUpper)
	// lipschitzChecker finds the largest |1/LS⁺(x) − 1/LS⁺(y)| by visiting neighbours.
	lipschitzChecker = defineEnumeration("hellinger/lipschitz-plus", enumerateLipschitz)
	// lipschitzIntervalChecker is γ⁺ in interval arithmetic.
	lipschitzIntervalChecker = defineInterval("hellinger/lipschitz-plus-interval", (*hellinger.Space).GammaPlusUpper)
)

// What [Sensitivity.Certificate] enumerates at most, so that a plan takes a fraction of a second.
const (
	certifiedPairs = 10_000  // pairs of neighbours
	certifiedTerms = 600_000 // pairs × outputs × cells
)

const hellingerSource = "theory/hellinger.md §2"

// Certificate certifies Global().Upper and LipschitzPlus(): each closed form in interval arithmetic, and, unless the
// smallest case is too large, by visiting all neighbours, with n as it is or the largest that can be visited. Errors:
// the context's.
func (h *Sensitivity) Certificate(ctx context.Context) (*cert.Certificate, error) {
	alpha, n := h.space.Alpha(), h.space.N()
	c := &cert.Certificate{Title: fmt.Sprintf("sensitivity of the Hellinger score, %d cells, n = %d", len(alpha), n)}
	add := func(checker cert.Checker[hellingerParams], k cert.Check, bound float64, p hellingerParams) error {
		k.Source, k.Bound = hellingerSource, cert.Number(bound)
		k, err := checker.Check(ctx, k, p)
		if err == nil {
			c.Checks = append(c.Checks, k)
		}
		return err
	}
	all := hellingerParams{Prior: alpha, N: n}
	scope := fmt.Sprintf("this prior, n = %d", n)
	global := atPrior
	if len(alpha) == 2 { // the one edge that depends on n
		global = cert.Citation{}
	}
	if err := add(globalIntervalChecker, cert.Check{
		Statement: "the global sensitivity is at most", Formula: globalFormula(len(alpha)), Scope: scope,
		Citation: global,
	}, h.space.GlobalUpper(), all); err != nil {
		return nil, err
	}
	if err := add(lipschitzIntervalChecker, cert.Check{
		Statement: "γ⁺ is at most", Formula: "T(α_min + 1) − T(α_min)", Scope: "this prior, every n ≥ 1",
	}, h.space.GammaPlusUpper(), all); err != nil {
		return nil, err
	}
	limit := cert.WorkLimit(ctx)
	visited := int64(0)
	for _, outputs := range []bool{true, false} {
		at := largest(all, outputs, limit)
		if at.N <= visited { // also when nothing fits
			continue
		}
		visited = at.N
		s, err := hellinger.New(alpha, at.N)
		if err != nil {
			return nil, err
		}
		k := cert.Check{Statement: "no neighbours are further apart than", Formula: "max H(x, y)",
			Scope: reduced(at.N, n)}
		if outputs {
			k.Statement, k.Formula = "no score changes by more than", "max |H(x, r) − H(y, r)|"
		}
		if err := add(globalChecker, k, s.GlobalUpper(), at); err != nil {
			return nil, err
		}
	}
	if visited > 0 {
		return c, add(lipschitzChecker, cert.Check{
			Statement: "1/LS⁺ changes by no more than γ⁺", Formula: "max |1/LS⁺(x) − 1/LS⁺(y)|",
			Scope: reduced(visited, n),
		}, h.space.GammaPlusUpper(), hellingerParams{Prior: alpha, N: visited})
	}
	return c, nil
}

func globalFormula(d int) string {
	if d == 2 {
		return "edge(α_min, α_max + n − 1)"
	}
	return "edge(α_(1), α_(2))"
}

func reduced(visited, n int64) string {
	if visited == n {
		return fmt.Sprintf("all neighbours with n = %d", n)
	}
	return fmt.Sprintf("all neighbours with n = %d in place of %d; the closed form is proved for every n", visited, n)
}

// largest is p with the largest n' ≤ n that can be visited; n' = 0 when none can.
func largest(p hellingerParams, outputs bool, limit int64) hellingerParams {
	most := math.Min(float64(limit), certifiedPairs)
	if outputs {
		most = math.Min(float64(limit), certifiedTerms/float64(len(p.Prior)))
	}
	out := hellingerParams{Prior: p.Prior, Outputs: outputs}
	fits := func(n int) bool {
		out.N = int64(n)
		c, err := out.cases()
		return err == nil && c <= most
	}
	out.N = int64(sort.Search(int(p.N), func(i int) bool { return !fits(i + 1) }))
	return out
}

// cases is the number of pairs of neighbours, times outputs if those are visited. A pair is {z + e_i, z + e_j} with n −
// 1 records in z.
func (p hellingerParams) cases() (float64, error) {
	s, err := hellinger.New(p.Prior, max(p.N-1, 0))
	if err != nil || p.N == 0 {
		return 0, err
	}
	d := float64(len(p.Prior))
	c := s.Size() * d * (d - 1) / 2
	if p.Outputs {
		if s, err = hellinger.New(p.Prior, p.N); err != nil {
			return 0, err
		}
		c *= s.Size()
	}
	return c, nil
}

func defineInterval(kind string, f func(*hellinger.Space) float64) cert.Checker[hellingerParams] {
	return cert.Define(kind, func(_ context.Context, p hellingerParams) (cert.Outcome, error) {
		s, err := p.space(kind)
		if err != nil {
			return cert.Outcome{}, err
		}
		return cert.Outcome{Value: f(s), Method: cert.Interval}, nil
	})
}

func defineEnumeration(
	kind string, f func(context.Context, *hellinger.Space, hellingerParams) (float64, error),
) cert.Checker[hellingerParams] {
	return cert.Define(kind, func(ctx context.Context, p hellingerParams) (cert.Outcome, error) {
		s, err := p.space(kind)
		if err != nil {
			return cert.Outcome{}, err
		}
		cases, err := p.cases()
		switch {
		case err != nil:
			return cert.Outcome{}, err
		case cases > float64(cert.WorkLimit(ctx)):
			return cert.Outcome{}, cert.ErrWorkLimit
		}
		v, err := f(ctx, s, p)
		return cert.Outcome{Value: v, Method: cert.Enumeration, Work: int64(cases)}, err
	})
}

// space is the score's space; parameters may come from a file.
func (p hellingerParams) space(kind string) (*hellinger.Space, error) {
	s, err := hellinger.New(p.Prior, p.N)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return s, nil
}

// Relative errors of what is enumerated: [hellinger.Space.Distance] from tables or not, and LS⁺.
const (
	distanceError = 1e-14
	edgeError     = 4e-15
)

// pairsOf visits every pair of neighbours {z + e_i, z + e_j}, i < j, once. x and y are reused.
func pairsOf(ctx context.Context, s *hellinger.Space, visit func(x, y []int64, i, j int)) error {
	if s.N() == 0 {
		return nil
	}
	d, seen := s.Cells(), 0
	x, y := make([]int64, d), make([]int64, d)
	for z := range hellinger.Compositions(s.N()-1, d) {
		copy(x, z)
		copy(y, z)
		for i := range d {
			x[i]++
			for j := i + 1; j < d; j++ {
				if seen++; seen%1024 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				y[j]++
				visit(x, y, i, j)
				y[j]--
			}
			x[i]--
		}
	}
	return ctx.Err()
}

// enumerateGlobal is the largest H(x, y) over neighbours, or the largest |H(x, r) − H(y, r)| over neighbours and all r,
// less rounding.
func enumerateGlobal(ctx context.Context, s *hellinger.Space, p hellingerParams) (float64, error) {
	worst := 0.0
	if !p.Outputs {
		err := pairsOf(ctx, s, func(x, y []int64, _, _ int) {
			worst = math.Max(worst, s.Distance(x, y)*(1-distanceError))
		})
		return worst, err
	}
	tx, ty := newTables(s), newTables(s)
	err := pairsOf(ctx, s, func(x, y []int64, _, _ int) {
		tx.at(x)
		ty.at(y)
		for r := range hellinger.Compositions(s.N(), s.Cells()) {
			a, b := tx.distance(r), ty.distance(r)
			worst = math.Max(worst, math.Abs(a-b)-distanceError*(a+b))
		}
	})
	return worst, err
}

// enumerateLipschitz is the largest |1/LS⁺(x) − 1/LS⁺(y)| over neighbours, less rounding.
func enumerateLipschitz(ctx context.Context, s *hellinger.Space, _ hellingerParams) (float64, error) {
	worst := 0.0
	err := pairsOf(ctx, s, func(x, y []int64, _, _ int) {
		p, _, _ := s.LocalPlus(x)
		q, _, _ := s.LocalPlus(y)
		a, b := 1/p, 1/q
		worst = math.Max(worst, math.Abs(a-b)-edgeError*(a+b))
	})
	return worst, err
}

// tables holds, for each cell, the table of its share of ln BC at the current count.
type tables struct {
	s     *hellinger.Space
	count []int64
	rows  [][]float64
}

func newTables(s *hellinger.Space) *tables {
	t := &tables{s: s, count: make([]int64, s.Cells()), rows: make([][]float64, s.Cells())}
	for i := range t.count {
		t.count[i] = -1
	}
	return t
}

// at moves to x, renewing the tables of the counts that changed.
func (t *tables) at(x []int64) {
	for i, k := range x {
		if t.count[i] != k {
			t.count[i], t.rows[i] = k, t.s.Phi(i, k)
		}
	}
}

func (t *tables) distance(r []int64) float64 {
	log := 0.0
	for i, k := range r {
		log += t.rows[i][k]
	}
	return hellinger.FromLogBC(log)
}
