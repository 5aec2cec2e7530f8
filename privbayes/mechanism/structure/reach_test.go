package structure

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// lists are learners with random levels and as many pairs as random choices, all legal, add.
func lists(t *testing.T, number int, reserve bool, each func(s *learner)) {
	t.Helper()
	r := rand.New(rand.NewPCG(40, 1))
	for range number {
		levels := make([]int, 5+r.IntN(6))
		for i := range levels {
			levels[i] = 2 + r.IntN(15)
		}
		m := model.MaxEntropy().Always().MaxCells(1 << (10 + r.IntN(5)))
		if reserve {
			m = m.Reserve("c0", "c1").Reserve("c2", "c4")
		}
		sh, err := model.NewShape(schema(levels...), m, 500, true, "")
		if err != nil {
			continue // a reserved pair that does not fit
		}
		q := must.Get(Geometric().prepare(t.Context(), sh, dp.PureDP(1)))(t)
		s := &learner{problem: q, size: 500, edges: map[[2]int]bool{}, legal: map[[2]int]bool{}}
		for i, k := range levels {
			s.done = append(s.done, table{columns: []int{i}, noisy: make([]float64, k), variance: 1})
		}
		for range 3 * len(levels) {
			c := candidate{columns: slices.Clone(q.pairs[r.IntN(len(q.pairs))][:])}
			clear(s.legal)
			if s.may(t.Context(), c) {
				s.edges[[2]int(c.columns)] = true
				s.done = append(s.done, table{columns: c.columns, variance: 1,
					noisy: make([]float64, levels[c.columns[0]]*levels[c.columns[1]])})
			}
		}
		each(s)
	}
}

// The fit computes with cliques of at most the cap, which a triangulation of its own, under another bound, does not.
func TestFitKeepsToTheCap(t *testing.T) {
	number, above := 1000, 0
	if testing.Short() {
		number = 100
	}
	lists(t, number, false, func(s *learner) {
		fit := must.Get(s.unfitted())(t)
		if q := must.Get(fit.Fit(t.Context(), 1))(t); q.Largest > s.set.MaxCells {
			t.Fatalf("a clique of %d cells, cap %d", q.Largest, s.set.MaxCells)
		}
		f := must.Get(junction.Build(t.Context(), s.levels, s.scopes(), 1<<24))(t)
		for i := range f.Cliques {
			if f.Cells(i) > s.set.MaxCells {
				above++
				break
			}
		}
	})
	if above < number/20 {
		t.Errorf("%d of %d lists have wider cliques under another bound", above, number)
	}
}

// A reserved pair can be chosen whatever was chosen before, which other pairs cannot.
func TestReservedPairsStayWithinReach(t *testing.T) {
	closed := 0
	lists(t, 200, true, func(s *learner) {
		for _, p := range s.reserved {
			if !s.triangulated(t.Context(), p[:]) {
				t.Fatalf("pair %v is closed", p)
			}
		}
		must.Get(must.Get(s.unfitted())(t).Fit(t.Context(), 1))(t)
		list := must.Get(s.closed(t.Context()))(t)
		closed += len(list)
		always, never, perhaps := s.shape.Learning().Reachable()
		if d := len(s.levels); always+len(never)+len(perhaps) != d*(d-1)/2 || always < 2 || len(list) > len(never)+len(perhaps) {
			t.Errorf("%d, %v, %v", always, never, perhaps)
		}
	})
	if closed == 0 {
		t.Error("nothing was closed")
	}
}

