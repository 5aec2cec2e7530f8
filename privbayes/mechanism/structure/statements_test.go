package structure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Whole releases with statements spend what their parts add up to, and most of it but for what a choice hides.
func TestWholeReleasesWithStatements(t *testing.T) {
	for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for name, p := range map[string]statementParams{
			"two columns":            {Noise: gaussian.name, Columns: 2, N: 3, Column: largeRate, Distance: sixteenth},
			"three columns":          {Noise: gaussian.name, Columns: 3, N: 1, Column: largeRate, Distance: sixteenth},
			"geometric, two columns": {Noise: geometric.name, Columns: 2, N: 3, Column: tenth, Distance: tenth},
			"geometric, three":       {Noise: geometric.name, Columns: 3, N: 1, Column: tenth, Distance: tenth},
			"the worst of one":       {Noise: geometric.name, Columns: 2, N: 2, Column: tenth, Distance: tenth, Choose: &tenth},
			"the worst of three": {Noise: geometric.name, Columns: 3, N: 2, Column: tenth, Distance: tenth,
				Choose: &largeRate},
		} {
			p.Adjacency = adjacency
			bound := must.Get(p.allowed())(t)
			c, err := statementChecker.Check(t.Context(), cert.Check{Bound: cert.Number(bound)}, p)
			least := .45 * bound
			if name == "the worst of one" || p.Choose == &tenth {
				least = 0 // a choice of one tells nothing
			}
			if err != nil || float64(c.Value) > bound*(1+1e-9) || float64(c.Value) < least || c.Work == 0 {
				t.Errorf("%s, %s: %v of %v, %v", name, adjacency, c.Value, bound, err)
			}
		}
	}
}

// Of statements of which less is charged than they spend, or that read the rows as well as their distances, a check
// fails.
func TestMutantsOfStatements(t *testing.T) {
	failed := func(l Learning, target dp.Request, rows int) (n int) {
		sh := shapeOfUnits(t, model.MaxEntropy().Always().Statements(), 500, rows, 2, 3, 2, 2)
		q := must.Get(l.prepare(t.Context(), sh, target))(t)
		for _, c := range must.Get(q.statementChecks(t.Context(), q.scaled(1).Statements))(t) {
			if !c.OK() {
				n++
			}
		}
		return n
	}
	private := func(n, m []int64) int64 { return distance(n, m) - int64(math.Round(poissonDeviation(n))) }
	added := func(t *testing.T) { put(t, &distanceMove, func(*problem) int { return 1 }) }
	both := []dp.Adjacency{dp.ReplaceOne, dp.AddRemove}
	for name, c := range map[string]struct {
		pure      bool
		rows      int
		adjacency []dp.Adjacency
		mutate    func(t *testing.T)
	}{
		"distances as one count": {false, 1, both, func(t *testing.T) { put(t, &reportCounts, func(int) int { return 1 }) }},
		"replaced as if added":   {false, 1, both[:1], added},
		"units of two as of one": {false, 2, both, func(t *testing.T) {
			put(t, &distanceMove, func(q *problem) int {
				return map[bool]int{true: 1, false: 2}[q.target.Adjacency == dp.AddRemove]
			})
		}},
		"a private correction":             {false, 1, both, func(t *testing.T) { put(t, &reportedDistance, private) }},
		"less noise on all distances":      {false, 1, both, func(t *testing.T) { louder(t, gaussian, rational(1, 64)) }},
		"the worst, replaced as if added":  {true, 1, both[:1], added},
		"the worst, a private correction":  {true, 1, both, func(t *testing.T) { put(t, &reportedDistance, private) }},
		"the worst, less noise":            {true, 1, both, func(t *testing.T) { louder(t, geometric, rational(3, 1)) }},
		"the worst, a choice that is free": {true, 1, both, func(t *testing.T) { put(t, &choiceLaw, best) }},
	} {
		for _, adjacency := range c.adjacency {
			l, target := DiscreteGaussian(), dp.ZCDP(.5).Under(adjacency)
			if testing.Short() && !c.pure && (adjacency == dp.AddRemove || name == "less noise on all distances") {
				continue
			}
			if c.pure {
				l, target = Geometric(), dp.PureDP(4).Under(adjacency)
			}
			t.Run(name+", "+adjacency.String(), func(t *testing.T) {
				if n := failed(l, target, c.rows); n > 0 {
					t.Errorf("%d checks fail", n)
				}
				if c.mutate(t); failed(l, target, c.rows) == 0 {
					t.Error("all checks hold")
				}
			})
		}
	}
}

