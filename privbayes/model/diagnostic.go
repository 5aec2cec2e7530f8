package model

import "github.com/privbayes/privbayes-go/internal/seal"

// FitPrivately fits the model to the raw counts: the non-private line of every comparison. What it returns reads the data, so it
// belongs in diagnostics only: private, do not publish.
func FitPrivately(_ seal.Key, st *Statistics) (*Fitted, error) {
	if !st.shape.model.Kind.Counts() {
		return fitSums(st)
	}
	e := Estimate{Tables: make([][]float64, len(st.tables))}
	for t, counts := range st.tables {
		e.Tables[t] = make([]float64, len(counts))
		for i, c := range counts {
			e.Tables[t][i] = float64(c)
		}
	}
	if st.shape.model.Kind == KindNaiveBayes {
		levels := st.shape.tables[0].Levels[1]
		e.Class = make([]float64, st.shape.Classes())
		for i, c := range e.Tables[0] {
			e.Class[i/levels] += c
		}
	}
	return Fit(st.shape, e)
}
