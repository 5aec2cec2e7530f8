package hellinger

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// proved is what certification finds for one table.
type proved struct {
	epsilon, delta float64
	reason         string // why nothing is proved
	cert           *cert.Certificate
}

// certify derives the guarantee of the calibrated parameters.
func certify(ctx context.Context, c *choice, p params) (spec mechanism.Spec, err error) {
	c.tables = p.Tables
	whole := &cert.Certificate{Title: c.title() + ", " + c.shape.Model().String()}
	var total proved
	worst, work := 0.0, 0.0
	spaces := make([]*space, len(c.tables))
	done := map[string]proved{} // tables of the same form share their proof
	tables := c.shape.Tables()
	for i, p := range c.tables {
		if err := ctx.Err(); err != nil {
			return spec, err
		}
		s, err := c.space(i, p.Beta)
		if err != nil {
			return spec, err
		}
		spaces[i] = s
		key := fmt.Sprint(s.alpha, p)
		got, ok := done[key]
		if !ok {
			if p.Proof == byEnumeration {
				if work += s.work(); work > rebuildLimit {
					return spec, fmt.Errorf("%w: %.3g pairs × outputs in all tables, limit %d", cert.ErrWorkLimit,
						work, rebuildLimit)
				}
			}
			if got, err = c.prove(ctx, s, p); err != nil {
				return spec, err
			}
			done[key] = got
		}
		name := *got.cert
		name.Title = tables[i].Name
		whole.Parts = append(whole.Parts, &name)
		total.epsilon += got.epsilon
		total.delta += got.delta
		worst = math.Max(worst, got.epsilon)
		if got.reason != "" {
			total.reason = got.reason
		}
	}
	level, pair, err := c.level(ctx, total, worst)
	if err != nil {
		return spec, err
	}
	settings, err := c.settings(spaces)
	if err != nil {
		return spec, err
	}
	return mechanism.Spec{
		Shape: c.shape, Settings: settings, Level: level, Arithmetic: dp.Exact, StandardFormula: c.standardFormula(spaces),
		Pair: pair, Certificate: whole,
		Expected: c.expected(spaces), Sampler: &sampler{shape: c.shape, spaces: spaces, tables: c.tables, flip: c.flip},
	}, nil
}

// level turns what the tables prove into the release's level. K pure tables compose like K-fold randomised response at
// the worst table's ε, which for other notions than pure is less than their sum.
func (c *choice) level(ctx context.Context, total proved, worst float64) (dp.Parameters, loss.Pair, error) {
	rows := float64(c.rows)
	switch {
	case total.reason != "":
		return dp.NotPrivate(total.reason), nil, nil
	case total.delta > 0:
		return dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(total.epsilon), Delta: total.delta}, nil, nil
	}
	pair := loss.GeometricPair{Rate: worst * rows, Cells: len(c.tables)}
	if c.target.NominalScale || c.target.Notion == dp.Pure {
		return dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(total.epsilon * rows)}, pair, nil
	}
	level, _, err := loss.Spend(ctx, pair, c.target)
	return level, pair, err
}

// tableCheck names the public inputs of a check on one table.
type tableCheck struct {
	Alpha []float64 `json:"alpha"`
	N     int64     `json:"n"`
	Scale scaling   `json:"scale"`
	Gamma float64   `json:"gamma,omitempty"`
	Beta  float64   `json:"beta,omitempty"`
	Kappa float64   `json:"kappa"`
	Flip  bool      `json:"permute_and_flip,omitempty"`
	At    float64   `json:"at,omitempty"` // the ε at which δ is asked for
}

func (t tableCheck) space() (*space, error) {
	if !(t.Kappa > 0) || math.IsInf(t.Kappa, 1) {
		return nil, domain.Refuse("hellinger", "kappa", t.Kappa, "a finite κ > 0")
	}
	if err := (Exponential{scale: t.Scale, gamma: t.Gamma, size: SizeN}).valid(); err != nil {
		return nil, err
	}
	if t.Scale != smoothScale && t.Beta != 0 {
		return nil, domain.Refuse("hellinger", "beta", t.Beta, "none: only the smooth scale has it")
	}
	if t.Scale == smoothScale && (!(t.Beta > 0) || math.IsInf(t.Beta, 1)) {
		return nil, domain.Refuse("hellinger", "beta", t.Beta, "a finite β > 0")
	}
	return newSpace(t.Alpha, t.N, t.Scale, t.Gamma, t.Beta)
}

