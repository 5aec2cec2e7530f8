package counts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// tableLaw is the finite output law of a whole release on histograms of records: every measured cell of every table of
// the shape, noised with the shipped law and clamped to [0, n]. It enumerates what Draw does, from records up.
type tableLaw struct {
	shape    *model.Shape
	measured []int
	law      noise.Distribution
	n        int
	extra    bool // mutant: the class table goes out too
	shared   bool // mutant: every table gets the same noise
}

func newTableLaw(p *mechanism.Plan, n int) tableLaw {
	d := p.Sampler(access.Mine()).(*countSampler)
	return tableLaw{shape: d.shape, measured: d.measured, law: d.laws[0], n: n}
}

// cells is the number of noised counts.
func (l tableLaw) cells() int {
	c := 0
	for _, m := range l.measured {
		c += m
	}
	if l.extra {
		c += l.shape.Classes()
	}
	return c
}

func (l tableLaw) Outputs() int { return int(math.Pow(float64(l.n+1), float64(l.cells()))) }

// counts turns a histogram of records into the tables' cells, in order. A record is the codes of the shape's columns in
// mixed radix, the target fastest.
func (l tableLaw) counts(x []int) []int {
	cols := l.shape.Columns()
	number := map[string]int{}
	for i, c := range cols {
		number[c.Name] = i
	}
	codes := make([]int, len(cols))
	var out []int
	for t, m := range l.measured {
		tb := l.shape.Tables()[t]
		cells := make([]int, tb.Cells())
		for record, c := range x {
			for i, col := range cols {
				codes[i], record = record%col.Levels(), record/col.Levels()
			}
			cell := 0
			for k, name := range tb.Columns {
				cell = cell*tb.Levels[k] + codes[number[name]]
			}
			cells[cell] += c
		}
		out = append(out, cells[:m]...)
	}
	if l.extra {
		class := make([]int, cols[0].Levels())
		for record, c := range x {
			class[record%len(class)] += c
		}
		out = append(out, class...)
	}
	return out
}

func (l tableLaw) LogLaw(x []int, out []float64) {
	counts := l.counts(x)
	one := clampedCounts{law: l.law, n: l.n}
	per := make([][]float64, len(counts)) // log-probability of each clamped output of each cell
	for i, c := range counts {
		per[i] = make([]float64, l.n+1)
		for y := range per[i] {
			per[i][y] = one.one(y, c)
		}
	}
	for o := range out {
		rest, lp := o, 0.0
		for i := range counts {
			lp += per[i][rest%(l.n+1)]
			rest /= l.n + 1
		}
		out[o] = lp
		if l.shared && !l.sameNoise(counts, o) {
			out[o] = math.Inf(-1)
		}
	}
}

// sameNoise reports whether output o adds the same noise to the first cell of the first two tables, unless clamping
// hides it.
func (l tableLaw) sameNoise(counts []int, o int) bool {
	a, b := o%(l.n+1), o
	for range l.measured[0] {
		b /= l.n + 1
	}
	b %= l.n + 1
	hidden := a == 0 || a == l.n || b == 0 || b == l.n
	return hidden || a-counts[0] == b-counts[l.measured[0]]
}

func smallShape(t testing.TB, m model.Model, n int, levels ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "toy"}
	for i, l := range levels {
		cats := make([]string, l)
		for c := range cats {
			cats[c] = fmt.Sprint(c)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), cats...))
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

