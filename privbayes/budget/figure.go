package budget

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Figure draws what each release was charged, in their order, and what is left, with bars from 0: ε of a pure limit, ρ
// of a concentrated one, where charges add up. Errors: *ParameterError for other limits.
func (b *Budget) Figure() (*figure.Figure, error) {
	amount, limit, left, symbol := func(l dp.Parameters) float64 { return float64(l.Epsilon) }, float64(b.limit.Epsilon),
		b.Left().Epsilon, "ε"
	switch b.limit.Notion {
	case dp.Pure:
	case dp.Concentrated:
		amount, limit, left, symbol = func(l dp.Parameters) float64 { return l.Rho }, b.limit.Rho, b.Left().Rho, "ρ"
	default:
		return nil, domain.Refuse("budget", "limit", b.limit.Parameters.String(), "ε or ρ, of which charges are shares")
	}
	charged := figure.Series{Name: "charged", Kind: figure.Bars}
	f := &figure.Figure{XLabel: "release", YLabel: symbol,
		Subtitle: "A bar is what a release was charged before it was drawn.",
		Caption: fmt.Sprintf("Data set %s, limit %s, %s, unit: %s", safetext.Quote(b.dataset), b.limit.Parameters,
			b.limit.Adjacency, b.unit)}
	add := func(s *figure.Series, name string, v float64) {
		s.X, s.Y, f.XTicks = append(s.X, float64(len(f.XTicks))), append(s.Y, v), append(f.XTicks, name)
	}
	for _, c := range b.Charges() {
		if c.Slot != nil {
			continue // it is in the bar of its publication
		}
		level := c.Level
		if level.Notion != b.limit.Notion { // such as a pure ε under a limit of ρ
			var err error
			if level, err = level.At(dp.Parameters{Notion: b.limit.Notion}); err != nil {
				return nil, &NotionError{b.limit.Parameters, c.Level, err}
			}
		}
		add(&charged, safetext.Unmixed(c.What), amount(level))
	}
	f.Title = fmt.Sprintf("%s used %s of %s = %s", table.Count(len(charged.X), "release"),
		figure.Number(amount(b.Spent())), symbol,
		figure.Number(limit))
	rest := figure.Series{Name: "left", Kind: figure.Bars}
	add(&rest, "left", left)
	if len(charged.X) > 0 {
		f.Series = append(f.Series, charged)
	}
	f.Series = append(f.Series, rest)
	return f, f.Validate()
}
