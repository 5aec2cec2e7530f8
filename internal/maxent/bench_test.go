package maxent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// large is a table of 15 columns of up to 16 levels with 30 pairs measured, of which 15 close cycles.
func large() problem { return random(15, 12, 12, 30000) }

func BenchmarkEvaluation(b *testing.B) {
	m := large().model(b)
	must.Do(b, m.prepare(context.Background()))
	o := m.objective()
	cells := 0
	for i := range m.tree.cliques {
		cells += len(m.tree.cliques[i].cells)
	}
	slope := make([]float64, len(o.start))
	for b.Loop() {
		o.evaluate(o.start, slope)
	}
	b.ReportMetric(float64(cells), "cells")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
}

// all pairs of some columns in one clique, the first of them those of the births table, and a chain of 100 columns.
func BenchmarkInference(b *testing.B) {
	for _, levels := range [][]int{{2, 6, 9, 12, 12, 32}, {2, 7, 6, 15, 16, 16}, {2, 2, 3, 3, 4, 8, 16},
		slices.Repeat([]int{4}, 8), slices.Repeat([]int{9}, 100)} {
		b.Run(fmt.Sprint(len(levels), " columns of ", slices.Min(levels), " to ", slices.Max(levels)), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			p, records := mixture(r, levels, 1000)
			for i := range levels {
				p.measure(r, records, 100, i)
				for j := range i {
					if len(levels) < 9 || j == i-1 {
						p.measure(r, records, 100, j, i)
					}
				}
			}
			m := p.model(b)
			must.Do(b, m.prepare(context.Background()))
			cells, theta := 0, m.potentials()
			for _, q := range m.tree.cliques {
				cells += len(q.cells)
			}
			for b.Loop() {
				m.tree.infer(theta)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
		})
	}
}

func BenchmarkAllPairs(b *testing.B) {
	m := large().model(b)
	fit(b, m, 5)
	for b.Loop() {
		m.tree.pairs = nil
		must.Get(m.Pair(0, 1))(b)
	}
}

func BenchmarkFit40(b *testing.B) {
	p := large()
	for b.Loop() {
		m := p.model(b)
		q := fit(b, m, 40)
		b.ReportMetric(q.Residual, "residual")
		b.ReportMetric(float64(q.Evaluations), "evaluations")
	}
}

func BenchmarkFit300(b *testing.B) {
	p := large()
	for b.Loop() {
		m := p.model(b)
		q := fit(b, m, 300)
		b.ReportMetric(q.Residual, "residual")
		b.ReportMetric(float64(q.Evaluations), "evaluations")
	}
}