// best is the distribution that always takes the largest score.
func best(_ sample.Selection, scores []int64) []float64 {
	out := make([]float64, len(scores))
	for i := range out {
		out[i] = math.Inf(-1)
	}
	out[slices.Index(scores, slices.Max(scores))] = 0
	return out
}

// louder has all noise of a rate in place of its own.
func louder(t *testing.T, of *added, r noise.Rational) {
	put(t, &noiseLaw, func(noise.Distribution, int64) noise.Distribution { return must.Get(of.Of(r))(t) })
}

// choosing are coins that answer by a list, choices too.
type choosing struct{ answered }

func (c *choosing) choose(_ sample.Selection, scores []int64, may func(i int) bool) int {
	var open []int
	for i := range scores {
		if may(i) {
			open = append(open, i)
		}
	}
	c.said = append(c.said, fmt.Sprint("a choice among ", open))
	return open[c.r.IntN(len(open))]
}

// Neighbours whose coins answer alike, in rounds or in batches, ask the same questions of statements and publish the
// same tables M. A table M that reads the private size is seen.
func TestStatementsInLockstep(t *testing.T) {
	levels := []int{5, 4, 5, 4}
	for name, c := range map[string]struct {
		l      Learning
		m      model.LearnedModel
		target dp.Request
	}{
		"rounds":    {DiscreteGaussian(), model.MaxEntropy(), dp.ZCDP(1).Under(dp.AddRemove)},
		"the worst": {Geometric(), model.MaxEntropy(), dp.PureDP(4).Under(dp.AddRemove)},
		"a tree":    {Geometric(), model.Tree(), dp.PureDP(4)},
		"batches":   {DiscreteGaussian(), model.MaxEntropy().Size(500), dp.ZCDP(60).Under(dp.AddRemove)},
	} {
		sh := shape(t, c.m.Always().MaxCells(60).Statements(), 500, levels...)
		q := must.Get(c.l.prepare(t.Context(), sh, c.target))(t)
		p := q.scaled(treeBudget(c.target.Parameters))
		if (p.Batches != nil) != (name == "batches") {
			t.Fatalf("%s: batches %v", name, p.Batches != nil)
		}
		small := &smallInstance{sampler: sampler{q, must.Get(q.laws(p))(t)}}
		run := func(records []int, seed uint64) ([]string, mechanism.Output) {
			a := &choosing{answered{r: rand.New(rand.NewPCG(seed, 4))}}
			out := must.Get(small.run(t.Context(), small.count(records), a))(t)
			return a.said, out
		}
		r, x := rand.New(rand.NewPCG(9, 9)), []int(nil)
		for range 500 {
			x = append(x, r.IntN(400))
		}
		y := append(slices.Clone(x[1:]), (x[0]+1+r.IntN(399))%400)
		if c.target.Adjacency == dp.AddRemove {
			y = y[:499]
		}
		for seed := range uint64(2) {
			said, out := run(x, seed)
			others, other := run(y, seed)
			if !reflect.DeepEqual(said, others) || !reflect.DeepEqual(out, other) || out.Distances == nil {
				t.Fatalf("%s, seed %d: neighbours differ:\n%v\n%v", name, seed, said, others)
			}
		}
		if c.target.Adjacency != dp.AddRemove {
			continue
		}
		private := int64(500)
		t.Run(name, func(t *testing.T) {
			put(t, &sizeOf, func(*learner) int64 { return private })
			_, out := run(x, 1)
			private = 499
			if _, other := run(x[1:], 1); reflect.DeepEqual(out.Distances, other.Distances) {
				t.Error("tables of the private size are not seen")
			}
		})
	}
}

