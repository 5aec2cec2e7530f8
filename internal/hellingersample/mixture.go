package hellingersample

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Limits of the mixture: terms walked, numbers stored, exponentials in the set-up. At the limit the set-up takes a few
// minutes.
const (
	MaxMixtureTerms   = 1e9
	MaxMixtureTable   = 2e7
	MaxMixtureSetUp   = 1e10
	maxBlock          = 1 << 18
	negligible        = 60 // e^−60 of a weight is left out, and charged to Slack
	maxMixtureSpan    = 9e5
	maxCacheEntries   = 1 << 24 // about 200 MB
	progressGranules  = 256
	tiltRoom          = 64
	tiltPerCell       = 8
	maxTiltIterations = 8
)

// leastRate stands in for smaller rates, whose p_N would underflow. No exponent moves by more than that.
const leastRate = 1e-30

// mixture draws from exp(−A·H) = Σ_N p_N·BC^N, p the discrete ½-stable law of rate A, BC^N a product over cells.
//
// N = 0 is the uniform law. For N ≥ 1 the cells are drawn independently from t_i(r) = BC_i(r)^N·λ^{r−x_i}, all but one,
// which takes what is left of n and is kept with probability t_i(r)/max t_i. λ cancels on Σ r = n; it puts the mean of
// the sum there. So N is proposed with weight p_N·M_N, M_N = Π S_i·max t_last, S_i = Σ_r t_i(r). From about N = 2d on,
// blocks [N_j, N_{j+1}) of ratio 1 + 1/d share the tables of N_j; N is chosen in the block by p_N and the candidate
// kept with probability BC^{N−N_j}.
//
// Left out: candidates with BC_i(r_i)^N < e^{−(A+60)} in a cell, which have at least p_0 = e^{−A} from N = 0; so all
// tables are windows around x. From N = M on that is every candidate but x, which gets the rest Σ_{N≥M} p_N.
type mixture struct {
	problem
	cells  []window
	blocks []block
	choice *sample.Weights // 0: uniform; 1 … len(blocks): the blocks; last: x
	cache  map[int]*tables
	cached int
	terms  float64 // M
	cost   float64
}

// block is N ∈ [stable.n, end).
type block struct {
	stable
	end  int64
	tilt float64 // ln λ
	rest int     // the cell that takes what is left
}

// newMixture prepares the sampler; progress, if not nil, is told the share done: the same shares in the same order for
// all data, at times that depend on them. It draws from any number of cells without enumeration; memory and time grow
// with the square root of n. A sampler must not be used by two goroutines at once. Proposals is an estimate.
func newMixture(ctx context.Context, p problem, progress func(float64)) (Sampler, error) {
	if err := p.mixable(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(float64) {}
	}
	p.a = math.Max(p.a, leastRate)
	m := &mixture{problem: p, cache: map[int]*tables{}}
	if p.n == 0 || p.dim() == 1 { // one candidate
		w, err := sample.NewWeights([]float64{0})
		m.choice = w
		m.cost = 1
		return m, err
	}
	m.cells = p.windows()
	m.terms = p.lastTerm()
	return m, m.plan(ctx, progress)
}

// lastTerm is M: the least move away from x takes one record out of a cell and puts one into a cell.
func (p *problem) lastTerm() float64 {
	down, up := math.Inf(1), math.Inf(1)
	for i, v := range p.x {
		if v > 0 {
			down = math.Min(down, -logBC(p.alpha[i], v, v-1))
		}
		up = math.Min(up, -logBC(p.alpha[i], v, v+1))
	}
	return math.Ceil((p.a+negligible)/(down+up)) + 1
}

// plan walks the blocks.
func (m *mixture) plan(ctx context.Context, progress func(float64)) error {
	d := int64(m.dim())
	e := newEvaluator(&m.problem, m.cells)
	walk := newStable(m.a)
	logs := []float64{walk.sum(1) + m.logCandidates()}
	var drawn, kept kahan // p_0 + …, and the share of proposals that are kept
	drawn.add(math.Exp(-m.a))
	granule := 0.0
	report := func(done float64) { // every granule once, so that the sequence of reports is the same for all data
		for granule < done {
			granule++
			progress(granule / progressGranules)
		}
	}
	for float64(walk.n) < m.terms {
		if err := ctx.Err(); err != nil {
			return err
		}
		report(math.Floor(progressGranules * math.Log(float64(walk.n)) / math.Log(m.terms+1)))
		b := block{stable: walk}
		b.end = min(walk.n+max(1, min(walk.n/d, maxBlock)), int64(m.terms))
		logP := walk.sum(b.end)
		logM, share := e.settle(float64(b.n), &b.tilt, &b.rest)
		m.blocks = append(m.blocks, b)
		logs = append(logs, logP+logM)
		drawn.add(math.Exp(logP))
		kept.add(math.Exp(logP+logM) * share)
	}
	logs = append(logs, math.Log(math.Max(1-drawn.sum, math.SmallestNonzeroFloat64)))
	report(progressGranules)
	return m.choose(logs, kept.sum)
}

