package study

import "github.com/privbayes/privbayes-go/internal/hellinger"

// The names of the mechanisms of [Accuracy].
const (
	EMGlobal        = "EM global"
	EMLocal         = "EM local"
	EMSmoothN       = "EM smooth N=n"
	EMSmoothN1      = "EM smooth N=n+1"
	EMSmoothR       = "EM smooth N=|R|"
	EMSmoothProved  = "EM smooth corrected (Thm C)"
	EMReciprocal010 = "EM recip gamma=0.1"
	EMReciprocal025 = "EM recip gamma=0.25"
	EMReciprocal050 = "EM recip gamma=0.5"
	EMReciprocal100 = "EM recip gamma=1"
	EMLocalPlus     = "EM LS+ rho(gamma+)"
	EMLocalPlus2    = "EM LS+ rho=2"
	PFGlobal        = "PF global"
	PFReciprocal    = "PF recip gamma=0.25"
	EMDistance      = "EM distance"
	KNorm           = "K-norm geometric + project"
	GeometricClamp  = "geometric clamp"          // two cells only
	LaplaceOneCell  = "Laplace one cell b=1/eps" // two cells only
	LaplacePerCell  = "Laplace per cell b=2/eps"
	DiscreteLaplace = "discrete Laplace per cell q=exp(-eps/2)"
)

// parameters are what a mechanism puts in its law at the data.
type parameters struct{ rate, scale, rho, beta float64 }

// mechanism is a row of the study: a finite law with its parameters, or continuous noise.
type mechanism struct {
	name, short, privacy string
	cells                int // 2 if only for two cells, else 0
	law                  func(b *bench) (law, parameters)
	noise                func(b *bench) *noise
}

func (m mechanism) outcome(b *bench) (Outcome, error) {
	if m.noise != nil {
		o, err := m.noise(b).outcome(m.name)
		o.Short, o.Privacy = m.short, m.privacy
		return o, err
	}
	l, p := m.law(b)
	o := l.outcome(m.name)
	o.Short, o.Privacy, o.Rate, o.Scale, o.Rho, o.Beta = m.short, m.privacy, p.rate, p.scale, p.rho, p.beta
	return o, nil
}

// sensitivity is S(x), the factor ρ of its mechanism and β where it has one.
type sensitivity func(b *bench) (s, rho, beta float64)

// exponential makes the row of P[r] ∝ exp(−ε/(ρS)·H).
func exponential(name, short, privacy string, of sensitivity) mechanism {
	return mechanism{name: name, short: short, privacy: privacy, law: func(b *bench) (law, parameters) {
		s, rho, beta := of(b)
		rate := b.Epsilon / rho / s
		return b.em(rate), parameters{rate, s, rho, beta}
	}}
}

// flipped makes the row of permute-and-flip with the same rate.
func flipped(name, short string, of sensitivity) mechanism {
	return mechanism{name: name, short: short, privacy: "ε-DP", law: func(b *bench) (law, parameters) {
		s, rho, beta := of(b)
		rate := b.Epsilon / rho / s
		return b.flip(rate), parameters{rate, s, rho, beta}
	}}
}

func global(b *bench) (s, rho, beta float64) { s, _, _ = b.space.Global(); return s, 2, 0 }
func local(b *bench) (s, rho, beta float64)  { s, _, _ = b.space.Local(b.X); return s, 2, 0 }

func localPlus(b *bench) (s, rho, beta float64) {
	s, _, _ = b.space.LocalPlus(b.X)
	return s, hellinger.Rho(b.space.GammaPlus(), 1), 0
}

func localPlus2(b *bench) (s, rho, beta float64) { s, _, _ = localPlus(b); return s, 2, 0 }

func reciprocal(gamma float64) sensitivity {
	return func(b *bench) (s, rho, beta float64) {
		return b.space.Reciprocal(b.X, gamma).Value, hellinger.Rho(gamma, 1), 0
	}
}

// smooth is S_β with the notes' β.
func smooth(candidates func(b *bench) float64) sensitivity {
	return func(b *bench) (s, rho, beta float64) {
		beta = NotesBeta(b.Epsilon, b.Delta, candidates(b))
		return b.space.Smooth(b.X, beta).Value, 2, beta
	}
}

func smoothProved(b *bench) (s, rho, beta float64) {
	beta = correctedBeta(b.Epsilon, b.Delta, b.space.Size())
	return b.space.Smooth(b.X, beta).Value, 3, beta
}

func records(b *bench) float64  { return float64(b.space.N()) }
func records1(b *bench) float64 { return float64(b.space.N() + 1) }
func size(b *bench) float64     { return b.space.Size() }

// mechanisms lists everything that [Accuracy] compares, in the order it is shown.
func mechanisms() []mechanism {
	const theorem1, claimed, real = "ε-DP (Theorem 1)", "claimed (ε,δ)-DP, not proved", "ε-DP for real numbers"
	plain := func(name, short string, cells int, run func(b *bench) (law, parameters)) mechanism {
		return mechanism{name: name, short: short, privacy: "ε-DP", cells: cells, law: run}
	}
	return []mechanism{
		exponential(EMGlobal, "EM Δg", "ε-DP", global),
		exponential(EMLocal, "EM LS", "no bound for all priors", local),
		exponential(EMSmoothN, "EM Sβ, N=n", claimed, smooth(records)),
		exponential(EMSmoothN1, "EM Sβ, N=n+1", claimed, smooth(records1)),
		exponential(EMSmoothR, "EM Sβ, N=|R|", "(3ε/2, δ/2)-DP (Theorem C)", smooth(size)),
		exponential(EMSmoothProved, "EM Sβ, Thm C", "(ε,δ)-DP (Theorem C)", smoothProved),
		exponential(EMReciprocal010, "EM Sγ 0.1", theorem1, reciprocal(0.1)),
		exponential(EMReciprocal025, "EM Sγ 0.25", theorem1, reciprocal(0.25)),
		exponential(EMReciprocal050, "EM Sγ 0.5", theorem1, reciprocal(0.5)),
		exponential(EMReciprocal100, "EM Sγ 1", theorem1, reciprocal(1)),
		exponential(EMLocalPlus, "EM LS+", theorem1, localPlus),
		exponential(EMLocalPlus2, "EM LS+, ρ=2", "ε-DP where enumerated", localPlus2),
		flipped(PFGlobal, "P&F Δg", global),
		flipped(PFReciprocal, "P&F Sγ 0.25", reciprocal(0.25)),
		plain(EMDistance, "EM distance", 0, func(b *bench) (law, parameters) {
			return b.distance(), parameters{rate: b.Epsilon / 2, scale: 1, rho: 2}
		}),
		plain(KNorm, "K-norm", 0, func(b *bench) (law, parameters) {
			return b.knorm(),
				parameters{rate: b.Epsilon / 2}
		}),
		plain(GeometricClamp, "geometric", 2,
			func(b *bench) (law, parameters) { return b.geometric(), parameters{rate: b.Epsilon} }),
		{name: LaplaceOneCell, short: "Laplace 1 cell", privacy: real, cells: 2, noise: (*bench).laplaceOneCell},
		{name: LaplacePerCell, short: "Laplace", privacy: real, noise: (*bench).laplacePerCell},
		plain(DiscreteLaplace, "discrete Laplace", 0,
			func(b *bench) (law, parameters) { return b.perCell(), parameters{rate: b.Epsilon / 2} }),
	}
}
