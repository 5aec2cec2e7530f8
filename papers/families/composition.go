package families

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// MetricGuarantee is Definition 2: (ε, δ)-differential privacy under a pseudo-metric ρ,
//
//	P(B | x) ≤ e^{ερ(x,y)} P(B | y) + δρ(x, y).
type MetricGuarantee struct {
	Epsilon, Delta float64 // per unit of ρ
	Metric         string
}

// At is (ερ, δρ), what the guarantee says between data sets ρ apart; δ at most 1.
func (g MetricGuarantee) At(rho float64) (epsilon, delta float64) {
	return g.Epsilon * rho, math.Min(1, g.Delta*rho)
}

// Adjacency is the adjacency under the metric.
func (g MetricGuarantee) Adjacency() dp.Adjacency { return dp.UnderMetric(g.Metric) }

// ToRecord converts to data sets that differ in one record, given an upper bound of ρ for one replaced record: the
// level (ερ, δρ). The bound must hold for all records within the public bounds: see Family.Paper for where the paper's
// does not. *ParameterError for a ρ that is not positive and finite, or a guarantee that says nothing there.
func (g MetricGuarantee) ToRecord(rho float64) (dp.Parameters, error) {
	c := need{family: "conversion to record level"}
	c.positive("ρ", rho)
	epsilon, delta := g.At(rho)
	c.that(epsilon >= 0 && domain.Finite(epsilon), "ε", g.Epsilon, "a finite number ≥ 0")
	c.that(delta >= 0 && delta < 1, "δρ", delta, "below 1")
	c.that(epsilon > 0 || delta > 0, "guarantee", g, "ε > 0 or δ > 0")
	if c.err != nil {
		return dp.Parameters{}, c.err
	}
	if delta == 0 {
		return dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(epsilon)}, nil
	}
	return dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(epsilon), Delta: delta}, nil
}

// Edges turns an (ε, δ) guarantee between neighbours into one under the graph metric that the neighbours generate, ρ =
// number of steps (Remark 3). It exists when ε = 0 or δ = 0; otherwise *GroupError: with P(B) = 0, 0.1, 0.3 along two
// steps, (ln 2, 0.1) holds on both and (2 ln 2, 0.2) fails. Source: theory/sampling.md §1.
func Edges(epsilon, delta float64, metric string) (MetricGuarantee, error) {
	c := need{family: "neighbours"}
	c.that(epsilon >= 0 && domain.Finite(epsilon), "ε", epsilon, "a finite number ≥ 0")
	c.that(delta >= 0 && delta <= 1, "δ", delta, "0 ≤ δ ≤ 1")
	if c.err != nil {
		return MetricGuarantee{}, c.err
	}
	if epsilon > 0 && delta > 0 {
		return MetricGuarantee{}, &GroupError{epsilon, delta}
	}
	return MetricGuarantee{epsilon, delta, metric}, nil
}

// GroupDelta is the δ of groups of k ≥ 1 neighbours' steps,
//
//	δ_k = δ(e^{kε} − 1)/(e^ε − 1)  at kε;  kδ when ε = 0,
//
// attained, at most 1. NaN outside the domain. Source: theory/sampling.md §1.
func GroupDelta(epsilon, delta float64, k int) float64 {
	if !(epsilon >= 0 && delta >= 0 && k >= 1) {
		return math.NaN()
	}
	if epsilon == 0 {
		return math.Min(1, delta*float64(k))
	}
	if delta == 0 {
		return 0
	}
	return math.Min(1, delta*math.Expm1(float64(k)*epsilon)/math.Expm1(epsilon)*(1+1e-14))
}

// Compose is Theorem 4 between data sets ρ apart, with the tight δ: guarantees under one metric, chosen adaptively or
// not, give
//
//	(Σ ε_i ρ, 1 − Π(1 − δ_i ρ)),
//
// attained by randomised response; δ is rounded up. The sums (Σε_i, Σδ_i) are again a MetricGuarantee: see Sum. The
// paper's proof treats rectangles only, and the worst set need not be one. *ParameterError for no guarantees, different
// metrics or a negative ρ. Source: theory/sampling.md §2.
func Compose(rho float64, parts ...MetricGuarantee) (epsilon, delta float64, err error) {
	if _, err := Sum(parts...); err != nil {
		return 0, 0, err
	}
	if !(rho >= 0) {
		return 0, 0, &ParameterError{Of: "families: composition", Parameter: "ρ", Value: rho, Want: "a number ≥ 0"}
	}
	keep := 0.0 // ln Π(1 − δ_i ρ)
	for _, p := range parts {
		e, d := p.At(rho)
		epsilon += e
		keep += math.Log1p(-d)
	}
	return epsilon, math.Min(1, -math.Expm1(keep)*(1+1e-14)), nil
}

// Sum is Theorem 4 as the paper states it: ε and δ add per unit of ρ. *ParameterError for no guarantees or different
// metrics.
func Sum(parts ...MetricGuarantee) (MetricGuarantee, error) {
	if len(parts) == 0 {
		return MetricGuarantee{}, &ParameterError{Of: "families: composition", Parameter: "guarantees", Value: 0,
			Want: "at least one"}
	}
	out := MetricGuarantee{Metric: parts[0].Metric}
	for i, p := range parts {
		c := need{family: "composition"}
		name := fmt.Sprintf("guarantee %d", i)
		c.that(p.Metric == out.Metric, name+" metric", p.Metric, out.Metric+": guarantees under different metrics do "+
			"not compose")
		c.that(p.Epsilon >= 0 && p.Delta >= 0, name, p, "ε ≥ 0 and δ ≥ 0")
		if c.err != nil {
			return MetricGuarantee{}, c.err
		}
		out.Epsilon += p.Epsilon
		out.Delta += p.Delta
	}
	return out, nil
}

// UnderMetric is the paper's Theorem 8.1: a family with Assumption 1 is (2L, 0)-DP under its metric.
// *UnavailableError when L is infinite.
func UnderMetric(f Family) (MetricGuarantee, error) {
	d := f.Describe()
	l := f.Uniform()
	if math.IsInf(l, 1) {
		return MetricGuarantee{}, &UnavailableError{d.Name, "guarantee under " + d.Metric, "Assumption 1 fails: L is " +
			"infinite; trim the prior"}
	}
	return MetricGuarantee{Epsilon: 2 * l, Metric: d.Metric}, nil
}

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