// choose sets up the law of the blocks and estimates the number of proposals.
func (m *mixture) choose(logs []float64, kept float64) error {
	top := num.LogSumExp(logs)
	exponents := make([]float64, len(logs))
	most := math.Inf(-1)
	for _, l := range logs {
		most = math.Max(most, l)
	}
	for i, l := range logs {
		exponents[i] = most - l
	}
	w, err := sample.NewWeights(exponents)
	m.choice = w
	ends := math.Exp(logs[0]-top) + math.Exp(logs[len(logs)-1]-top)
	m.cost = 1 / math.Min(1, ends+kept*math.Exp(-top))
	return err
}

// logCandidates is ln C(n+d−1, d−1).
func (p *problem) logCandidates() float64 {
	d := float64(p.dim())
	return num.LogGammaDiff(float64(p.n)+1, d-1) - num.LogGamma(d)
}

func (m *mixture) Name() string { return "discrete-stable mixture" }

func (m *mixture) Proposals() float64 { return m.cost }

// window is cell i on the candidates that some N ≥ 1 needs: cost[k] = −ln BC_i(from + k) ≤ A + 60, at is the place of
// x_i.
type window struct {
	from int64
	at   int
	cost []float64
}

func (p *problem) windows() []window {
	limit := p.a + negligible
	out := make([]window, p.dim())
	for i, x := range p.x {
		walk := func(step, end int64) (costs []float64) {
			for v := x; v != end; {
				v += step
				c := -logBC(p.alpha[i], x, v)
				if c > limit {
					break
				}
				costs = append(costs, c)
			}
			return costs
		}
		down, up := walk(-1, 0), walk(1, p.n)
		w := window{from: x - int64(len(down)), at: len(down), cost: make([]float64, 0, len(down)+1+len(up))}
		for k := len(down) - 1; k >= 0; k-- {
			w.cost = append(w.cost, down[k])
		}
		w.cost = append(append(w.cost, 0), up...)
		out[i] = w
	}
	return out
}

// span is the part [lo, hi) of the window with N·cost ≤ A + 60. Costs grow away from x.
func (w *window) span(limit float64) (lo, hi int) {
	lo = w.at - sort.Search(w.at, func(k int) bool { return w.cost[w.at-k-1] > limit })
	hi = w.at + 1 + sort.Search(len(w.cost)-w.at-1, func(k int) bool { return w.cost[w.at+1+k] > limit })
	return lo, hi
}

// logs fills out with ln t(r) = −N·cost + (r − x)·tilt on the span, and gives the largest.
func (w *window) logs(n, tilt float64, lo, hi int, out []float64) float64 {
	top := 0.0 // at x
	for k, c := range w.cost[lo:hi] {
		out[k] = float64(lo+k-w.at)*tilt - n*c
		top = math.Max(top, out[k])
	}
	return top
}

// evaluator finds tilts and normalisers block by block. Tilts are carried from block to block.
type evaluator struct {
	*problem
	cells []window
	spans [][2]int
	tilt  float64
	room  float64 // of |tilt|
	logs  []float64
}

func newEvaluator(p *problem, cells []window) *evaluator {
	longest := 0
	for i := range cells {
		longest = max(longest, len(cells[i].cost))
	}
	room := (tiltPerCell*float64(p.dim()) + tiltRoom) / float64(p.n)
	return &evaluator{problem: p, cells: cells, spans: make([][2]int, len(cells)), room: room,
		logs: make([]float64, longest)}
}

// moments are ln S, max ln t, mean of r − x and variance of one cell.
type moments struct{ logS, top, mean, variance float64 }

func (e *evaluator) cell(i int, n, tilt float64) moments {
	w, lo, hi := &e.cells[i], e.spans[i][0], e.spans[i][1]
	logs := e.logs[:hi-lo]
	top := w.logs(n, tilt, lo, hi, logs)
	var total kahan
	first, second := 0.0, 0.0
	for k, l := range logs {
		p, t := math.Exp(l-top), float64(lo+k-w.at)
		total.add(p)
		first += p * t
		second += p * t * t
	}
	mean := first / total.sum
	return moments{top + math.Log(total.sum), top, mean, math.Max(second/total.sum-mean*mean, 0)}
}

