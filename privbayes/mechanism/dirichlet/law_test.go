package dirichlet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The draws of a plan follow their law: E ln g = ψ(u), Var ln g = ψ′(u), and for the simplex E ln y_i = ψ(u_i) − ψ(Σu).
// The largest of the standardised deviations stays below 6.5 (false alarms below 1e-9 for some dozen of them), and a
// sampler with α halved does not.
func TestDrawsFollowTheirLaw(t *testing.T) {
	const draws = 20000
	for _, m := range []Dirichlet{New().WithCalibration(AtRate(0.4)), New().Raw(), New(), New().WithSeparatePrior()} {
		kind := model.NaiveBayes("c0")
		sh := shape(t, kind, 12, 1, 2, 3)
		st := must.Get(model.FromCounts(sh, [][]int64{{5, 0, 2, 1, 1, 3}}))(t)
		p := must.Get(m.Plan(t.Context(), sh, dp.ApproxDP(1, 1e-5)))(t)
		d := p.Sampler(access.Mine()).(*sampler)
		counts := [][]float64{{5, 0, 2, 1, 1, 3}, {7, 5}}[:len(d.blocks)]
		worst := func(draw func(src *dp.Stream) [][]float64) float64 {
			src, z := dp.Seeded(11), 0.0
			sums := make([][]float64, len(counts))
			for k := range sums {
				sums[k] = make([]float64, len(counts[k]))
			}
			for range draws {
				for k, v := range draw(src) {
					for i, x := range v {
						sums[k][i] += x
					}
				}
			}
			for k, c := range counts {
				total, digamma, trigamma := 0.0, 0.0, 0.0
				for _, f := range c {
					total += d.rate*f + d.shapes[k]
				}
				if m.form == simplexForm {
					digamma, trigamma = num.Digamma(total), num.Trigamma(total)
				}
				for i, f := range c {
					u := d.rate*f + d.shapes[k]
					mean, sd := num.Digamma(u)-digamma, math.Sqrt((num.Trigamma(u)-trigamma)/draws)
					z = math.Max(z, math.Abs(sums[k][i]/draws-mean)/sd)
				}
			}
			return z
		}
		production := func(src *dp.Stream) [][]float64 {
			return must.Get(p.Draw(t.Context(), st, "id", src))(t).Real
		}
		if z := worst(production); z > 6.5 {
			t.Errorf("%s: %.1f standard errors off", m.Title(), z)
		}
		half := *d
		half.shapes = append([]float64(nil), d.shapes...)
		for k := range half.shapes {
			half.shapes[k] /= 2
		}
		mutant := func(src *dp.Stream) [][]float64 {
			return must.Get(half.Draw(t.Context(), mechanism.Open(access.Mine(), st), src))(t).Real
		}
		if z := worst(mutant); z < 6.5 {
			t.Errorf("%s: half of α passes", m.Title())
		}
	}
}

// Tables get their own noise: two equal tables do not come out equal.
func TestTablesAreIndependent(t *testing.T) {
	sh := shape(t, model.NaiveBayes("c0"), 4, 1, 2, 2, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{1, 1, 1, 1}, {1, 1, 1, 1}}))(t)
	p := must.Get(New().Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6)))(t)
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
	for i, v := range d.Real[0] {
		if v == d.Real[1][i] {
			t.Errorf("cell %d of both tables is %v", i, v)
		}
	}
}

// urnLaw is the probability of every sequence of codes, by the urn's own weights.
func urnLaw(counts []int64, q urnParams) map[string]float64 {
	out := map[string]float64{}
	var walk func(key string, left int, u urn, p float64)
	walk = func(key string, left int, u urn, p float64) {
		if left == 0 {
			out[key] += p
			return
		}
		for i, w := range u.weights {
			next := urn{append([]uint64(nil), u.weights...), u.total + 1<<urnBits}
			next.weights[i] += 1 << urnBits
			walk(key+fmt.Sprint(i), left-1, next, p*float64(w)/float64(u.total))
		}
	}
	walk("", q.Records, *newURN(counts, q.Rate, q.Shape), 1)
	return out
}

