package mechanism

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// UnitWays are the two ways to release a number of a table whose units have up to k rows and a key: by rows, all k of
// which an interval then takes as alike, and by unit, with how alike they are. Their 95 % intervals are compared where
// noise is 0, at a public guess of the rows. Source: theory/intervals.md §1.
type UnitWays struct {
	Guess  string  // of the values
	Rows   int     // how many the guess has
	ByRows float64 // the width of the interval
	ByUnit func(correlation float64) float64
	Chosen bool // the plan is by unit
}

// UnitSampler is a sampler that can compare the two ways; ok is false where there is one way only.
type UnitSampler interface {
	UnitWays(ctx context.Context) (w UnitWays, ok bool)
}

// GuessedRows are the rows that two ways to release are compared at: the public number, the declared size, or that of a
// thousand full units.
func GuessedRows(sh *model.Shape) int {
	if s := Size(sh); s.Known() {
		return s.Rows
	}
	_, k := sh.Unit()
	return 1000 * k
}

// guessedCorrelation is that of two rows of a unit, in the sentence of UnitNote.
const guessedCorrelation = .5

// UnitNote says of a plan for units of several rows with a key that there is another way to release them, how wide both
// intervals are predicted to be, and when the other is narrower; empty for other plans. It reads no data.
func (p *Plan) UnitNote(ctx context.Context) string {
	s, ok := p.spec.Sampler.(UnitSampler)
	_, k := p.spec.Shape.Unit()
	if !ok || k < 2 || p.spec.Shape.Schema().UnitKey == "" || p.spec.Shape.Schema().Sampling == frame.Census {
		return ""
	}
	w, ok := s.UnitWays(ctx)
	if !ok || ctx.Err() != nil {
		return ""
	}
	byUnit := w.ByUnit(guessedCorrelation)
	equal := w.equal()
	allows, way := fmt.Sprintf("This release allows for the %d rows of a unit being all alike.", k),
		"by unit (ByUnit(), --by-unit), which measures how alike they are"
	here, other, side, never := w.ByRows, byUnit, "below", equal <= 0
	if w.Chosen {
		allows = fmt.Sprintf("This release measures how alike the %d rows of a unit are.", k)
		way = "by rows (without ByUnit() or --by-unit), which allows for all being alike"
		here, other, side, never = byUnit, w.ByRows, "above", equal >= 1
	}
	when := fmt.Sprintf("narrower where that correlation is %s %.2f", side, equal)
	switch {
	case never:
		when = "wider at every correlation"
	case equal <= 0 || equal >= 1:
		when = "narrower at every correlation"
	}
	return fmt.Sprintf("%s The other way is %s. With %d rows, %s and a correlation of %g between rows of a unit, "+
		"its 95 %% interval is predicted to be %s wide, for %s here. It is %s.", allows, way, w.Rows, w.Guess,
		guessedCorrelation, table.Number(other), table.Number(here), when)
}

// equal is the correlation at which both intervals are as wide, to .005: 0 where that by unit is never the narrower, 1
// where it always is.
func (w UnitWays) equal() float64 {
	more := func(correlation float64) float64 { return w.ByUnit(correlation) - w.ByRows }
	if more(0) >= 0 {
		return 0
	}
	low, _, err := num.RootBracket(more, 0, 1, .002)
	if err != nil || low > .995 { // narrower at 1, too
		return 1
	}
	return low
}