// The checkers of the mechanism.
var (
	pureChecker = defineCheck("hellinger/pure-epsilon",
		func(ctx context.Context, s *space, t tableCheck) (cert.Outcome, error) {
			v, work, err := spent(ctx, s, t.Kappa, t.Flip)
			return cert.Outcome{Value: v, Method: cert.Enumeration, Work: work}, err
		})
	deltaChecker = defineCheck("hellinger/delta",
		func(ctx context.Context, s *space, t tableCheck) (cert.Outcome, error) {
			v, work, err := spentDelta(ctx, s, t.Kappa, t.At)
			return cert.Outcome{Value: v, Method: cert.Enumeration, Work: work}, err
		})
	theorem1Checker = defineCheck("hellinger/theorem-1",
		func(_ context.Context, s *space, t tableCheck) (cert.Outcome, error) {
			if _, ok := s.rho(); !ok {
				return cert.Outcome{}, domain.Refuse("hellinger", "scale", safetext.Short(string(s.scale)),
					"a scale that Theorem 1 covers")
			}
			return cert.Outcome{Value: theorem1(s, t.Kappa), Method: cert.ProvedBound}, nil
		})
	theoremCChecker = defineCheck("hellinger/theorem-c",
		func(_ context.Context, s *space, t tableCheck) (cert.Outcome, error) {
			if s.scale != smoothScale {
				return cert.Outcome{}, domain.Refuse("hellinger", "scale", safetext.Short(string(s.scale)),
					"smooth: Theorem C covers no other")
			}
			_, delta := theoremC(s, t.Kappa)
			return cert.Outcome{Value: delta, Method: cert.ProvedBound}, nil
		})
)

// checker derives one number of a table.
type checker = cert.Checker[tableCheck]

func defineCheck(kind string, run func(context.Context, *space, tableCheck) (cert.Outcome, error)) checker {
	return cert.Define(kind, func(ctx context.Context, t tableCheck) (cert.Outcome, error) {
		s, err := t.space()
		if err != nil {
			return cert.Outcome{}, err
		}
		return run(ctx, s, t)
	})
}

