package study

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Outcome is the exact accuracy of one mechanism at one data vector. Quantiles are the smallest values whose probability of not
// being exceeded reaches the level; two outcomes at equal distance can make a quantile differ in its last digits.
type Outcome struct {
	Name  string
	Short string // at most 16 letters, for axes

	Rate  float64 // of exp(−rate·score); of the noise in exp(−rate·|z|) for integer noise; 0 for continuous noise
	Scale float64 // the sensitivity S(x) of the score, or the scale b of continuous noise; 0 where there is none
	Rho   float64 // ε/(rate·S), the factor of Theorem 1; 0 where it plays no role
	Beta  float64 // the smoothing parameter of smooth sensitivity; 0 elsewhere

	MeanH, SDH              float64 // of the Hellinger distance H
	Q05, Q25, Q50, Q75, Q95 float64 // of H
	MeanL1, Q50L1, Q95L1    float64 // of ‖x − r‖₁, in records
	ProbTruth               float64 // probability of releasing x itself
	Privacy                 string  // what is proved of this rate, in words
}

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

// mechanism is a row of the study: how to compute one Outcome.
type mechanism struct {
	name, short, privacy string
	cells                int // 2 if only for two cells
	run                  func(b *bench) (Outcome, error)
}

// exponential makes the row of P[r] ∝ exp(−ε/(ρS)·H).
func exponential(name, short, privacy string, parameters func(b *bench) (s, rho, beta float64)) mechanism {
	return mechanism{name, short, privacy, 0, func(b *bench) (Outcome, error) {
		s, rho, beta := parameters(b)
		rate := b.Epsilon / rho / s
		o := b.em(rate).outcome(name)
		o.Rate, o.Scale, o.Rho, o.Beta = rate, s, rho, beta
		return o, nil
	}}
}

func smooth(name, short string, candidates func(b *bench) float64) mechanism {
	return exponential(name, short, "claimed (ε,δ)-DP, not proved", func(b *bench) (float64, float64, float64) {
		beta := NotesBeta(b.Epsilon, b.Delta, candidates(b))
		return b.space.Smooth(b.X, beta).Value, 2, beta
	})
}

func reciprocal(name, short string, gamma float64) mechanism {
	return exponential(name, short, "ε-DP (Theorem 1)", func(b *bench) (float64, float64, float64) {
		s, rho, _ := b.reciprocal(gamma)
		return s, rho, 0
	})
}

// finite makes the row of a mechanism with a finite law.
func finite(name, short string, cells int, run func(b *bench) (l law, rate, s, rho float64)) mechanism {
	return mechanism{name, short, "ε-DP", cells, func(b *bench) (Outcome, error) {
		l, rate, s, rho := run(b)
		o := l.outcome(name)
		o.Rate, o.Scale, o.Rho = rate, s, rho
		return o, nil
	}}
}

