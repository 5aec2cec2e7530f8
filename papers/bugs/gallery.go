package bugs

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Run runs every bug of the gallery and gives the table of claimed and spent with its figure. It takes about a second.
// Errors: those of Bug.Run.
func Run(ctx context.Context) (*table.Table, *figure.Figure, error) {
	t := table.New("Claimed and spent", "bug", "mechanism", "claims", "spends", "checker", "right version spends",
		"checker")
	var found []Finding
	bugs := All()
	for _, b := range bugs {
		f, err := b.Run(ctx)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, f)
		t.Add(b.ID, b.Mechanism, f.Claimed, amount(f.Spent), word(!f.Rejected), amount(f.RightSpent), word(f.Accepted))
	}
	t.Note("what is spent is that of a small setting that shows the defect; at larger ones it may be more. ρ is read " +
		"on a grid of Rényi orders")
	return t, multiples(bugs, found), nil
}

// beyond is where the figure shows a mechanism that is not private at all, as a multiple of the claim.
const beyond = 1000

// multiples shows what is spent as a multiple of what is claimed, so that ε, Rényi ε and ρ fit on one axis.
func multiples(bugs []Bug, found []Finding) *figure.Figure {
	f := &figure.Figure{
		Title: "Claimed against spent", XLabel: "bug", YLabel: "spent, in units of the claim", LogY: true,
		Caption: fmt.Sprintf("exact, no data; what is not private at all (∞) is drawn at %d", beyond),
		HLines:  []figure.Reference{{Name: "claimed", Y: 1}},
	}
	bad := figure.Series{Name: "defective", Kind: figure.Points}
	good := figure.Series{Name: "right version, same checker", Kind: figure.Points}
	for i, b := range bugs {
		label := b.ID
		if math.IsInf(value(found[i].Spent), 1) {
			label += " (∞)"
		}
		f.XTicks = append(f.XTicks, label)
		claimed := value(found[i].Claimed)
		bad.X, good.X = append(bad.X, float64(i)), append(good.X, float64(i))
		bad.Y = append(bad.Y, math.Min(value(found[i].Spent)/claimed, beyond))
		good.Y = append(good.Y, value(found[i].RightSpent)/claimed)
	}
	f.Series = []figure.Series{bad, good}
	return f
}

// Table lists the bugs with what is known about them, without running anything.
func Table() *table.Table {
	t := table.New("Caught bugs", "bug", "mechanism", "symptom", "right version", "how it is caught")
	for _, b := range All() {
		t.Add(b.ID, b.Mechanism, b.Symptom, b.Remedy, b.How)
	}
	return t
}