// The pure ε of the urn's records is that of its enumerated law over all neighbours, and its δ stays below the
// Dirichlet's profile.
func TestUrnByEnumeration(t *testing.T) {
	q := urnParams{Records: 4, Rate: 1 << urnBits, Shape: 3 << (urnBits - 1)}
	worst, delta, eps := 0.0, 0.0, 0.7
	for a := int64(0); a < 4; a++ {
		for b := int64(0); a+b < 4; b++ {
			c := 3 - a - b
			for _, pair := range [][2][]int64{{{a + 1, b, c}, {a, b + 1, c}}, {{a, b, c + 1}, {a, b + 1, c}},
				{{a, b, c + 1}, {a + 1, b, c}}} {
				x, y := urnLaw(pair[0], q), urnLaw(pair[1], q)
				over, under := 0.0, 0.0
				for k, p := range x {
					worst = math.Max(worst, math.Abs(math.Log(p/y[k])))
					over += math.Max(0, p-math.Exp(eps)*y[k])
					under += math.Max(0, y[k]-math.Exp(eps)*p)
				}
				delta = math.Max(delta, math.Max(over, under))
			}
		}
	}
	if got := pureLoss(1, 1.5, 4); !(got >= worst && got <= worst*(1+1e-8)) {
		t.Errorf("pure ε %v, enumerated %v", got, worst)
	}
	if bound := (loss.DirichletPair{Rate: 1, Shape: 1.5}).Delta(eps); !(delta <= bound && delta > 0.1*bound) {
		t.Errorf("δ of the urn %v, of the Dirichlet %v", delta, bound)
	}
}

// Drawn sequences follow the enumerated law: chi-squared over all sequences, with a threshold exceeded once in 1e9 runs
// (Laurent and Massart 2000); an urn that forgets what it drew is rejected.
func TestUrnDraws(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 5, 1, 3)
	st := must.Get(model.FromCounts(sh, [][]int64{{3, 0, 2}}))(t)
	p := must.Get(SyntheticRecords(3).Plan(t.Context(), sh, dp.PureDP(1.5)))(t)
	q := p.Sampler(access.Mine()).(*urnSampler).q
	law := urnLaw([]int64{3, 0, 2}, q)
	if p.Certified().Arithmetic != dp.Exact || p.Certified().Notion != dp.Pure {
		t.Fatal(p.Certified())
	}
	const draws = 60000
	statistic := func(draw func(src *dp.Stream) []int64) float64 {
		seen, src := map[string]float64{}, dp.Seeded(5)
		for range draws {
			key := ""
			for _, c := range draw(src) {
				key += fmt.Sprint(c)
			}
			seen[key]++
		}
		sum := 0.0
		for k, p := range law {
			sum += (seen[k] - draws*p) * (seen[k] - draws*p) / (draws * p)
		}
		return sum
	}
	df, x := float64(len(law)-1), -math.Log(1e-9)
	threshold := df + 2*math.Sqrt(df*x) + 2*x
	if got := statistic(func(src *dp.Stream) []int64 {
		return must.Get(p.Draw(t.Context(), st, "id", src))(t).Raw[0]
	}); got > threshold {
		t.Errorf("χ² = %v, threshold %v", got, threshold)
	}
	if got := statistic(func(src *dp.Stream) []int64 {
		var out []int64
		for range 3 {
			out = append(out, int64(newURN([]int64{3, 0, 2}, q.Rate, q.Shape).draw(src)))
		}
		return out
	}); got < threshold {
		t.Error("draws without the urn's memory pass")
	}
}

