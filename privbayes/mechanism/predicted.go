package mechanism

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Predicted is how far the ends of the intervals of a release will be from its estimates: of the widest of the numbers
// that the model is asked for. It is a function of public facts. The rows are taken to be spread as in a [Guess], or
// evenly over the cells of a table or the range of a column, and the noise of the draw as 0. Of a contingency table it
// is about the cells, and not about the levels of its columns.
type Predicted struct {
	Rows       float64 `json:"rows"`                 // the noise alone
	Population float64 `json:"population,omitempty"` // with the sample; 0 where none is known, and of a census
	Sampling   float64 `json:"sampling,omitempty"`   // of the population without any noise: no level has less
	Unit       string  `json:"unit"`                 // of both: InShares, InRanks or InValues
	Guess      string  `json:"guess"`                // how the rows are taken to be spread
}

// The units of what is predicted: a share of the rows of a distribution, a share of all rows that lies between a
// quantile and the end of its interval, and the unit of a column.
const (
	InShares = "share"
	InRanks  = "rank"
	InValues = "value"
)

// Guess is public knowledge of how the rows are spread, which predictions are made at. Nothing is released by it, and
// the intervals of a release do not use it.
type Guess struct {
	Value float64 // the mean of a column, in its units; of a table the share of a cell, in each of its distributions
	SD    float64 // of the values of the column; 0: that of an even spread, or what the mean leaves room for
}

// MarshalJSON writes a number, or the mean and the standard deviation.
func (g Guess) MarshalJSON() ([]byte, error) {
	if g.SD == 0 {
		return json.Marshal(g.Value)
	}
	return json.Marshal([]float64{g.Value, g.SD})
}

// UnmarshalJSON reads a number, or the mean and the standard deviation.
func (g *Guess) UnmarshalJSON(b []byte) error {
	*g = Guess{}
	if json.Unmarshal(b, &g.Value) == nil {
		return nil
	}
	var both []float64
	if json.Unmarshal(b, &both) != nil || len(both) != 2 || both[1] <= 0 {
		return domain.Refuse("publication", "guess", string(b), "a number; or a mean and a standard deviation, such as "+
			"[42000, 15000]")
	}
	*g = Guess{both[0], both[1]}
	return nil
}

// Place is the mean and the variance of the values of a column as shares of its range from low to high, which no guess
// has in its middle and spread evenly; of two values the variance follows.
func (g *Guess) Place(low, high float64, two bool) (mean, variance float64) {
	mean, variance = .5, 1./12
	if g != nil {
		mean = (g.Value - low) / (high - low)
		if g.SD > 0 {
			variance = (g.SD / (high - low)) * (g.SD / (high - low))
		}
	}
	most := mean * (1 - mean)
	if two {
		variance = most
	}
	return mean, math.Min(variance, most)
}

// Spread are the shares of the levels of a distribution: the first is as guessed, and the others have equal shares of
// the rest.
func (g *Guess) Spread(levels int) (shares []float64) {
	for k := range levels {
		share := 1 / float64(levels)
		switch {
		case g == nil || levels < 2:
		case k == 0:
			share = g.Value
		default:
			share = (1 - g.Value) / float64(levels-1)
		}
		shares = append(shares, share)
	}
	return shares
}

// Cells are how many of the cells that [Guess.Spread] has first may have the widest interval: the guessed one, and of
// three or more one of the others, whose share may be nearer to one half.
func (g *Guess) Cells(levels int) int {
	if g != nil && levels > 2 {
		return 2
	}
	return 1
}

// Words are those for a guess, or for none.
func (g *Guess) Words(none string) string {
	switch {
	case g == nil:
		return none
	case g.SD > 0:
		return fmt.Sprintf("the guess: mean %g, standard deviation %g", g.Value, g.SD)
	}
	return fmt.Sprintf("the guess: %g", g.Value)
}

