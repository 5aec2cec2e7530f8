package structure

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// manyRows are columns of a few levels whose noise is little at ρ = 1.
func manyRows(t *testing.T, columns int) (levels []int, codes []frame.Codes) {
	t.Helper()
	levels, codes = dependent(columns, 20_000)
	for i, k := range []int{5, 4, 6, 4, 5, 3}[:columns] {
		levels[i], codes[i].Levels = k, k
		for r := range codes[i].U8 {
			codes[i].U8[r] %= uint8(k)
			if i == 1 && codes[0].U8[r] == 0 { // a structural zero
				codes[1].U8[r] = 1
			}
		}
	}
	return levels, codes
}

// Batches are for targets with a ρ, discrete Gaussian noise, a public number of records, and little noise. Whether
// there are any does not read a private number of records: the mutant does.
func TestWhenBatchesAreMade(t *testing.T) {
	levels, m := []int{5, 5, 5, 5, 5, 5, 9, 9}, model.MaxEntropy()
	remove := dp.ZCDP(.05).Under(dp.AddRemove)
	for name, c := range map[string]struct {
		learner Learning
		m       model.LearnedModel
		n       int
		target  dp.Request
		batches bool
		says    string
	}{
		"replace-one":               {DiscreteGaussian(), m, 100_000, dp.ZCDP(.05), true, "two batches: ν = 0.00"},
		"always":                    {DiscreteGaussian(), m.Always(), 100_000, dp.ZCDP(.05), true, "two batches"},
		"much noise":                {DiscreteGaussian(), m, 2500, dp.ZCDP(.05), false, "16 rounds: ν = 0.0"},
		"a private n":               {DiscreteGaussian(), m, 100_000, remove, false, "declare one (Size)"},
		"a declared n":              {DiscreteGaussian(), m.Size(90_000), 100_000, remove, true, "two batches"},
		"declared too small":        {DiscreteGaussian(), m.Size(2500), 100_000, remove, false, "16 rounds: ν"},
		"geometric noise":           {Geometric(), m, 100_000, dp.ZCDP(.05), false, "Batches need discrete Gaussian noise"},
		"pure ε":                    {Geometric(), m, 100_000, dp.PureDP(1), false, "other targets than pure ε"},
		"(ε, δ)":                    {DiscreteGaussian(), m, 100_000, dp.ApproxDP(1, 1e-9), true, "two batches"},
		"Rényi":                     {DiscreteGaussian(), m, 100_000, dp.RenyiDP(8, 1), true, "two batches"},
		"a tree":                    {DiscreteGaussian(), model.Tree(), 100_000, dp.ZCDP(.05), false, ""},
		"a star":                    {DiscreteGaussian(), m.Star("c0"), 100_000, dp.ZCDP(.05), false, ""},
		"a workload":                {DiscreteGaussian(), m.Workload(3, "c0"), 100_000, dp.ZCDP(.05), true, "two batches"},
		"units of two rows, remove": {DiscreteGaussian(), m.Size(90_000), 100_000, remove, true, "two batches"},
	} {
		rows := 1 + strings.Count(name, "two rows")
		sh := shapeOfUnits(t, c.m, c.n, rows, levels...)
		p, err := c.learner.Plan(t.Context(), sh, c.target)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var have params
		must.Do(t, mechanism.DecodeParams("test", p.Params(), &have))
		if got := p.Setting("algorithm"); (have.Batches != nil) != c.batches || !strings.Contains(got, c.says) {
			t.Errorf("%s: %+v, %q", name, have.Batches, got)
		}
	}
	many := prepared(t, DiscreteGaussian(), m, 100_000, dp.ZCDP(.05), slices.Repeat([]int{3}, 20)...)
	if nu, _ := publicNoise(many); many.batched || nu > batchesAt || many.reportNoise() < many.gate().noise {
		t.Errorf("distances of 190 small tables: batches %v, ν = %v", many.batched, nu)
	}
	wide := prepared(t, DiscreteGaussian(), m, 1e6, dp.ZCDP(.05), slices.Repeat([]int{9}, 30)...)
	if p := wide.scaled(.05); wide.batched || p.Phases[0].Rounds != 60 ||
		!strings.Contains(wide.algorithm(p), "fewer than 30 columns") {
		t.Errorf("30 columns: batches %v, %s", wide.batched, wide.algorithm(p))
	}
	if says := many.algorithm(many.scaled(.05)); !strings.Contains(says, "distances of 190 pairs would have an error of") {
		t.Error(says)
	}
	small := prepared(t, DiscreteGaussian(), m, 2500, remove, levels...)
	large := prepared(t, DiscreteGaussian(), m, 100_000, remove, levels...)
	if !reflect.DeepEqual(small.scaled(1), large.scaled(1)) {
		t.Error("plans of tables of private size differ")
	}
	private := 2500.0
	put(t, &publicNoise, func(q *problem) (float64, bool) { return q.gate().noise / private, true })
	small = prepared(t, DiscreteGaussian(), m, 2500, remove, levels...)
	private = 100_000
	large = prepared(t, DiscreteGaussian(), m, 100_000, remove, levels...)
	if reflect.DeepEqual(small.scaled(1), large.scaled(1)) {
		t.Error("the private number of records is not seen in plans that read it")
	}
}

