// Package sampling runs two experiments of Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Differential
// Privacy for Bayesian Inference through Posterior Sampling" (JMLR 18(11), 2017), next to corrected bounds.
//
//   - [Play] is the distinguishability game of section 4.3. [Samples] says how many posterior samples Theorem 13 makes
//     necessary, and [Contest.OptimalError] how well the best adversary does.
//   - [Figure1] draws the paper's Figure 1.
//
// What else the paper states is executed by package claims. Everything is computed from public families and
// hypothetical data: nothing here reads records. L is a Lipschitz constant of ln p_θ(·), ρ the distance of two data
// sets x and y, N the number of posterior samples, TV the total variation distance.
package sampling

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/truncated"
)

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("sampling", function, args...)
}

// Contest is the distinguishability game for two fixed data sets x and y: what one posterior sample θ tells the
// adversary is the loss ln ξ(θ|x)/ξ(θ|y), and the sum of the losses of all samples is all that the optimum test needs
// (Neyman and Pearson). Immutable, safe for concurrent use.
type Contest struct {
	name         string
	fromX, fromY func(rand.Source) float64 // a loss
	lrho         float64                   // half the range of the loss: the Lρ of every bound
	jeffreys, tv float64                   // D(x‖y) + D(y‖x) of one sample in nats, and its TV
	twoPoint     bool
}

// TwoPointContest is the hardest-to-hide pair of the theory: two parameters with log-ratios ±Lρ and equal prior
// weights, whose posteriors are (p, 1−p) and (1−p, p), p = 1/(1 + e^{−Lρ}). Domain: 0 < Lρ ≤ 700; otherwise a
// *domain.Error.
func TwoPointContest(lrho float64) (*Contest, error) {
	if err := check("TwoPointContest", domain.Arg("L*rho", lrho, lrho > 0 && lrho <= 700, "in (0, 700]")); err != nil {
		return nil, err
	}
	likely, _ := num.Logistic(lrho)
	draw := func(sign float64) func(rand.Source) float64 {
		return func(src rand.Source) float64 {
			if sample.Float64(src) < likely {
				return sign * lrho
			}
			return -sign * lrho
		}
	}
	tv := math.Tanh(lrho / 2)
	return &Contest{name: fmt.Sprintf("two points, Lρ = %g", lrho), fromX: draw(1), fromY: draw(-1), lrho: lrho,
		jeffreys: 2 * lrho * tv, tv: tv, twoPoint: true}, nil
}

// BetaContest is the game between posteriors of n bits under a Beta(a, b) prior trimmed to [l, u]: x has k+1 ones and y
// has k. The loss is logit θ + ln Z(k)/Z(k+1), of range logit u − logit l. Domain: a, b > 0, 0 ≤ k < n ≤ 10,000, 0 < l
// < u < 1; otherwise a *domain.Error.
func BetaContest(n, k int, a, b, l, u float64) (*Contest, error) {
	const f = "BetaContest"
	if err := check(f, domain.Between("n", n, 1, 10_000), domain.Between("k", k, 0, n-1), domain.Positive("a", a),
		domain.Positive("b", b),
		domain.Arg("[l, u]", [2]float64{l, u}, l > 0 && l < u && u < 1, "0 < l < u < 1")); err != nil {
		return nil, err
	}
	ones := float64(k)
	y, err := truncated.NewBeta(a+ones, b+float64(n)-ones, l, u)
	if err != nil {
		return nil, check(f, domain.Arg("a, b", [2]float64{a, b}, false, err.Error()))
	}
	x, err := truncated.NewBeta(a+ones+1, b+float64(n)-ones-1, l, u)
	if err != nil {
		return nil, check(f, domain.Arg("a, b", [2]float64{a, b}, false, err.Error()))
	}

	shift := y.LogMass() - x.LogMass()
	loss := func(t float64) float64 { return logratio.Logit(t) + shift }
	draw := func(s *truncated.Sampler) func(rand.Source) float64 {
		return func(src rand.Source) float64 { return loss(s.Draw(src)) }
	}
	gap := func(t float64) float64 { return math.Exp(x.LogDensity(t)) - math.Exp(y.LogDensity(t)) }
	c := &Contest{name: fmt.Sprintf("Beta(%g, %g) on [%g, %g], %d or %d ones of %d", a, b, l, u, k+1, k, n),
		fromX: draw(x.Sampler()), fromY: draw(y.Sampler()), lrho: (logratio.Logit(u) - logratio.Logit(l)) / 2}
	c.jeffreys = num.Integrate24(func(t float64) float64 { return gap(t) * loss(t) }, l, u, 200)
	if cross, _ := num.Logistic(-shift); cross < u { // where the loss is 0, and the densities are equal
		c.tv = num.Integrate24(gap, math.Max(l, cross), u, 200)
	}
	return c, nil
}