func audit(t testing.TB, l tableLaw, records int, adj dp.Adjacency, eps ...float64) *finite.Result {
	t.Helper()
	res, err := finite.Audit(context.Background(), l, finite.Space{Cells: records, N: l.n, Adjacency: adj}, eps, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The exact ε of whole releases, enumerated from records over all data sets of n records, all neighbours and all
// outputs, is the certified one: for one table with n ≤ 6 and d ≤ 4, and for naive Bayes with two features.
func TestExactEpsilonIsTheCertifiedOne(t *testing.T) {
	cases := []struct {
		m      model.Model
		n      int
		levels []int
	}{
		{model.Binary("c0"), 6, []int{2}}, {model.Categorical("c0"), 6, []int{3}},
		{model.Categorical("c0"), 6, []int{4}}, {model.Categorical("c0"), 3, []int{4}},
		{model.NaiveBayes("c0"), 3, []int{2, 2}}, {model.NaiveBayes("c0"), 2, []int{2, 2, 2}},
		{model.NaiveBayes("c0"), 2, []int{2, 3}},
		{model.Network("c0", model.Node("c0"), model.Node("c1", "c0"), model.Node("c2")), 2, []int{2, 2, 2}},
		{model.Network("c1", model.Node("c0"), model.Node("c1", "c0")).WithEveryFamily(), 2, []int{2, 2}},
		{model.Network("c0", model.Node("c0"), model.Node("c1")), 3, []int{2, 2}},
	}
	for _, c := range cases {
		records := 1
		for _, l := range c.levels {
			records *= l
		}
		sh := smallShape(t, c.m, c.n, c.levels...)
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			p := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(1).Under(adj)))(t)
			got := audit(t, newTableLaw(p, c.n), records, adj, 0.3)
			if certified := float64(p.Certified().Epsilon); got.Epsilon > certified*(1+1e-9) ||
				got.Epsilon < 0.999*certified {
				t.Errorf("%s, levels %v, %s: exact ε = %v, certified %v, at %+v", c.m, c.levels, adj, got.Epsilon,
					certified, got.At)
			}
			if d := p.Pair().Delta(0.3); got.Delta[0] > d*(1+1e-9) {
				t.Errorf("%s, levels %v, %s: exact δ(0.3) = %v, pair %v", c.m, c.levels, adj, got.Delta[0], d)
			}
		}
		for _, mech := range []Noise{Geometric(), DiscreteGaussian()} {
			p := must.Get(mech.Plan(t.Context(), sh, dp.ApproxDP(0.7, 1e-3)))(t)
			if got := audit(t, newTableLaw(p, c.n), records, dp.ReplaceOne, 0.7); got.Delta[0] > 1e-3*(1+1e-9) {
				t.Errorf("%s, %s, levels %v: exact δ(0.7) = %v", mech.Name(), c.m, c.levels, got.Delta[0])
			}
		}
	}
}

// Mutants: one wrong component through the production path each. The unmutated law passes the same check above.
func TestMutantsAreRejected(t *testing.T) {
	ctx := t.Context()
	sh := smallShape(t, model.NaiveBayes("c0"), 2, 2, 2, 2)
	target := dp.PureDP(1)
	p := must.Get(Geometric().Plan(ctx, sh, target))(t)
	good := newTableLaw(p, 2)
	if e := audit(t, good, 8, dp.ReplaceOne).Epsilon; e > 1+1e-9 {
		t.Fatal("the real release spends", e)
	}
	exceeds := func(name string, l tableLaw) {
		if e := audit(t, l, 8, dp.ReplaceOne).Epsilon; !(e > 1.2) {
			t.Errorf("%s passes: exact ε = %v", name, e)
		}
	}
	half := good
	r := good.law.(noise.Geometric)
	half.law = scaled(r, 2)
	exceeds("half the scale", half)

	single := must.Get(Geometric().Plan(ctx, smallShape(t, model.NaiveBayes("c0"), 2, 2, 2), target))(t)
	class := newTableLaw(single, 2)
	class.extra = true
	if e := audit(t, class, 4, dp.ReplaceOne).Epsilon; !(e > 1.2) {
		t.Error("an unaccounted class table passes: exact ε =", e)
	}

	shared := good
	shared.shared = true
	if e := audit(t, shared, 8, dp.ReplaceOne).Epsilon; !math.IsInf(e, 1) {
		t.Errorf("noise shared between tables passes: exact ε = %v", e)
	}

	// a forgotten table in the sensitivity, and a rate that does not meet the target: certification itself refuses
	s := must.Get(sensitivity.OfCounts(sh, dp.ReplaceOne))(t)
	forgotten := s
	forgotten.Cells -= 2
	wide := must.Get(least(t.Context(), noise.GeometricFamily, forgotten, target.Parameters))(t)
	certify := func(sh *model.Shape, s sensitivity.CountTables, d noise.Distribution) error {
		f := Geometric().mathematics()
		f.Prepare = func(context.Context, *model.Shape, dp.Request) (noiseProblem, error) {
			return noiseProblem{sh, target, s}, nil
		}
		_, err := f.Rebuild(ctx, sh, target, countParams{Noise: d, Post: PosteriorMean})
		return err
	}
	if certify(sh, forgotten, wide) == nil {
		t.Error("a forgotten table was certified")
	}
	var unmet *mechanism.UnmetTarget
	if err := certify(sh, s, wide); !errors.As(err, &unmet) {
		t.Error("too little noise was certified:", err)
	}
	// the sensitivity of one count instead of two under replace-one
	one := smallShape(t, model.Categorical("c0"), 6, 3)
	unit := must.Get(noise.NewGeometric(noise.Rational{Num: 1, Den: 1}))(t)
	if certify(one, sensitivity.CountTables{Cells: 1, Rows: 1}, unit) == nil {
		t.Error("sensitivity 1 under replace-one was certified")
	}
}