// The noise of a set spends its ρ and no more, and what rounding leaves is little.
func TestASetSpendsItsBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 500 {
		q := &problem{noise: gaussian, rows: 1 + r.IntN(3), target: dp.ZCDP(1)}
		if r.IntN(2) == 0 {
			q.target = q.target.Under(dp.AddRemove)
		}
		rho := noise.Dyadic(math.Exp(r.Float64()*12-9), rateBits, false).Reduced()
		sizes, all := make([]int64, 1+r.IntN(30)), int64(0)
		for i := range sizes {
			sizes[i] = 30_000 + r.Int64N(1<<uint(16+r.IntN(8)))
			all += sizes[i]
		}
		spent, budget := new(big.Rat), new(big.Rat).SetFrac(new(big.Int).SetUint64(rho.Num), new(big.Int).SetUint64(rho.Den))
		moves := int64(q.changed(4) * q.rows * q.rows)
		for _, a := range sizes {
			s := q.tableNoise(rho, all, a)
			must.Do(t, s.Valid())
			one := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(moves), new(big.Int).SetUint64(s.Den)),
				new(big.Int).Mul(big.NewInt(2), new(big.Int).SetUint64(s.Num)))
			spent.Add(spent, one)
		}
		share, _ := new(big.Rat).Quo(spent, budget).Float64()
		if spent.Cmp(budget) > 0 || share < 1-1e-5 && rho.Float() < 1 {
			t.Fatalf("%d tables spend %v of ρ = %s", len(sizes), share, rho)
		}
	}
}

// A set is that of the definition in real numbers, where no comparison is close, and ties go to the first pair.
func TestChosenSets(t *testing.T) {
	levels := []int{5, 4, 6, 4, 5, 5, 9}
	r := rand.New(rand.NewPCG(7, 1))
	sh := shape(t, model.MaxEntropy().Always(), 100_000, levels...)
	q := must.Get(DiscreteGaussian().prepare(t.Context(), sh, dp.ZCDP(.05)))(t)
	l := must.Get(q.laws(q.scaled(.05)))(t)
	rho, list := l.batch.Tables.Float(), q.reported()
	for range 200 {
		report := mechanism.Round{Report: &mechanism.Report{}}
		for range list {
			report.Counts = append(report.Counts, r.Int64N(400)-100)
			report.Report.Corrections = append(report.Report.Corrections, r.Int64N(60))
			report.Report.Sizes = append(report.Report.Sizes, l.batch.least+r.Int64N(l.batch.most-l.batch.least))
		}
		s := &learner{problem: q, laws: l, edges: map[[2]int]bool{}}
		var got []int
		for _, b := range must.Get(s.chosen(t.Context(), list, report))(t) {
			got = append(got, slices.IndexFunc(list, func(c candidate) bool { return slices.Equal(c.columns, b.columns) }))
		}
		gain := func(i int) float64 { return float64(report.Counts[i] - report.Report.Corrections[i]) }
		size := func(i int) float64 { return float64(report.Report.Sizes[i]) / sizeUnit }
		order := make([]int, len(list))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			switch d := gain(j)/size(j) - gain(i)/size(i); {
			case d > 1e-12:
				return 1
			case d < -1e-12:
				return -1
			}
			return 0
		})
		var want []int
		lambda, all := math.Sqrt(2/math.Pi)*math.Sqrt(2/(2*rho)), 0.0
		for _, i := range order {
			if cost := .8 * lambda * (math.Pow(all+size(i), 1.5) - math.Pow(all, 1.5)); gain(i) > cost {
				want, all = append(want, i), all+size(i)
			}
		}
		if len(want) == 0 {
			want = order[:1]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v; want %v", got, want)
		}
	}
}

