package hellingersample

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Limits of [Mixture]: terms of the mixture walked, numbers stored, exponentials in the set-up. At the limit the set-up
// takes a few minutes.
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

// Mixture prepares the sampler; progress, if not nil, is told the share done: the same shares in the same order for all
// data, at times that depend on them. It draws from any number of cells without enumeration; memory and time grow with
// the square root of n. A sampler must not be used by two goroutines at once. Proposals is an estimate.
//
// Errors: *[ParameterError]; *[InfeasibleError]; the context's.
func Mixture(ctx context.Context, alpha []float64, x []int64, a float64, progress func(done float64)) (Sampler, error) {
	p, err := newProblem(alpha, x, a, a)
	if err != nil {
		return nil, err
	}
	return newMixture(ctx, p, progress)
}

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
