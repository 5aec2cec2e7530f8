package regression

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// lossParams are the public inputs of the loss: osc(B) from the radius, and what is drawn at which variance.
type lossParams struct {
	Radius   float64       `json:"radius"`
	Dim      int           `json:"dim"`
	Rows     int           `json:"rows"`
	Replaced bool          `json:"replaced"`
	Variance float64       `json:"variance"`
	Draws    int           `json:"draws"`
	Residual float64       `json:"residual_share,omitempty"`
	Want     dp.Parameters `json:"want"`
}

func (q lossParams) pair() (rangePair, error) {
	osc, err := oscillation(q.Radius, q.Dim, q.Rows, q.Replaced)
	if err != nil {
		return rangePair{}, err
	}
	if !(q.Variance > 0) || q.Draws < 1 || q.Draws > maxDraws || q.Residual < 0 || q.Residual >= 1 {
		return rangePair{}, domain.Refuse("linear", "variance, draws, residual_share",
			fmt.Sprint(q.Variance, q.Draws, q.Residual), "variance > 0, draws ≥ 1, a share in [0, 1)")
	}
	s := sampling{m: PosteriorSampler{draws: q.Draws, residual: q.Residual}, osc: osc}
	return s.pair(q.Variance), q.Want.Valid()
}

// searchParams are the public inputs of the search.
type searchParams struct {
	Radius float64 `json:"radius"`
	Dim    int     `json:"dim"`
	Starts int     `json:"starts"`
	Seed   uint64  `json:"seed"`
}

// gridParams are the public inputs of the enumeration: the shipped law on a finite set of weights and records.
type gridParams struct {
	Radius   float64 `json:"radius"`
	Dim      int     `json:"dim"` // 1 or 2
	Prior    float64 `json:"prior"`
	Variance float64 `json:"variance"`
	Replaced bool    `json:"replaced"`
	N        int     `json:"n"`
}

var lossChecker = cert.Define("linear-sampler/loss", func(ctx context.Context, q lossParams) (cert.Outcome, error) {
	p, err := q.pair()
	if err != nil {
		return cert.Outcome{}, err
	}
	method := cert.ClosedForm
	if q.Want.Notion == dp.Approximate && (q.Draws > 1 || q.Residual > 0) || q.Want.Notion == dp.Concentrated {
		method = cert.ProvedBound
	}
	value := loss.Spent(loss.Until(ctx, p), q.Want)
	return cert.Outcome{Value: value, Method: method}, ctx.Err()
})

var searchChecker = cert.Define("linear-sampler/search",
	func(ctx context.Context, q searchParams) (cert.Outcome, error) {
		if q.Dim > maxSearchDim || q.Starts > maxSearchStarts {
			return cert.Outcome{}, domain.Refuse("linear", "dim, starts", fmt.Sprint(q.Dim, q.Starts),
				fmt.Sprintf("at most %d and %d", maxSearchDim, maxSearchStarts))
		}
		w, err := leastsquares.Search(ctx, q.Radius, q.Dim, q.Starts, q.Seed)
		return cert.Outcome{Value: w.Value, Method: cert.MonteCarlo, Work: int64(w.Tried)}, err
	})

var squareChecker = cert.Define("linear-sampler/residual",
	func(_ context.Context, q squareParams) (cert.Outcome, error) {
		return q.enumerate()
	})

var gridChecker = cert.Define("linear-sampler/grid", func(ctx context.Context, q gridParams) (cert.Outcome, error) {
	return q.enumerate(ctx)
})

// squareParams are the public inputs of the sensitivity of the residual sum of squares.
type squareParams struct {
	Radius float64 `json:"radius"`
}

// enumerate is the greatest squared residual over extreme records and weights, from the sampler's own formula: the most
// that one row can move the sum at fixed weights, since the least is 0. In one dimension x·w takes all of its values.
func (q squareParams) enumerate() (cert.Outcome, error) {
	if !(q.Radius > 0) || math.IsInf(q.Radius, 1) {
		return cert.Outcome{}, domain.Refuse("linear", "radius", q.Radius, "a finite number > 0")
	}
	out := cert.Outcome{Method: cert.Enumeration}
	for _, x := range []float64{-1, 0, 1} {
		for _, y := range []float64{-1, 0, 1} {
			for _, w := range []float64{-1, -.5, 0, .5, 1} {
				xx := mat.NewSymDense(1, []float64{x * x})
				out.Value = math.Max(out.Value, residualSum(xx, []float64{x * y}, y*y, []float64{w * q.Radius}))
				out.Work++
			}
		}
	}
	return out, nil
}

// Limits of the search.
const (
	maxSearchDim    = 8
	maxSearchStarts = 64
)