// mechanisms lists everything that [Accuracy] compares, in the order it is shown.
func mechanisms() []mechanism {
	return []mechanism{
		exponential(EMGlobal, "EM Δg", "ε-DP", func(b *bench) (float64, float64, float64) { s, _, _ := b.space.Global(); return s, 2, 0 }),
		exponential(EMLocal, "EM LS", "no bound for all priors", func(b *bench) (float64, float64, float64) { s, _, _ := b.space.Local(b.X); return s, 2, 0 }),
		smooth(EMSmoothN, "EM Sβ, N=n", func(b *bench) float64 { return float64(b.space.N()) }),
		smooth(EMSmoothN1, "EM Sβ, N=n+1", func(b *bench) float64 { return float64(b.space.N() + 1) }),
		smooth(EMSmoothR, "EM Sβ, N=|R|", func(b *bench) float64 { return b.space.Size() }),
		exponential(EMSmoothProved, "EM Sβ, Thm C", "(ε,δ)-DP (Theorem C)", func(b *bench) (float64, float64, float64) {
			beta := correctedBeta(b.Epsilon, b.Delta, b.space.Size())
			return b.space.Smooth(b.X, beta).Value, 3, beta
		}),
		reciprocal(EMReciprocal010, "EM Sγ 0.1", 0.1),
		reciprocal(EMReciprocal025, "EM Sγ 0.25", 0.25),
		reciprocal(EMReciprocal050, "EM Sγ 0.5", 0.5),
		reciprocal(EMReciprocal100, "EM Sγ 1", 1),
		exponential(EMLocalPlus, "EM LS⁺", "ε-DP (Theorem 1)", func(b *bench) (float64, float64, float64) {
			s, rho, _ := b.localPlus()
			return s, rho, 0
		}),
		exponential(EMLocalPlus2, "EM LS⁺, ρ=2", "ε-DP if enumerated", func(b *bench) (float64, float64, float64) {
			s, _, _ := b.localPlus()
			return s, 2, 0
		}),
		finite(PFGlobal, "P&F Δg", 0, func(b *bench) (law, float64, float64, float64) {
			s, _, _ := b.space.Global()
			rate := b.Epsilon / 2 / s
			return b.flip(rate), rate, s, 2
		}),
		finite(PFReciprocal, "P&F Sγ 0.25", 0, func(b *bench) (law, float64, float64, float64) {
			s, rho, rate := b.reciprocal(0.25)
			return b.flip(rate), rate, s, rho
		}),
		finite(EMDistance, "EM distance", 0, func(b *bench) (law, float64, float64, float64) { return b.distance(), b.Epsilon / 2, 1, 2 }),
		finite(KNorm, "K-norm", 0, func(b *bench) (law, float64, float64, float64) { return b.knorm(), b.Epsilon / 2, 0, 0 }),
		finite(GeometricClamp, "geometric", 2, func(b *bench) (law, float64, float64, float64) { return b.geometric(), b.Epsilon, 0, 0 }),
		{LaplaceOneCell, "Laplace 1 cell", "ε-DP for real numbers", 2, func(b *bench) (Outcome, error) { return b.laplaceOneCell().outcome(LaplaceOneCell) }},
		{LaplacePerCell, "Laplace", "ε-DP for real numbers", 0, func(b *bench) (Outcome, error) { return b.laplacePerCell().outcome(LaplacePerCell) }},
		finite(DiscreteLaplace, "discrete Laplace", 0, func(b *bench) (law, float64, float64, float64) { return b.perCell(), b.Epsilon / 2, 0, 0 }),
	}
}

// Accuracy computes the exact accuracy of every mechanism at one data vector, in a fixed order: exponential mechanisms with
//
//	P[r] ∝ exp(−ε/(ρ·S)·H(x, r)),  S = Δ_g, LS, S_β (with N = n, n+1 and |R|), S_γ (γ = 0.1, 0.25, 0.5, 1), LS⁺,
//
// ρ = 2 as the notes have it or the ρ of Theorem 1 (3 in Theorem C); permute-and-flip; the exponential mechanism on the number of
// replaced records; sum-zero (K-norm) noise; geometric and Laplace noise. Two mechanisms exist for two cells only.
//
// Means of finite laws are exact to about 1e-12, those of continuous noise to about 1e-10, its quantiles to about 1e-6. Errors:
// *SettingError, ctx.Err(). Source: theory/hellinger.md §3, §6, §8, §9, §11.
func Accuracy(ctx context.Context, s Setting) ([]Outcome, error) { return accuracy(ctx, s, nil) }

// accuracy runs the named mechanisms, or all.
func accuracy(ctx context.Context, s Setting, only map[string]bool) ([]Outcome, error) {
	b, err := newBench(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, m := range mechanisms() {
		if only != nil && !only[m.name] || m.cells == 2 && len(s.X) != 2 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o, err := m.run(b)
		if err != nil {
			return nil, err
		}
		o.Short, o.Privacy = m.short, m.privacy
		out = append(out, o)
	}
	return out, nil
}

// AccuracyTable shows outcomes of [Accuracy] at a setting.
func AccuracyTable(s Setting, outcomes []Outcome) *table.Table {
	t := table.New("Exact accuracy: "+s.Label, "mechanism", "rate", "S(x) or b", "E[H]", "sd H", "5 %", "25 %", "median", "75 %", "95 %", "E[L1]", "P[truth]", "what is proved")
	for _, o := range outcomes {
		var rate, scale any
		if o.Rate > 0 {
			rate = o.Rate
		}
		if o.Scale > 0 {
			scale = o.Scale
		}
		t.Add(o.Name, rate, scale, o.MeanH, o.SDH, o.Q05, o.Q25, o.Q50, o.Q75, o.Q95, o.MeanL1, o.ProbTruth, o.Privacy)
	}
	return t.Note(fmt.Sprintf("x = %v, prior %v, ε = %v, δ = %v. Nothing is simulated: output laws are summed or integrated.", s.X, s.Prior, s.Epsilon, s.Delta))
}

var (
	_ = hellinger.Rho
	_ = hellingersample.Count
)
