package audit

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Finding is one exact quantity, with the claim about it where there is one.
type Finding struct {
	Quantity string  // such as "δ at ε = 1"
	Value    float64 // maximum over ordered pairs of neighbours
	Claimed  bool    // the claim bounds it
	Bound    float64 // by this
	Holds    bool    // whether it is within the bound, up to rounding; true where nothing is claimed
	At       finite.Worst
}

// Verdict is what an audit found. It concerns the mechanism and the space, not anybody's data, and may be published.
type Verdict struct {
	Name      string
	Claim     dp.Parameters
	Space     finite.Space
	Outputs   int
	Tolerance float64 // a claimed ε is met up to ε + Tolerance·(1 + ε)
	Findings  []Finding
	Exact     *finite.Result // in full precision; its lists begin with what the claim needs
}

// Holds reports whether the claim is true on the space, up to rounding; for a concentrated claim, on the grid of
// orders.
func (v *Verdict) Holds() bool {
	for _, f := range v.Findings {
		if !f.Holds {
			return false
		}
	}
	return len(v.Findings) > 0
}

// within reports x ≤ bound up to rounding, which is amplified by 1/(λ−1) in a Rényi divergence.
func (v *Verdict) within(x, bound, amplified float64) bool {
	return x <= bound+v.Tolerance*(1+bound+amplified)
}

// judge fills the findings from the exact result: o is what was computed, asked is what the user asked for beyond the
// claim.
func (v *Verdict) judge(o, asked finite.Options) {
	r, claim := v.Exact, v.Claim
	add := func(f Finding) {
		f.Holds = f.Holds || !f.Claimed
		v.Findings = append(v.Findings, f)
	}
	eps := float64(claim.Epsilon)

	pure := Finding{Quantity: "pure ε", Value: r.Epsilon, At: r.At}
	if claim.Notion == dp.Pure {
		pure.Claimed, pure.Bound, pure.Holds = true, eps, v.within(r.Epsilon, eps, 0)
	}
	add(pure)
	add(Finding{Quantity: "range of the loss", Value: r.Range, At: r.RangeAt})

	approximate := claim.Notion == dp.Approximate
	for i, d := range o.Deltas {
		f := Finding{Quantity: "ε at δ = " + table.Number(d), Value: math.Min(r.EpsilonAt[i], r.Epsilon),
			At: r.EpsilonOf[i]}
		if approximate && i == 0 {
			f.Claimed, f.Bound, f.Holds = true, eps, v.within(f.Value, eps, 0)
		}
		add(f)
	}
	for i, e := range o.Epsilons {
		f := Finding{Quantity: "δ at ε = " + table.Number(e), Value: r.Delta[i], At: r.DeltaAt[i]}
		if approximate && i == 0 {
			// the same claim seen from the other side, so the same answer: δ is met where ε is
			f.Claimed, f.Bound, f.Holds = true, claim.Delta, v.Findings[2].Holds
		}
		add(f)
	}
	if claim.Notion == dp.Concentrated || claim.Notion == dp.TruncatedConcentrated {
		add(v.concentrated(o.Orders))
		v.renyi(o.Orders, len(o.Orders)-len(asked.Orders), add)
		return
	}
	v.renyi(o.Orders, 0, add)
}

// renyi adds the divergences from the given one on. Each is at most pure ε, which also holds where the sum overflowed.
func (v *Verdict) renyi(orders []float64, from int, add func(Finding)) {
	for i := from; i < len(orders); i++ {
		f := Finding{
			Quantity: "Rényi divergence of order " + table.Number(orders[i]),
			Value:    math.Min(v.Exact.RDP[i], v.Exact.Epsilon), At: v.Exact.RDPAt[i],
		}
		if v.Claim.Notion == dp.Renyi && i == 0 {
			eps := float64(v.Claim.Epsilon)
			f.Claimed, f.Bound, f.Holds = true, eps, v.within(f.Value, eps, 1/(orders[i]-1))
		}
		add(f)
	}
}

// concentrated is the order of the grid with the greatest D_λ/λ, the least ρ that the grid allows.
func (v *Verdict) concentrated(orders []float64) Finding {
	f := Finding{Claimed: true, Bound: v.Claim.Rho, Holds: true, At: finite.Worst{Output: -1}}
	at := 0.0
	for i, order := range orders {
		d := math.Min(v.Exact.RDP[i], v.Exact.Epsilon)
		if rho := d / order; rho > f.Value {
			f.Value, f.At, at = rho, v.Exact.RDPAt[i], order
		}
		f.Holds = f.Holds && v.within(d, v.Claim.Rho*order, 1/(order-1))
	}
	f.Quantity = fmt.Sprintf("ρ on %d orders, greatest at λ = %s", len(orders), table.Number(at))
	return f
}

// Table lists the findings, a row each.
func (v *Verdict) Table() *table.Table {
	answer := "the claim holds"
	if !v.Holds() {
		answer = "the claim is FALSE"
	}
	t := table.New(fmt.Sprintf("Audit of %s: %s? %s", v.Name, v.Claim, answer),
		"quantity", "exact", "claimed", "holds", "worst neighbours", "output")
	for _, f := range v.Findings {
		var claimed, holds, pair, output any
		if f.Claimed {
			claimed, holds = f.Bound, "yes"
			if !f.Holds {
				holds = "NO"
			}
		}
		if f.At.X != nil {
			pair = fmt.Sprintf("%v, %v", f.At.X, f.At.Y)
			if f.At.Output >= 0 {
				output = f.At.Output
			}
		}
		t.Add(f.Quantity, f.Value, claimed, holds, pair, output)
	}
	t.Note(fmt.Sprintf("every neighbour of every data set over %d cells, %s, and every output: %d ordered pairs × %d "+
		"outputs = %d cases",
		v.Space.Cells, records(v.Space), v.Exact.Pairs, v.Outputs, v.Exact.Work))
	if v.Claim.Notion == dp.TruncatedConcentrated && v.Holds() {
		t.Note("a truncated-concentrated claim is about all orders 1 < λ ≤ ω: this is evidence on the orders " +
			"visited, not a proof")
	}
	if v.Claim.Notion == dp.Concentrated && v.Holds() {
		t.Note("a concentrated claim is about all orders λ > 1: this is evidence on the orders visited, not a proof")
	}
	return t
}

// records says which data sets a space has.
func records(s finite.Space) string {
	if s.Adjacency == dp.AddRemove {
		return fmt.Sprintf("n ≤ %d, %s", s.N, s.Adjacency)
	}
	return fmt.Sprintf("n = %d, %s", s.N, s.Adjacency)
}

// String shows the verdict as text.
func (v *Verdict) String() string { return table.Text(v) }
