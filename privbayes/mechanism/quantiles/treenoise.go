package quantiles

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// The laws of the noise on counts.
const (
	geometricLaw = "geometric"         // P(Z = z) ∝ e^{−γ|z|}
	gaussianLaw  = "discrete-gaussian" // P(Z = z) ∝ e^{−z²/(2σ²)}
)

// countNoise is the noise on every count of a tree: γ or σ² as a dyadic number.
type countNoise struct {
	Law  string             `json:"law"`
	Size mechanism.Rational `json:"size"`
}

// law is an exact law on the integers.
type law interface {
	Draw(src rand.Source) int64
	LogProb(z int64) float64
	Variance() float64
}

// law builds the sampler. Errors: *dp.ParameterError.
func (c countNoise) law() (law, error) {
	if err := c.Size.Valid(); err != nil {
		return nil, err
	}
	switch c.Law {
	case geometricLaw:
		return sample.NewTwoSidedGeometric(c.Size.Num, c.Size.Den)
	case gaussianLaw:
		return sample.NewDiscreteGaussian(c.Size.Num, c.Size.Den)
	}
	return nil, domain.Refuse("quantiles", "law", c.Law, geometricLaw+" or "+gaussianLaw)
}

// changed is how many counts of a tree one row changes by one: it is counted once on every level, and a row that is
// replaced may leave one node of every level and enter another.
func (t tree) changed(adj dp.Adjacency) int {
	if adj == dp.AddRemove {
		return t.levels()
	}
	return 2 * t.levels()
}

// pair is the dominating pair of noise on counts of which a unit changes some, each by as many as it has rows: see
// [loss.GeometricPair] for why that covers all that it can do.
func (c countNoise) pair(changed, rows int) loss.Pair {
	switch {
	case c.Law == gaussianLaw:
		return loss.DiscreteGaussianPair{Sigma2: c.Size.Float(), Cells: changed, Shift: rows}
	case rows > 1:
		return loss.ShiftedGeometricPair{Rate: c.Size.Float(), Shift: rows, Cells: changed}
	}
	return loss.GeometricPair{Rate: c.Size.Float(), Cells: changed}
}

// Ends of the search for noise, within the samplers' ranges.
const (
	minRate   = 1.0 / (1 << 30)
	maxGamma  = 64
	minSigma2 = 1.0 / 256
	maxSigma2 = 1 << 52
)

// bitsOf are the significant bits of γ and σ²: those of σ² keep the sampler's exponents within 64 bits.
const (
	rateBits  = 32
	sigmaBits = 20
)

// leastNoise finds the least noise of a law at which changed counts meet the level.
func leastNoise(ctx context.Context, title, name string, changed, rows int, want dp.Level) (countNoise, error) {
	at := func(x float64, bits int, up bool) countNoise { return countNoise{name, mechanism.Dyadic(x, bits, up)} }
	meets := func(c countNoise) bool {
		return ctx.Err() != nil || loss.Meets(loss.Until(ctx, c.pair(changed, rows)), want)
	}
	unmet := func(c countNoise) error {
		return mechanism.Unmet(ctx, title, want, c.pair(changed, rows), "a weaker target")
	}
	if name == gaussianLaw {
		if c := at(maxSigma2, sigmaBits, true); !meets(c) {
			return c, unmet(c)
		}
		hi := minSigma2 // from below: the exact profile is dear at a large σ²
		for !meets(at(hi, 52, true)) {
			hi *= 4
		}
		if hi > minSigma2 {
			hi = mechanism.Least(hi/4, hi, func(s float64) bool { return meets(at(s, 52, true)) })
		}
		c := at(hi, sigmaBits, true)
		for ; !meets(c); c.Size.Num++ {
		}
		c.Size = c.Size.Reduced()
		return c, ctx.Err()
	}
	if c := at(minRate, rateBits, false); !meets(c) {
		return c, unmet(c)
	}
	rate := math.Min(maxGamma, float64(want.Epsilon)/float64(changed*rows))
	if want.Notion != dp.Pure {
		rate = 1 / mechanism.Least(1.0/maxGamma, 1/minRate, func(inverse float64) bool {
			return meets(at(1/inverse, 52, false))
		})
	}
	c := at(rate, rateBits, false)
	for ; !meets(c) && c.Size.Num > 1; c.Size.Num-- { // a step or two
	}
	c.Size = c.Size.Reduced()
	return c, ctx.Err()
}

// extrapolated is about the variance of the least noise for other counts changed, from that for one: γ goes down with
// their number, 1/σ² with it, too.
func (c countNoise) extrapolated(variance float64, changed int) float64 {
	if c.Law == gaussianLaw {
		return variance * float64(changed)
	}
	return variance * float64(changed) * float64(changed)
}
