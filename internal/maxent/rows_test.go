package maxent

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"pgregory.net/rapid"
)

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
		net, err := m.Net(nodes(p.levels))
		if err != nil {
			t.Fatal(err)
		}
		joint, _ := brute(m)
		codes := make([]int, len(p.levels))
		for i, want := range joint {
			for v, rest := len(codes)-1, i; v >= 0; v-- {
				codes[v], rest = rest%p.levels[v], rest/p.levels[v]
			}
			logp, err := net.LogProb(codes)
			if err != nil {
				t.Fatal(err)
			}
			if got := math.Exp(logp); math.Abs(got-want) > 1e-12 {
				t.Fatalf("P%v = %v; want %v", codes, got, want)
			}
		}
	})
}

// Counts of a table within a root clique are the expectation rounded down or up; those of every table of a clique are
// that given the counts of its separator.
func TestRowsAreExactCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m := p.model(t)
		fit(t, m, 30)
		n := rapid.IntRange(0, 300).Draw(t, "n")
		out, err := m.Rows(context.Background(), n, rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.tree.cliques {
			q := &m.tree.cliques[i]
			sep := m.tree.forest.Cliques[i].Separator
			counts, totals := make([]float64, len(q.cells)), make([]float64, q.groups)
			for r := range n {
				cell, group := 0, 0
				for k, v := range q.vars {
					if cell = cell*p.levels[v] + int(out[v][r]); k < len(sep) {
						group = cell
					}
				}
				counts[cell]++
				totals[group]++
			}
			for c, got := range counts {
				g, mass := c/q.rest, 0.0
				for _, x := range q.cells[g*q.rest : (g+1)*q.rest] {
					mass += x
				}
				if totals[g] == 0 {
					continue
				}
				if want := totals[g] * q.cells[c] / mass; math.Abs(got-want) >= 1+1e-9 {
					t.Fatalf("%v records in cell %d of clique %d; want %v rounded down or up", got, c, i, want)
				}
			}
		}
	})
}

// Two children of one separator are independent given it: records must be dealt in an order of their own for each. With
// a fixed seed; a sum of 4,000 deviations beyond 6.5 standard deviations has probability 8e-11.
func TestRowsOfTwoChildrenAreIndependent(t *testing.T) {
	m := mustNew(t, 1000, 2, 2, 2)
	for _, v := range []int{1, 2} {
		if err := m.Add([]int{0, v}, []float64{250, 250, 250, 250}, 1); err != nil {
			t.Fatal(err)
		}
	}
	fit(t, m, 10)
	const n = 4000
	out, err := m.Rows(context.Background(), n, rand.NewPCG(5, 6))
	if err != nil {
		t.Fatal(err)
	}
	both := 0.0
	for i := range n {
		if out[1][i] == out[2][i] {
			both++
		}
	}
	if dev := math.Abs(both-n/2) / math.Sqrt(n/4); dev > 6.5 {
		t.Errorf("%v of %v records have equal codes", both, n)
	}
	again, err := m.Rows(context.Background(), n, rand.NewPCG(5, 6))
	if err != nil || !slices.EqualFunc(out, again, slices.Equal[[]uint16]) {
		t.Error("the same stream gives other records")
	}
}

func TestRowsRefuse(t *testing.T) {
	m := mustNew(t, 10, 2)
	if _, err := m.Rows(context.Background(), 1, rand.NewPCG(1, 1)); !errors.Is(err, ErrNotFitted) {
		t.Errorf("%v; want ErrNotFitted", err)
	}
	if _, err := m.Net(nodes(m.levels)); !errors.Is(err, ErrNotFitted) {
		t.Errorf("%v; want ErrNotFitted", err)
	}
	fit(t, m, 1)
	var refused *domain.Error
	for name, err := range map[string]error{
		"negative": errOf(m.Rows(context.Background(), -1, rand.NewPCG(1, 1))),
		"many":     errOf(m.Rows(context.Background(), math.MaxInt32+1, rand.NewPCG(1, 1))),
		"source":   errOf(m.Rows(context.Background(), 1, nil)),
		"nodes":    errOf(m.Net(nil)),
		"states":   errOf(m.Net(nodes([]int{3}))),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v; want a domain.Error", name, err)
		}
	}
}