// settle finds a tilt for N = n by Newton's method, to a tenth of a standard deviation of the sum; any tilt gives the
// right law. It gives ln M and an estimate of the share of proposals that hit n and are kept.
func (e *evaluator) settle(n float64, tilt *float64, rest *int) (logM, share float64) {
	limit := (e.a + negligible) / n
	for i := range e.cells {
		lo, hi := e.cells[i].span(limit)
		e.spans[i] = [2]int{lo, hi}
	}
	best, bestOff := 0.0, math.Inf(1)
	at := e.tilt
	for range maxTiltIterations {
		mean, variance, tops := 0.0, 0.0, 0.0
		for i := range e.cells {
			c := e.cell(i, n, at)
			mean, variance, tops = mean+c.mean, variance+c.variance, tops+c.top
		}
		off := math.Abs(mean) / math.Sqrt(variance+1e-300)
		if off < bestOff && tops <= tiltRoom {
			best, bestOff = at, off
		}
		if off < 0.1 || variance < 1e-6 {
			break
		}
		at = math.Min(math.Max(at-mean/variance, -e.room), e.room)
	}
	e.tilt, *tilt = best, best
	return e.normalise(n, rest)
}

// normalise chooses the cell that is not drawn, the one with the largest S/max t, and adds up the others' ln S.
func (e *evaluator) normalise(n float64, rest *int) (logM, share float64) {
	var plus, minus kahan
	widest, gain := moments{}, -1.0
	variance, mean := 0.0, 0.0
	for i := range e.cells {
		c := e.cell(i, n, e.tilt)
		plus.add(math.Max(c.logS, 0))
		minus.add(math.Max(-c.logS, 0))
		variance, mean = variance+c.variance, mean+c.mean
		if g := c.logS - c.top; g > gain {
			widest, gain, *rest = c, g, i
		}
	}
	logM = plus.sum - minus.sum - widest.logS + widest.top
	share = math.Exp(gain-mean*mean/(2*variance+1e-300)) / math.Sqrt(2*math.Pi*variance+1)
	return logM, math.Min(share, 1)
}

// tables are the proposal laws of one block, made when first needed.
type tables struct {
	from  []int64
	cells []*sample.Weights
	terms *sample.Weights // N − N_j, nil for blocks of one
}

// Draw proposes until a candidate is kept.
func (m *mixture) Draw(src rand.Source) ([]int64, error) {
	r := make([]int64, m.dim())
	for {
		switch j := m.choice.Draw(src); {
		case j == m.choice.Len()-1:
			return slices.Clone(m.x), nil
		case j == 0:
			return composition(src, m.n, m.dim()), nil
		default:
			ok, err := m.propose(src, j-1, r)
			if ok || err != nil {
				return r, err
			}
		}
	}
}

// propose draws a candidate from block j and tells whether it is kept.
func (m *mixture) propose(src rand.Source, j int, r []int64) (bool, error) {
	b := &m.blocks[j]
	t, err := m.tables(j)
	if err != nil {
		return false, err
	}
	left, cost := m.n, 0.0
	for i := range r {
		if i == b.rest {
			continue
		}
		r[i] = t.from[i] + int64(t.cells[i].Draw(src))
		if left -= r[i]; left < 0 {
			return false, nil
		}
		cost += m.cells[i].cost[r[i]-m.cells[i].from]
	}
	w := &m.cells[b.rest]
	r[b.rest] = left
	k := left - t.from[b.rest]
	if k < 0 || k >= int64(t.cells[b.rest].Len()) {
		return false, nil
	}
	e := t.cells[b.rest].Exponent(int(k))
	cost += w.cost[left-w.from]
	if t.terms != nil && cost > 0 {
		e += float64(t.terms.Draw(src)) * cost
	}
	return sample.BernoulliExp(src, quantise(e), grid), nil
}

