package mechanism_test

import (
	"encoding/json"
	"math"
	"sort"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// neighbours are a plan, two neighbouring data sets, and a number that tells draws from them apart: the log-likelihood
// ratio but for scale and constant, or a projection near it.
type neighbours struct {
	name      string
	plan      *mechanism.Plan
	x, y      *model.Statistics
	statistic func(d *mechanism.Drawn) float64
	mutants   []*mechanism.Plan // wrong ones, whose draws are held against the claim of plan

	each  func(d *mechanism.Drawn) []float64 // in place of statistic: that of every release in one draw
	exact func(epsilon float64) float64      // the profile of x and y, in place of the claim that bounds it
}

// falseAlarm is the chance that one bound of the tests below is wrong; there are under 500 of them, so that the suite
// is wrong in less than 1e-9 of all seeds.
const falseAlarm = 1e-12

// bounds are the Clopper–Pearson bounds on a probability of which k of n draws were events, each wrong with chance
// falseAlarm.
func bounds(k, n int) (lower, upper float64) {
	lower, upper = 0, 1
	if k > 0 {
		lower = num.InvRegIncBeta(float64(k), float64(n-k+1), falseAlarm)
	}
	if k < n {
		upper = 1 - num.InvRegIncBeta(float64(n-k), float64(k+1), falseAlarm)
	}
	return lower, upper
}

// sampled draws the statistic n times.
func (c neighbours) sampled(t testing.TB, p *mechanism.Plan, st *model.Statistics, n int, seed uint64) []float64 {
	t.Helper()
	src, out := dp.Seeded(seed), make([]float64, 0, n)
	if _, err := p.Draw(t.Context(), st, "id", src); err != nil { // the statistics are of the plan
		t.Fatal(err)
	}
	for len(out) < n {
		numbers := must.Get(p.Sampler(access.Mine()).Draw(t.Context(), mechanism.Open(access.Mine(), st), src))(t)
		d := &mechanism.Drawn{Output: numbers}
		if c.each != nil {
			out = append(out, c.each(d)...)
			continue
		}
		out = append(out, c.statistic(d))
	}
	return out[:n]
}

// event finds, from draws of its own, the threshold above which P exceeds e^ε·Q the most.
func event(p, q []float64, epsilon float64) float64 {
	sort.Float64s(p)
	sort.Float64s(q)
	best, at, j := -1.0, math.Inf(1), 0
	for i, v := range p {
		if i > 0 && v == p[i-1] {
			continue
		}
		for j < len(q) && q[j] < v {
			j++
		}
		if gain := float64(len(p)-i)/float64(len(p)) - math.Exp(epsilon)*float64(len(q)-j)/float64(len(q)); gain > best {
			best, at = gain, v
		}
	}
	return at
}

// excess is how far, at some ε and in some direction, the draws of a plan are certainly beyond the claim of a pair:
// P(S) − e^ε·Q(S) − δ(ε) with P(S) at its lower bound and Q(S) at its upper one, over events chosen from other draws.
// Positive: the claim is refuted.
func (c neighbours) excess(t testing.TB, claim func(epsilon float64) float64, p *mechanism.Plan, n int,
	epsilons []float64) float64 {
	t.Helper()
	worst := math.Inf(-1)
	pilot := [2][]float64{c.sampled(t, p, c.x, n/4, 1), c.sampled(t, p, c.y, n/4, 2)}
	final := [2][]float64{c.sampled(t, p, c.x, n, 3), c.sampled(t, p, c.y, n, 4)}
	for way := range 2 {
		for _, sign := range []float64{1, -1} {
			turned := func(v []float64) []float64 {
				out := make([]float64, len(v))
				for i, x := range v {
					out[i] = sign * x
				}
				return out
			}
			for _, e := range epsilons {
				at := event(turned(pilot[way]), turned(pilot[1-way]), e)
				count := func(v []float64) (k int) {
					for _, x := range v {
						if sign*x >= at {
							k++
						}
					}
					return k
				}
				low, _ := bounds(count(final[way]), n)
				_, high := bounds(count(final[1-way]), n)
				worst = math.Max(worst, low-math.Exp(e)*high-claim(e))
			}
		}
	}
	return worst
}

// altered is a plan read from another's JSON with other parameters and a target that they meet.
func altered(t testing.TB, p *mechanism.Plan, target dp.Request, change func(params map[string]any)) *mechanism.Plan {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var j map[string]any
	must.Do(t, json.Unmarshal(b, &j))
	change(j["params"].(map[string]any))
	j["target"] = target.Under(p.Target().Adjacency)
	if b, err = json.Marshal(j); err != nil {
		t.Fatal(err)
	}
	return must.Get(mechanism.ParsePlan(quick(t.(*testing.T)), b))(t)
}

func times(key string, factor float64) func(map[string]any) {
	return func(params map[string]any) {
		v := params[key].(float64)
		if params[key] = v * factor; v == math.Trunc(v) && v > 1000 { // the fractions of an urn
			params[key] = math.Ceil(v * factor)
		}
	}
}

// The draws of the Dirichlet mechanism, in all its forms, and of its records, keep the claimed profile between
// neighbours; with half of α, twice the rate, or hardly any prior, they break it.
func TestDirichletDrawsKeepTheClaim(t *testing.T) {
	loose := dp.ApproxDP(100, .9)
	planned := func(m mechanism.Mechanism, sh *model.Shape, target dp.Request) *mechanism.Plan {
		return must.Get(m.Plan(quick(t), sh, target))(t)
	}
	counted := func(sh *model.Shape, tables ...[]int64) *model.Statistics {
		return must.Get(model.FromCounts(sh, tables))(t)
	}
	one, three := shape(t, model.Categorical("c0"), 5, 1, 3), shape(t, model.Categorical("c0"), 6, 3, 3)
	bayes := shape(t, model.NaiveBayes("c0"), 4, 1, 2, 2, 3)
	table := shape(t, model.ContingencyTable("c0", "c1"), 4, 1, 2, 2)
	four := shape(t, model.Categorical("c0"), 4, 1, 3)
	ends := func(d *mechanism.Drawn) (s float64) { // the first cell of every table against the last
		for _, v := range d.Real {
			s += v[0] - v[len(v)-1]
		}
		return s
	}
	first := func(d *mechanism.Drawn) float64 { return d.Real[0][0] }
	records := func(d *mechanism.Drawn) (s float64) {
		for i := range d.Raw[0] {
			all, none := true, true
			for c := range d.Raw {
				all, none = all && d.Raw[c][i] == 0, none && (d.Raw[c][i] == 2 || len(d.Raw) > 1 && d.Raw[c][i] == 1)
			}
			if all {
				s++
			}
			if none {
				s--
			}
		}
		return s
	}
	moved := [2][][]int64{{{1, 0, 1, 2}, {1, 0, 0, 1, 1, 1}}, {{0, 0, 1, 3}, {0, 0, 0, 1, 1, 2}}}
	approx := dp.ApproxDP(.5, 1e-2)
	cases := []neighbours{
		{name: "gamma", plan: planned(dirichlet.New(), one, approx), x: counted(one, []int64{1, 4, 0}),
			y: counted(one, []int64{0, 4, 1}), statistic: ends},
		{name: "simplex", plan: planned(dirichlet.New().Raw(), one, approx), x: counted(one, []int64{1, 4, 0}),
			y: counted(one, []int64{0, 4, 1}), statistic: ends},
		{name: "gamma, add-remove", plan: planned(dirichlet.New(), one, approx.Under(dp.AddRemove)),
			x: counted(one, []int64{1, 4, 0}), y: counted(four, []int64{0, 4, 0}), statistic: first},
		{name: "units of three rows", plan: planned(dirichlet.New(), three, approx),
			x: counted(three, []int64{3, 3, 0}), y: counted(three, []int64{0, 3, 3}), statistic: ends},
		{name: "two tables", plan: planned(dirichlet.New(), bayes, approx), x: counted(bayes, moved[0]...),
			y: counted(bayes, moved[1]...), statistic: ends},
		{name: "two tables, simplex", plan: planned(dirichlet.New().Raw(), bayes, approx),
			x: counted(bayes, moved[0]...), y: counted(bayes, moved[1]...), statistic: ends},
		{name: "by size", plan: planned(dirichlet.New().BySize(), bayes, approx), x: counted(bayes, moved[0]...),
			y: counted(bayes, moved[1]...), statistic: ends},
		{name: "separate prior", plan: planned(dirichlet.New().WithSeparatePrior(), bayes, approx),
			x: counted(bayes, moved[0]...), y: counted(bayes, moved[1]...), statistic: ends},
		{name: "records, pure", plan: planned(dirichlet.SyntheticRecords(8), one, dp.PureDP(1)),
			x: counted(one, []int64{1, 4, 0}), y: counted(one, []int64{0, 4, 1}), statistic: records},
		{name: "records", plan: planned(dirichlet.SyntheticRecords(100), one, approx),
			x: counted(one, []int64{1, 4, 0}), y: counted(one, []int64{0, 4, 1}), statistic: records},
		{name: "a contingency table", plan: planned(dirichlet.New(), table, approx), x: counted(table, []int64{1, 1, 2, 0}),
			y: counted(table, []int64{0, 1, 2, 1}), statistic: ends},
		{name: "records of a contingency table", plan: planned(dirichlet.SyntheticRecords(30), table, approx),
			x: counted(table, []int64{1, 1, 2, 0}), y: counted(table, []int64{0, 1, 2, 1}), statistic: records},
		{name: "records of three columns", plan: planned(dirichlet.SyntheticRecords(30), bayes, approx),
			x: counted(bayes, moved[0]...), y: counted(bayes, moved[1]...), statistic: records},
	}
	for i := range cases {
		c := &cases[i]
		c.mutants = []*mechanism.Plan{altered(t, c.plan, loose, times("shape", .02))}
		if c.plan.Mechanism() == dirichlet.Kind {
			c.mutants = append(c.mutants, altered(t, c.plan, loose, times("shape", .25)),
				altered(t, c.plan, loose, times("rate", 2)))
		}
	}
	keep(t, cases)
}

// keep runs the cases, and holds every mutant against the claim that it breaks.
func keep(t *testing.T, cases []neighbours) {
	t.Helper()
	for _, c := range cases {
		n := 40_000
		if testing.Short() || c.plan.Mechanism() == dirichlet.RecordsKind {
			n = 12_000
		}
		epsilons, claim := []float64{0, .25, .5, 1}, c.plan.Pair().Delta
		if c.exact != nil {
			claim = c.exact
			for _, e := range epsilons {
				if bound := c.plan.Pair().Delta(e); claim(e) > bound {
					t.Errorf("%s: δ(%g) = %g, claimed %g", c.name, e, claim(e), bound)
				}
			}
		}
		if v := c.excess(t, claim, c.plan, n, epsilons); v > 0 {
			t.Errorf("%s: %g beyond the claim", c.name, v)
		} else {
			t.Logf("%s: %.4f within, δ(0) = %.4f", c.name, -v, claim(0))
		}
		for i, m := range c.mutants {
			if v := c.excess(t, claim, m, n, epsilons); v <= 0 {
				t.Errorf("%s: mutant %d (%s) passes, by %g", c.name, i, m.Params(), -v)
			} else {
				t.Logf("    mutant %d: %.4f beyond", i, v)
			}
		}
	}
}

// regressionShape has one feature through the middle, so that a scaled row is (a, y/10).
func regressionShape(t testing.TB, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Real("y", -10, 0, 10), frame.Real("a", -1, 0, 1)}}
	return must.Get(model.NewShape(s, model.LinearRegression("y", "a").WithoutIntercept().WithRadius(1), n, true, ""))(t)
}

