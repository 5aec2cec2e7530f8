package hellinger

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// settings lists the public parameters for people: of one table, or the range over tables.
func (c *choice) settings(spaces []*space) ([]mechanism.Setting, error) {
	s, p := spaces[0], c.tables[0]
	delta, _, _ := s.Global()
	out := []mechanism.Setting{
		{Name: "candidates", Value: fmt.Sprintf("%.6g posteriors of %d records over %d cells", s.Size(), s.n,
			len(s.alpha))},
		{Name: "global sensitivity of H", Value: fmt.Sprintf("%.10g", delta)},
		{Name: "scale", Value: c.scaleWords(s)},
		{Name: "rate", Value: fmt.Sprintf("κ = %.8g in exp(−κ·H/S)", p.Kappa)},
		{Name: "calibration", Value: c.found(p)},
		{Name: "sampler", Value: c.samplerWords(s, p)},
	}
	if len(spaces) > 1 {
		out[0].Value = fmt.Sprintf("%d tables, one posterior over all cells of each; the first: %s", len(spaces),
			out[0].Value)
	}
	return out, nil
}

func (c *choice) scaleWords(s *space) string {
	switch c.scale {
	case globalScale:
		return "S = Δ_g"
	case localScale:
		return "S = LS(x)"
	case localPlusScale:
		return fmt.Sprintf("S = LS⁺(x), 1/S is γ⁺-Lipschitz, γ⁺ = %.6g", s.GammaPlus())
	case smoothScale:
		return fmt.Sprintf("S = max_y LS(y)·e^(−β·dist), β = %.8g", s.beta)
	}
	return fmt.Sprintf("S = max_y 1/(1/LS(y) + γ·dist), γ = %g", s.gamma)
}

// found says how κ was chosen.
func (c *choice) found(p tableParams) string {
	if c.target.NominalScale {
		return "the notes' formula κ = ε/2"
	}
	switch p.Proof {
	case byEnumeration:
		return "exact calibration (enumeration of all data, neighbours and candidates)"
	case byTheoremC:
		return "Theorem C (κ = ε/3)"
	}
	if c.theorem {
		return "Theorem 1 (κ = ε/ρ)"
	}
	return "Theorem 1 (κ = ε/ρ): the candidate set is too large to enumerate"
}

func (c *choice) samplerWords(s *space, p tableParams) string {
	if c.flip {
		return "permutation and exact coins"
	}
	name, _, _ := s.sampler(p.Kappa)
	return name
}

// standardFormula is what the notes claim for κ, and for the library's own modes what Theorem 1 or C does.
func (c *choice) standardFormula(spaces []*space) mechanism.StandardFormula {
	total, delta := 0.0, 0.0
	source := "ε = 2κ, McSherry, Talwar 2007"
	for i, s := range spaces {
		kappa := c.tables[i].Kappa
		rho, ok := s.rho()
		switch {
		case c.target.NominalScale:
			total += 2 * kappa
		case c.scale == smoothScale && c.tables[i].Proof == byTheoremC:
			total, source = total+3*kappa, "ε = 3κ, theory/hellinger.md Theorem C"
			_, d := theoremC(s, kappa)
			delta += d
		case ok && c.scale != globalScale:
			total, source = total+rho*kappa, "ε = ρκ, theory/hellinger.md Theorem 1"
		default:
			total += 2 * kappa
		}
	}
	l := dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(total * float64(c.rows))}
	if c.target.NominalScale {
		source = "the notes: κ = ε/2"
		delta = c.target.Delta
		if c.scale == localScale {
			l, source = dp.NotPrivate("so the notes label it"), "the notes: κ = ε/2, \"non-private\""
			return mechanism.StandardFormula{Level: l, Source: source}
		}
	}
	if delta > 0 {
		l.Notion, l.Delta = dp.Approximate, delta
	}
	return mechanism.StandardFormula{Level: l, Source: source}
}

// expectedLimit is the number of candidates up to which expected errors are summed.
const expectedLimit = 1_000_000

// expected predicts errors at balanced data, a public choice of x: the mean over tables of E[H] and of the absolute
// error of a proportion, by summing the law over all candidates. Empty where the candidate set is too large.
func (c *choice) expected(spaces []*space) []mechanism.Expectation {
	h, abs := 0.0, 0.0
	if c.flip {
		return nil
	}
	type result struct{ h, abs float64 }
	done := map[string]result{}
	for i, s := range spaces {
		if s.n == 0 || s.Size() > expectedLimit {
			return nil
		}
		key := fmt.Sprint(s.alpha, c.tables[i])
		r, ok := done[key]
		if !ok {
			r.h, r.abs = s.errors(c.tables[i].Kappa)
			done[key] = r
		}
		h, abs = h+r.h/float64(len(spaces)), abs+r.abs/float64(len(spaces))
	}
	how := "sum over all candidates, at balanced data"
	return []mechanism.Expectation{
		{Name: "Hellinger distance", Value: h, How: how},
		{Name: "absolute error of a count", Value: abs, Unit: "records", How: how},
		{Name: mechanism.ProportionErrorName, Value: abs / float64(c.n), How: how},
	}
}

// errors sums H(x, r) and the mean over cells of |r_i − x_i| over the law at balanced x.
func (s *space) errors(kappa float64) (h, abs float64) {
	d := len(s.alpha)
	x := make([]int, d)
	for i := range x {
		x[i] = int(s.n)/d + b2i(i < int(s.n)%d)
	}
	lp := make([]float64, law{s, kappa}.Outputs())
	law{s, kappa}.LogLaw(x, lp)
	y := make([]int64, d)
	for i, v := range x {
		y[i] = int64(v)
	}
	dist := make([]float64, len(lp))
	hellingersample.Exponents(s.alpha, y, 1, dist) // at rate 1 the exponent is H itself
	for o, l := range lp {
		p := math.Exp(l)
		h += p * dist[o]
		if p < 1e-18 {
			continue
		}
		for i, v := range hellingersample.Unrank(o, s.n, d) {
			abs += p * math.Abs(float64(v-y[i])) / float64(d)
		}
	}
	return h, abs
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
