package sampling

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Figure1 draws one panel of the paper's Figure 1 for the grids of the given steps (the paper: 5 and 20, Δ = 0.2 and
// 0.05), under the uniform prior (a) or ∝ e^{−ℓ} (b): ξ(Θ_L) against L as steps, and the best curve 1 − e^{−c(L−L0)}
// with L0 the lowest level and c as large as Assumption 2 allows. The table has the numbers. Domain: 1 to 20 grids of 3
// to 2000 steps; otherwise a *domain.Error.
//
// The uniform L is ln((1−Δ)/Δ); the paper's ln(1/Δ) is valid and larger. "The higher curve is Δ = 0.2" holds from some
// L on only, and at a common L0 the order can be the other way round. Source: theory/sampling.md §8.
func Figure1(concentrated bool, steps ...int) (*figure.Figure, *table.Table, error) {
	if err := check("Figure1", domain.Between("number of grids", len(steps), 1, 20)); err != nil {
		return nil, nil, err
	}
	label := "uniform prior"
	if concentrated {
		label = "prior falling as exp(−ℓ)"
	}
	fig := &figure.Figure{Title: "Mass of L-Lipschitz parameters, " + label, XLabel: "Lipschitz constant L",
		YLabel: "prior mass of ℓ ≤ L", YPercent: true,
		Caption: "Bernoulli, θ on a grid of step Δ. Solid: the mass. Dashed: the best 1 − exp(−c(L − L0)), L0 the " +
			"lowest ℓ."}
	t := table.New("Figure 1, "+label, "Δ", "levels", "L uniform", "paper's L", "L0", "c", "E ℓ", "least L0 + 1/c")
	most := 0.0
	grids := make([]*families.FiniteBernoulli, len(steps))
	for i, k := range steps {
		if err := check("Figure1", domain.Between("steps", k, 3, 2000)); err != nil {
			return nil, nil, err
		}
		f, err := families.NewGridBernoulli(1, k, concentrated)
		if err != nil {
			return nil, nil, err
		}
		grids[i] = f
		most = math.Max(most, f.Uniform())
	}
	for i, f := range grids {
		delta := 1 / float64(steps[i])
		levels := f.Levels()
		l0 := levels[0].L
		c, err := f.BestC(l0)
		if err != nil {
			return nil, nil, err
		}
		name := "Δ = " + table.Number(delta)
		fig.Series = append(fig.Series, stairs(name, levels, 1.05*most))
		curve := figure.Series{Name: name + ", bound", Colour: name, Kind: figure.Line, Dashed: true}
		for j := range 101 {
			if l := l0 + (1.05*most-l0)*float64(j)/100; !math.IsInf(c, 1) {
				curve.X, curve.Y = append(curve.X, l), append(curve.Y, -math.Expm1(-c*(l-l0)))
			}
		}
		if len(curve.X) > 0 {
			fig.Series = append(fig.Series, curve)
		}
		sum, _ := bestSum(f)
		t.Add(delta, len(levels), f.Uniform(), -math.Log(delta), l0, c, f.ExpectedL(), sum)
	}
	return fig, t, nil
}

// bestSum is the least L0 + 1/c*(L0), and the L0 where it is: the best that Assumption 2 can say about E ℓ. Between two
// levels 1/c* is the largest of the functions (l − L0)/k_l, k_l = −ln ξ(ℓ ≥ l), all linear in L0: the minimum is at a
// level or where two of them cross.
func bestSum(f *families.FiniteBernoulli) (sum, l0 float64) {
	levels := f.Levels()
	candidates := make([]float64, 0, len(levels)*len(levels))
	weight := make([]float64, len(levels)) // −ln ξ(ℓ ≥ l)
	for i, l := range levels {
		candidates = append(candidates, l.L)
		if i > 0 {
			weight[i] = -math.Log1p(-levels[i-1].Mass)
		}
	}
	for i := 1; i < len(levels); i++ {
		for j := 1; j < i; j++ { // (l_i − L0)/k_i = (l_j − L0)/k_j
			ki, kj := weight[i], weight[j]
			if l := (levels[i].L*kj - levels[j].L*ki) / (kj - ki); ki != kj && l >= levels[0].L &&
				l <= levels[len(levels)-1].L {
				candidates = append(candidates, l)
			}
		}
	}
	sum = math.Inf(1)
	for _, c := range candidates {
		if k, err := f.BestC(c); err == nil && c+1/k < sum {
			sum, l0 = c+1/k, c
		}
	}
	return sum, l0
}

// stairs is ξ(Θ_L) as a line with vertical jumps.
func stairs(name string, levels []families.LipschitzLevel, end float64) figure.Series {
	s := figure.Series{Name: name, Kind: figure.Line}
	before := 0.0
	for _, l := range levels {
		s.X, s.Y = append(s.X, l.L, l.L), append(s.Y, before, l.Mass)
		before = l.Mass
	}
	s.X, s.Y = append(s.X, end), append(s.Y, 1)
	return s
}

// DuelFigure draws the record of [Play] with the exact error of the optimum test of two points, and the floors that no
// adversary can be below; the table has the numbers. Domain: a contest, at least one round; otherwise a *domain.Error.
func DuelFigure(c *Contest, rounds []Round) (*figure.Figure, *table.Table, error) {
	if err := check("DuelFigure", domain.Arg("contest", c, c != nil, "one"),
		domain.Between("rounds", len(rounds), 1, 10_000)); err != nil {
		return nil, nil, err
	}
	played := figure.Series{Name: "adversary, simulated", Kind: figure.Band}
	exact := figure.Series{Name: "optimum test, exact", Kind: figure.Line}
	floors := []figure.Series{{Name: "floor: Hellinger"}, {Name: "floor: Jeffreys"}, {Name: "floor: pure ε"}}
	t := table.New("Error of the best adversary: "+c.name, "N", "error", "from", "to", "misses x", "misses y", "exact",
		"Hellinger", "Jeffreys", "KL", "pure")
	for _, r := range rounds {
		n := float64(r.Samples)
		played.X, played.Y = append(played.X, n), append(played.Y, r.Error.Value())
		played.Lo, played.Hi = append(played.Lo, r.Error.Lo), append(played.Hi, r.Error.Hi)
		var known any = "not enumerated"
		if e := c.OptimalError(r.Samples); !math.IsNaN(e) {
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
		table.Number(c.jeffreys))
	t.Note(note + " Range: Clopper–Pearson.")
	fig := &figure.Figure{Title: "Error of the best adversary", XLabel: "posterior samples N",
		YLabel: "share of wrong answers",
		LogX:   true, YPercent: true, Caption: c.name + ". " + note}
	fig.Series = append(fig.Series, played)
	if len(exact.X) > 0 {
		fig.Series = append(fig.Series, exact)
	}
	for _, f := range floors {
		if len(f.Y) < 2 || f.Y[1] > 0 { // one that is 0 from the second N on says nothing
			fig.Series = append(fig.Series, f)
		}
	}
	return fig, t, nil
}
