package sampling

import (
	"fmt"
	"math"
	"testing"
)

func TestRangeGolden(t *testing.T) {
	var rows map[string]string
	golden(t, "kappa", &rows)
	for w, want := range rows {
		near(t, "kappa "+w, Kappa(number(t, w)), number(t, want), 1e-13)
	}
	golden(t, "tv_range_tanh_w_over_4", &rows)
	for _, w := range []string{"0.2", "1", "2", "4"} {
		near(t, "tanh "+w, RangeTV(number(t, w)), number(t, rows[w]), 1e-13)
	}
	// Both branches of κ at their border.
	near(t, "kappa branches", Kappa(.1), Kappa(.1*(1-1e-15)), 1e-12)
}

// twoPoint has log-likelihood ratios ±a at two parameters of equal weight, ρ = 1.
func twoPoint(t *testing.T, a float64) *Family {
	t.Helper()
	return must[*Family](t)(NewFamily([]float64{1, 1}, [][]float64{{0, -a}, {-a, 0}}, [][]float64{{0, 1}, {1, 0}}, nil))
}

func TestJeffreysFactorGolden(t *testing.T) {
	var rows map[string]string
	golden(t, "jeffreys_factor_at_a", &rows)
	for a, want := range rows {
		r := must[Robustness](t)(twoPoint(t, number(t, a)).Robustness(0, 1, number(t, a)))
		near(t, "J/(C E ell) at "+a, r.Jeffreys/(r.JeffreysBound/(1+1e-9)), number(t, want), 1e-12)
		near(t, "TV bound attained at "+a, r.TV, r.TVBound/(1+1e-9), 1e-12)
	}
}

func TestGroupGolden(t *testing.T) {
	var rows map[string]string
	golden(t, "remark3", &rows)
	eps, delta := number(t, rows["eps"]), number(t, rows["delta"])
	near(t, "group", must[float64](t)(GroupDelta(eps, delta, 2)), number(t, rows["group_delta2"]), 1e-14)
	golden(t, "thm4_rectangles", &rows)
	p, q := []float64{.5, .5}, []float64{.2, .8}
	e := math.Log(1.2)
	near(t, "rectangles", must[float64](t)(RectangleHockeyStick(p, q, p, q, e)), number(t, rows["rectangles"]), 1e-14)
	pp, qq := []float64{.25, .25, .25, .25}, []float64{.04, .16, .16, .64}
	near(t, "all sets", must[float64](t)(HockeyStick(pp, qq, e)), number(t, rows["all_sets"]), 1e-14)
}

func TestFigure1Golden(t *testing.T) {
	var rows map[string]struct {
		Levels    []string `json:"levels"`
		Mass      []string `json:"cum_mass"`
		C         string   `json:"c_star_at_smallest_level"`
		CCommon   string   `json:"c_star_at_ln1.5"`
		MeanL     string   `json:"E_ell"`
		SumAtLeas string   `json:"E_ell_check_le"`
	}
	golden(t, "fig1", &rows)
	for _, steps := range []int{5, 20} {
		for _, prior := range []string{"uniform", "exp"} {
			name := fmt.Sprintf("Delta=%g,%s", 1/float64(steps), prior)
			row := rows[name]
			f := must[*Family](t)(NewGrid(steps, prior == "exp", 1))
			levels := f.Levels()
			if len(levels) != len(row.Levels) {
				t.Fatalf("%s: %d levels, want %d", name, len(levels), len(row.Levels))
			}
			for i, l := range levels {
				if want := number(t, row.Levels[i]); math.Abs(l.L-want) > 1e-14*(1+want) {
					t.Errorf("%s: level %d = %v, want %v", name, i, l.L, want)
				}
				near(t, name+" mass", l.Mass, number(t, row.Mass[i]), 1e-13)
			}
			c := must[float64](t)(f.BestC(levels[0].L))
			near(t, name+" c", c, number(t, row.C), 1e-13)
			near(t, name+" c at ln 1.5", must[float64](t)(f.BestC(math.Log(1.5))), number(t, row.CCommon), 1e-12)
			near(t, name+" E ell", f.MeanL(), number(t, row.MeanL), 1e-13)
			near(t, name+" L0+1/c", levels[0].L+1/c, number(t, row.SumAtLeas), 1e-13)
		}
	}
}

func TestFiniteBernoulliGolden(t *testing.T) {
	var rows map[string]struct{ Eps, TV, KL string }
	golden(t, "finite_bernoulli", &rows)
	if len(rows) != 20 {
		t.Fatal(len(rows), "rows")
	}
	for name, row := range rows {
		var k, n int
		var prior string
		if _, err := fmt.Sscanf(name, "K=%d,", &k); err != nil {
			t.Fatal(err)
		}
		rest := name[len(fmt.Sprintf("K=%d,", k)):]
		if rest[0] == 'u' {
			prior = "uniform"
		} else {
			prior = "exp"
		}
		if _, err := fmt.Sscanf(rest[len(prior):], ",n=%d", &n); err != nil {
			t.Fatal(err)
		}
		f := must[*Family](t)(NewGrid(k, prior == "exp", n))
		var eps, tv, kl float64
		for x := range n {
			for _, d := range []divergences{compare(f.post[x], f.post[x+1]), compare(f.post[x+1], f.post[x])} {
				eps, tv, kl = math.Max(eps, d.ratio), math.Max(tv, d.tv), math.Max(kl, d.kl)
			}
		}
		near(t, name+" eps", eps, number(t, row.Eps), 1e-12)
		near(t, name+" tv", tv, number(t, row.TV), 1e-11)
		near(t, name+" kl", kl, number(t, row.KL), 1e-11)
		near(t, name+" worst", must[Robustness](t)(f.Worst(1, f.Uniform())).TV, number(t, row.TV), 1e-11)
	}
}

