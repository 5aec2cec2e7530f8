package model

import "slices"

// Statements measures how far the fitted model is from the rows: for every pair of columns that may be measured, or
// that the workload asks about, the distance of its two-way table from the model's, at 5 % of the budget. So something
// is known of pairs that were not measured, too. Under pure ε only the worst pair has its distance measured, and all
// others have a bound. Not for a public star, whose pairs are all measured, nor for PrivBayes. Source:
// theory/structure.md §13.
func (m LearnedModel) Statements() LearnedModel { m.settings.Statements = true; return m }

// Distances are noisy distances of the tables of pairs from those of the fitted model, in records: ‖N − M‖₁ with M, in
// whole records, of the fit.
type Distances struct {
	Pairs []PairDistance // in the order of the shape's pairs
	Noise Noise          // of a distance
	// Worst is the place, from 1, of the pair that was chosen as the worst, the only one with a distance; 0: all have one.
	// Another pair has the worst one's distance and (ln m + τ)/Rate at most, but for a probability of e^{−τ}.
	Worst int
	Rate  float64
}

// PairDistance is the noisy distance of a pair.
type PairDistance struct {
	Columns [2]string
	Noisy   int64
	Apart   float64 // ‖M − n·p‖₁ of the table M and the fit p, in records: what rounding makes
}

// Furthest is the largest Apart of a pair, 0 without distances.
func (d *Distances) Furthest() (far float64) {
	if d != nil {
		for _, p := range d.Pairs {
			far = max(far, p.Apart)
		}
	}
	return far
}

// Holds is the place among Measured of the first table with all of some columns, −1 where none was measured.
func (s *Structure) Holds(columns ...string) int {
	for at := range s.Measured {
		if s.HasAll(at, columns...) {
			return at
		}
	}
	return -1
}

// HasAll reports whether the table at a place among Measured has all of some columns.
func (s *Structure) HasAll(at int, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(s.Measured[at].Columns, c) })
}

// validStatements refuses statements of structures that have none.
func (m LearnedModel) validStatements() error {
	switch s := m.settings; {
	case !s.Statements:
		return nil
	case s.Star != "":
		return wrong(m, s.Star, "Statements of a public star", "none: its pairs are all measured")
	case s.Algorithm == Greedy:
		return wrong(m, "", "Statements", "MaxEntropy(), Tree() or Cliques(): PrivBayes is as published")
	}
	return nil
}
