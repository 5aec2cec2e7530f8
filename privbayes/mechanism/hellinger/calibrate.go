package hellinger

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// proof names what certifies one table.
type proof string

const (
	byEnumeration proof = "enumeration" // exact pure ε over all data, neighbours and outputs
	byTheorem1    proof = "theorem 1"
	byTheoremC    proof = "theorem C"
	unproved      proof = "none" // a paper's mode that nothing here proves
)

// tableParams is what is shipped for one table.
type tableParams struct {
	Kappa float64 `json:"kappa"`
	Beta  float64 `json:"beta,omitempty"` // smooth
	Proof proof   `json:"proof"`
}

// params is what a release file keeps.
type params struct {
	Scale  scaling       `json:"scale"`
	Gamma  float64       `json:"gamma,omitempty"`
	Size   SetSize       `json:"size,omitempty"`
	Flip   bool          `json:"permute_and_flip,omitempty"`
	Tables []tableParams `json:"tables"`
}

// choice is the mechanism on one shape and target, calibrated or about to be.
type choice struct {
	Exponential
	shape  *model.Shape
	target dp.Request
	rows   int // rows of one unit
	n      int64
	alphas [][]float64 // of every table
	tables []tableParams
}

// prepare checks everything that does not depend on κ.
func (e Exponential) prepare(ctx context.Context, sh *model.Shape, t dp.Request) (*choice, error) {
	if err := e.valid(); err != nil {
		return nil, err
	}
	n, public := sh.N()
	if !public {
		return nil, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: sh.Model().String(),
			Step: sh.PrivateNStep(), Want: "a frame with public n, or Geometric() under add-remove adjacency"}
	}
	if t.Adjacency != dp.ReplaceOne {
		return nil, mechanism.Unsupported(t.Adjacency.String()+" adjacency: its candidates are data sets of the same n",
			"replace-one, or Geometric()")
	}
	// hyperparameters, their JSON in the checks, and the log-weights of a sampler
	if err := cert.Memory(ctx, "a distance over all cells", 64*float64(sh.Cells())); err != nil {
		return nil, err
	}
	_, rows := sh.Unit()
	c := &choice{Exponential: e, shape: sh, target: t, rows: rows, n: int64(n)}
	prior := sh.Model().Prior()
	for _, tb := range sh.Tables() {
		alpha := make([]float64, tb.Cells())
		for i := range alpha {
			alpha[i] = prior.At(i)
		}
		c.alphas = append(c.alphas, alpha)
	}
	return c, nil
}

// space of table i with smoothing β.
func (c *choice) space(i int, beta float64) (*space, error) {
	return newSpace(c.alphas[i], c.n, c.scale, c.gamma, beta)
}

// calibrate fills tables.
func (c *choice) calibrate(ctx context.Context) error {
	k := float64(len(c.alphas))
	level := c.target.Parameters
	switch {
	case c.target.NominalScale:
		return c.nominal(ctx, float64(level.Epsilon)/k, level.Delta/k)
	case c.scale == smoothScale && level.Notion == dp.Approximate:
		return c.smooth(ctx, float64(level.Epsilon)/k, level.Delta/k)
	}
	share := pureShare(level, len(c.alphas)) / float64(c.rows)
	if share < 1e-9 {
		return &mechanism.UnmetTarget{Target: level, Reachable: "a pure ε of at least 1e-9 per table and row"}
	}
	for i := range c.alphas {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := c.space(i, 0)
		if err != nil {
			return err
		}
		if err := c.feasible(s, share); err != nil {
			return err
		}
		p, err := c.meet(ctx, s, share)
		if err != nil {
			return err
		}
		c.tables = append(c.tables, p)
	}
	return nil
}

// pureShare is the greatest ε of each of k pure mechanisms whose product meets the level.
func pureShare(level dp.Parameters, k int) float64 {
	if level.Notion == dp.Pure {
		return float64(level.Epsilon) / float64(k)
	}
	meets := func(rate float64) bool { return loss.Meets(loss.GeometricPair{Rate: rate, Cells: k}, level) }
	hi := 1e-9
	for hi < 1e3 && meets(2*hi) {
		hi *= 2
	}
	return noise.Greatest(hi, 2*hi, meets)
}

// permuteLimit is the number of candidates that permute-and-flip visits at most.
const permuteLimit = 5_000_000

