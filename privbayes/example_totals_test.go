package privbayes_test

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The number of arrivals so far after each quarter, at one charge. The seed is for the example: it is not private.
func ExampleFrame_RunningTotals() {
	schema := &frame.Schema{Dataset: "arrivals", Columns: []frame.Column{
		frame.Categorical("quarter", "Q1", "Q2", "Q3", "Q4"), frame.Categorical("region", "north", "south")}}
	first := "quarter,region\n" + strings.Repeat("Q1,north\n", 600) + strings.Repeat("Q1,south\n", 300)
	second := first + strings.Repeat("Q2,north\n", 700)
	b, err := budget.New("arrivals", budget.UnitOf(schema), privbayes.ZCDP(.2))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := func(csv string) *privbayes.Frame {
		return privbayes.ReadFrame(strings.NewReader(csv), schema).WithBudget(b)
	}
	now, err := rows(first).RunningTotals("quarter", "region").Privatize("Q1", privbayes.ZCDP(.05), privbayes.Seeded(1))
	if err == nil {
		fmt.Println("charged:", b.Spent())
		now, err = rows(second).NextTotals(now, privbayes.Seeded(1))
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	all, _ := now.After("Q2", .95) // of a period that was released
	for _, e := range all {
		fmt.Printf("%v: %.0f, 95 %% from %.0f to %.0f\n", e.Labels, e.Value, e.Low, e.High)
	}
	fmt.Println("charged:", b.Spent())
	// Output:
	// charged: ρ = 0.05
	// [north]: 1302, 95 % from 1290 to 1314
	// [south]: 309, 95 % from 297 to 321
	// []: 1611, 95 % from 1594 to 1628
	// charged: ρ = 0.05
}