// check refuses a guess that no rows of a shape could have, or that nothing is predicted at.
func (g *Guess) check(sh *model.Shape) error {
	if g == nil {
		return nil
	}
	if m, ok := sh.Model().(model.HistogramModel); ok && m.Cumulative() {
		return domain.Refuse("mechanism", "guess", g.Value, "none for a CDF: a guess is the share of one cell")
	}
	if len(sh.Conditionals()) > 0 && sh.Lattice() == nil {
		return domain.Check("mechanism", "guess", domain.Arg("share", g.Value, g.Value > 0 && g.Value < 1,
			"above 0 and below 1"), domain.Arg("sd", g.SD, g.SD == 0, "none: that of a share follows from it"))
	}
	l := sh.Lattice()
	if l == nil || len(l.Low) != 1 {
		return domain.Refuse("mechanism", "guess", g.Value, "a model of one column's mean, or of shares: nothing else is "+
			"predicted at a guess")
	}
	low, high := l.Low[0], l.High[0]
	most := math.Sqrt(math.Max((g.Value-low)*(high-g.Value), 0))
	return domain.Check("mechanism", "guess",
		domain.Arg("mean", g.Value, g.Value > low && g.Value < high, fmt.Sprintf("between the bounds %v and %v", low, high)),
		domain.Arg("sd", g.SD, g.SD >= 0 && g.SD <= most, fmt.Sprintf("from 0 to %.4g, the most between the bounds", most)))
}

// predictable is a sampler that knows the intervals that it will have of so many rows that are spread as guessed, or
// evenly without a guess.
type predictable interface {
	Predicted(ctx context.Context, rows int, level float64, guess *Guess) (p Predicted, ok bool)
}

// Predicted is what the intervals of a release will be at a level in (0, 1), with [GuessedRows] and a guess of how the
// rows are spread, nil for evenly; ok is false where the mechanism has no intervals, or they depend on more than was
// guessed. It reads no data. Errors: *dp.ParameterError, for a guess that no rows could have, too; the context's.
func (p *Plan) Predicted(ctx context.Context, level float64, guess *Guess) (out Predicted, ok bool, err error) {
	if !(level > 0 && level < 1) {
		return out, false, domain.Refuse("mechanism", "level", level, "a level of intervals above 0 and below 1")
	}
	if err := guess.check(p.spec.Shape); err != nil {
		return out, false, err
	}
	s, ok := p.spec.Sampler.(predictable)
	if !ok {
		return out, false, nil
	}
	out, ok = s.Predicted(ctx, GuessedRows(p.spec.Shape), level, guess)
	if math.IsNaN(out.Population) || p.spec.Shape.Schema().Sampling == frame.Census {
		out.Population, out.Sampling = 0, 0
	}
	return out, ok && !math.IsNaN(out.Rows) && ctx.Err() == nil, ctx.Err()
}

// Away is how far the ends of an interval are from an estimate of a value.
func (i Interval) Away(from float64, unit, guess string) Predicted {
	far := func(r *Range) float64 {
		if r == nil {
			return math.NaN()
		}
		return math.Max(r.Upper-from, from-r.Lower)
	}
	return Predicted{Rows: far(i.Rows), Population: far(i.Population), Unit: unit, Guess: guess}
}

// Sampled is the prediction with what sampling alone does: at a level, of n rows whose variance is so many times that
// of independent ones.
func (p Predicted) Sampled(level, variance, n, times float64) Predicted {
	if n > 0 {
		p.Sampling = math.Sqrt2 * math.Erfinv(level) * math.Sqrt(variance*times/n)
	}
	return p
}

// Or is the wider of two predictions, each by itself.
func (p Predicted) Or(q Predicted) Predicted {
	if p.Unit == "" {
		return q
	}
	p.Rows, p.Population = math.Max(p.Rows, q.Rows), math.Max(p.Population, q.Population)
	p.Sampling = math.Max(p.Sampling, q.Sampling)
	return p
}