// Distances of a release are those of its fit, tables M are the fit's but for rounding, and a file whose distances are
// not laid out as planned is refused.
func TestReleaseWithStatements(t *testing.T) {
	levels, codes := dependent(4, 5000)
	for i := range levels {
		levels[i], codes[i].Levels = 4, 4
		for r := range codes[i].U8 {
			codes[i].U8[r] %= 4
		}
	}
	for name, c := range map[string]struct {
		l      Learning
		m      model.LearnedModel
		target dp.Request
	}{
		"rounds":     {DiscreteGaussian(), model.MaxEntropy(), dp.ZCDP(.5)},
		"the worst":  {Geometric(), model.MaxEntropy(), dp.PureDP(4)},
		"a workload": {DiscreteGaussian(), model.MaxEntropy().Workload(3, "c0"), dp.ZCDP(.5).Under(dp.AddRemove)},
		"a tree":     {DiscreteGaussian(), model.Tree(), dp.ZCDP(.1)},
	} {
		sh := shape(t, c.m.Always().Statements(), 5000, levels...)
		st := counted(t, sh, codes)
		p := must.Get(c.l.Plan(t.Context(), sh, c.target))(t)
		d := p.Sampler(access.Mine())
		private := mechanism.Open(access.Mine(), st)
		drawn := must.Get(d.Draw(t.Context(), private, dp.Seeded(5)))(t)
		e := must.Get(d.Estimate(t.Context(), drawn))(t)
		at := must.Get(d.(mechanism.Fitter).EstimateAt(t.Context(), drawn, e.Potentials))(t)
		have, m := e.Structure.Distances, len(sh.Learning().Pairs)
		if c.m.Settings().Workload != nil {
			m = 3
		}
		if have == nil || len(have.Pairs) != m || !reflect.DeepEqual(have, at.Structure.Distances) {
			t.Fatalf("%s: %+v, at its potentials %+v", name, have, at.Structure.Distances)
		}
		for i, pair := range have.Pairs {
			rows := private.Tables()[len(levels)+i]
			far := float64(distance(rows, drawn.Distances.Of[i]))
			if sd := math.Sqrt(have.Noise.Variance()); pair.Noisy != 0 && math.Abs(float64(pair.Noisy)-far) > 7*sd ||
				pair.Apart > float64(len(rows)) {
				t.Errorf("%s: %v: %d for %v, sd %v; %v apart", name, pair.Columns, pair.Noisy, far, sd, pair.Apart)
			}
		}
		for what, edit := range editsOfDistances {
			edited := drawn
			edited.Distances = edit(*drawn.Distances)
			var refused *dp.ParameterError
			if _, err := d.Estimate(t.Context(), edited); !errors.As(err, &refused) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		plain := prepared(t, c.l, c.m.Always(), 5000, c.target, levels...)
		if _, err := (&sampler{plain, must.Get(plain.laws(plain.scaled(.1)))(t)}).Estimate(t.Context(), drawn); err == nil {
			t.Errorf("%s: distances of a plan without statements are taken", name)
		}
	}
}

// editsOfDistances are none that a plan makes.
var editsOfDistances = map[string]func(d mechanism.Distances) *mechanism.Distances{
	"none":          func(mechanism.Distances) *mechanism.Distances { return nil },
	"a table less":  func(d mechanism.Distances) *mechanism.Distances { d.Of = d.Of[1:]; return &d },
	"no distance":   func(d mechanism.Distances) *mechanism.Distances { d.Noisy = nil; return &d },
	"another worst": func(d mechanism.Distances) *mechanism.Distances { d.Worst = len(d.Of) + 1; return &d },
	"a worst less":  func(d mechanism.Distances) *mechanism.Distances { d.Worst = -1; return &d },
	"a large one": func(d mechanism.Distances) *mechanism.Distances {
		d.Noisy = append([]int64{mostReport + 1}, d.Noisy[1:]...)
		return &d
	},
	"a record more": func(d mechanism.Distances) *mechanism.Distances {
		d.Of = slices.Clone(d.Of)
		d.Of[0] = slices.Clone(d.Of[0])
		d.Of[0][0]++
		return &d
	},
	"a negative count": func(d mechanism.Distances) *mechanism.Distances {
		d.Of = slices.Clone(d.Of)
		d.Of[0] = slices.Clone(d.Of[0])
		d.Of[0][0], d.Of[0][1] = -1, d.Of[0][0]+d.Of[0][1]+1
		return &d
	},
}
