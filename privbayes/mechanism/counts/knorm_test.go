package counts

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

func knormPlan(t testing.TB, m KNormNoise, n int, target dp.Request, prior []float64) *mechanism.Plan {
	t.Helper()
	p, err := m.Plan(t.Context(), smallShape(t, model.Categorical("c0").WithPrior(prior...), n, len(prior)), target)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The exact expectation of the Hellinger distance under the shipped law with projection, against theory/hellinger.md
// §11 (rows "K-norm geometric" and, for two cells, "geometric = K-norm"): every sum-zero noise vector within the mass
// of 1e-15 is visited.
func TestGoldenKNormAccuracy(t *testing.T) {
	for _, c := range []struct {
		prior []float64
		x     []int64
		eps   float64
		want  float64
	}{
		{[]float64{7, 4}, []int64{250, 250}, .5, .059736258644},
		{[]float64{7, 4}, []int64{191, 109}, .5, .079323632177},
		{[]float64{7, 4, 5}, []int64{34, 33, 33}, .8, .174103441736},
		{[]float64{7, 4, 5}, []int64{44, 25, 31}, .8, .178311001778},
		{[]float64{7, 4, 5}, []int64{50, 50, 50}, .8, .146133662440},
		{[]float64{7, 4, 5}, []int64{66, 38, 46}, .8, .149666082516},
	} {
		n := int64(0)
		for _, v := range c.x {
			n += v
		}
		p := knormPlan(t, KNorm(), int(n), dp.PureDP(c.eps), c.prior)
		d := p.Sampler(access.Mine()).(*knormSampler)
		law, reach := d.sums[0], int64(36/c.eps)+2
		mean := 0.0
		visit := func(z []int64) {
			raw, to := make([]float64, len(z)), make([]float64, len(z))
			for i := range z {
				raw[i] = float64(c.x[i] + z[i])
			}
			project(to, raw, float64(n))
			a, b := make([]float64, len(z)), make([]float64, len(z))
			for i := range z {
				a[i], b[i] = c.prior[i]+float64(c.x[i]), c.prior[i]+to[i]
			}
			truth, err1 := posterior.NewDirichlet(a)
			out, err2 := posterior.NewDirichlet(b)
			must.Do(t, errors.Join(err1, err2))
			mean += math.Exp(law.LogWeight(z)-law.LogNorm()) * posterior.Hellinger(truth, out)
		}
		for i := -reach; i <= reach; i++ {
			if len(c.x) == 2 {
				visit([]int64{i, -i})
				continue
			}
			for j := max(-reach, -reach-i); j <= min(reach, reach-i); j++ {
				visit([]int64{i, j, -i - j})
			}
		}
		if math.Abs(mean-c.want) > 1e-9 {
			t.Errorf("prior %v, x = %v: E[H] = %.12f, want %.12f", c.prior, c.x, mean, c.want)
		}
	}
}

// A mutant that forgets that one record changes ½‖·‖₁ in every table, and one with independent noise that is made to
// add up after the draw by changing the last cell, spend more than is certified.
func TestKNormMutants(t *testing.T) {
	p := knormPlan(t, KNorm(), 4, dp.PureDP(1), []float64{1, 1, 1})
	d := p.Sampler(access.Mine()).(*knormSampler)
	exact := func(l sample.SumZero) float64 {
		res := must.Get(finite.Audit(t.Context(), newNoisyTables(l, 4),
			finite.Space{Cells: 3, N: 4, Adjacency: dp.ReplaceOne}, nil, nil))(t)
		return res.Epsilon
	}
	if e := exact(d.sums[0]); math.Abs(e-1) > 1e-9 {
		t.Errorf("the shipped law spends %v, certified 1", e)
	}
	r := d.laws[0].(noise.Geometric)
	double := must.Get(sample.NewSumZero(3, 2*r.Num, r.Den))(t)
	if e := exact(double); e < 1.9 {
		t.Errorf("the rate of one-sided sensitivity passes: %v", e)
	}
	res, err := finite.Audit(t.Context(), balanced{r}, finite.Space{Cells: 3, N: 4, Adjacency: dp.ReplaceOne}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Epsilon < 0.9 {
		t.Errorf("noise on all cells but the last loses nothing: %v", res.Epsilon)
	}
	two := smallShape(t, model.NaiveBayes("c0"), 4, 2, 2, 2)
	q := must.Get(KNorm().Plan(t.Context(), two, dp.PureDP(1)))(t)
	if got := q.Sampler(access.Mine()).(*knormSampler).sums[0].Rate(); got > 0.25 {
		t.Errorf("two tables at rate %v each: one record moves in both", got)
	}
}

// balanced is independent noise on the first two of three cells, the last made to fit.
type balanced struct{ noise.Geometric }

func (b balanced) Outputs() int { return 169 }

func (b balanced) LogLaw(x []int, out []float64) {
	for o := range out {
		out[o] = b.LogProb(int64(o%13-4-x[0])) + b.LogProb(int64(o/13-4-x[1]))
	}
}

// Projection gives a non-negative table of n records, leaves such tables alone, and does not depend on a common shift.
func TestProject(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		raw := rapid.SliceOfN(rapid.Float64Range(-20, 30), 2, 9).Draw(r, "raw")
		total := 0.0
		for i := range raw {
			raw[i] = math.Round(raw[i])
			total += raw[i]
		}
		if total < 0 {
			return
		}
		est := make([]float64, len(raw))
		project(est, raw, total)
		sum := 0.0
		same := true
		for i, v := range est {
			if v < 0 || v != math.Round(v) || v > math.Max(0, raw[i]) {
				r.Fatalf("%v to %v", raw, est)
			}
			sum += v
			same = same && v == raw[i]
		}
		if sum != total {
			r.Fatalf("%v to %v: total %v, want %v", raw, est, sum, total)
		}
		again := make([]float64, len(est))
		project(again, est, total)
		if fmt.Sprint(again) != fmt.Sprint(est) {
			r.Fatalf("%v is not fixed: %v", est, again)
		}
	})
}

