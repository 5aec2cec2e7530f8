package structure

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The joint table is measured where it is small beside what rounds of pairs cost, and noise does not drown it:
// decided by levels, target and a public size alone.
func TestWhenTheJointTablePays(t *testing.T) {
	titanic, m := []int{4, 2, 2, 2}, model.MaxEntropy()
	remove := dp.PureDP(1).Under(dp.AddRemove)
	for name, c := range map[string]struct {
		m      model.LearnedModel
		n      int
		target dp.Request
		levels []int
		joint  bool
	}{
		"four columns, 1541 rows":     {m, 1541, dp.PureDP(1), titanic, true},
		"two columns":                 {m, 200, dp.PureDP(1), []int{3, 4}, true},
		"noise drowns it":             {m, 200, dp.PureDP(.1), titanic, false},
		"seven columns of three":      {m, 305, dp.PureDP(3), []int{2, 3, 3, 3, 3, 3, 3}, false},
		"the same with many rows":     {m, 305000, dp.PureDP(3), []int{2, 3, 3, 3, 3, 3, 3}, true},
		"five of many, zCDP":          {m, 5000, dp.ZCDP(.2), []int{2, 3, 3, 4, 2}, false},
		"more than 4096 cells":        {m, 1e7, dp.PureDP(3), []int{10, 10, 10, 5}, false},
		"beyond a cap":                {m.MaxCells(31), 1541, dp.PureDP(1), titanic, false},
		"always":                      {m.Always(), 1541, dp.PureDP(1), titanic, false},
		"a tree":                      {model.Tree(), 1541, dp.PureDP(1), titanic, false},
		"a star":                      {m.Star("c0"), 1541, dp.PureDP(1), titanic, false},
		"a workload":                  {m.Workload(1, "c1"), 1541, dp.PureDP(1), titanic, false},
		"a private size":              {m, 1541, remove, titanic, false},
		"a private size, declared":    {m.Size(1541), 9, remove, titanic, true},
		"declared too small for that": {m.Size(9), 1541, remove, titanic, false},
	} {
		q := prepared(t, Geometric(), c.m, c.n, c.target, c.levels...)
		if q.joint != c.joint {
			t.Errorf("%s: joint table %v", name, q.joint)
		}
		if q.joint && (q.gated || q.declined != "") {
			t.Errorf("%s: gated %v, declined %q", name, q.gated, q.declined)
		}
	}
}

// A release of the joint table measures it once, fits it, and says that nothing was chosen; the pairs of its fit are
// near those of the rows.
func TestReleaseOfTheJointTable(t *testing.T) {
	levels, codes := dependent(4, 3000)
	for i, k := range []int{3, 2, 4, 2} {
		levels[i], codes[i].Levels = k, k
		for r := range codes[i].U8 {
			codes[i].U8[r] %= uint8(k)
		}
	}
	sh := shape(t, model.MaxEntropy(), 3000, levels...)
	p := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(2)))(t)
	st := counted(t, sh, codes)
	d := p.Sampler(access.Mine())
	drawn := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), st), dp.Seeded(5)))(t)
	cells := 1
	for _, k := range levels {
		cells *= k
	}
	if len(drawn.Rounds) != 1 || len(drawn.Rounds[0].Counts) != cells || drawn.Rounds[0].Chosen != nil {
		t.Fatalf("%d rounds, the first of %d counts; want one of %d", len(drawn.Rounds), len(drawn.Rounds[0].Counts), cells)
	}
	e := must.Get(d.Estimate(t.Context(), drawn))(t)
	if r := e.Structure.Rounds; len(r) != 1 || !r[0].Given || len(r[0].Columns) != 4 || len(e.Structure.Edges) != 6 {
		t.Errorf("rounds %+v, edges %v", r, e.Structure.Edges)
	}
	real, err := st.Means(access.Mine())
	if err != nil || len(real) != 6 {
		t.Fatalf("%d pairs: %v", len(real), err)
	}
	for i, want := range real {
		got := must.Get(e.Pairs(i))(t)
		tv := 0.0
		for c := range want {
			tv += math.Abs(got[c]-want[c]) / 2
		}
		if tv > .03 {
			t.Errorf("pair %d: distance %.3f", i, tv)
		}
	}
	drawn.Rounds[0].Chosen = []int{0, 1}
	if _, err := d.Estimate(t.Context(), drawn); err == nil {
		t.Error("a file that chooses where the table is given is taken")
	}
}

// Parameters that say nothing of a joint table are of rounds of pairs, as before there was one; those that say it
// where it is not counted are refused.
func TestParametersSayWhatWasMeasured(t *testing.T) {
	q := prepared(t, Geometric(), model.MaxEntropy(), 1541, dp.PureDP(1), 4, 2, 2, 2)
	joint := q.scaled(.5)
	q.joint = false
	q.decidePairs()
	rounds := q.scaled(.5)
	fresh := prepared(t, Geometric(), model.MaxEntropy(), 1541, dp.PureDP(1), 4, 2, 2, 2)
	if err := fresh.fits(rounds); err != nil || fresh.joint || !fresh.gated || fresh.declined != "" {
		t.Errorf("rounds of pairs: %v; joint %v", err, fresh.joint)
	}
	if err := fresh.fits(joint); err != nil || !fresh.joint || fresh.gated {
		t.Errorf("the joint table: %v; joint %v", err, fresh.joint)
	}
	always := prepared(t, Geometric(), model.MaxEntropy().Always(), 1541, dp.PureDP(1), 4, 2, 2, 2)
	if err := always.fits(joint); err == nil {
		t.Error("a joint table is taken where there is none")
	}
}

// The exact ε of a whole release of one-way tables and the joint table, from records up, is the sum of its parts; with
// half the scale on the joint table it is more.
func TestJointTableByEnumeration(t *testing.T) {
	third := rational(1, 3)
	q := prepared(t, Geometric(), model.MaxEntropy(), 2, dp.PureDP(1), 2, 2, 2)
	q.joint, q.gated, q.declined = true, false, ""
	p := params{Columns: slices.Repeat([]noise.Rational{tenth}, 3), Phases: []phase{{Rounds: 1, Noise: third}},
		Joint: true}
	measure := func(scale float64) float64 {
		small := must.Get(newSmallInstance(q, p, 2, 0))(t)
		worst, pairs, err := small.epsilon(t.Context(), third.Float()*scale)
		if err != nil || pairs != 448 {
			t.Fatalf("%d pairs: %v", pairs, err)
		}
		return worst
	}
	// Two records that differ in every column change both of two cells of the joint table and every one-way count.
	parts := 3*tenth.Float() + 2*third.Float()
	if got := measure(1); math.Abs(got-parts) > 1e-9 {
		t.Errorf("exact ε = %v; the parts add up to %v", got, parts)
	}
	if got := measure(2); got < parts+.6 {
		t.Errorf("half the scale passes: ε = %v", got)
	}
	// The law that is shipped: half its scale is found by the check of one table.
	put(t, &noiseLaw, func(noise.Distribution, int64) noise.Distribution {
		l,
			_ := geometric.Of(rational(2, 3))
		return l
	})
	c, err := q.tableCheck(t.Context(), third)
	if err == nil && c.OK() {
		t.Error("the certificate passes half the scale")
	}
}