// Clipping noise is no privacy: without noise the counts go out as they are.
func TestClampingAloneIsNotPrivate(t *testing.T) {
	l := tableLaw{shape: smallShape(t, model.Categorical("c0"), 4, 3), measured: []int{3}, law: noNoise{}, n: 4}
	if e := audit(t, l, 3, dp.ReplaceOne).Epsilon; !math.IsInf(e, 1) {
		t.Error("no noise passes:", e)
	}
}

type noNoise struct{ noise.Distribution }

func (noNoise) Draw(rand.Source) int64 { return 0 }
func (noNoise) Variance() float64      { return 0 }
func (noNoise) LogProb(z int64) float64 {
	if z == 0 {
		return 0
	}
	return math.Inf(-1)
}

func (noNoise) LogTail(z int64) float64 {
	if z <= 0 {
		return 0
	}
	return math.Inf(-1)
}

// The draws of the shipped sampler follow the law that is enumerated: the frequency of each clamped output of a release
// of one coin, within 6.5 standard errors, and not for half the scale.
func TestDrawFollowsTheEnumeratedLaw(t *testing.T) {
	sh := smallShape(t, model.Binary("c0"), 3, 2)
	p := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	st := must.Get(model.FromCounts(sh, [][]int64{{1, 2}}))(t)
	const n = 100_000
	worst := func(law noise.Distribution) float64 {
		l, stream, seen := newTableLaw(p, 3), dp.Seeded(11), make([]float64, 4)
		l.law = law
		for range n {
			d := must.Get(p.Draw(t.Context(), st, "x", stream))(t)
			seen[min(max(d.Raw[0][0], 0), 3)]++
		}
		want, off := make([]float64, 4), 0.0
		l.LogLaw([]int{1, 2}, want)
		for o, lp := range want {
			q := math.Exp(lp)
			off = math.Max(off, math.Abs(seen[o]/n-q)/math.Sqrt(q*(1-q)/n))
		}
		return off
	}
	law := p.Sampler(access.Mine()).(*countSampler).laws[0]
	if z := worst(law); z > 6.5 {
		t.Errorf("draws are %.1f standard errors off the law", z)
	}
	r := law.(noise.Geometric)
	if z := worst(scaled(r, 2)); z < 6.5 {
		t.Error("half the scale passes")
	}
}

// scaled is geometric noise at a multiple of the rate: a mutant.
func scaled(g noise.Geometric, times uint64) noise.Geometric {
	g.Num *= times
	return g
}
