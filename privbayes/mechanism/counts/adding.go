package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Adding is the mechanism that adds noise of a registered family to every measured count. Its kind is the family's
// name. Plans, estimates, intervals and files are those of [Geometric]; certificates state what the pair of the
// distribution spends, and compare the pair with what the distribution's own probabilities spend on one shifted count
// and, in pure ε and Rényi divergence, which add, on as many as a unit changes. What is not symmetric, does not add up
// to 1, or is another distribution after its JSON is a *dp.ParameterError. That the pair dominates at every other ε,
// order and shift is the family's theorem.
func Adding(f noise.Family, title string) Noise {
	return (&family{Family: f, kind: f.Name(), title: title}).mechanism()
}

// Descriptor describes a mechanism of [Adding], for mechanism.Register.
func (m Noise) Descriptor() mechanism.Descriptor {
	return described(m, "", "", m.Title(), m.Title(), m.WithPostProcess, PosteriorMean, Clamp, Consistent)
}

// addedParams are the public inputs of the checks of noise of any family.
type addedParams struct {
	Noise noise.Named   `json:"noise"`
	Cells int           `json:"cells"`
	Rows  int           `json:"rows"`
	Want  dp.Parameters `json:"want"`
}

func (p addedParams) distribution() (noise.Distribution, error) {
	if p.Cells < 1 || p.Cells > 1<<20 || p.Rows < 1 {
		return nil, domain.Refuse("counts", "cells, rows", fmt.Sprint(p.Cells, p.Rows), "1 ≤ cells ≤ 2^20, rows ≥ 1")
	}
	if err := p.Want.Valid(); err != nil {
		return nil, err
	}
	return p.Noise.Distribution()
}

var addedPairChecker = cert.Define("counts/pair", func(ctx context.Context, p addedParams) (cert.Outcome, error) {
	d, err := p.distribution()
	if err != nil {
		return cert.Outcome{}, err
	}
	value := loss.Spent(loss.Until(ctx, d.Pair(p.Cells, p.Rows)), p.Want)
	return cert.Outcome{Value: value, Method: cert.ProvedBound}, ctx.Err()
})

// Of one count shifted by up to mostShift rows so many steps to a side are visited, and the profile at some ε.
const (
	mostShift = 4
	visited   = 1 << 17
)

// massError is how far from 1 the sum of all probabilities may be.
const massError = 1e-6

var addedEnumChecker = cert.Define("counts/enumeration", func(ctx context.Context, p addedParams) (cert.Outcome,
	error) {
	d, err := p.distribution()
	if err != nil {
		return cert.Outcome{}, err
	}
	out, most := cert.Outcome{Method: cert.Enumeration}, int64(min(p.Rows, mostShift))
	reach := min(noise.Quantile(d, math.Log(1e-16)), visited)
	if limit := cert.WorkLimit(ctx); d.Unit() > limit/most || most*(2*reach+most*d.Unit()) > limit {
		return cert.Outcome{}, cert.ErrWorkLimit
	}
	if err := proper(d, reach); err != nil {
		return cert.Outcome{}, err
	}
	over := func(spent, stated float64) { // a stated loss below 0 bounds nothing
		out.Value = math.Max(out.Value, spent/math.Max(stated, 0))
	}
	for rows := 1; rows <= int(most); rows++ {
		shift, pair, cells := int64(rows)*d.Unit(), d.Pair(1, rows), float64(p.Cells)
		most, square := 0.0, 0.0
		epsilons := []float64{0, .1, .3, 1, 3}
		deltas := make([]float64, len(epsilons))
		progress := cert.NewProgress(ctx, 20*float64(2*reach+shift))
		for z := -reach; z <= reach+shift; z++ {
			if err := progress.Step(20); err != nil {
				return cert.Outcome{}, err
			}
			lp := d.LogProb(z)
			l := lp - d.LogProb(z-shift)
			most, square = math.Max(most, math.Abs(l)), square+math.Exp(lp+l)
			for i, e := range epsilons {
				deltas[i] += excess(lp, l, e)
			}
			out.Work++
		}
		together := d.Pair(p.Cells, rows)
		if pure := together.PureEpsilon(); !math.IsInf(pure, 1) {
			over(cells*most, pure)
		}
		over(cells*math.Log(square), together.RDP(2))
		for i, e := range epsilons {
			if want := pair.Delta(e); !(deltas[i] <= 1e-9) {
				over(deltas[i], want)
			}
		}
	}
	return out, nil
})

// proper refuses what is no symmetric distribution: of such the sums of the enumeration say nothing.
func proper(d noise.Distribution, reach int64) error {
	sum, odd := 2*math.Exp(d.LogTail(reach+1)), 0.0
	for z := -reach; z <= reach; z++ {
		p := math.Exp(d.LogProb(z))
		sum, odd = sum+p, odd+math.Abs(p-math.Exp(d.LogProb(-z)))
	}
	if !(math.Abs(sum-1) <= massError && odd <= massError) {
		return domain.Refuse("counts", "noise", fmt.Sprintf("%s: probabilities add up to %.6g, those of z and −z differ by "+
			"%.3g in all", d, sum, odd), "a distribution that is symmetric about 0, and its tails")
	}
	return nil
}