// editsOfBatches are edits of rounds, the last of which has the given place.
func editsOfBatches(last int) map[string]func(r []mechanism.Round) []mechanism.Round {
	return map[string]func(r []mechanism.Round) []mechanism.Round{
		"a pair less":             func(r []mechanism.Round) []mechanism.Round { return r[:last] },
		"a pair more":             func(r []mechanism.Round) []mechanism.Round { return append(r, r[last]) },
		"no second report":        func(r []mechanism.Round) []mechanism.Round { return r[:1] },
		"nothing":                 func([]mechanism.Round) []mechanism.Round { return nil },
		"another order":           func(r []mechanism.Round) []mechanism.Round { r[0], r[1] = r[1], r[0]; return r },
		"a table without numbers": func(r []mechanism.Round) []mechanism.Round { r[1].Counts = nil; return r },
		"a distance less": func(r []mechanism.Round) []mechanism.Round {
			r[0].Counts = r[0].Counts[1:]
			return r
		},
		"a large distance": func(r []mechanism.Round) []mechanism.Round {
			r[0].Counts = append([]int64{mostReport + 1}, r[0].Counts[1:]...)
			return r
		},
		"no distance at all": func(r []mechanism.Round) []mechanism.Round {
			r[0].Counts = make([]int64, len(r[0].Counts))
			return r
		},
		"a size of 0": func(r []mechanism.Round) []mechanism.Round {
			r[0].Report = &mechanism.Report{Corrections: r[0].Report.Corrections, Sizes: make([]int64, len(r[0].Counts))}
			return r
		},
		"another pair": func(r []mechanism.Round) []mechanism.Round { r[1].Chosen = []int{0, 9}; return r },
	}
}

