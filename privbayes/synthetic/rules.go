package synthetic

import "math"

// Rule names a way to combine the estimates of m sets. With q̄ and b their mean and variance, ū the mean of their
// squared standard errors, n the records of the private table and k those of a set:
type Rule string

// The rules.
const (
	// FullySynthetic is T_f = (1 + 1/m)·b − ū with (m − 1)·(1 − ū/((1 + 1/m)·b))² degrees of freedom: right for sets of
	// draws from the posterior given the noisy counts. Where T_f ≤ 0, (k/n)·ū with normal quantiles, the sampling
	// variance of the private table alone.
	FullySynthetic Rule = "T_f"
	// PartiallySynthetic is ū + b/m with (m − 1)·(1 + m·ū/b)² degrees of freedom (Reiter, "Inference for partially
	// synthetic, public use microdata sets", 2003). It leaves the noise of the release out.
	PartiallySynthetic Rule = "T_p"
	// SingleSource is ū·(k/n + 1/m) with normal quantiles (Raab, Nowok and Dibben, "Practical data synthesis for large
	// samples", 2016). It leaves the noise of the release out; it is the one rule that takes a single set.
	SingleSource Rule = "T_s"
	// Imputation is ū + (1 + 1/m)·b with (m − 1)·(1 + ū/((1 + 1/m)·b))² degrees of freedom (Rubin, 1987), for missing
	// values filled in. On synthetic sets it is 2ū too large.
	Imputation Rule = "T_m"
	// Naive is u with normal quantiles, of one set: what somebody finds who takes the set for the table. It is here to
	// be shown beside the right answer, and it misleads: it leaves out the noise of the release and the sampling of the
	// private table, and at a nominal 5 % it finds effects that are not there in a quarter to more than half of all
	// cases, the more rows the set has the oftener (docs/noise_aware.md). It takes one set only.
	Naive Rule = "naive"
)

// Rules lists those for several sets, the right one first.
func Rules() []Rule { return []Rule{FullySynthetic, PartiallySynthetic, SingleSource, Imputation} }

// moments are what the rules see.
type moments struct {
	m               float64
	mean, b, within float64
	ratio           float64 // k/n
}

// law is the squared standard error of q̄ and the degrees of freedom of its t law, +Inf for normal quantiles.
type law struct {
	variance, df float64
	fallback     bool
}

func fullySynthetic(x moments) law {
	spread := (1 + 1/x.m) * x.b
	if t := spread - x.within; t > 0 {
		r := 1 - x.within/spread
		return law{t, (x.m - 1) * r * r, false}
	}
	return law{x.ratio * x.within, math.Inf(1), true}
}

func partiallySynthetic(x moments) law {
	r := 1 + x.m*x.within/x.b // +Inf without variance between the sets
	return law{x.within + x.b/x.m, (x.m - 1) * r * r, false}
}

func singleSource(x moments) law { return law{x.within * (x.ratio + 1/x.m), math.Inf(1), false} }

func imputation(x moments) law {
	spread := (1 + 1/x.m) * x.b
	r := 1 + x.within/spread
	return law{x.within + spread, (x.m - 1) * r * r, false}
}

func naive(x moments) law { return law{x.within, math.Inf(1), false} }

// ruleOf is the arithmetic of a rule, and the fewest sets it takes.
func ruleOf(r Rule) (of func(moments) law, fewest int) {
	switch r {
	case FullySynthetic:
		return fullySynthetic, 2
	case PartiallySynthetic:
		return partiallySynthetic, 2
	case SingleSource:
		return singleSource, 1
	case Imputation:
		return imputation, 2
	case Naive:
		return naive, 1
	}
	return nil, 0
}
