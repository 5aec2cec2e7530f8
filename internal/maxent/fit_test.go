package maxent

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/must"
)

// The minimum is where N·p − ȳ = −λσ²θ in every cell, with p from the full joint table: it is unique.
func TestFitIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m := p.model(t)
		q := fit(t, m, 3000)
		joint, _ := brute(m)
		for _, f := range m.tables {
			sum := 0.0
			for _, y := range f.y {
				sum += y
			}
			shift := (p.total - sum) / float64(len(f.y))
			for c, prob := range marginOf(p.levels, joint, f.vars) {
				centred := f.y[c] + shift
				ridge := Ridge * f.variance
				g := p.total*prob - centred + ridge*f.theta[c]
				if g > p.total*prob { // the cell has no more to lose than its records
					g = math.Sqrt(g * p.total * prob)
				}
				if r := g / math.Sqrt(ridge+math.Max(centred, 1)); math.Abs(r) > 2e-3 {
					t.Fatalf("scaled derivative %v in cell %d of %v after %d steps", r, c, f.vars, q.Steps)
				}
			}
		}
	})
}

// Inference agrees with the joint table, whatever the potentials are.
func TestMarginsAgreeWithTheJointTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m := p.model(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "potentials"), 2))
		for _, f := range m.tables {
			for c := range f.theta {
				f.theta[c] = 3 * r.NormFloat64()
			}
		}
		if len(p.vars) > 0 && rapid.Bool().Draw(t, "zeros") {
			forbidSome(t, m, p.vars[0], r)
		}
		if err := m.prepare(context.Background()); err != nil {
			var none *ImpossibleError
			if joint, _ := brute(m); errors.As(err, &none) && math.IsNaN(joint[0]) {
				return
			}
			t.Fatal(err)
		}
		joint, logZ := brute(m)
		near(t, "ln Z", []float64{m.tree.infer(m.potentials())}, []float64{logZ}, 1e-10)
		for a := range p.levels {
			for b := range p.levels {
				if a != b {
					got := must.Get(m.Pair(a, b))(t)
					near(t, "pair", got, marginOf(p.levels, joint, []int{a, b}), 1e-12)
				}
			}
		}
		vars := r.Perm(len(p.levels))[:r.IntN(len(p.levels)+1)]
		got := must.Get(m.Margin(context.Background(), vars...))(t)
		near(t, "margin", got, marginOf(p.levels, joint, vars), 1e-12)
	})
}

func forbidSome(t rapid.TB, m *Model, vars []int, r *rand.Rand) {
	no := make([]bool, junction.Cells(vars, m.levels))
	for i := range no {
		no[i] = r.IntN(3) == 0
	}
	must.Do(t, m.Forbid(vars, no))
}

// The gradient is the derivative of the objective.
func TestGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m := p.model(t)
		must.Do(t, m.prepare(context.Background()))
		o := m.objective()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "place"), 3))
		x, slope, scratch := slices.Clone(o.start), slices.Clone(o.start), slices.Clone(o.start)
		for i := range x {
			x[i] = r.NormFloat64() / o.scale[i]
		}
		o.evaluate(x, slope)
		for i := range x {
			at, h := x[i], 1e-5/o.scale[i]
			x[i] = at + h
			up := o.evaluate(x, scratch)
			x[i] = at - h
			down := o.evaluate(x, scratch)
			x[i] = at
			if got, want := slope[i], (up-down)/(2*h); math.Abs(got-want) > 1e-5*(1+p.total) {
				t.Fatalf("derivative %d is %v; differences give %v", i, got, want)
			}
		}
	})
}

// Two tables that agree are met but for the ridge, and what lies between them is conditionally independent: P(a, c) =
// Σ_b P(a, b) P(c | b), worked out by hand.
func TestChainByHand(t *testing.T) {
	m := must.Get(New([]int{2, 2, 2}, 100))(t)
	for _, e := range []error{
		m.Add([]int{0, 1}, []float64{30, 10, 20, 40}, 1e-6),
		m.Add([]int{2, 1}, []float64{10, 35, 40, 15}, 1e-6),
	} {
		if e != nil {
			t.Fatal(e)
		}
	}
	q := fit(t, m, 500)
	if q.Residual > enough || q.Largest != 4 || q.Cells != 8 {
		t.Errorf("%+v", q)
	}
	got := must.Get(m.Pair(0, 2))(t)
	// b = 0 has 50 records, of which 30 and 20 have a = 0, 1 and 10 and 40 have c = 0, 1; b = 1 likewise.
	near(t, "P(a, c)", got, []float64{.13, .27, .32, .28}, 1e-4)
}

// Golden values: a loop of three noisy pairs, which no closed form fits, by Newton's method on the joint table to 12
// digits in an independent program.
func TestLoopGolden(t *testing.T) {
	m := must.Get(New([]int{2, 2, 2}, 200))(t)
	for _, e := range []error{
		m.Add([]int{0, 1}, []float64{61, 38, 43, 57}, 50),
		m.Add([]int{1, 2}, []float64{70, 35, 20, 72}, 50),
		m.Add([]int{0, 2}, []float64{66, 31, -3, 99}, 200),
	} {
		if e != nil {
			t.Fatal(e)
		}
	}
	must.Get(m.FitTo(t.Context(), 2000, 1e-8))(t)
	got := must.Get(m.Margin(t.Context(), 0, 1, 2))(t)
	near(t, "joint", got, golden, 1e-9)
}