// prove certifies one table.
func (c *choice) prove(ctx context.Context, s *space, p tableParams) (proved, error) {
	params := tableCheck{Alpha: s.alpha, N: s.n, Scale: s.scale, Gamma: s.gamma, Beta: s.beta, Kappa: p.Kappa,
		Flip: c.flip}
	if s.scale != reciprocalScale {
		params.Gamma = 0
	}
	sens, err := NewSensitivity(s.alpha, s.n)
	if err != nil {
		return proved{}, err
	}
	out := proved{}
	if out.cert, err = sens.Certificate(ctx); err != nil {
		return proved{}, err
	}
	add := func(by checker, k cert.Check, params tableCheck) error {
		k, err := by.Check(ctx, k, params)
		if k.Bound == 0 {
			k.Bound = k.Value
		}
		out.cert.Checks = append(out.cert.Checks, k)
		return err
	}
	share := cert.Number(0) // a target's share of this table; 0 where the mode has none and the bound is what was found
	if !c.target.NominalScale && c.target.Notion == dp.Pure {
		share = cert.Number(float64(c.target.Epsilon) / float64(len(c.tables)) / float64(c.rows))
	}
	switch p.Proof {
	case byEnumeration:
		if err = add(pureChecker, c.enumerated(share), params); err == nil {
			out.epsilon = float64(out.cert.Checks[len(out.cert.Checks)-1].Value)
			err = c.nominalDelta(params, add)
		}
	case byTheorem1:
		rho, ok := s.rho()
		if !ok {
			return proved{}, domain.Refuse("hellinger", "proof", safetext.Short(string(p.Proof)),
				"a scale that Theorem 1 covers")
		}
		err = add(theorem1Checker, cert.Check{
			Statement: "pure ε by Theorem 1, with the charge for floating point",
			Formula: fmt.Sprintf("κρ + 4η, κ = %.6g, ρ = min(2+γ, 1+√(1+2γ²)) = %.6g, η = %.1g", p.Kappa, rho,
				s.slack(p.Kappa)),
			Source: "theory/hellinger.md §3, Theorem 1; §10", Bound: share, Scope: "all data of this n and prior",
			Citation: c.proofOf1(s), Program: &rateComputed,
		}, params)
		if err == nil {
			out.epsilon = float64(out.cert.Checks[len(out.cert.Checks)-1].Value)
			err = c.smaller(ctx, params, out.epsilon, add)
		}
	case byTheoremC:
		if s.scale != smoothScale || c.flip || c.rows > 1 {
			return proved{}, domain.Refuse("hellinger", "proof", safetext.Short(string(p.Proof)),
				"smooth sensitivity without permute-and-flip, one row per unit: all that Theorem C covers")
		}
		out.epsilon, out.delta = theoremC(s, p.Kappa)
		err = add(theoremCChecker, cert.Check{
			Statement: "δ by Theorem C at ε = 3κ + 4η",
			Formula: fmt.Sprintf("|R|·e^(−κ/(e^β−1)), κ = %.6g, β = %.6g, ln|R| = %.4g; ε = %.6g", p.Kappa, s.beta,
				s.LogSize(), out.epsilon),
			Source: "theory/hellinger.md §6, Theorem C", Scope: "all data of this n and prior", Citation: theoremCProof,
		}, params)
		if err == nil {
			params.At = out.epsilon
			err = c.smaller(ctx, params, out.delta, add)
		}
	case unproved:
		out.reason = c.unprovedReason(s)
	default:
		err = domain.Refuse("hellinger", "proof", safetext.Short(string(p.Proof)),
			"enumeration, theorem 1, theorem C or none")
	}
	return out, err
}

// The machine proofs of the two bounds of Theorem 1, of the second with an S that is Lipschitz by construction, of the
// global sensitivity and of Theorem C, and of the text that computes the first bounds.
var (
	byConstruction        = cert.Cite("Lipschitz.reciprocal_private")
	theorem1i, theorem1ii = cert.Cite("Exponential.theorem1_i"), cert.Cite("Reciprocal.theorem1_ii")
	atPrior               = cert.Cite("HellingerGlobal.local_le_global")
	theoremCProof         = cert.Cite("Smooth.smooth_private")
	rateComputed          = cert.Cite("RateFloat.rate_float")
)

// proofOf1 is the machine proof of the bound of Theorem 1 that ρ is; permute-and-flip draws from another law, whose
// bound is proved on paper.
func (c *choice) proofOf1(s *space) cert.Citation {
	gamma, _ := s.lipschitz()
	switch {
	case c.flip:
		return cert.Citation{}
	case s.scale == reciprocalScale && 1+math.Sqrt(1+2*gamma*gamma) < 2+gamma:
		return byConstruction
	case 1+math.Sqrt(1+2*gamma*gamma) < 2+gamma:
		return theorem1ii
	}
	return theorem1i
}

func (c *choice) enumerated(share cert.Number) cert.Check {
	k := cert.Check{
		Statement: "exact pure ε of the shipped weights, with the charge for floating point",
		Formula:   "max over neighbours x, y and outputs r of |ln p_x(r)/p_y(r)|, + 4η",
		Source:    "dp/finite.Audit on the exponents that are drawn from; theory/hellinger.md §7, §10",
		Bound:     share, Scope: "every data set of this n, every neighbour, every candidate",
	}
	if c.flip {
		k.Statement, k.Formula = "range of log-weights between neighbours, which bounds the pure ε of "+
			"permute-and-flip", "max over x, y of range over r of κH(x,r)/S(x) − κH(y,r)/S(y), + 4η"
	}
	return k
}