// A public promise of b records per cell needs less α, and says so; a public total of two cells needs less, too.
func TestPublicKnowledgeHelps(t *testing.T) {
	plan := func(m Dirichlet, n, levels int, target dp.Request) params {
		p := must.Get(m.Plan(t.Context(), shape(t, model.Categorical("c0"), n, 1, levels), target))(t)
		if !p.Certificate().Verify(t.Context()).OK() {
			t.Error(p.Certificate())
		}
		var q params
		must.Do(t, mechanism.DecodeParams(Kind, p.Params(), &q))
		return q
	}
	rdp := dp.RenyiDP(5, 1)
	free, promised := plan(New(), 100, 4, rdp), plan(New().WithMinCount(3), 100, 4, rdp)
	if got, want := promised.Shape, free.Shape-3*free.Rate; math.Abs(got-want) > 1e-6*free.Shape {
		t.Errorf("α with a promise of 3 records: %v, want %v", got, want)
	}
	if two := plan(New(), 100, 2, rdp); two.Shape >= free.Shape {
		t.Errorf("two cells with public total: α = %v, more cells %v", two.Shape, free.Shape)
	}
	if gone := plan(New(), 100, 4, rdp.Under(dp.AddRemove)); gone.Shape >= free.Shape {
		t.Errorf("add-remove: α = %v, replace-one %v", gone.Shape, free.Shape)
	}
}

// Units of several rows are covered by Corollary A4.
func TestSeveralRows(t *testing.T) {
	p := must.Get(New().Plan(t.Context(), shape(t, model.NaiveBayes("c0"), 60, 3, 2, 3, 3),
		dp.ApproxDP(1, 1e-5)))(t)
	if !p.Certificate().Verify(t.Context()).OK() || !p.Certified().Satisfies(dp.ApproxDP(1, 1e-5).Parameters) {
		t.Error(p, p.Certificate())
	}
}

func TestRefusals(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 30, 1, 3)
	var no *mechanism.UnsupportedError
	var bad *dp.ParameterError
	var unmet *mechanism.UnmetTarget
	for _, c := range []struct {
		name   string
		m      mechanism.Mechanism
		target dp.Request
		as     any
	}{
		{"pure", New(), dp.PureDP(1), &no},
		{"zCDP", New(), dp.ZCDP(1), &no},
		{"exact", New(), dp.ApproxDP(1, 1e-6).RequireExact(), &no},
		{"nominal", New(), dp.AsPublished(1, 1e-6), &no},
		{"a prior without classes", New().WithSeparatePrior(), dp.ApproxDP(1, 1e-6), &no},
		{"r = 0", New().WithCalibration(AtRate(0)), dp.ApproxDP(1, 1e-6), &bad},
		{"a₀ < 0", New().WithCalibration(Average(-1)), dp.ApproxDP(1, 1e-6), &bad},
		{"b < 0", New().WithMinCount(-1), dp.ApproxDP(1, 1e-6), &bad},
		{"too little", New().WithCalibration(AtRate(1e8)), dp.RenyiDP(2, 1e-9), &unmet},
		{"no records", SyntheticRecords(0), dp.PureDP(1), &bad},
		{"simplex without n", New().Raw(), dp.ApproxDP(1, 1e-6).Under(dp.AddRemove), &no},
	} {
		if _, err := c.m.Plan(context.Background(), sh, c.target); !errors.As(err, c.as) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	p := must.Get(New().Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6)))(t)
	for _, d := range []*mechanism.Drawn{
		{Output: mechanism.Output{Real: [][]float64{{1, 2}}}},
		{Output: mechanism.Output{Real: [][]float64{{1, 2, math.NaN()}}}},
		{Output: mechanism.Output{Raw: [][]int64{{1, 2, 3}}}}, {ID: "x"},
	} {
		if _, err := p.Estimate(t.Context(), d); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// The paper's own mode shows what it really spends.
func TestNominalAlgorithm1(t *testing.T) {
	target := dp.RenyiDP(5, 1)
	target.NominalScale = true
	p := must.Get(New().Raw().WithCalibration(Algorithm1).Plan(t.Context(),
		shape(t, model.Categorical("c0"), 30, 1, 6), target))(t)
	if got := float64(p.Certified().Epsilon); math.Abs(got-0.73986242522) > 1e-8 {
		t.Errorf("Algorithm 1 at λ = 5, ε = 1 spends %v", got)
	}
}

// Small α underflows as a number and not as a logarithm.
func TestTinyShapes(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 3, 1, 4)
	p := must.Get(New().Raw().WithCalibration(AtRate(1e-7)).Plan(t.Context(), sh, dp.ApproxDP(8, .01)))(t)
	st := must.Get(model.FromCounts(sh, [][]int64{{3, 0, 0, 0}}))(t)
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(2)))(t)
	e := must.Get(p.Estimate(t.Context(), d))(t)
	f := must.Get(model.Fit(sh, e))(t)
	total := 0.0
	for i, y := range f.Target().Mean() {
		if math.IsInf(d.Real[0][i], 0) || math.IsNaN(y) {
			t.Errorf("cell %d: ln y = %v, mean %v", i, d.Real[0][i], y)
		}
		total += y
	}
	if math.Abs(total-1) > 1e-9 {
		t.Error("probabilities add up to", total)
	}
}