// tables makes or finds the proposal laws of block j. The cache is emptied when it is full.
func (m *mixture) tables(j int) (*tables, error) {
	if t, ok := m.cache[j]; ok {
		return t, nil
	}
	b, t, size := &m.blocks[j], &tables{}, int(m.blocks[j].end-m.blocks[j].n)
	n := float64(b.n)
	for i := range m.cells {
		w := &m.cells[i]
		lo, hi := w.span((m.a + negligible) / n)
		out := make([]float64, hi-lo)
		top := w.logs(n, b.tilt, lo, hi, out)
		for k, l := range out {
			out[k] = top - l
		}
		law, err := sample.NewWeights(out)
		if err != nil {
			return nil, err
		}
		t.from, t.cells = append(t.from, w.from+int64(lo)), append(t.cells, law)
		size += hi - lo + 64
	}
	if b.end-b.n > 1 {
		out := make([]float64, b.end-b.n)
		b.exponents(out)
		law, err := sample.NewWeights(out)
		if err != nil {
			return nil, err
		}
		t.terms = law
	}
	if m.cached += size; m.cached > maxCacheEntries {
		clear(m.cache)
		m.cached = size
	}
	m.cache[j] = t
	return t, nil
}

// Slack adds up, with B = bound + 60, M ≤ terms, u = 2^−53:
//
//   - ln BC^N of a candidate that matters, at most B in all: B times the error of logBC, and of the products and sums;
//   - ln t: four roundings of numbers that add up to at most B + 2n|ln λ| + Σ max ln t;
//   - the laws of the cells against their computed normalisers: both from the same exponents, one exp and one
//     compensated sum each;
//   - ln M and ln p as exponents of the law of the blocks, ln|R|;
//   - p_N by its recurrence, in the blocks, their sums and the rest of the law;
//   - the grid, and what is left out, twice e^−60.
func (m *mixture) Slack() float64 {
	const u = 0x1p-53
	d, n, b := float64(m.dim()), float64(m.n), m.bound+negligible
	tilt := 2*(tiltPerCell*d+tiltRoom) + tiltRoom
	logs := d*(math.Log1p(n)+2) + m.bound + math.Log(MaxMixtureTerms)
	return b*(m.phiError()+(d+4)*u) +
		4*u*(b+tilt) +
		d*(2*sample.RelativeError(b+tilt)+8*u) +
		2*u*(3*logs+4) + 5e-15*(1+3*logs) + 2*sample.RelativeError(sample.MaxExponent) +
		3*4*m.publicTerms()*u +
		gridError + 4*math.Exp(-negligible)
}

// largest is the largest posterior parameter that α and n allow.
func (p *problem) largest() float64 {
	most := 0.0
	for _, v := range p.alpha {
		most = math.Max(most, v)
	}
	return most + float64(p.n)
}

// publicTerms bounds M for every x: φ(c, c+1) = L(c) of num.LogGammaHalfRatio grows with c.
func (p *problem) publicTerms() float64 {
	return math.Ceil((p.bound+negligible)/(-2*num.LogGammaHalfRatio(p.largest()))) + 1
}

// width estimates the numbers in the windows at N: −φ(c, c+t) ≥ t²/(8(c+t)), so that the cells' half widths are at most
// √(8Bc/N) + 8B/N, and Cauchy's inequality adds them up.
func (p *problem) width(n float64) float64 {
	total := float64(p.n)
	for _, v := range p.alpha {
		total += v
	}
	d, b := float64(p.dim()), p.bound+negligible
	most := d * (float64(p.n) + 1)
	return math.Min(most, d+2*(math.Sqrt(8*b*d*total/n)+8*b*d/n))
}

// mixable checks the limits by public numbers.
func (p *problem) mixable() error {
	refuse := func(what string, value, limit float64) error {
		return &InfeasibleError{"mixture", what, value, limit, "the K-norm mechanism, or a smaller rate, n or number " +
			"of cells"}
	}
	if m := p.publicTerms(); m > MaxMixtureTerms {
		return refuse("the number of terms", m, MaxMixtureTerms)
	}
	if w := p.width(1); w > MaxMixtureTable {
		return refuse("the number of table entries", w, MaxMixtureTable)
	}
	d := float64(p.dim())
	if span := p.bound + d*(math.Log1p(float64(p.n))+2) + tiltPerCell*d + 2*tiltRoom; span > maxMixtureSpan {
		return refuse("the span of log-weights", span, maxMixtureSpan)
	}
	work := 0.0
	for n, end := 1.0, p.publicTerms(); n < end; n += math.Max(1, math.Min(math.Floor(n/d), maxBlock)) {
		if work += 4 * p.width(n); work > MaxMixtureSetUp {
			return refuse("the number of exponentials in the set-up", math.Inf(1), MaxMixtureSetUp)
		}
	}
	return nil
}