func (s *sampling) checks(ctx context.Context, sigma2 float64, pair rangePair) ([]cert.Check, error) {
	ctx = cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
	inside, err := s.designCheck(ctx)
	if err != nil {
		return nil, err
	}
	bound := loss.Allowed(s.target.Parameters)
	if s.target.NominalScale { // nothing was asked for: the check states what is true
		bound = number(loss.Spent(loss.Until(ctx, pair), s.target.Parameters))
	}
	formula := "ε = N·osc(B)/σ_eff²; osc = 4B for B ≤ 1, (1+B)² for B ≥ 1"
	if s.m.residual > 0 {
		formula += "; and the residual variance's ε₂"
	}
	loss, err := lossChecker.Check(ctx, cert.Check{
		Statement: "loss of the draws, " + loss.NotionWords(s.target.Parameters), Formula: formula,
		Source: "theory/networks.md §5.2; regression.Osc; bounded range, theory/sampling.md §22 D",
		Bound:  bound, Scope: "all data of all sizes, any prior; " + s.change() + "; σ_eff² as shipped, public",
	}, lossParams{s.radius, s.dim, s.rows, s.replaced, sigma2, s.m.draws, s.m.residual, s.target.Parameters})
	if err != nil {
		return nil, err
	}
	dim := min(s.dim, 2)
	one, err := oscillation(s.radius, dim, 1, s.replaced)
	if err != nil {
		return nil, err
	}
	grid, err := gridChecker.Check(ctx, cert.Check{
		Statement: "range of the log-ratio of two shipped posteriors, one draw, by enumeration",
		Formula:   "max_w ln p(w|D)/p(w|D′) − min_w ln p(w|D)/p(w|D′)",
		Source:    "the drawer's own log-density", Bound: number(one / sigma2),
		Scope: fmt.Sprintf("every pair of neighbouring data sets of up to 2 extreme records in %d dimension(s), "+
			"weights on a grid of the ball", dim),
	}, gridParams{s.radius, dim, s.prior, sigma2, s.replaced, 2})
	if err != nil {
		return nil, err
	}
	checks := []cert.Check{inside, loss, grid}
	if s.m.residual > 0 {
		square, err := squareChecker.Check(ctx, cert.Check{
			Statement: "a squared residual is at most this: one row moves their sum by no more",
			Formula:   "0 ≤ (ỹ − w·x̃)² ≤ (1+B)²; Laplace noise of scale (1+B)²·rows/ε₂",
			Source:    "the drawer's own formula; Laplace mechanism, after the draws",
			Bound:     number(residualSensitivity(s.radius, 1)),
			Scope:     "extreme records and weights; ε₂ as shipped",
		}, squareParams{s.radius})
		if err != nil {
			return nil, err
		}
		checks = append(checks, square)
	}
	if !s.replaced {
		return checks, nil
	}
	dim = min(s.dim, maxSearchDim)
	osc, err := leastsquares.Osc(s.radius, dim)
	if err != nil {
		return nil, err
	}
	found, err := searchChecker.Check(ctx, cert.Check{
		Statement: "no pair of records and weights was found above osc(B)", Formula: "½[(y′−w·x′)² − (y−w·x)² − " +
			"(y′−w*·x′)² + (y−w*·x)²]",
		Source: "regression.Search, gradient ascent from random starts", Bound: number(osc),
		Scope: fmt.Sprintf("all records and weights in %d dimension(s); evidence, not a proof", dim),
	}, searchParams{s.radius, dim, 4, 1})
	return append(checks, found), err
}