// The draws of the linear sampler and of noisy moments, in real numbers and on a lattice, keep the claimed profile
// between neighbours; at half the temperature, twice it for the noise, or without a prior and with less temperature,
// they break it.
func TestLinearDrawsKeepTheClaim(t *testing.T) {
	sh := regressionShape(t, 2)
	sums := func(v ...float64) *model.Statistics {
		return must.Get(model.FromSums(sh, 2, v))(t)
	}
	x, y := sums(2, 2, 2), sums(2, 0, 2) // rows (1, 1), (1, 1) and (1, 1), (1, −1): XᵀX, Xᵀy, yᵀy
	planned := func(m mechanism.Mechanism, target dp.Request) *mechanism.Plan {
		return must.Get(m.Plan(quick(t), sh, target))(t)
	}
	weights := func(d *mechanism.Drawn) (out []float64) {
		for _, w := range d.Real {
			out = append(out, w[0])
		}
		return out
	}
	const batch = 1000 // draws of one posterior, each held against the claim of one
	many := func(epsilon float64) *mechanism.Plan {
		return planned(regression.Sampler(batch), dp.PureDP(epsilon*batch))
	}
	moment := func(d *mechanism.Drawn) float64 { return d.Real[0][1] }
	claim := planned(regression.Sampler(1), dp.PureDP(1.5))
	var q struct {
		Variance float64 `json:"variance"`
	}
	must.Do(t, json.Unmarshal(claim.Params(), &q))
	cases := []neighbours{
		// the bound is over all laws of one range
		{name: "sampler", plan: claim, x: x, y: y, each: weights, mutants: []*mechanism.Plan{many(12)}},
		{name: "sampler, exactly", plan: claim, x: x, y: y, each: weights,
			exact: truncatedProfile(2/q.Variance, 0, 2/q.Variance+1), mutants: []*mechanism.Plan{many(3)}},
	}
	if !testing.Short() { // a temperature a quarter off takes more draws
		cases[1].mutants = append(cases[1].mutants, many(2))
	}
	for _, m := range []regression.NoisyStatistics{regression.SufficientStatistics().Continuous(),
		regression.SufficientStatistics().Continuous().Plain(),
		regression.SufficientStatistics()} {
		cases = append(cases, neighbours{name: m.Title(), plan: planned(m, dp.RenyiDP(4, .5)), x: x, y: y,
			statistic: moment,
			mutants:   []*mechanism.Plan{planned(m, dp.RenyiDP(4, 2))}}) // ε/λ = 1/2σ²: half the noise
	}
	keep(t, cases)
}

// truncatedProfile is the privacy profile between the densities e^{hw − pw²/2} and e^{kw − pw²/2} on [−1, 1], in both
// directions.
func truncatedProfile(h, k, p float64) func(epsilon float64) float64 {
	density := func(h float64) func(w float64) float64 {
		f := func(w float64) float64 { return math.Exp(h*w - p*w*w/2) }
		total := num.Integrate24(f, -1, 1, 100)
		return func(w float64) float64 { return f(w) / total }
	}
	a, b := density(h), density(k)
	return func(epsilon float64) float64 {
		over := func(a, b func(float64) float64) float64 {
			return num.Integrate24(func(w float64) float64 { return math.Max(0, a(w)-math.Exp(epsilon)*b(w)) }, -1, 1,
				2000)
		}
		return math.Max(over(a, b), over(b, a)) + 1e-6 // the kink of the integrand
	}
}