// floor is that of a range, with the Jeffreys divergence of this pair in place of the worst for its range, so that
// every field is at least as large.
func (c *Contest) floor(samples int) Floor {
	f := errorFloor(c.lrho, samples)
	f.Jeffreys = math.Max(f.Jeffreys, klFloor(float64(samples)*c.jeffreys*(1+1e-9)/2))
	f.Floor = math.Max(f.Floor, f.Jeffreys-5e-10)
	return f
}

// OptimalError is the exact average error of the optimum test on N samples, (1 − TV)/2, of two points: that of their
// majority. The larger of the two errors is never less. NaN of other contests, and for N < 1.
func (c *Contest) OptimalError(samples int) float64 {
	if !c.twoPoint || samples < 1 {
		return math.NaN()
	}
	_, wrong := num.Logistic(c.lrho)
	n := float64(samples)
	return (atLeast(wrong, n, math.Floor(n/2)+1) + atLeast(wrong, n, math.Ceil(n/2))) / 2
}

// atLeast is P[Bin(n, p) ≥ k], 1 ≤ k ≤ n.
func atLeast(p, n, k float64) float64 { return num.RegIncBeta(k, n-k+1, p) }

// PlayOptions are the settings of [Play].
type PlayOptions struct {
	Samples []int // the values of N, ascending; all are played on the same draws
	Trials  int   // independent games
}

// Rate is an observed frequency with its Clopper–Pearson interval, wrong with probability at most 1e-9.
type Rate struct {
	Events, Trials int
	Lo, Hi         float64
}

// Value is the frequency; NaN without trials.
func (r Rate) Value() float64 { return float64(r.Events) / float64(r.Trials) }

func rate(events, trials int) (r Rate, err error) {
	r = Rate{Events: events, Trials: trials, Hi: 1}
	if trials > 0 {
		r.Lo, r.Hi, err = num.ClopperPearson(events, trials, 1e-9/2)
	}
	return r, err
}

// Round is the record of the simulated adversary at one N.
type Round struct {
	Samples int
	Error   Rate  // he is wrong: x and y equally likely
	MissX   Rate  // says y when it is x
	MissY   Rate  // says x when it is y
	Floor   Floor // what no adversary can be below
}

// Play runs the game of section 4.3 of the paper against a contest: a fair coin picks x or y, N posterior samples are
// drawn from the one picked, and the adversary answers x when the sum of the losses is positive, y when it is negative,
// and by a coin of his own when it is 0. This is the optimum test, so the frequencies estimate the least possible
// average error.
//
// Seeded sources replay. Domain: at least one N, ascending, from 1 to 1e6; 1 ≤ Trials ≤ 1e8; a source; otherwise a
// *domain.Error. Cancelling the context ends the game with its error.
func Play(ctx context.Context, c *Contest, src rand.Source, o PlayOptions) ([]Round, error) {
	const f = "Play"
	if err := check(f, domain.Arg("contest", c, c != nil, "one"), domain.Arg("source", src, src != nil, "one"),
		domain.Between("number of N", len(o.Samples), 1, 10_000),
		domain.Between("trials", o.Trials, 1, 100_000_000)); err != nil {
		return nil, err
	}
	least := 1
	for _, n := range o.Samples {
		if err := check(f, domain.Between("N", n, least, 1_000_000)); err != nil {
			return nil, err
		}
		least = n + 1
	}
	var trials [2]int
	wrong := make([][2]int, len(o.Samples))
	for range o.Trials {
		side := int(src.Uint64() & 1)
		trials[side]++
		if err := c.game(ctx, src, side, o.Samples, wrong); err != nil {
			return nil, err
		}
	}
	rounds := make([]Round, len(o.Samples))
	for i, n := range o.Samples {
		w, r := wrong[i], &rounds[i]
		*r = Round{Samples: n, Floor: c.floor(n)}
		for _, side := range []struct {
			to             *Rate
			events, trials int
		}{{&r.Error, w[0] + w[1], o.Trials}, {&r.MissX, w[0], trials[0]}, {&r.MissY, w[1], trials[1]}} {
			var err error
			if *side.to, err = rate(side.events, side.trials); err != nil {
				return nil, err
			}
		}
	}
	return rounds, nil
}

// game plays one: side 0 is x, 1 is y.
func (c *Contest) game(ctx context.Context, src rand.Source, side int, samples []int, wrong [][2]int) error {
	draw := c.fromX
	if side == 1 {
		draw = c.fromY
	}
	// A sum of exactly cancelling losses is a tie, not a rounding error with an opinion.
	sum, size, next := 0.0, 0.0, 0
	for n := 1; next < len(samples); n++ {
		if n&1023 == 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		l := draw(src)
		sum += l
		size += math.Abs(l)
		if n != samples[next] {
			continue
		}
		says := 0
		if math.Abs(sum) <= 1e-13*size {
			says = int(src.Uint64() & 1)
		} else if sum < 0 {
			says = 1
		}
		if says != side {
			wrong[next][side]++
		}
		next++
	}
	return nil
}