// The plan names pairs that may be closed or cannot be measured, and reserved pairs that do not fit are refused by name.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		m      model.LearnedModel
		levels []int
		says   []string
	}{
		{model.MaxEntropy().Always(), []int{2, 3, 4}, []string{"3 of 3 pairs, whatever is chosen"}},
		{model.MaxEntropy().Always().MaxCells(60), []int{4, 5, 6},
			[]string{"3 of 3 pairs. Those chosen first", "c1 × c2, c0 × c2, c0 × c1", "reserve"}},
		{model.MaxEntropy().Always().MaxCells(60).Reserve("c2", "c1"), []int{4, 5, 6},
			[]string{"3 of 3 pairs, 1 of them whatever is chosen", "such as c0 × c2, c0 × c1."}},
		{model.MaxEntropy().Always().MaxCells(25), []int{4, 5, 6},
			[]string{"2 of 3 pairs.", "c0 × c2, c0 × c1", "Of more than 25 cells, and never measured: c1 × c2"}},
		{model.MaxEntropy().Always().MaxCells(60).Workload(1, "c1"), []int{4, 5, 6, 2},
			[]string{"3 of 3 pairs. Those", "c1 × c2, c0 × c1, c1 × c3"}},
		{model.MaxEntropy().Always().MaxCells(60).Workload(1, "c1").Workload(5, "c1", "c3"), []int{4, 5, 6, 2},
			[]string{"5 of 5 pairs. Those", "such as c1 × c3, c1 × c2, c0 × c1, 2 more"}},
	} {
		sh := must.Get(model.NewShape(schema(c.levels...), c.m, 500, true, ""))(t)
		text := sh.Learning().ReachableText()
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %s; want %q", c.levels, text, want)
			}
		}
		plan := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(1)))(t)
		if got := plan.Setting("within reach"); got != text {
			t.Errorf("%q in the plan", got)
		}
	}
	for name, c := range map[string]struct {
		m    model.LearnedModel
		says []string
	}{
		"too many cells": {model.MaxEntropy().MaxCells(25).Reserve("c1", "c2"), []string{"c1 × c2", "30 cells", "25"}},
		"too many together": {model.MaxEntropy().MaxCells(60).Reserve("c0", "c1").Reserve("c1", "c2").Reserve("c0", "c2"),
			[]string{"c0 × c1 × c2", "120 cells", "60"}},
		"unknown": {model.MaxEntropy().Reserve("c0", "x"), []string{"x", "no column"}},
		"twice":   {model.MaxEntropy().Reserve("c0", "c1").Reserve("c1", "c0"), []string{"c0 × c1", "twice"}},
		"itself":  {model.MaxEntropy().Reserve("c0", "c0"), []string{"c0", "one column"}},
		"a tree":  {model.Tree().Reserve("c0", "c1"), []string{"MaxEntropy()"}},
		"left out": {model.MaxEntropy().Workload(1, "c0").Reserve("c1", "c2"),
			[]string{"c1 × c2", "workload"}},
		"a star": {model.MaxEntropy().Star("c0").Reserve("c0", "c1"), []string{"star"}},
	} {
		_, err := model.NewShape(schema(4, 5, 6), c.m, 500, true, "")
		var refused *model.Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", name, err, want)
			}
		}
	}
}

// Structural zeros whose cliques have more cells than all cliques may have are refused by the plan: beside them no pair
// could be chosen, and the rounds would be paid for nothing.
func TestZerosKeepToTheWork(t *testing.T) {
	levels := slices.Repeat([]int{256}, 34) // 17 tables of 2^16 cells
	zeros := func(m model.LearnedModel, tables int) model.LearnedModel {
		for i := range tables {
			m = m.StructuralZeros(map[string]string{fmt.Sprint("c", 2*i): "v0", fmt.Sprint("c", 2*i+1): "v0"})
		}
		return m
	}
	for name, c := range map[string]struct {
		m  model.LearnedModel
		ok bool
	}{
		"too many":         {zeros(model.MaxEntropy(), 17), false},
		"as many as may":   {zeros(model.MaxEntropy(), 15), true},
		"a larger bound":   {zeros(model.MaxEntropy().MaxCells(1<<21), 17), true},
		"beside a reserve": {zeros(model.MaxEntropy(), 15).Reserve("c30", "c31").Reserve("c32", "c33"), false},
	} {
		_, err := model.NewShape(schema(levels...), c.m, 500, true, "")
		if refused := new(model.Error); (err == nil) != c.ok || err != nil && (!errors.As(err, &refused) ||
			!strings.Contains(err.Error(), "cells in all")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
