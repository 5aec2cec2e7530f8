package budget

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Table shows the ledger: what was charged, what is spent and what is left.
func (b *Budget) Table() *table.Table {
	t := table.New(fmt.Sprintf("Budget of %s: %s, %s, unit: %s", safetext.Quote(b.dataset), b.limit.Parameters,
		b.limit.Adjacency, b.unit),
		"release", "what", "charged", "mode", "drawn")
	for _, c := range b.Charges() {
		drawn := "secure"
		if c.Seeded {
			drawn = "seeded: not private"
		}
		id := []rune(c.ID)
		t.Add(safetext.Word(string(id[:min(12, len(id))])), safetext.Unmixed(c.What), c.Level.String(), string(c.State), drawn)
	}
	spent := b.Spent()
	t.Note("spent: " + bar(b.share(spent)) + " " + spent.String() + " (adaptive composition of the charges)")
	left := b.Left()
	t.Note("left: " + left.String())
	if c := b.account.conversion; c.Order > 0 {
		paid := "to be paid by the first charge that needs it"
		if left.Converted {
			paid = "paid"
		}
		t.Note(fmt.Sprintf("zCDP, tCDP and Rényi charges add up at order %v; converting them takes ε = %s and δ = %s "+
			"once, %s: all fixed when the budget was made",
			c.Order, table.Number(b.account.cost), table.Number(c.Delta), paid))
	}
	return t
}

// String shows the ledger as text.
func (b *Budget) String() string { return table.Text(b) }

// share is the larger of the shares of ε, δ and ρ that are spent.
func (b *Budget) share(spent dp.Parameters) (out float64) {
	for _, p := range [][2]float64{{float64(spent.Epsilon), float64(b.limit.Epsilon)}, {spent.Delta, b.limit.Delta},
		{spent.Rho, b.limit.Rho}} {
		if p[1] > 0 {
			out = math.Max(out, p[0]/p[1])
		}
	}
	return out
}

// bar draws a share with twenty blocks and says it in per cent; a little that is spent is one block, and a little that
// is left an empty one.
func bar(share float64) string {
	const blocks = 20
	full := blocks
	if share < 1 {
		full = min(int(math.Ceil(share*blocks)), blocks-1)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", blocks-full) + fmt.Sprintf(" %.0f %%,", 100*share)
}
