package sampling

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// LeCam is Le Cam's bound for two data sets under Assumption 1: whoever guesses the data from N posterior samples has,
// on one of them, an expected distance to the truth of at least
//
//	(ρ/2)(1 − TV) ≥ ρ/(1 + e^{NLρ}).
//
// Domain: ρ ≥ 0, L ≥ 0, N ≥ 1; otherwise a *ParameterError. Source: Lemma 18 of the paper, theory/sampling.md §21.
func LeCam(rho, l float64, samples int) (float64, error) {
	if err := check("LeCam", domain.NotNegative("rho", rho), domain.NotNegative("L", l),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return 0, err
	}
	return rho / (1 + math.Exp(float64(samples)*l*rho)), nil
}

// LeCamBest is the most that [LeCam] can give in a data space with a pair at every distance: value = (z − 1)/(NL) at ρ
// = z/(NL), where 1 + e^z = z e^z, z = 1.2784645. Domain: L > 0, N ≥ 1; otherwise a *ParameterError.
func LeCamBest(l float64, samples int) (value, rho float64, err error) {
	if err := check("LeCamBest", domain.Positive("L", l),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return 0, 0, err
	}
	scale := float64(samples) * l
	return (leCamZ - 1) / scale, leCamZ / scale, nil
}

// leCamZ solves 1 + e^z = z e^z, where z/(1 + e^z) = z − 1 is largest.
const leCamZ = 1.27846454276107379

// LeCam is the best two-point bound of this family with exact total variation distances: max over pairs of (ρ/2)(1 −
// TV_N), and the pair. Errors: those of [Contest.OptimalError].
func (f *Family) LeCam(samples int) (value float64, x, y int, err error) {
	for a := range f.post {
		for b := range a {
			c, err := f.Contest(a, b)
			if err != nil {
				return 0, 0, 0, err
			}
			e, err := c.OptimalError(samples) // (1 − TV)/2
			if err != nil {
				return 0, 0, 0, err
			}
			if v := f.rho[a][b] * e; v > value {
				value, x, y = v, b, a
			}
		}
	}
	return value, x, y, nil
}

// Risk is a bracket of the minimax risk of guessing the data.
type Risk struct {
	Lo, Hi        float64
	Deterministic float64 // best guess without randomisation; NaN when there are more than a million to try
}

// Minimax brackets min_ψ max_x E ρ(ψ(θ), x), θ one posterior sample, over randomised guesses ψ among the data sets of
// the family: the quantity that Le Cam's method bounds from below. Any prior on the data gives a lower bound (its Bayes
// risk) and any ψ an upper one; both sides of the game learn by regret matching until the bracket is narrower than
// width, or for 200,000 rounds. Every bracket returned is valid. Domain: width > 0; otherwise a *ParameterError; or the
// error of the context.
func (f *Family) Minimax(ctx context.Context, width float64) (Risk, error) {
	if err := check("Minimax", domain.Positive("width", width)); err != nil {
		return Risk{}, err
	}
	g := newGuessing(f)
	r := Risk{Lo: 0, Hi: math.Inf(1)}
	for round := 1; round <= 200_000; round++ {
		if round&255 == 0 {
			if err := ctx.Err(); err != nil {
				return Risk{}, err
			}
		}
		g.step(float64(round))
		if round&(round-1) == 0 || round%512 == 0 {
			r.Lo = math.Max(r.Lo, g.bayesRisk(g.natureSum.normalised()))
			r.Hi = math.Min(r.Hi, g.worstRisk())
			if r.Hi-r.Lo <= width {
				break
			}
		}
	}
	r.Deterministic = g.deterministic()
	return r, nil
}

// regrets are the accumulated positive regrets of one decision, which play in proportion (regret matching).
type regrets []float64

func (r regrets) normalised() []float64 {
	p, sum := make([]float64, len(r)), 0.0
	for _, v := range r {
		sum += v
	}
	for i, v := range r {
		if sum > 0 {
			p[i] = v / sum
		} else {
			p[i] = 1 / float64(len(r))
		}
	}
	return p
}