// feasible checks that the space can be drawn from.
func (c *choice) feasible(s *space, epsilon float64) error {
	if c.flip && s.Size() > permuteLimit {
		return mechanism.Unsupported(fmt.Sprintf("permute-and-flip over %.3g candidates (at most %d)", s.Size(),
			permuteLimit),
			"the exponential mechanism, or KNorm()")
	}
	if c.flip && len(s.alpha) > hellingersample.MaxWalkCells {
		return mechanism.Unsupported(fmt.Sprintf("permute-and-flip over %d cells (at most %d)", len(s.alpha),
			hellingersample.MaxWalkCells), "the exponential mechanism, or KNorm()")
	}
	if _, _, err := s.sampler(epsilon); err != nil {
		return mechanism.Unsupported(fmt.Sprintf("%d cells with n = %d at this ε (%v)", len(s.alpha), s.n, err), "KNorm()")
	}
	return nil
}

// meet finds κ of one table at a pure ε: exactly where the enumeration fits the work limit, else by Theorem 1.
func (c *choice) meet(ctx context.Context, s *space, epsilon float64) (tableParams, error) {
	rho, proved := s.rho()
	if !c.theorem && s.work() <= float64(cert.WorkLimit(ctx)) {
		start := epsilon / 2
		if proved {
			start = epsilon / rho
		}
		kappa, err := c.exact(ctx, s, epsilon, start)
		return tableParams{Kappa: kappa, Proof: byEnumeration}, err
	}
	if !proved {
		return tableParams{}, mechanism.Unsupported(fmt.Sprintf("pure privacy beyond enumeration (%.3g pairs × outputs): no "+
			"theorem bounds it", s.work()), "New() or LocalPlus(), which Theorem 1 covers, or a higher work limit")
	}
	kappa := math.Nextafter(epsilon/rho, 0) * (1 - 1e-15)
	for try := 0; theorem1(s, kappa) > epsilon; try++ {
		if kappa *= 1 - 1e-12*math.Pow(4, float64(try)); try > 15 {
			return tableParams{}, &mechanism.UnmetTarget{Target: dp.PureDP(epsilon).Parameters,
				Reachable: "a greater ε"}
		}
	}
	return tableParams{Kappa: kappa, Proof: byTheorem1}, nil
}

// theorem1 is the ε that Theorem 1 proves for the drawn law at κ: κρ and the charge for floating point.
func theorem1(s *space, kappa float64) float64 {
	rho, _ := s.rho()
	return math.Nextafter(kappa*rho, math.Inf(1)) + 4*s.slack(kappa)
}

// exact searches the greatest κ whose enumerated ε stays within epsilon, to a relative 2e-4.
func (c *choice) exact(ctx context.Context, s *space, epsilon, start float64) (float64, error) {
	if s.n == 0 {
		return start, nil // one candidate: nothing is spent at any κ
	}
	lo, hi := 0.0, math.Inf(1)
	kappa := start
	for range 60 {
		e, _, err := spent(ctx, s, kappa, c.flip)
		if err != nil {
			return 0, err
		}
		switch {
		case e <= epsilon && e >= epsilon*(1-2e-4):
			return kappa, nil
		case e <= epsilon:
			lo = kappa
		default:
			hi = kappa
		}
		// ε(κ) is nearly linear in κ: aim slightly below the target, and halve where that leaves the bracket
		next := kappa * epsilon * (1 - 1e-4) / e
		if next <= lo || next >= hi {
			next = (lo + math.Min(hi, 4*math.Max(lo, kappa))) / 2
		}
		if !math.IsInf(hi, 1) && hi-lo <= 1e-12*hi {
			break
		}
		kappa = next
	}
	if lo > 0 {
		return lo, nil
	}
	return 0, &mechanism.UnmetTarget{Target: dp.PureDP(epsilon).Parameters,
		Reachable: "a greater ε, or KNorm()"}
}

// spent enumerates the exact pure ε of the exponential mechanism, or the range of log-weights, which bounds that of
// permute-and-flip; both with the charge for floating point. The second result is the number of pairs × outputs.
func spent(ctx context.Context, s *space, kappa float64, flip bool) (float64, int64, error) {
	res, err := finite.Audit(ctx, law{s, kappa},
		finite.Space{Cells: len(s.alpha), N: int(s.n), Adjacency: dp.ReplaceOne}, nil, nil)
	if err != nil {
		return 0, 0, err
	}
	e := res.Epsilon
	if flip {
		e = res.Range
	}
	// normalisers are sums of |R| positive numbers, each addition rounded once
	return math.Nextafter(e, math.Inf(1)) + 4*s.slack(kappa) + s.Size()*0x1p-51, res.Work, nil
}

