package sampling

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// PlayOptions are the settings of [Play].
type PlayOptions struct {
	Samples  []int                   // the values of N, ascending; all are played on the same draws
	Trials   int                     // independent games
	Error    float64                 // two-sided error probability of each interval; 0 is 1e-9
	Progress func(done, total int64) // called about a hundred times, in games; may be nil
}

// Rate is an observed frequency with its Clopper–Pearson interval.
type Rate struct {
	Events, Trials int
	Lo, Hi         float64
}

// Value is the frequency; NaN without trials.
func (r Rate) Value() float64 { return float64(r.Events) / float64(r.Trials) }

// Round is the record of the simulated adversary at one N.
type Round struct {
	Samples int
	Error   Rate  // he is wrong: x and y equally likely
	MissX   Rate  // says y when it is x
	MissY   Rate  // says x when it is y
	Floor   Floor // what no adversary can be below
}

// Refutes reports whether the game shows, up to the error probability of the interval, that a claimed floor of the
// average error is too high: the adversary's error is below it.
func (r Round) Refutes(floor float64) bool { return r.Error.Hi < floor }

// Play runs the game of section 4.3 of the paper against a contest: a fair coin picks x or y, N posterior samples are
// drawn from the one picked, and the adversary answers x when the sum of the losses is positive, y when it is negative,
// and by a coin of his own when it is
// 0. This is the optimum test, so the frequencies estimate the least possible average error.
//
// Seeded sources replay. Domain: at least one N, ascending, from 1 to 1e6; 1 ≤ Trials ≤ 1e8; 0 ≤ Error < 1; a source;
// otherwise a *ParameterError. Cancelling the context ends the game with its error.
func Play(ctx context.Context, c *Contest, src Source, o PlayOptions) ([]Round, error) {
	const f = "Play"
	if err := check(f, domain.Arg("contest", c, c != nil, "one"), domain.Arg("source", src, src != nil, "one"),
		domain.Between("number of N", len(o.Samples), 1, 10_000), domain.Between("trials", o.Trials, 1, 100_000_000),
		domain.Arg("error", o.Error, o.Error >= 0 && o.Error < 1, "in [0, 1), 0 for 1e-9")); err != nil {
		return nil, err
	}
	for i, n := range o.Samples {
		least := 1
		if i > 0 {
			least = o.Samples[i-1] + 1
		}
		if err := check(f, domain.Between("N", n, least, 1_000_000)); err != nil {
			return nil, err
		}
	}
	var trials [2]int
	wrong := make([][2]int, len(o.Samples))
	for game := range o.Trials {
		if game%max(1, o.Trials/100) == 0 && o.Progress != nil {
			o.Progress(int64(game), int64(o.Trials))
		}
		side := int(src.Uint64() & 1)
		trials[side]++
		if err := c.game(ctx, src, side, o.Samples, wrong); err != nil {
			return nil, err
		}
	}
	if o.Progress != nil {
		o.Progress(int64(o.Trials), int64(o.Trials))
	}
	alpha := o.Error
	if alpha == 0 {
		alpha = 1e-9
	}
	rounds := make([]Round, len(o.Samples))
	for i, n := range o.Samples {
		floor, err := c.Floor(n)
		if err != nil {
			return nil, err
		}
		w := wrong[i]
		rounds[i] = Round{n, clopperPearson(w[0]+w[1], o.Trials, alpha), clopperPearson(w[0], trials[0], alpha),
			clopperPearson(w[1], trials[1], alpha), floor}
	}
	return rounds, nil
}

// game plays one: side 0 is x, 1 is y.
func (c *Contest) game(ctx context.Context, src Source, side int, samples []int, wrong [][2]int) error {
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

// clopperPearson is the interval that contains the true probability with probability at least 1 − alpha, whatever it
// is.
func clopperPearson(events, trials int, alpha float64) Rate {
	r := Rate{Events: events, Trials: trials, Hi: 1}
	k, n := float64(events), float64(trials)
	if events > 0 {
		r.Lo = num.InvRegIncBeta(k, n-k+1, alpha/2)
	}
	if events < trials {
		r.Hi = 1 - num.InvRegIncBeta(n-k, k+1, alpha/2)
	}
	return r
}