// update adds the regrets for not having played each action, value[i] against what the mixture earned, and keeps the
// positive part.
func (r regrets) update(value []float64, earned float64) {
	for i, v := range value {
		r[i] = math.Max(0, r[i]+v-earned)
	}
}

// guessing is the zero-sum game: nature picks the data set, the adversary, for each θ, a guess.
type guessing struct {
	f         *Family
	nature    regrets
	guess     []regrets // [θ]
	natureSum regrets   // later rounds weigh more
	guessSum  []regrets
}

func newGuessing(f *Family) *guessing {
	g := &guessing{f: f, nature: make(regrets, len(f.post)), natureSum: make(regrets, len(f.post))}
	for range f.logPrior {
		g.guess = append(g.guess, make(regrets, len(f.post)))
		g.guessSum = append(g.guessSum, make(regrets, len(f.post)))
	}
	return g
}

// step plays one round: the adversary learns against nature's play, nature against his new one.
func (g *guessing) step(weight float64) {
	pi := g.nature.normalised()
	psi := make([][]float64, len(g.guess))
	for i := range g.guess {
		costs, earned := g.costs(pi, i), 0.0
		p := g.guess[i].normalised()
		for a := range costs {
			costs[a] = -costs[a]
			earned += p[a] * costs[a]
		}
		g.guess[i].update(costs, earned)
		psi[i] = g.guess[i].normalised()
		for a, v := range psi[i] {
			g.guessSum[i][a] += weight * v
		}
	}
	risk, earned := g.risks(psi), 0.0
	for x, v := range pi {
		earned += v * risk[x]
		g.natureSum[x] += weight * v
	}
	g.nature.update(risk, earned)
}

// costs is the expected distance of each guess at θ_i, weighted with how likely nature's mixture makes θ_i.
func (g *guessing) costs(pi []float64, i int) []float64 {
	c := make([]float64, len(pi))
	for x, w := range pi {
		w *= g.f.post[x][i]
		for a := range c {
			c[a] += w * g.f.rho[a][x]
		}
	}
	return c
}

// risks is the expected distance at each data set.
func (g *guessing) risks(psi [][]float64) []float64 {
	r := make([]float64, len(g.f.post))
	for x, post := range g.f.post {
		for i, w := range post {
			for a, v := range psi[i] {
				r[x] += w * v * g.f.rho[a][x]
			}
		}
	}
	return r
}

func (g *guessing) bayesRisk(pi []float64) float64 {
	sum := 0.0
	for i := range g.guess {
		sum += least(g.costs(pi, i))
	}
	return sum
}

func (g *guessing) worstRisk() float64 {
	psi := make([][]float64, len(g.guessSum))
	for i := range psi {
		psi[i] = g.guessSum[i].normalised()
	}
	return largest(g.risks(psi))
}

// deterministic tries every map from parameters to guesses.
func (g *guessing) deterministic() float64 {
	if math.Pow(float64(len(g.f.post)), float64(len(g.guess))) > 1e6 {
		return math.NaN()
	}
	best := math.Inf(1)
	var try func(i int, risk []float64)
	try = func(i int, risk []float64) {
		if i == len(g.guess) {
			best = math.Min(best, largest(risk))
			return
		}
		for a := range g.f.post {
			next := make([]float64, len(risk))
			for x := range risk {
				next[x] = risk[x] + g.f.post[x][i]*g.f.rho[a][x]
			}
			try(i+1, next)
		}
	}
	try(0, make([]float64, len(g.f.post)))
	return best
}

func least(v []float64) float64 {
	m := math.Inf(1)
	for _, x := range v {
		m = math.Min(m, x)
	}
	return m
}

func largest(v []float64) float64 {
	m := math.Inf(-1)
	for _, x := range v {
		m = math.Max(m, x)
	}
	return m
}