// nominalDelta adds, for the notes' (ε, δ) mode, the exact δ at their ε.
func (c *choice) nominalDelta(p tableCheck, add func(checker, cert.Check, tableCheck) error) error {
	if !c.target.NominalScale || c.target.Notion != dp.Approximate || c.flip || c.rows > 1 {
		return nil
	}
	p.At = float64(c.target.Epsilon) / float64(len(c.tables))
	return add(deltaChecker, cert.Check{
		Statement: fmt.Sprintf("exact δ at ε = %.4g (the notes claim %.4g)", p.At,
			c.target.Delta/float64(len(c.tables))),
		Formula: "max over ordered neighbours of Σ (p_x − e^ε p_y)₊", Source: "dp/finite.Audit; theory/hellinger.md §6",
		Scope: "every data set of this n, every neighbour, every candidate",
	}, p)
}

// smallerWork keeps that enumeration around ten milliseconds.
const smallerWork = 600_000

// smaller executes a theorem on the largest space of the same prior that enumerates in a moment.
func (c *choice) smaller(ctx context.Context, p tableCheck, bound float64,
	add func(checker, cert.Check, tableCheck) error) error {
	p.Alpha = p.Alpha[:min(len(p.Alpha), 4)]
	for n := min(p.N, 60); n >= 1; n-- {
		p.N = n
		s, err := p.space()
		if err != nil {
			return err
		}
		if s.work() > math.Min(smallerWork, float64(cert.WorkLimit(ctx))) {
			continue
		}
		by, k := pureChecker, cert.Check{
			Statement: fmt.Sprintf("the theorem executed: exact pure ε at n = %d over %d cells", n, len(p.Alpha)),
			Formula:   "max |ln p_x(r)/p_y(r)| + 4η, same κ and scale", Source: "dp/finite.Audit; theory/hellinger.md §3",
			Bound: cert.Number(bound), Scope: "a smaller space of the same prior; evidence for the proof",
		}
		if p.At > 0 { // Theorem C proves a δ at its ε
			k.Statement = fmt.Sprintf("the theorem executed: exact δ at its ε, n = %d over %d cells", n, len(p.Alpha))
			by, k.Formula = deltaChecker, "max over ordered neighbours of Σ (p_x − e^ε p_y)₊, same κ and β"
		}
		return add(by, k, p)
	}
	return nil
}

// unprovedReason says why a paper's mode has no guarantee here.
func (c *choice) unprovedReason(s *space) string {
	switch c.scale {
	case localScale:
		return fmt.Sprintf("local sensitivity over %d cells: no bound is proved and %.3g pairs × outputs exceed the "+
			"work limit", len(s.alpha), s.work())
	default:
		return fmt.Sprintf("smooth sensitivity with N = %s: the claimed (ε, δ) is not proved (false for Dirichlet "+
			"posteriors: violations are known from 5 cells on) and %.3g pairs × outputs exceed the work limit", c.size,
			s.work())
	}
}

func (c *choice) params() params {
	p := params{Scale: c.scale, Flip: c.flip, Tables: c.tables}
	if c.scale == reciprocalScale {
		p.Gamma = c.gamma
	}
	if c.scale == smoothScale {
		p.Size = c.size
	}
	return p
}

// rebuildLimit lets a file's plan be certified again where its maker raised the work limit.
const rebuildLimit = 2_000_000_000

// patient certifies the parameters of a file again within that limit.
func patient(rebuild mechanism.Rebuild) mechanism.Rebuild {
	return func(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*mechanism.Plan, error) {
		return rebuild(cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), rebuildLimit)), sh, t, params)
	}
}

// admits refuses parameters of a file that nothing could be drawn with: *dp.ParameterError.
func (c *choice) admits(ctx context.Context, p params) error {
	if len(p.Tables) != len(c.alphas) {
		return domain.Refuse("hellinger", "tables", len(p.Tables), fmt.Sprint(len(c.alphas)))
	}
	for i, tp := range p.Tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := tableCheck{Alpha: c.alphas[i], N: c.n, Scale: p.Scale, Gamma: p.Gamma, Beta: tp.Beta,
			Kappa: tp.Kappa}.space()
		if err != nil {
			return err
		}
		if err := c.feasible(s, tp.Kappa); err != nil {
			return err
		}
	}
	return nil
}