// A second look at a table counts as one with the precisions added.
func TestRepeatsAreAveraged(t *testing.T) {
	one, two := mustNew(t, 50, 3, 2), mustNew(t, 50, 3, 2)
	y, z := []float64{5, 9, 13, 8, 7, 6}, []float64{6, 6, 15, 10, 2, 9}
	mean := make([]float64, len(y))
	for i := range y {
		mean[i] = (y[i]/4 + z[i]/12) / (1./4 + 1./12)
	}
	swapped := []float64{z[0], z[2], z[4], z[1], z[3], z[5]} // the same table, the other variable running fastest
	for _, e := range []error{one.Add([]int{0, 1}, y, 4), one.Add([]int{1, 0}, swapped, 12),
		two.Add([]int{0, 1}, mean, 3)} {
		if e != nil {
			t.Fatal(e)
		}
	}
	fit(t, one, 500)
	fit(t, two, 500)
	a, _ := one.Pair(0, 1)
	b, _ := two.Pair(0, 1)
	near(t, "pair", a, b, 1e-12)
}

func mustNew(t testing.TB, total float64, levels ...int) *Model {
	t.Helper()
	return must.Get(New(levels, total))(t)
}

// The same tables give the same bits, and a warm start the same minimum.
func TestSameBitsOnEveryRun(t *testing.T) {
	p := random(12, 4, 6, 5000)
	var first []float64
	for range 3 {
		m := p.model(t)
		fit(t, m, 60)
		pair := must.Get(m.Pair(0, len(p.levels)-1))(t)
		if first == nil {
			first = pair
		} else if !slices.Equal(first, pair) {
			t.Fatal("two runs differ")
		}
	}
	m := p.model(t)
	for range 40 {
		fit(t, m, 100)
	}
	cold := p.model(t)
	fit(t, cold, 3000)
	a, _ := m.Pair(0, 5)
	b, _ := cold.Pair(0, 5)
	near(t, "warm and cold", a, b, 1e-4)
}

func TestForbiddenCellsStayEmpty(t *testing.T) {
	m := mustNew(t, 100, 2, 2, 2)
	// sex, pregnant, smokes: no pregnant men, although the noisy table has some.
	must.Do(t, m.Add([]int{0, 1}, []float64{40, 3, 45, 12}, 25))
	must.Do(t, m.Add([]int{1, 2}, []float64{50, 35, 11, 4}, 25))
	must.Do(t, m.Forbid([]int{1, 0}, []bool{false, false, true, false}))
	q := fit(t, m, 500)
	if q.Residual > enough {
		t.Errorf("%+v", q)
	}
	pair := must.Get(m.Pair(0, 1))(t)
	if pair[1] != 0 {
		t.Errorf("P(man, pregnant) = %v; want 0", pair[1])
	}
	net := must.Get(m.Net(nodes(m.levels)))(t)
	for smokes := range 2 {
		if logp, err := net.LogProb([]int{0, 1, smokes}); err != nil || !math.IsInf(logp, -1) {
			t.Errorf("ln P(pregnant man) = %v, %v; want −Inf", logp, err)
		}
	}
	must.Do(t, m.Forbid([]int{2}, []bool{true, true}))
	var none *ImpossibleError
	if _, err := m.Fit(context.Background(), 5); !errors.As(err, &none) {
		t.Errorf("error %v; want an ImpossibleError", err)
	}
}

