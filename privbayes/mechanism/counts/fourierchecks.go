package counts

import (
	"cmp"
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// familyParams are the families of two-level columns.
type familyParams struct {
	Columns  int     `json:"columns"`
	Families [][]int `json:"families"`
}

func (p familyParams) spectrum(ctx context.Context) (*parity.Spectrum, error) {
	if p.Columns < 1 || p.Columns > 10_000 {
		return nil, domain.Refuse("counts", "columns", p.Columns, "1 … 10000")
	}
	arities := make([]int, p.Columns)
	for i := range arities {
		arities[i] = 2
	}
	return parity.WatchedSpectrum(watch(ctx), arities, p.Families)
}

func (m FourierNoise) checks(ctx context.Context, sh *model.Shape, t dp.Request, p *fourierPlan,
	r noise.Rational) ([]cert.Check, error) {
	ctx = selfCheck(ctx)
	if !p.spectrum.Binary() {
		return m.latticeChecks(ctx, sh, t, p, r)
	}
	families := familyParams{len(p.spectrum.Arities()), p.spectrum.Families()}
	formula, proof := "max over z of #{g ∈ N: ⟨g,z⟩ odd}, by max-sum elimination", oddTheorem
	if !p.exact {
		formula = "Σ over maximal families of the maximum within each"
		proof = cert.Citation{} // not the formula that is proved
	}
	odd, err := fourierOddChecker.Check(ctx, cert.Check{
		Statement: "replacing one record changes at most this many parity counts, each by one", Formula: formula,
		Source: "theory/networks.md §2.2; parity.OddSensitivity", Bound: cert.Number(p.odd),
		Scope: "every pair of records of this network", Citation: proof,
	}, families)
	if err != nil {
		return nil, err
	}
	out := []cert.Check{odd}
	if small := families.smaller(); small.Columns > 0 {
		s, err := small.spectrum(ctx)
		if err != nil {
			return nil, err
		}
		bound, _, _, err := s.OddSensitivity(oddLimit)
		if err != nil {
			return nil, err
		}
		brute, err := fourierBruteChecker.Check(ctx, cert.Check{
			Statement: "the same by comparing the parities of every pair of records", Formula: "max over x, y of " +
				"#{g: ⟨g,x⟩ ≠ ⟨g,y⟩ mod 2}",
			Source: "enumeration", Bound: cert.Number(bound), Scope: fmt.Sprintf("the families among the first %d "+
				"columns", small.Columns),
		}, small)
		if err != nil {
			return nil, err
		}
		out = append(out, brute)
	}
	want := t.Parameters
	pair, err := fourierPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(want),
		Formula:   shiftWords(r.Float(), p.counts),
		Source:    "dp.GeometricPair on the parity counts", Bound: loss.Allowed(want), Scope: "all data; the rate is " +
			"exact, rounded toward privacy",
		Citation: forGeometric(want), Program: textOfGeometric(r, want),
	}, pairParams{r, p.counts.Cells, p.counts.Rows, want})
	out = append(out, pair)
	if err != nil || p.counts.Rows == 1 {
		return out, err
	}
	shifts, err := shiftsCheck(ctx, r, p.counts.Rows)
	return append(out, shifts), err
}

// bruteColumns is how many columns a check by all pairs of records keeps: 4^8 pairs.
const bruteColumns = 8

// smaller is the families among the first columns, none if no family is.
func (p familyParams) smaller() familyParams {
	out := familyParams{Columns: min(p.Columns, bruteColumns)}
	for _, f := range p.Families {
		if len(f) > 0 && f[len(f)-1] < out.Columns {
			out.Families = append(out.Families, f)
		}
	}
	if out.Families == nil {
		return familyParams{}
	}
	return out
}

// changedParities compares all pairs of records, with a set of columns as a bit mask.
func (p familyParams) changedParities() (worst int, pairs int64) {
	closure := map[int]bool{}
	for _, f := range p.Families {
		mask := 0
		for _, v := range f {
			mask |= 1 << v
		}
		for g := mask; g > 0; g = (g - 1) & mask {
			closure[g] = true
		}
	}
	for x := range 1 << p.Columns {
		for y := range x {
			n := 0
			for g := range closure {
				a, b := g&x, g&y
				odd := 0
				for a != b { // the parity of the bits in which they differ
					d := a ^ b
					odd ^= 1
					a ^= d & -d
				}
				n += odd
			}
			worst = max(worst, n)
			pairs++
		}
	}
	return worst, pairs
}

var fourierOddChecker = cert.Define("fourier/odd", func(ctx context.Context, p familyParams) (cert.Outcome, error) {
	s, err := p.spectrum(ctx)
	if err != nil {
		return cert.Outcome{}, cmp.Or(tooLarge(err), err)
	}
	odd, exact, _, err := s.OddSensitivity(oddLimit)
	if err != nil {
		return cert.Outcome{}, cmp.Or(tooLarge(err), err)
	}
	method := cert.ClosedForm
	if !exact {
		method = cert.ProvedBound
	}
	return cert.Outcome{Value: float64(odd), Method: method}, nil
})

var fourierBruteChecker = cert.Define("fourier/records",
	func(ctx context.Context, p familyParams) (cert.Outcome, error) {
		if p.Columns > bruteColumns {
			return cert.Outcome{}, domain.Refuse("counts",
				"columns",
				p.Columns,
				"at most 8",
			)
		}
		if _, err := p.spectrum(ctx); err != nil {
			return cert.Outcome{}, err
		}
		worst, pairs := p.changedParities()
		return cert.Outcome{Value: float64(worst), Method: cert.Enumeration, Work: pairs}, nil
	})

var fourierPairChecker = definePair("fourier/pair", noise.GeometricFamily.PairAt, cert.ClosedForm)