func TestShiftGolden(t *testing.T) {
	var rows map[string]map[string]string
	golden(t, "lemma15", &rows)
	for eta, row := range rows {
		s := must[Shift](t)(PriorShift(number(t, eta)))
		near(t, "E D "+eta, s.ExpectedKL, number(t, row["E_D"]), 1e-13)
		near(t, "per x "+eta, s.KL, number(t, row["per_x"]), 1e-13)
		near(t, "l1 "+eta, s.L1, number(t, row["l1"]), 1e-13)
		near(t, "paper "+eta, s.Paper, 2*number(t, eta), 0)
	}
}

func TestSamplesGolden(t *testing.T) {
	var rows map[string]map[string]string
	golden(t, "thm13_N_lower", &rows)
	// From the theory file: what the optimum test of the two-point family needs.
	sufficient := map[string]int{"0.1": 1083, "0.5": 45, "1": 11}
	for lrho, row := range rows {
		b := must[SampleBounds](t)(Samples(number(t, lrho), .05))
		near(t, "paper "+lrho, b.Paper, number(t, row["paper"]), 1e-13)
		near(t, "pure "+lrho, b.Pure, number(t, row["pure"]), 1e-13)
		near(t, "kl "+lrho, b.KL, number(t, row["kl"]), 1e-12)
		if b.TwoPoint != sufficient[lrho] || float64(b.TwoPoint) < b.Necessary || b.Necessary < b.KL {
			t.Errorf("Lρ = %s: %+v", lrho, b)
		}
	}
	var crossover string
	golden(t, "thm13_delta_crossover", &crossover)
	near(t, "crossover", PaperValidBelow, number(t, crossover), 1e-14)
	d := PaperValidBelow
	near(t, "crossover solves", math.Log((1-d)/d), .75*math.Log(1/d), 1e-12)
}

func TestLeCamGolden(t *testing.T) {
	var row map[string]string
	golden(t, "lecam", &row)
	value, rho, err := LeCamBest(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "z", rho, number(t, row["z"]), 1e-14)
	near(t, "value", value, number(t, row["value"]), 1e-14)
	near(t, "at z", must[float64](t)(LeCam(rho, 1, 1)), value, 1e-14)
	for _, r := range []float64{.9, 1.1} {
		if v := must[float64](t)(LeCam(r*rho, 1, 1)); v >= value {
			t.Errorf("%v at %v is above the maximum %v", v, r*rho, value)
		}
	}
}

func TestErrorBarGolden(t *testing.T) {
	var rows map[string]string
	golden(t, "lemma11_bound", &rows)
	for _, c := range []struct{ r, n int }{{2, 10}, {2, 100}, {10, 100}} {
		near(t, "bar", must[float64](t)(FixedBar(c.r, c.n, .05)),
			number(t, rows[fmt.Sprintf("R=%d,N=%d,delta=0.05", c.r, c.n)]), 1e-14)
	}
	for _, c := range []struct {
		n                   int
		fixed, exact, paper float64
	}{{10, .7740, .5551, .8589}, {100, .2448, .1728, .2716}, {1000, .0774, .0530, .0859}} {
		near(t, "fixed", must[float64](t)(FixedBar(2, c.n, .05)), c.fixed, 7e-4)
		near(t, "least", must[float64](t)(LeastBar(c.n, .05)), c.exact, 1e-3)
		near(t, "paper", must[float64](t)(PaperBar(c.n, .05)), c.paper, 7e-4)
	}
}

func TestTrimmedBetaGolden(t *testing.T) {
	var rows map[string]struct {
		Eps, TwoL string
		TV        string `json:"delta_at_0"`
		Worst     int    `json:"worst_k_at_0"`
	}
	golden(t, "trimmed_beta", &rows)
	if len(rows) != 4 {
		t.Fatal(len(rows), "rows")
	}
	for name, row := range rows {
		var l, alpha float64
		var n int
		if _, err := fmt.Sscanf(name, "l=%g,alpha=%g,n=%d", &l, &alpha, &n); err != nil {
			t.Fatal(err)
		}
		c := must[*Contest](t)(BetaContest(n, row.Worst, alpha, alpha, l, 1-l))
		near(t, name+" TV", c.divergences.tv, number(t, row.TV), 1e-11)
		near(t, name+" range", c.LRho(), math.Log((1-l)/l), 1e-14)
		end := must[*Contest](t)(BetaContest(n, 0, alpha, alpha, l, 1-l))
		near(t, name+" eps", end.divergences.ratio, number(t, row.Eps), 1e-11)
		if c.divergences.kl < 0 || c.divergences.jeffreys < 4*c.divergences.tv*c.divergences.tv {
			t.Errorf("%s: %+v", name, c.divergences)
		}
	}
}
