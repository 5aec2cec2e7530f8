package maxent

import (
	"context"
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