// nominal sets the notes' own parameters and the proof that says what they spend.
func (c *choice) nominal(ctx context.Context, epsilon, delta float64) error {
	if c.scale == smoothScale && !(delta > 0) {
		return &dp.ParameterError{Of: "hellinger", Parameter: "delta", Value: delta, Want: "a number in (0, 1): the " +
			"smooth mode is asked for by AsPublished(ε, δ)"}
	}
	for i := range c.alphas {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := tableParams{Kappa: epsilon / 2, Proof: unproved}
		s, err := c.space(i, 0)
		if err != nil {
			return err
		}
		if c.scale == smoothScale {
			p.Beta = math.Log1p(epsilon / (2 * (math.Log(2/delta) + c.logSize(s))))
			if s, err = c.space(i, p.Beta); err != nil {
				return err
			}
		}
		if err := c.feasible(s, p.Kappa); err != nil {
			return err
		}
		_, proved := s.rho()
		switch {
		case s.work() <= float64(cert.WorkLimit(ctx)):
			p.Proof = byEnumeration
		case proved:
			p.Proof = byTheorem1
		case c.scale == smoothScale && c.size == SizeCandidate && !c.flip && c.rows == 1:
			p.Proof = byTheoremC
		}
		c.tables = append(c.tables, p)
	}
	return nil
}

// logSize is ln N.
func (c *choice) logSize(s *space) float64 {
	switch c.size {
	case SizeN:
		return math.Log(math.Max(1, float64(s.n)))
	case SizeNPlusOne:
		return math.Log(float64(s.n) + 1)
	}
	return s.LogSize()
}

// smooth sets Theorem C's parameters: 3κ = ε less the charge, β = ln(1 + κ/ln(|R|/δ)).
func (c *choice) smooth(ctx context.Context, epsilon, delta float64) error {
	if c.rows > 1 || c.flip {
		return mechanism.Unsupported("smooth sensitivity with more than one row per unit, or with permute-and-flip",
			"New(), whose guarantee is pure")
	}
	for i := range c.alphas {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := c.space(i, 0)
		if err != nil {
			return err
		}
		if err := c.feasible(s, epsilon); err != nil {
			return err
		}
		kappa := (epsilon - 4*s.slack(epsilon)) / 3 * (1 - 1e-15)
		if !(kappa > 0) {
			return &mechanism.UnmetTarget{Target: c.target.Parameters, Reachable: "a greater ε"}
		}
		// room for the charges of theoremC
		beta := math.Log1p(kappa/(s.LogSize()-math.Log(delta)+2*s.slack(kappa))) * (1 - 1e-11)
		c.tables = append(c.tables, tableParams{Kappa: kappa, Beta: beta, Proof: byTheoremC})
	}
	return nil
}

// theoremC is the (ε, δ) that Theorem C proves at κ and β for the drawn law, whose weights are within e^{±η}: ε = 3κ +
// 4η and δ = e^{2η}·|R|·e^{−κ/(e^β−1)}, which is never 0.
func theoremC(s *space, kappa float64) (epsilon, delta float64) {
	lambda := kappa / math.Expm1(s.beta) * (1 - 1e-14)
	eta := s.slack(kappa)
	delta = math.Exp(s.LogSize()-lambda+2*eta) * (1 + 1e-12)
	return 3*kappa*(1+1e-15) + 4*eta, math.Max(delta, math.SmallestNonzeroFloat64)
}

// spentDelta enumerates the exact δ at epsilon, with the charge for floating point: δ(ε) of the drawn law is at most
// e^{2η}·δ(ε − 4η) of the enumerated one.
func spentDelta(ctx context.Context, s *space, kappa, epsilon float64) (float64, int64, error) {
	slack := s.slack(kappa)
	res, err := finite.Audit(ctx, law{s, kappa},
		finite.Space{Cells: len(s.alpha), N: int(s.n), Adjacency: dp.ReplaceOne},
		[]float64{math.Max(0, epsilon-4*slack)}, nil)
	if err != nil {
		return 0, 0, err
	}
	return res.Delta[0] * (1 + 2*slack + 1e-12), res.Work, nil
}
