package mechanism

import "github.com/privbayes/privbayes-go/privbayes/mechanism/noise"

// CellNoise is the noise of the cells of one count table: of every cell the same.
type CellNoise struct {
	// Variance, in squared records, is that of independent noise that has the covariance of the counts once they are
	// moved to a public total. Of a table of two cells of which one is counted it is twice that of the count.
	Variance float64
	// Distribution is that of the noise of every count that was measured, independent of the others; nil where the counts
	// of a table depend on each other.
	Distribution noise.Probabilities
	Once         bool // one count of two is measured, the other is n less it
}

// celled is a sampler that counts every row in one cell of each table of its shape, with noise.
type celled interface {
	CellNoise() []CellNoise
}

// CellNoise is the noise of each table of the shape, for those who combine tables of several releases; ok is false for
// plans that release anything else. It reads no data.
func (p *Plan) CellNoise() (tables []CellNoise, ok bool) {
	s, ok := p.spec.Sampler.(celled)
	if ok {
		tables = s.CellNoise()
	}
	return tables, len(tables) > 0
}