// A release in batches: the file gives the same set and the same distribution, pairs of the fit are near those of the
// rows, and whatever is edited in a report or in what follows it is refused, but for sizes that a fit of another
// machine may have.
func TestReleaseInBatches(t *testing.T) {
	for name, c := range map[string]struct {
		m      model.LearnedModel
		target dp.Request
	}{
		"replace-one": {model.MaxEntropy().Always(), dp.ZCDP(1)},
		"a declared size, a cap, zeros": {model.MaxEntropy().Always().Size(19_000).MaxCells(40).
			StructuralZeros(map[string]string{"c0": "v0", "c1": "v0"}), dp.ZCDP(1).Under(dp.AddRemove)},
		"a workload, a reserve": {model.MaxEntropy().Always().Workload(5, "c0").Workload(1, "c1", "c2").MaxCells(60).
			Reserve("c0", "c4"), dp.ZCDP(1)},
	} {
		levels, codes := manyRows(t, 6)
		sh := shape(t, c.m, 20_000, levels...)
		st := counted(t, sh, codes)
		p := must.Get(DiscreteGaussian().Plan(t.Context(), sh, c.target))(t)
		d := p.Sampler(access.Mine())
		drawn := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), st), dp.Seeded(5)))(t)
		e := must.Get(d.Estimate(t.Context(), drawn))(t)
		reports := 0
		for _, r := range drawn.Rounds {
			if r.Report != nil {
				reports++
			}
		}
		if reports != 2 || len(e.Structure.Rounds) != len(drawn.Rounds)-2 || len(e.Structure.Edges) < 3 {
			t.Fatalf("%s: %d reports, %d tables of %d rounds", name, reports, len(e.Structure.Rounds), len(drawn.Rounds))
		}
		again := must.Get(d.(mechanism.Fitter).EstimateAt(t.Context(), drawn, e.Potentials))(t)
		if !reflect.DeepEqual(again.Conditionals, e.Conditionals) ||
			!reflect.DeepEqual(again.Structure.Edges, e.Structure.Edges) {
			t.Errorf("%s: another estimate of the same file", name)
		}
		for what, edit := range editsOfBatches(len(drawn.Rounds) - 1) {
			edited := drawn
			edited.Rounds = edit(slices.Clone(drawn.Rounds))
			var refused *dp.ParameterError
			if _, err := d.Estimate(t.Context(), edited); !errors.As(err, &refused) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

// Parameters of a file: batches where they may be, and rounds in files from before there were any.
func TestBatchesOfFiles(t *testing.T) {
	levels := []int{5, 5, 5, 5, 5, 5, 9, 9}
	build := func(m model.LearnedModel, target dp.Request, edit func(p *params)) error {
		sh := shape(t, m, 100_000, levels...)
		q := must.Get(DiscreteGaussian().prepare(t.Context(), sh, target))(t)
		p := must.Get(DiscreteGaussian().calibrate(t.Context(), q))(t)
		edit(&p)
		if err := p.Valid(); err != nil {
			return err
		}
		_, err := DiscreteGaussian().mathematics().Rebuild(t.Context(), sh, target, p)
		return err
	}
	m, public, private := model.MaxEntropy(), dp.ZCDP(.05), dp.ZCDP(.05).Under(dp.AddRemove)
	l := DiscreteGaussian()
	rounds := must.Get(l.calibrate(t.Context(), prepared(t, l, m, 100, private, levels...)))(t)
	batched := must.Get(l.calibrate(t.Context(), prepared(t, l, m, 1e5, public, levels...)))(t)
	less := func(r noise.Rational) noise.Rational { return noise.Rational{Num: r.Num * 3, Den: r.Den * 4} }
	for name, c := range map[string]struct {
		target dp.Request
		edit   func(p *params)
		ok     bool
	}{
		"as planned": {public, func(*params) {}, true},
		"rounds of before": {public, func(p *params) {
			p.Batches, p.Phases, p.Kept = nil, []phase{rounds.Phases[0]}, false
			x, z := *rounds.Phases[0].Choose, rounds.Phases[0].Noise
			x.Den, z.Num = x.Den*2, z.Num*2 // as under replace-one
			p.Phases[0].Choose, p.Phases[0].Noise = &x, z
			for i := range p.Columns {
				p.Columns[i].Num *= 4
			}
		}, true},
		"batches of a private size": {private, func(p *params) { p.Batches, p.Phases = batched.Batches, nil }, false},
		"three batches":             {public, func(p *params) { p.Batches.Number = 3 }, false},
		"fewer distances":           {public, func(p *params) { p.Batches.Distances = 1 }, false},
		"a quieter report":          {public, func(p *params) { p.Batches.Report = less(less(p.Batches.Report)) }, false},
		"more for tables":           {public, func(p *params) { p.Batches.Tables.Num *= 2 }, false},
		"both":                      {public, func(p *params) { p.Phases = rounds.Phases }, false},
		"no batch":                  {public, func(p *params) { p.Batches.Number = 0 }, false},
		"no noise":                  {public, func(p *params) { p.Batches.Report.Num = 0 }, false},
	} {
		if err := build(m, c.target, c.edit); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