func TestKNormRefuses(t *testing.T) {
	sh := smallShape(t, model.Categorical("c0"), 10, 3)
	var no *mechanism.UnsupportedError
	if _, err := KNorm().Plan(t.Context(), sh, dp.PureDP(1).Under(dp.AddRemove)); err == nil {
		t.Error("add-remove accepted")
	}
	if _, err := KNorm().Plan(t.Context(), sh, dp.AsPublished(1)); !errors.As(err, &no) {
		t.Error("nominal:", err)
	}
	p := must.Get(KNorm().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	var bad *dp.ParameterError
	if _, err := p.Estimate(t.Context(), &mechanism.Drawn{ID: "x",
		Output: mechanism.Output{Raw: [][]int64{{5, 5, 5}}}}); !errors.As(err, &bad) {
		t.Error("a table with another total:", err)
	}
}

func BenchmarkKNormDraw(b *testing.B) {
	for _, d := range []int{2, 100} {
		b.Run(fmt.Sprint("d=", d), func(b *testing.B) {
			sh := smallShape(b, model.Categorical("c0"), 1_000_000_000, d)
			p := must.Get(KNorm().Plan(b.Context(), sh, dp.PureDP(0.5)))(b)
			x := make([]int64, d)
			x[0] = 1_000_000_000
			st := must.Get(model.FromCounts(sh, [][]int64{x}))(b)
			s := dp.Seeded(1)
			for b.Loop() {
				must.Get(p.Draw(b.Context(), st, "x", s))(b)
			}
		})
	}
}

// Unless told otherwise K-norm projects a single table, and takes posterior means of several: the plan is the one that
// names its post-processing, and that errs less on data from the public prior.
func TestKNormChoosesByShape(t *testing.T) {
	several := smallShape(t, model.NaiveBayes("c0"), 300, 2, 3, 3, 4, 2, 2)
	for _, c := range []struct {
		sh          *model.Shape
		want, other PostProcess
		least       float64 // that the other errs, times as much
	}{
		{smallShape(t, model.Categorical("c0"), 300, 4), Project, PosteriorMean, .98},
		{several, PosteriorMean, Project, 1.1},
	} {
		target := dp.PureDP(.3)
		plans, off := map[PostProcess]string{}, map[PostProcess]float64{}
		for _, post := range []PostProcess{"", c.want, c.other} {
			p := must.Get(KNorm().WithPostProcess(post).Plan(t.Context(), c.sh, target))(t)
			b := must.Get(json.Marshal(p))(t)
			plans[post] = string(b) + p.String()
			for seed := range uint64(60) {
				st := must.Get(c.sh.Simulate(t.Context(), 1, dp.Seeded(seed)))(t)
				off[post] += lossOf(t, p, st, 1000+seed)
			}
		}
		if plans[""] != plans[c.want] || plans[""] == plans[c.other] || !strings.Contains(plans[""], string(c.want)) {
			t.Errorf("%s: the plan is %s", c.sh.Model(), plans[""])
		}
		if off[""] != off[c.want] || off[c.other] < c.least*off[c.want] {
			t.Errorf("%s: errors %v", c.sh.Model(), off)
		}
	}
}

// lossOf is the error of one draw against the estimate without privacy.
func lossOf(t *testing.T, p *mechanism.Plan, st *model.Statistics, seed uint64) float64 {
	t.Helper()
	drawn := must.Get(p.Draw(t.Context(), st, "x", dp.Seeded(seed)))(t)
	e := must.Get(p.Estimate(t.Context(), drawn))(t)
	f := must.Get(model.Fit(p.Shape(), e))(t)
	plain := must.Get(st.Means(access.Mine()))(t)
	off, _ := p.Shape().Distance(plain, f.Means())
	return off
}
