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

// SamplesEpsilon is the ε at δ of N independent samples, released as a list:
//
//	min( N·ε, min_λ N·D_λ + ln(1 − 1/λ) − ln(λδ)/(λ − 1) ),
//
// the first exact when δ = 0 (the essential supremum repeats one θ), the second over a fixed grid of orders. A set of
// samples instead of a list is a post-processing. Domain: N ≥ 1, 0 ≤ δ < 1: *ParameterError. Source: theory/sampling.md
// §17, §23; Canonne, Kamath, Steinke 2020, Proposition 12.
func SamplesEpsilon(f Family, samples int, delta float64) (float64, error) {
	name := f.Describe().Name
	c := need{family: name}
	c.that(samples >= 1, "N", samples, "at least one sample")
	c.that(delta >= 0 && delta < 1, "δ", delta, "0 ≤ δ < 1")
	if c.err != nil {
		return 0, c.err
	}
	n := float64(samples)
	best := n * f.Epsilon()
	if delta == 0 {
		return best, nil
	}
	for _, order := range renyiOrders {
		d := Renyi(f, order)
		best = math.Min(best, n*d+math.Log1p(-1/order)-math.Log(order*delta)/(order-1)+1e-12)
	}
	return math.Max(best, 0), nil
}

// SamplesRenyi is the Rényi divergence of order λ > 1 of N samples: N·D_λ, exactly (the samples are independent given
// the data).
func SamplesRenyi(f Family, samples int, order float64) float64 {
	return float64(samples) * Renyi(f, order)
}

// renyiOrders is the grid on which Rényi curves are turned into (ε, δ): λ − 1 in steps of a fifth of a doubling.
var renyiOrders = func() (orders []float64) {
	for i := -10.; i <= 40; i++ {
		orders = append(orders, 1+math.Exp2(i/5))
	}
	return orders
}()

func levelFor(name string, want dp.Parameters, pure, rho float64, delta, renyi func(float64) float64) (dp.Parameters, error) {
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