func TestRefusals(t *testing.T) {
	m := mustNew(t, 10, 2, 3)
	var refused *domain.Error
	for name, err := range map[string]error{
		"no variables":      errOf(New(nil, 10)),
		"no levels":         errOf(New([]int{2, 0}, 10)),
		"no records":        errOf(New([]int{2}, 0)),
		"NaN records":       errOf(New([]int{2}, math.NaN())),
		"unknown variable":  m.Add([]int{0, 2}, make([]float64, 6), 1),
		"negative variable": m.Add([]int{-1}, make([]float64, 6), 1),
		"twice":             m.Add([]int{0, 0}, make([]float64, 4), 1),
		"cells":             m.Add([]int{0, 1}, make([]float64, 5), 1),
		"none":              m.Add(nil, []float64{1}, 1),
		"variance":          m.Add([]int{0}, make([]float64, 2), 0),
		"NaN":               m.Add([]int{0}, []float64{1, math.NaN()}, 1),
		"infinite":          m.Add([]int{0}, []float64{1, math.Inf(1)}, 1),
		"forbidden shape":   m.Forbid([]int{0}, make([]bool, 3)),
		"steps":             errOf(m.Fit(context.Background(), 0)),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v; want a domain.Error", name, err)
		}
	}
	if _, err := m.Pair(0, 1); !errors.Is(err, ErrNotFitted) {
		t.Errorf("%v; want ErrNotFitted", err)
	}
	wide := mustNew(t, 10, 60000, 60000)
	if err := wide.Add([]int{0, 1}, nil, 1); !errors.As(err, &refused) {
		t.Errorf("%v; want a domain.Error", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Fit(ctx, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want the context's error", err)
	}
}

func errOf[T any](_ T, err error) error { return err }

// Many pairs that close cycles make a clique too large: refused before it is allocated.
func TestTooWide(t *testing.T) {
	levels := slices.Repeat([]int{20}, 7)
	m := mustNew(t, 10, levels...)
	for a := range levels {
		for b := range a {
			must.Do(t, m.Add([]int{a, b}, make([]float64, 400), 1))
		}
	}
	var wide *junction.WidthError
	if _, err := m.Fit(context.Background(), 1); !errors.As(err, &wide) {
		t.Errorf("%v; want a junction.WidthError", err)
	}
}

var golden = []float64{0.293844859507, 0.015449334321, 0.090813428644, 0.098224975627, 0.044627308161, 0.173491570911,
	0.003501650968, 0.280046871861}

// Margins of pairs on a forest of wide separators and many columns are refused before their laws are allocated.
// A margin belongs to its caller, that of a pair of two cliques, too.
func TestMarginsAreCopies(t *testing.T) {
	m := mustNew(t, 100, 2, 2, 2)
	must.Do(t, m.Add([]int{0, 1}, []float64{40, 10, 5, 45}, 1))
	must.Do(t, m.Add([]int{1, 2}, []float64{30, 15, 5, 50}, 1))
	must.Get(m.Fit(t.Context(), 100))(t)
	want := slices.Clone(must.Get(m.Pair(0, 2))(t))
	for _, vars := range [][]int{{0, 2}, {2, 0}, {0, 1}, {0}} {
		clear(must.Get(m.Margin(t.Context(), vars...))(t))
	}
	if got := must.Get(m.Pair(0, 2))(t); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestPairsTooWide(t *testing.T) {
	levels := []int{100, 100, 100}
	m := mustNew(t, 10, levels...)
	for range 20 {
		m.levels = append(m.levels, 1<<14)
	}
	m.tree = &tree{levels: m.levels, forest: &junction.Forest{Cliques: []junction.Clique{{Parent: -1}}},
		cliques: []*clique{{groups: 1 << 20, vars: all(m.levels)}}}
	var refused *domain.Error
	if err := (&pairing{t: m.tree}).check(); !errors.As(err, &refused) {
		t.Errorf("%v; want a domain.Error", err)
	}
}

// Tables within tables and constants of tables leave directions that only the ridge holds. With their curvature a fit
// of 15 columns ends within 250 steps. A minimiser that knows of one kind alone is not there, and one that knows of
// none is not after 1,000. Forbidden cells keep the potential 0.
func TestFlatDirections(t *testing.T) {
	m := large().model(t)
	if q := fit(t, m, 250); q.Residual > enough {
		t.Errorf("%+v", q)
	}
	for name, c := range map[string]struct {
		steps  int
		forget func(p *precondition)
	}{
		"tables within tables": {250, func(p *precondition) { p.constants = nil }},
		"constants":            {250, func(p *precondition) { p.overlaps = nil }},
		"none":                 {1000, func(p *precondition) { p.constants, p.overlaps = nil, nil }},
	} {
		plain := large().model(t)
		must.Do(t, plain.prepare(t.Context()))
		plain.begin()
		o := plain.objective()
		p := o.precondition(true)
		c.forget(p)
		l := newLBFGS(o.evaluate, o.gap, p.apply, o.start)
		if n := must.Get(l.run(t.Context(), c.steps, enough))(t); l.residual() <= enough {
			t.Errorf("%s: there after %d steps", name, n)
		}
	}
	zeros := mustNew(t, 100, 3, 2)
	must.Do(t, errors.Join(zeros.Forbid([]int{0, 1}, []bool{false, true, false, false, false, false}),
		zeros.Add([]int{0}, []float64{20, 30, 50}, 9), zeros.Add([]int{0, 1}, []float64{21, 3, 14, 15, 20, 27}, 9)))
	fit(t, zeros, 200)
	potentials := zeros.Potentials()
	if q := must.Get(zeros.Take(t.Context(), potentials))(t); q.Residual > enough || potentials[1][1] != 0 {
		t.Errorf("%+v, %v", q, potentials)
	}
}

// Variables of one clique are joined, others are not, and nothing is before a fit.
func TestJoined(t *testing.T) {
	m := mustNew(t, 100, 2, 3, 2)
	if _, err := m.Joined(0, 1); !errors.Is(err, ErrNotFitted) {
		t.Errorf("before a fit: %v", err)
	}
	must.Do(t, errors.Join(m.Add([]int{0, 1}, make([]float64, 6), 1), m.Add([]int{2, 1}, make([]float64, 6), 1)))
	fit(t, m, 1)
	for pair, want := range map[[2]int]bool{{0, 1}: true, {1, 0}: true, {1, 2}: true, {0, 2}: false} {
		if got := must.Get(m.Joined(pair[0], pair[1]))(t); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}
