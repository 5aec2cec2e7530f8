package families

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Level is what one posterior sample of f promises in the notion of want, under replacement of one record: pure ε; ε at
// want's δ; Rényi at want's order; or zCDP (osc²/8, or the family's ZCDP method). *UnavailableError where the family
// has no finite value.
func Level(f Family, want dp.Parameters) (dp.Parameters, error) {
	rho := logratio.BoundedRange(f.Oscillation()).ZCDP()
	if z, ok := f.(interface{ ZCDP() float64 }); ok {
		rho = math.Min(rho, z.ZCDP())
	}
	return levelFor(f.Describe().Name, want, f.Epsilon(), rho,
		func(e float64) float64 { return Profile(f, e) }, func(o float64) float64 { return Renyi(f, o) })
}

func levelFor(name string, want dp.Parameters, pure, rho float64, delta, renyi func(float64) float64) (dp.Parameters,
	error) {
	unavailable := func(reason string) (dp.Parameters, error) {
		return dp.Parameters{}, &UnavailableError{name, "level of the notion " + string(want.Notion), reason}
	}
	switch want.Notion {
	case dp.Pure:
		if math.IsInf(pure, 1) {
			return unavailable("the log-ratio of two posteriors is unbounded")
		}
		return dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(pure)}, nil
	case dp.Approximate:
		if !(want.Delta > 0 && want.Delta < 1) {
			return dp.Parameters{}, &ParameterError{Of: "families: " + name, Parameter: "δ", Value: want.Delta,
				Want: "0 < δ < 1"}
		}
		hi := math.Min(pure, 1)
		for delta(hi) > want.Delta {
			if hi *= 2; hi > 1e4 {
				return unavailable("no ε up to 1e4 reaches this δ")
			}
		}
		lo := 0.0
		if delta(0) <= want.Delta {
			hi = 0
		}
		for range 50 {
			if mid := (lo + hi) / 2; hi-lo < 1e-10*hi {
				break
			} else if delta(mid) > want.Delta {
				lo = mid
			} else {
				hi = mid
			}
		}
		return dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(hi), Delta: want.Delta}, nil
	case dp.Renyi:
		if !(want.Order > 1) {
			return dp.Parameters{}, &ParameterError{Of: "families: " + name, Parameter: "λ", Value: want.Order,
				Want: "λ > 1"}
		}
		d := renyi(want.Order)
		if math.IsInf(d, 1) {
			return unavailable("the Rényi divergence of this order is infinite")
		}
		return dp.Parameters{Notion: dp.Renyi, Epsilon: cert.Number(d), Order: want.Order}, nil
	case dp.Concentrated:
		if math.IsInf(rho, 1) {
			return unavailable("the log-ratio of two posteriors is unbounded")
		}
		return dp.Parameters{Notion: dp.Concentrated, Rho: rho}, nil
	}
	return unavailable("ask for pure, approximate, Rényi or concentrated")
}
