package sampling

import (
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Figure1 draws one panel of the paper's Figure 1 for the grids of the given steps (the paper: 5 and 20, Δ = 0.2 and
// 0.05), under the uniform prior (a) or ∝ e^{−ℓ} (b): ξ(Θ_L) against L as steps, and the best curve 1 − e^{−c(L−L0)}
// with L0 the lowest level and c as large as Assumption 2 allows. The table has the numbers. Domain: as [NewGrid], at
// least 3 steps; otherwise a *ParameterError.
//
// The uniform L is ln((1−Δ)/Δ); the paper's ln(1/Δ) is valid and larger. "The higher curve is Δ = 0.2" holds from some
// L on only, and at a common L0 the order can be the other way round. Source: theory/sampling.md §8.
func Figure1(concentrated bool, steps ...int) (*figure.Figure, *table.Table, error) {
	if err := check("Figure1", domain.Between("number of grids", len(steps), 1, 20)); err != nil {
		return nil, nil, err
	}
	label := "uniform prior"
	if concentrated {
		label = "prior ∝ e^−ℓ"
	}
	fig := &figure.Figure{Title: "Mass of L-Lipschitz parameters, " + label, XLabel: "L", YLabel: "ξ(Θ_L)",
		Caption: "Bernoulli, θ on a grid of step Δ. Solid: ξ(ℓ(θ) ≤ L). Dashed: the best 1 − e^(−c(L−L0)), L0 the " +
			"lowest ℓ."}
	t := table.New("Figure 1, "+label, "Δ", "levels", "L uniform", "paper's L", "L0", "c", "E ℓ", "least L0 + 1/c")
	most := 0.0
	families := make([]*Family, len(steps))
	for i, k := range steps {
		if err := check("Figure1", domain.Between("steps", k, 3, maxParameters)); err != nil {
			return nil, nil, err
		}
		f, err := NewGrid(k, concentrated, 1)
		if err != nil {
			return nil, nil, err
		}
		families[i] = f
		most = math.Max(most, f.Uniform())
	}
	for i, f := range families {
		delta := 1 / float64(steps[i])
		levels := f.Levels()
		l0 := levels[0].L
		c, err := f.BestC(l0)
		if err != nil {
			return nil, nil, err
		}
		name := "Δ = " + table.Number(delta)
		fig.Series = append(fig.Series, stairs(name, levels, 1.05*most))
		curve := figure.Series{Name: name + ", bound", Kind: figure.Line, Dashed: true}
		for j := range 101 {
			if l := l0 + (1.05*most-l0)*float64(j)/100; !math.IsInf(c, 1) {
				curve.X, curve.Y = append(curve.X, l), append(curve.Y, -math.Expm1(-c*(l-l0)))
			}
		}
		if len(curve.X) > 0 {
			fig.Series = append(fig.Series, curve)
		}
		sum, _ := f.BestSum()
		t.Add(delta, len(levels), f.Uniform(), -math.Log(delta), l0, c, f.MeanL(), sum)
	}
	return fig, t, nil
}

// stairs is ξ(Θ_L) as a line with vertical jumps.
func stairs(name string, levels []Level, end float64) figure.Series {
	s := figure.Series{Name: name, Kind: figure.Line}
	before := 0.0
	for _, l := range levels {
		s.X, s.Y = append(s.X, l.L, l.L), append(s.Y, before, l.Mass)
		before = l.Mass
	}
	s.X, s.Y = append(s.X, end), append(s.Y, 1)
	return s
}

// DuelFigure draws the record of [Play] with the exact error of the optimum test where it can be enumerated, and the
// floors that no adversary can be below; the table has the numbers. Domain: a contest, at least one round; otherwise a
// *ParameterError.
func DuelFigure(c *Contest, rounds []Round) (*figure.Figure, *table.Table, error) {
	if err := check("DuelFigure", domain.Arg("contest", c, c != nil, "one"),
		domain.Between("rounds", len(rounds), 1, 10_000)); err != nil {
		return nil, nil, err
	}
	played := figure.Series{Name: "adversary, simulated", Kind: figure.Band}
	exact := figure.Series{Name: "optimum test, exact", Kind: figure.Line}
	floors := []figure.Series{{Name: "floor: Hellinger"}, {Name: "floor: Jeffreys"}, {Name: "floor: pure, 1/(1 + " +
		"e^NLρ)"}}
	t := table.New("Error of the best adversary: "+c.name, "N", "error", "from", "to", "misses x", "misses y", "exact",
		"Hellinger", "Jeffreys", "KL", "pure")
	for _, r := range rounds {
		n := float64(r.Samples)
		played.X, played.Y = append(played.X, n), append(played.Y, r.Error.Value())
		played.Lo, played.Hi = append(played.Lo, r.Error.Lo), append(played.Hi, r.Error.Hi)
		var known any = "not enumerated"
		if c.p != nil && check("DuelFigure", enumerable(len(c.p), r.Samples)) == nil {
			e, err := c.OptimalError(r.Samples)
			if err != nil {
				return nil, nil, err
			}
			known = e
			exact.X, exact.Y = append(exact.X, n), append(exact.Y, e)
		}
		for i, v := range []float64{r.Floor.Hellinger, r.Floor.Jeffreys, r.Floor.Pure} {
			floors[i].Kind, floors[i].Dashed = figure.Line, true
			floors[i].X, floors[i].Y = append(floors[i].X, n), append(floors[i].Y, v)
		}
		t.Add(r.Samples, r.Error.Value(), r.Error.Lo, r.Error.Hi, r.MissX.Value(), r.MissY.Value(), known,
			r.Floor.Hellinger, r.Floor.Jeffreys, r.Floor.KL, r.Floor.Pure)
	}
	trials := rounds[0].Error.Trials
	note := fmt.Sprintf("%d games; Lρ = %s, Jeffreys divergence of one sample %s.", trials, table.Number(c.lrho),
		table.Number(c.divergences.jeffreys))
	t.Note(note + " Range: Clopper–Pearson.")
	fig := &figure.Figure{Title: "Error of the best adversary", XLabel: "posterior samples N", YLabel: "average error",
		LogX: true, Caption: c.name + ". " + note}
	fig.Series = append(fig.Series, played)
	if len(exact.X) > 0 {
		fig.Series = append(fig.Series, exact)
	}
	fig.Series = append(fig.Series, floors...)
	return fig, t, nil
}

// CostFigure draws the exact expected regret of [Family.Costs] against N, one line for each L, and its bounds dashed;
// the table has the numbers. Domain: at least one cost; otherwise a *ParameterError.
func CostFigure(costs []Cost) (*figure.Figure, *table.Table, error) {
	if err := check("CostFigure", domain.Between("costs", len(costs), 1, 1_000_000)); err != nil {
		return nil, nil, err
	}
	sorted := append([]Cost(nil), costs...)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		return a.L < b.L || a.L == b.L && a.Samples < b.Samples
	})
	fig := &figure.Figure{Title: "Regret against L and N", XLabel: "posterior samples N", YLabel: "expected regret",
		LogX:    true,
		Caption: "Prior restricted to ℓ(θ) ≤ L. Solid: exact. Dashed: 1 − ξ*(Θ_L) + ξ*(Θ_L)·sampling bound."}
	t := table.New("Regret against L and N, Theorem 17", "L", "N", "ε exact", "2LN", "1 − ξ*(Θ_L)", "regret", "bound",
		"with 1 − δ", "printed")
	for i, c := range sorted {
		if i == 0 || c.L != sorted[i-1].L {
			name := "L = " + table.Number(c.L)
			fig.Series = append(fig.Series, figure.Series{Name: name, Kind: figure.Line},
				figure.Series{Name: name + ", bound", Kind: figure.Line, Dashed: true})
		}
		exact, bound := &fig.Series[len(fig.Series)-2], &fig.Series[len(fig.Series)-1]
		n := float64(c.Samples)
		exact.X, exact.Y = append(exact.X, n), append(exact.Y, c.Regret)
		bound.X, bound.Y = append(bound.X, n), append(bound.Y, c.Bound)
		t.Add(c.L, c.Samples, c.Epsilon, c.PaperEpsilon, c.Removed, c.Regret, c.Bound, c.HighChance, c.Paper)
	}
	return fig, t.Note("ε: N times the exact ε of one sample, data sets within distance 1. Regret and bound: average " +
		"over data and samples. Printed: false per data set."), nil
}