// enumerate is the greatest range over all neighbouring data sets of up to N records of the grid.
func (q gridParams) enumerate(ctx context.Context) (cert.Outcome, error) {
	if q.Dim < 1 || q.Dim > 2 || q.N < 1 || q.N > 3 || !(q.Variance > 0) || !(q.Prior > 0) || !(q.Radius > 0) ||
		math.IsInf(q.Radius, 1) {
		return cert.Outcome{}, domain.Refuse("linear", "dim, n, variance, prior, radius",
			fmt.Sprint(q.Dim, q.N, q.Variance, q.Prior, q.Radius),
			"1 or 2 dimensions, 1 to 3 records, positive numbers")
	}
	records, weights := q.grid()
	// it cancels, and more of it than of a record would drown the ratio in its rounding
	prior := math.Min(q.Prior, 1/q.Variance)
	out := cert.Outcome{Method: cert.Enumeration}
	laws := map[string][]float64{}
	at := func(data []int) []float64 { // log-weights of the law on the grid
		key := fmt.Sprint(data)
		if v, ok := laws[key]; ok {
			return v
		}
		m, _ := leastsquares.NewMoments(q.Dim)
		for _, r := range data {
			if m.AddRows(records[r]) != nil {
				return nil
			}
		}
		p, h := law(m.XX(), m.XY(), q.Variance, prior)
		v := make([]float64, len(weights))
		for i, w := range weights {
			v[i] = logWeight(p, h, w)
		}
		laws[key] = v
		return v
	}
	visit := func(a, b []float64) {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range a {
			lo, hi = math.Min(lo, a[i]-b[i]), math.Max(hi, a[i]-b[i])
		}
		out.Value = math.Max(out.Value, hi-lo)
		out.Work += int64(len(a))
	}
	// every data set of n−1 records with every last record, and with every other one or none in its place
	var rest func(data []int) error
	rest = func(data []int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range records {
			a := at(append(append([]int(nil), data...), i))
			if !q.Replaced {
				visit(a, at(data))
				continue
			}
			for j := range i {
				visit(a, at(append(append([]int(nil), data...), j)))
			}
		}
		if len(data)+1 < q.N {
			for i := range records {
				if err := rest(append(append([]int(nil), data...), i)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := rest(nil)
	return out, err
}

// grid lists extreme records (x, y), ‖x‖ ∈ {0, 1}, y = ±1, and weights in the ball. Directions include the pair of the
// proof, at the angle with cosine −min(1, 1/B).
func (q gridParams) grid() (records, weights [][]float64) {
	var directions [][]float64
	if q.Dim == 1 {
		directions = [][]float64{{1}, {-1}}
	} else {
		worst := math.Acos(-math.Min(1, 1/q.Radius))
		for _, a := range []float64{0, worst, math.Pi / 2, math.Pi, 3 * math.Pi / 2, worst + math.Pi} {
			directions = append(directions, []float64{math.Cos(a), math.Sin(a)})
		}
	}
	for _, y := range []float64{-1, 1} {
		records = append(records, append(make([]float64, q.Dim), y))
		for _, u := range directions {
			records = append(records, append(append([]float64(nil), u...), y))
		}
	}
	for _, r := range []float64{0, .25, .5, .75, 1, math.Min(1, 1/q.Radius)} {
		for _, u := range directions {
			w := make([]float64, q.Dim)
			for i, v := range u {
				w[i] = r * q.Radius * v
			}
			weights = append(weights, w)
		}
	}
	return records, weights
}

// rangePair bounds the privacy of N draws from one posterior whose log-ratio between neighbours has range at most w,
// and of an ε₂-DP release after them (0: none). It is no single pair of laws but the supremum over all of them:
//
// a pair of laws with losses in [b−w, b] is a post-processing of the two-point pair with losses b and b−w (the profile
// of the latter is the chord above it), so that N draws are one of its N-fold product, with the same b for every draw;
// b in [0, w].
type rangePair struct {
	width    float64 // w = osc/σ²
	draws    int
	residual float64 // ε₂
}

// String describes the bound.
func (p rangePair) String() string {
	s := fmt.Sprintf("%s with a log-ratio of range %.6g", table.Count(p.draws, "draw"), p.width)
	if p.residual > 0 {
		s += fmt.Sprintf(", then %.6g-DP", p.residual)
	}
	return s
}

// PureEpsilon is Nw + ε₂.
func (p rangePair) PureEpsilon() float64 {
	return (float64(p.draws)*p.width + p.residual) * (1 + 4e-16)
}

// RDP is the sum over the draws, each the maximum over two-point laws (logratio.BoundedRange), and randomised response
// at ε₂.
func (p rangePair) RDP(order float64) float64 {
	r := float64(p.draws) * logratio.BoundedRange(p.width).Renyi(order)
	if p.residual > 0 {
		r += loss.PurePair{Epsilon: p.residual}.RDP(order)
	}
	return r
}

// ZCDP is N·min(w²/8, w·tanh(w/2)) + ε₂·tanh(ε₂/2).
func (p rangePair) ZCDP() float64 {
	w := logratio.BoundedRange(p.width)
	r := float64(p.draws) * math.Min(w.ZCDP(), loss.PurePair{Epsilon: p.width}.ZCDP())
	if p.residual > 0 {
		r += loss.PurePair{Epsilon: p.residual}.ZCDP()
	}
	return r * (1 + 1e-15)
}

// Delta is the privacy profile: in closed form for one draw, by branch and bound over b otherwise. The release after
// the draws may depend on them: given any draws it is dominated by randomised response at ε₂, and so is their
// composition by the product.
func (p rangePair) Delta(epsilon float64) float64 { return p.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or 1 soon after stop says so.
func (p rangePair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	if p.draws == 1 && p.residual == 0 {
		return math.Min(1, logratio.BoundedRange(p.width).Delta(epsilon)*(1+1e-12))
	}
	return p.profile(epsilon, stop)
}

// cellWidth is the width, relative to w, of the smallest cells of b; a cell is bounded by the pair with both ends'
// losses, whose range is larger by as much. maxCells bounds the work, with a sum of about √N terms a cell.
const (
	cellWidth = 1.0 / 8192
	maxCells  = 20000
)

// profile is sup_b Σ_k Bin(N, k; p_b)(1 − e^{ε − kb − (N−k)(b−w)})₊, with ε₂ its mean over ε ± ε₂, from above: the
// greatest bound of the cells that are left.
func (p rangePair) profile(epsilon float64, stop func() bool) float64 {
	if epsilon >= p.PureEpsilon() {
		return 0
	}
	type cell struct{ lo, hi float64 }
	w, found, bound, visited := p.width, 0.0, 0.0, 0
	const first = 16
	var todo []cell
	for i := range first {
		todo = append(todo, cell{w * float64(i) / first, w * float64(i+1) / first})
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if visited++; stop != nil && stop() {
			return 1
		}
		mid := (c.lo + c.hi) / 2
		found = math.Max(found, p.deltaAt(mid, w, epsilon))
		upper := p.deltaAt(c.hi, w+(c.hi-c.lo), epsilon)
		switch {
		case upper <= math.Max(found, bound): // nothing above what is already allowed for
		case c.hi-c.lo <= w*cellWidth || visited > maxCells:
			bound = math.Max(bound, upper)
		default:
			todo = append(todo, cell{c.lo, mid}, cell{mid, c.hi})
		}
	}
	return math.Min(1, math.Max(found, bound)*(1+1e-10))
}

// deltaAt is the profile at one b and range w.
func (p rangePair) deltaAt(b, w, epsilon float64) float64 {
	if p.residual == 0 {
		return binomialDelta(p.draws, b, w, epsilon)
	}
	up := 1 / (1 + math.Exp(-p.residual)) // of a loss ε₂
	return up*binomialDelta(p.draws, b, w, epsilon-p.residual) + (1-up)*binomialDelta(p.draws, b, w, epsilon+p.residual)
}

// binomialDelta is E(1 − e^{ε−L})₊ of the N-fold product of the two-point pair with losses b and b − w, 0 ≤ b ≤ w; any
// real ε. With k tops L = Nb − (N−k)w, which rises in k. The sum goes from its largest term, or the first of all, both
// ways; where a term's ratio to the last says that the rest is below 1e−16 of the sum, the geometric bound of that rest
// is added in its place.
func binomialDelta(n int, b, w, epsilon float64) float64 {
	if b <= 0 || b >= w { // one law: no loss
		return math.Max(0, -math.Expm1(epsilon))
	}
	all := math.Log(-math.Expm1(-w))
	logP := math.Log(-math.Expm1(b-w)) - all
	logQ := b - w + math.Log(-math.Expm1(-b)) - all // not 1 − p, which is 0 for b far below w
	m := float64(n)
	loss := func(k int) float64 { return m*b*(1+8e-16) - float64(n-k)*w*(1-8e-16) } // never below the truth
	first := int(math.Min(math.Max(math.Ceil((epsilon+m*(w-b))/w), 0), m+1))
	for first > 0 && loss(first-1) > epsilon {
		first--
	}
	for first <= n && loss(first) <= epsilon {
		first++
	}
	if first > n {
		return 0
	}
	k := max(first, min(n, int((m+1)*math.Exp(logP)))) // the mode, where it counts
	start := math.Exp(num.LogGamma(m+1) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1)) + float64(k)*logP +
		float64(n-k)*logQ)
	sum := start * -math.Expm1(epsilon-loss(k))
	for i, term, odds := k, start, math.Exp(logP-logQ); i < n; i++ {
		ratio := float64(n-i) / float64(i+1) * odds
		if rest := term * ratio / (1 - ratio); ratio < 1 && rest <= 1e-16*sum {
			sum += rest
			break
		}
		term *= ratio
		sum += term * -math.Expm1(epsilon-loss(i+1))
	}
	for i, term, odds := k, start, math.Exp(logQ-logP); i > first; i-- {
		ratio := float64(i) / float64(n-i+1) * odds
		if rest := term * ratio / (1 - ratio); ratio < 1 && rest <= 1e-16*sum {
			sum += rest
			break
		}
		term *= ratio
		sum += term * -math.Expm1(epsilon-loss(i-1))
	}
	return sum
}
