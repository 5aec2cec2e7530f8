package maxent

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Potentials say all of a fit: taken by another model of the same tables they give the same bits, and the gap at which
// the fit ended.
func TestPotentialsAreTheFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m, again := p.model(t), p.model(t)
		want := fit(t, m, rapid.IntRange(1, 60).Draw(t, "steps"))
		have := must.Get(again.Take(context.Background(), m.Potentials()))(t)
		if math.Abs(have.Residual-want.Residual) > 1e-9*math.Max(1, want.Residual) {
			t.Fatalf("gap %v; the fit ended at %v", have.Residual, want.Residual)
		}
		for _, f := range p.vars {
			a := must.Get(m.Margin(context.Background(), f...))(t)
			if b, err := again.Margin(context.Background(), f...); err != nil || !slices.Equal(a, b) {
				t.Fatalf("%v: %v; want %v", err, b, a)
			}
		}
	})
}

// The margins of the tables are as near to those at the minimum as the derivatives say, whenever a fit ends: the proof
// stands at Quality. A fifth of the bound would be too small.
func TestTheGapBoundsTheMargins(t *testing.T) {
	bound := func(m *Model) float64 {
		o := m.objective()
		slope := make([]float64, len(o.flat))
		o.here(slope)
		a, b, k := 0.0, 0.0, 0
		for i, f := range m.tables {
			for _, prob := range m.tree.factors[i].sum {
				g := slope[k] / o.scale[k]
				if np := m.total * prob; g > np {
					b += np * g / f.variance
				} else {
					a += g * g / f.variance
				}
				k++
			}
		}
		return math.Sqrt(a) + math.Sqrt(b)
	}
	tight := 0.0
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		early, best := p.model(t), p.model(t)
		fit(t, early, rapid.IntRange(1, 30).Draw(t, "steps"))
		must.Get(best.FitTo(context.Background(), 5000, 1e-9))(t)
		sum := 0.0
		for i, f := range early.tables {
			for c, prob := range early.tree.factors[i].sum {
				d := p.total * (prob - best.tree.factors[i].sum[c])
				sum += d * d / f.variance
			}
		}
		most := bound(early)
		if math.Sqrt(sum) > most*(1+1e-6)+bound(best) { // the best ends where rounding lets no step lower the value
			t.Fatalf("margins are %v from the minimum; the bound says %v", math.Sqrt(sum), most)
		}
		if most > 1e-3 {
			tight = max(tight, math.Sqrt(sum)/most)
		}
	})
	if tight < .2 {
		t.Errorf("margins come no nearer to their bound than %.2g of it", tight)
	}
}

// What is none of a model's potentials is refused by a typed error, and the model then has no margins.
func TestPotentialsThatAreNone(t *testing.T) {
	fresh := func() *Model {
		m := must.Get(New([]int{2, 2}, 10))(t)
		must.Do(t, m.Forbid([]int{0, 1}, []bool{false, false, false, true}))
		must.Do(t, m.Add([]int{0, 1}, []float64{4, 3, 3, 0}, 1))
		return m
	}
	for name, p := range map[string][][]float64{
		"none": nil, "too many": {{0, 0, 0, 0}, {0, 0}}, "too few cells": {{0, 0, 0}}, "too many cells": {{0, 0, 0, 0, 0}},
		"no number": {{math.NaN(), 0, 0, 0}}, "infinite": {{math.Inf(1), 0, 0, 0}}, "too large": {{-1e10, 0, 0, 0}},
		"in a cell that cannot be": {{0, 0, 0, 1}},
	} {
		m := fresh()
		var refused *domain.Error
		if _, err := m.Take(context.Background(), p); !errors.As(err, &refused) || refused.Parameter != "potentials" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Margin(context.Background(), 0); !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if q, err := fresh().Take(context.Background(), [][]float64{{.2, 0, 0, 0}}); err != nil || q.Residual > 1 {
		t.Error(q, err)
	}
}

func TestExpRow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	row := []float64{0, -0.0054, -0.00542, -math.Ln2 / 128, -math.Ln2, -689.9, -691, -1e300, math.Inf(-1)}
	for range 100000 {
		row = append(row, -690*r.Float64(), -r.Float64())
	}
	want := make([]float64, len(row))
	sum := 0.0
	for i, x := range row {
		if x > smallest {
			want[i] = math.Exp(x)
		}
		sum += want[i]
	}
	for i := range row {
		row[i] += 1234
	}
	for i := range row { // what adding left
		if x := row[i] - 1234; x > smallest {
			want[i] = math.Exp(x)
		}
	}
	got := expRow(row, 1234)
	if math.Abs(got-sum) > 1e-9*sum {
		t.Errorf("sum %v; want %v", got, sum)
	}
	for i := range row {
		if math.Abs(row[i]-want[i]) > 1e-15*want[i] {
			t.Fatalf("number %d is %v; want %v", i, row[i], want[i])
		}
	}
}

func BenchmarkExpRow(b *testing.B) {
	row, from := make([]float64, 1024), make([]float64, 1024)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range from {
		from[i] = -20 * r.Float64()
	}
	for b.Loop() {
		copy(row, from)
		expRow(row, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/number")
}

func nodes(levels []int) []bayesnet.Node {
	var out []bayesnet.Node
	for v, l := range levels {
		n := bayesnet.Node{Name: "v" + strconv.Itoa(v)}
		for s := range l {
			n.States = append(n.States, "s"+strconv.Itoa(s))
		}
		out = append(out, n)
	}
	return out
}

// The network has the distribution of the model, record by record.
func TestNetIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m := p.model(t)
		if len(p.vars) > 0 && rapid.Bool().Draw(t, "zeros") {
			forbidSome(t, m, p.vars[0], rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "which"), 3)))
		}
		var none *ImpossibleError
		if _, err := m.Fit(context.Background(), 50); errors.As(err, &none) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		net := must.Get(m.Net(nodes(p.levels)))(t)
		joint, _ := brute(m)
		codes := make([]int, len(p.levels))
		for i, want := range joint {
			for v, rest := len(codes)-1, i; v >= 0; v-- {
				codes[v], rest = rest%p.levels[v], rest/p.levels[v]
			}
			logp := must.Get(net.LogProb(codes))(t)
			if got := math.Exp(logp); math.Abs(got-want) > 1e-12 {
				t.Fatalf("P%v = %v; want %v", codes, got, want)
			}
		}
	})
}

func TestNetRefuses(t *testing.T) {
	m := mustNew(t, 10, 2)
	if _, err := m.Net(nodes(m.levels)); !errors.Is(err, ErrNotFitted) {
		t.Errorf("%v; want ErrNotFitted", err)
	}
	fit(t, m, 1)
	var refused *domain.Error
	for name, err := range map[string]error{
		"nodes":  errOf(m.Net(nil)),
		"states": errOf(m.Net(nodes([]int{3}))),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v; want a domain.Error", name, err)
		}
	}
}