func TestVector(t *testing.T) {
	v := Vector{Cells: 4, Delta2: math.Sqrt2, DeltaInf: 1}
	p := must.Get(v.Plan(2, dp.RenyiDP(5, 1)))(t)
	if !p.Certified.Satisfies(dp.RenyiDP(5, 1).Parameters) || float64(p.Certified.Epsilon) < 0.999 {
		t.Error(p.Certified)
	}
	y := must.Get(p.Draw([]float64{0.5, 2, 0, 7}, dp.Seeded(1)))(t)
	sum := 0.0
	for _, l := range y {
		sum += math.Exp(l)
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Error("the draw adds up to", sum)
	}
	var bad *dp.ParameterError
	if _, err := p.Draw([]float64{1, 2, 3}, dp.Seeded(1)); !errors.As(err, &bad) {
		t.Error(err)
	}
	if _, err := p.Draw([]float64{1, -2, 3, 1}, dp.Seeded(1)); !errors.As(err, &bad) {
		t.Error(err)
	}
	if _, err := (Vector{Cells: 4, Delta2: 1, DeltaInf: 2}).Plan(2, dp.RenyiDP(5, 1)); !errors.As(err, &bad) {
		t.Error(err)
	}
	// no α of the sampler's range meets the target
	var unmet *mechanism.UnmetTarget
	p, err := Vector{Cells: 4, Delta2: 1.5e9, DeltaInf: 1e9}.Plan(1e9, dp.RenyiDP(5, 1))
	if !errors.As(err, &unmet) || unmet.Mechanism == "" || unmet.Certified.Satisfies(unmet.Target) {
		t.Errorf("%+v, %v", p, err)
	}
}

func BenchmarkPlan(b *testing.B) {
	levels := []int{2}
	for range 13 {
		levels = append(levels, 10)
	}
	sh := shape(b, model.NaiveBayes("c0"), 30000, 1, levels...)
	for _, c := range []struct {
		name   string
		m      mechanism.Mechanism
		target dp.Request
	}{
		{"gamma (ε, δ)", New(), dp.ApproxDP(1, 1e-6)}, {"gamma Rényi", New(), dp.RenyiDP(5, 1)},
		{"simplex (ε, δ)", New().Raw(), dp.ApproxDP(1, 1e-6)},
		{"average (ε, δ)", New().Raw().WithCalibration(Average(1)), dp.ApproxDP(1, 1e-6)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				must.Get(c.m.Plan(context.Background(), sh, c.target))(b)
			}
		})
	}
}