// addedChecks are the checks of noise that has none of its own.
func addedChecks(ctx context.Context, f noise.Family, d noise.Distribution, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	named, err := noise.NamedAs(f.Name(), d)
	if err != nil {
		return nil, err
	}
	p := addedParams{named, s.Cells, s.Rows, t.Parameters}
	again, err := p.distribution() // of which the checks speak, and whoever reads the file
	if err != nil {
		return nil, err
	}
	if again.String() != d.String() || again.Unit() != d.Unit() || again.Variance() != d.Variance() {
		return nil, domain.Refuse("counts", "noise", fmt.Sprintf("%s, which its JSON says is %s", d, again),
			"parameters that its registered family reads as the same distribution")
	}
	pair, err := addedPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula:   fmt.Sprintf("%s, on %d counts shifted by %d", d, s.Cells, s.Rows),
		Source:    "the theorem of the noise's family", Bound: loss.Allowed(t.Parameters),
		Scope: "all data; parameters are exact, rounded toward privacy",
	}, p)
	if err != nil {
		return nil, err
	}
	enumerated, err := addedEnumChecker.Check(ctx, cert.Check{
		Statement: "pure ε and Rényi divergence of order 2 of the shifted counts, and δ of one, over those of their pairs",
		Formula:   "the greatest ratio; 1e-9 for rounding",
		Source:    "the distribution's own probabilities, by enumeration", Bound: 1 + 1e-9,
		Scope: fmt.Sprintf("shifts of 1 to %d rows, outputs within 2^17 steps, δ at five ε", min(s.Rows, mostShift)),
	}, p)
	return []cert.Check{pair, enumerated}, err
}

// checksOf are a family's own checks, or those of any.
func (f *family) checksOf(ctx context.Context, d noise.Distribution, sh *model.Shape, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	if f.checks == nil {
		return addedChecks(ctx, f.Family, d, s, t)
	}
	return f.checks(ctx, d, sh, s, t)
}

// pairParams are the public inputs of a check on a dominating pair: the noise, the counts that one row changes, the
// rows of one unit, and the level asked for.
type pairParams struct {
	Noise noise.Rational `json:"noise"`
	Cells int            `json:"cells"`
	Rows  int            `json:"rows"`
	Want  dp.Parameters  `json:"want"`
}

// valid checks parameters read from a file.
func (p pairParams) valid() error {
	if p.Cells < 1 || p.Cells > 1<<20 || p.Rows < 1 {
		return domain.Refuse("counts", "cells, rows", fmt.Sprint(p.Cells, p.Rows), "1 ≤ cells ≤ 2^20, rows ≥ 1")
	}
	if err := p.Want.Valid(); err != nil {
		return err
	}
	return p.Noise.Valid()
}

// The machine proofs that checks of this room rest on.
var (
	geometricTheorem = cert.Cite("Geometric.noise_private")
	pairTheorem      = cert.Cite("Dominated.law_dominated")
	exchangeTheorem  = cert.Cite("Exchange.gathered")
	knormTheorem     = cert.Cite("Geometric.k_norm")
	oddTheorem       = cert.Cite("Families.odd_sound")
	geometricText    = cert.Cite("GeometricText.text_private")
)

// mostTextRate is the greatest rate at which the theorem about the sampler's text speaks of any output.
const mostTextRate = 0x1p22

// textOfGeometric is the citation of the sampler's text, about pure privacy.
func textOfGeometric(rate noise.Rational, l dp.Parameters) *cert.Citation {
	if l.Notion != dp.Pure || rate.Float() > mostTextRate {
		return nil
	}
	return &geometricText
}

// forPure is the citation of a theorem about pure privacy, where that is what a check is about.
func forPure(l dp.Parameters, c cert.Citation) cert.Citation {
	if l.Notion != dp.Pure {
		return cert.Citation{}
	}
	return c
}

// forGeometric is the citation of noise on counts that are drawn independently: pure privacy, or the profile of the
// pair. That the profile bounds Rényi divergences is on paper.
func forGeometric(l dp.Parameters) cert.Citation {
	if l.Notion == dp.Approximate {
		return pairTheorem
	}
	return forPure(l, geometricTheorem)
}

// definePair makes the checker that derives what the pair of a parameter spends in the notion asked for.
func definePair(kind string, pairAt func(x float64, cells, rows int) loss.Pair,
	method cert.Method) cert.Checker[pairParams] {
	return cert.Define(kind, func(ctx context.Context, p pairParams) (cert.Outcome, error) {
		if err := p.valid(); err != nil {
			return cert.Outcome{}, err
		}
		value := loss.Spent(loss.Until(ctx, pairAt(p.Noise.Float(), p.Cells, p.Rows)), p.Want)
		return cert.Outcome{Value: value, Method: method}, ctx.Err()
	})
}
