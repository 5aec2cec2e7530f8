package mechanism

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Predicted is how far the ends of the intervals of a release will be from its estimates: of the widest of the numbers
// that the model is asked for. It is a function of public facts. The rows are taken to be spread evenly, over the cells
// of a table or the range of a column, and the noise of the draw as 0. Of a contingency table it is about the cells,
// and not about the levels of its columns.
type Predicted struct {
	Rows       float64 `json:"rows"`                 // the noise alone
	Population float64 `json:"population,omitempty"` // with the sample; 0 where none is known, and of a census
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

// predictable is a sampler that knows the intervals that it will have of so many rows that are spread evenly.
type predictable interface {
	Predicted(ctx context.Context, rows int, level float64) (p Predicted, ok bool)
}

// Predicted is what the intervals of a release will be at a level in (0, 1), with [GuessedRows]; ok is false where the
// mechanism has no intervals, or they depend on more than was guessed. It reads no data. Errors: *dp.ParameterError,
// the context's.
func (p *Plan) Predicted(ctx context.Context, level float64) (out Predicted, ok bool, err error) {
	if !(level > 0 && level < 1) {
		return out, false, domain.Refuse("mechanism", "level", level, "a level of intervals above 0 and below 1")
	}
	s, ok := p.spec.Sampler.(predictable)
	if !ok {
		return out, false, nil
	}
	out, ok = s.Predicted(ctx, GuessedRows(p.spec.Shape), level)
	if math.IsNaN(out.Population) || p.spec.Shape.Schema().Sampling == frame.Census {
		out.Population = 0
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

// Or is the wider of two predictions, each by itself.
func (p Predicted) Or(q Predicted) Predicted {
	if p.Unit == "" {
		return q
	}
	p.Rows, p.Population = math.Max(p.Rows, q.Rows), math.Max(p.Population, q.Population)
	return p
}
