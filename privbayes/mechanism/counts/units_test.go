package counts

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// unitShape is a shape whose units have up to the given number of rows.
func unitShape(t testing.TB, m model.Model, rows int, levels ...int) *model.Shape {
	t.Helper()
	s := smallShape(t, m, 60, levels...).Schema()
	sh, err := model.NewShape(&frame.Schema{Dataset: "toy", RowsPerUnit: rows, Columns: s.Columns}, m, 60, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// rowChanges lists every change that one row of a unit makes to the measured counts, from the tables of one record.
func rowChanges(sh *model.Shape, adj dp.Adjacency, fourier bool) [][]int {
	l := tableLaw{shape: sh, measured: sensitivity.Measured(sh, adj)}
	records, columns := 1, sh.Columns()
	for _, c := range columns {
		records *= c.Levels()
	}
	codes := func(record int) (out []int) {
		for _, c := range columns {
			out, record = append(out, record%c.Levels()), record/c.Levels()
		}
		return out
	}
	counts := func(record int) []int {
		if !fourier {
			x := make([]int, records)
			x[record] = 1
			return l.counts(x)
		}
		var out []int // parities of all sets inside a table's columns
		row := codes(record)
		seen := map[string]bool{}
		for _, tb := range sh.Tables() {
			for set := 1; set < 1<<len(tb.Columns); set++ {
				name, odd := "", 0
				for i, c := range columns {
					if k := slices.Index(tb.Columns, c.Name); k >= 0 && set>>k&1 == 1 {
						name, odd = name+" "+c.Name, odd^row[i]
					}
				}
				if !seen[name] {
					seen[name], out = true, append(out, odd)
				}
			}
		}
		return out
	}
	var out [][]int
	for x := range records {
		if adj == dp.AddRemove {
			out = append(out, counts(x))
			continue
		}
		for y := range records {
			a, b := codes(x), codes(y)
			differ := 0
			for i := range a {
				if a[i] != b[i] {
					differ++
				}
			}
			if adj == dp.ReplaceValue && (differ > 1 || a[0] != b[0] && len(a) > 1) {
				continue
			}
			from, to := counts(x), counts(y)
			for i := range to {
				to[i] -= from[i]
			}
			out = append(out, to)
		}
	}
	return out
}

// unitShifts lists the sizes of the shifts, in falling order, that a unit of k rows can make: every choice of k row
// changes.
func unitShifts(rows [][]int, k int) [][]int {
	here := map[string][]int{"": make([]int, len(rows[0]))}
	for range k {
		next := map[string][]int{}
		for _, v := range here {
			for _, r := range rows {
				w := slices.Clone(v)
				for i := range w {
					w[i] += r[i]
				}
				next[fmt.Sprint(w)] = w
			}
		}
		here = next
	}
	sizes := map[string][]int{}
	for _, v := range here {
		var s []int
		for _, c := range v {
			if c != 0 {
				s = append(s, max(c, -c))
			}
		}
		slices.SortFunc(s, func(a, b int) int { return b - a })
		sizes[fmt.Sprint(s)] = s
	}
	out := make([][]int, 0, len(sizes))
	for _, s := range sizes {
		out = append(out, s)
	}
	return out
}

// triangle is a network where each of three features is in two tables, and no two tables share both.
func triangle() model.Model {
	return model.Network("c0", model.Node("c0"), model.Node("c1"), model.Node("c2", "c1"), model.Node("c3", "c2"),
		model.Node("c4", "c1", "c3"))
}

// Every unit of up to four rows of small structures, and all it can do to the counts: the shifts are at most k each and
// k·m in all, and the exact δ of the plan's noise is at most the plan's; some unit reaches it.
func TestUnitsOfSeveralRows(t *testing.T) {
	bayes, chain := model.NaiveBayes("c0"),
		model.Network("c0", model.Node("c0"), model.Node("c1", "c0"), model.Node("c2", "c1"))
	for _, c := range []struct {
		m       model.Model
		levels  []int
		adj     dp.Adjacency
		fourier bool
	}{
		{model.Binary("c0"), []int{2}, dp.ReplaceOne, false},
		{model.Categorical("c0"), []int{4}, dp.ReplaceOne, false},
		{model.Categorical("c0"), []int{4}, dp.AddRemove, false},
		{model.Categorical("c0"), []int{4}, dp.ReplaceValue, false},
		{bayes, []int{2, 2, 2}, dp.ReplaceOne, false},
		{bayes, []int{2, 2, 2}, dp.AddRemove, false},
		{bayes, []int{2, 2, 2, 2}, dp.ReplaceValue, false},
		{bayes, []int{2, 3, 2}, dp.ReplaceValue, false},
		{chain, []int{2, 2, 2}, dp.ReplaceOne, false},
		{chain.WithEveryFamily(), []int{2, 2, 2}, dp.AddRemove, false},
		{chain.WithEveryFamily(), []int{2, 2, 2}, dp.ReplaceOne, false},
		{triangle(), []int{2, 2, 2, 2, 2}, dp.ReplaceValue, false},
		{model.Binary("c0"), []int{2}, dp.ReplaceOne, true},
		{bayes, []int{2, 2}, dp.ReplaceOne, true},
		{chain, []int{2, 2, 2}, dp.ReplaceOne, true},
	} {
		rows := rowChanges(unitShape(t, c.m, 1, c.levels...), c.adj, c.fourier)
		name := fmt.Sprintf("%s, levels %v, %s, Fourier %t", c.m, c.levels, c.adj, c.fourier)
		for k := 1; k <= 4; k++ {
			if k == 4 && (testing.Short() || len(c.levels) > 4) {
				break
			}
			plan := unitPlan(t, unitShape(t, c.m, k, c.levels...), c.adj, c.fourier)
			cells, gamma, law := plan.cells, plan.rate.Float(), shipped(t, plan.rate)
			less := noise.Rational{Num: 3 * plan.rate.Num, Den: 2 * plan.rate.Den}
			mutant, worst, mutantWorst := shipped(t, less), 0.0, 0.0
			for _, s := range unitShifts(rows, k) {
				total := 0
				for _, v := range s {
					total += v
				}
				if total > k*cells || len(s) > 0 && s[0] > k {
					t.Fatalf("%s, k = %d: shifts %v beyond %d of %d", name, k, s, cells, k)
				}
				worst = math.Max(worst, law.delta(gamma, plan.epsilon, s))
				mutantWorst = math.Max(mutantWorst, mutant.delta(less.Float(), plan.epsilon, s))
			}
			if worst > plan.delta*(1+1e-9) || worst < plan.delta*(1-1e-6) {
				t.Errorf("%s, k = %d: exact δ = %v, plan %v", name, k, worst, plan.delta)
			}
			if mutantWorst <= plan.delta*(1+1e-9) {
				t.Errorf("%s, k = %d: two thirds of the scale pass", name, k)
			}
		}
	}
}

// unitNoise is what a plan for (ε, δ) came to.
type unitNoise struct {
	cells          int
	rate           noise.Rational
	epsilon, delta float64
}

func unitPlan(t testing.TB, sh *model.Shape, adj dp.Adjacency, fourier bool) unitNoise {
	t.Helper()
	target := dp.ApproxDP(.8, 1e-2).Under(adj)
	var plan *mechanism.Plan
	var out unitNoise
	var err error
	if fourier {
		p, err := Fourier().prepare(t.Context(), sh, target)
		if err != nil {
			t.Fatal(err)
		}
		if plan, err = Fourier().Plan(t.Context(), sh, target); err != nil {
			t.Fatal(err)
		}
		g := plan.Sampler(access.Mine()).(*fourierSampler).law.(noise.Geometric)
		out.cells, out.rate = p.counts.Cells, noise.Rational{Num: g.Num, Den: g.Den}
	} else {
		if plan, err = Geometric().Plan(t.Context(), sh, target); err != nil {
			t.Fatal(err)
		}
		if !adj.PublicN() {
			sh = sh.WithoutN()
		}
		s := must.Get(sensitivity.OfCounts(sh, adj))(t)
		g := plan.Sampler(access.Mine()).(*countSampler).laws[0].(noise.Geometric)
		out.cells, out.rate = s.Cells, noise.Rational{Num: g.Num, Den: g.Den}
	}
	level := plan.Certified()
	out.epsilon, out.delta = float64(level.Epsilon), level.Delta
	return out
}

// delta is E(1 − e^{ε−L})₊ of counts shifted by the given numbers.
func (l shiftLaw) delta(gamma, epsilon float64, shifts []int) float64 {
	sum, total := []float64{1}, 0
	for _, s := range shifts {
		next := make([]float64, len(sum)+s)
		for i, p := range sum {
			for j, r := range l(s) {
				next[i+j] += p * r
			}
		}
		sum, total = next, total+s
	}
	d := 0.0
	for j, p := range sum {
		d += p * math.Max(0, -math.Expm1(epsilon-gamma*float64(total-2*j)))
	}
	return d
}

// All releases of counts whose units have several rows name the exchanges, and no others do.
func TestWhoNamesTheExchanges(t *testing.T) {
	for _, m := range []mechanism.Mechanism{Geometric(), Laplace(), KNorm(), Geometric().WithPostProcess(Consistent)} {
		for _, rows := range []int{1, 2, 3, 40} {
			for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.ReplaceValue} {
				for name, sh := range map[string]*model.Shape{
					"triangle":    unitShape(t, triangle(), rows, 2, 2, 2, 2, 2),
					"naive Bayes": unitShape(t, model.NaiveBayes("c0"), rows, 2, 3, 2),
				} {
					p := must.Get(m.Plan(t.Context(), sh, dp.PureDP(1).Under(adj)))(t)
					want := rows > 1
					found := slices.ContainsFunc(p.Certificate().All(),
						func(c cert.Check) bool { return c.Kind == shiftsChecker.Kind() })
					if found != want || !p.Certificate().OK() {
						t.Errorf("%s, %s, %s, %d rows: named %t, want %t; certificate holds %t", m.Name(), name, adj,
							rows, found, want, p.Certificate().OK())
					}
				}
			}
		}
	}
}

// The check of exchanges takes no other parameters than a plan's.
func TestShiftsCheckParams(t *testing.T) {
	for _, bad := range []string{`{`, `{"noise":{"num":0,"den":1},"top":3}`, `{"noise":{"num":1,"den":1},"top":1}`,
		`{"noise":{"num":1,"den":1},"top":1000}`} {
		if _, err := cert.Run(t.Context(), shiftsChecker.Kind(), []byte(bad)); err == nil {
			t.Errorf("%s passed", bad)
		}
	}
	if c, err := shiftsCheck(t.Context(), noise.Rational{Num: 1, Den: 4}, 3); err != nil || !c.OK() || c.Work == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
