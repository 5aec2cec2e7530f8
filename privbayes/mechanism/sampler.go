package mechanism

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Private is the private statistics of a data set, as a sampler reads them. Only [Plan.Draw] hands one out, to the
// sampler of that plan and after the statistics were found to be of its shape: whoever writes a mechanism reads them in
// its Draw, and nowhere else.
type Private struct {
	st  *model.Statistics
	key access.Key
}

// Open makes statistics readable; the key keeps it inside this module, and without it nothing is there to read.
func Open(key access.Key, st *model.Statistics) Private { return Private{st, key} }

// Tables are the count tables, laid out as the shape's Tables. They must not be changed.
func (p Private) Tables() [][]int64 { return p.st.Open(p.key) }

// Sums are the sums of a model without count tables, in the order of the shape's Sums.
func (p Private) Sums() []float64 { return p.st.OpenSums(p.key) }

// Whole are the integer sums of a model with a Lattice, in the order of its form; nil where none were counted.
func (p Private) Whole() []int64 { return p.st.OpenWhole(p.key) }

// Margin counts the table of some columns of the rows behind the tables: see model.Statistics.OpenMargin.
func (p Private) Margin(columns ...string) ([]int64, error) {
	return p.st.OpenMargin(p.key, columns...)
}

// Moments are the exact second moments of a linear regression: see model.Statistics.OpenMoments.
func (p Private) Moments() []num.Int128 { return p.st.OpenMoments(p.key) }

// Rows is the number of rows summed; it may be private.
func (p Private) Rows() int { return p.st.Rows(p.key) }

// Output are what was drawn: integers or real numbers.
type Output struct {
	Raw  [][]int64   `json:"raw,omitempty"`  // integers: the measured cells of each table
	Real [][]float64 `json:"real,omitempty"` // real numbers: what they are is the mechanism's to say

	Rounds []Round `json:"rounds,omitempty"` // of learned structures, after Raw: what was chosen, and its table
}

// Round is one round of a mechanism that chooses what to measure, as it may be published.
type Round struct {
	Chosen []int   `json:"chosen,omitempty"` // places of the columns among those of the model; none: the table was given
	Stop   bool    `json:"stop,omitempty"`   // nothing was worth choosing
	Counts []int64 `json:"counts"`           // of the table that was measured, with noise
}

// Drawing says which numbers a plan draws.
type Drawing int

// The kinds of numbers. What is drawn as Reals, in floating point, has ideal arithmetic.
const (
	Integers Drawing = iota
	Reals
	// LatticeReals are real numbers by name: integers drawn as such, after a rounding that the certified sensitivity
	// covers.
	LatticeReals
)

// Sampler is the private side of a mechanism: what it measures, and what anyone may make of the measurements.
type Sampler interface {
	// Draw reads the private statistics once. It fails only for reasons that do not depend on the data, or when ctx
	// ends.
	Draw(ctx context.Context, data Private, src *dp.Stream) (Output, error)
	// Estimate is the public post-processing of what was drawn, here or in a file. ctx ends it.
	Estimate(ctx context.Context, drawn Output) (model.Estimate, error)
}

// Fitter is a sampler whose post-processing takes many steps, so that where it ends depends on the machine. It says
// where (model.Estimate.Potentials), and makes the estimate of that place: potentials that are none where a fit may end
// are refused.
type Fitter interface {
	EstimateAt(ctx context.Context, drawn Output, potentials [][]float64) (model.Estimate, error)
}

// Filer is a sampler whose release files hold another estimate than the one that people see: files stay as they were
// when what is shown is mended. Both are functions of what was drawn.
type Filer interface {
	Filed(ctx context.Context, drawn Output) (e model.Estimate, ok bool)
}

// Lawful is a sampler whose outputs are, for some shapes, a short list: it visits every value that may be released of
// given tables, with its probability; ok is false where the list is too long. What is visited is overwritten by the
// next visit.
type Lawful interface {
	OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool)
}

// Measured says how the raw integers of a release come from the tables of its model, for those who infer the tables
// from them: every cell plus noise, table by table, or parities of the records.
type Measured struct {
	Tables   []noise.Distribution // of the noise on each table's cells, a list of integers for each table
	Parities *ParityNoise         // in their place: one list of integers
}

// ParityNoise is noise on the coefficients φ_γ of a spectrum but the first: integer i is (n − φ_{i+1})/2 plus noise,
// or, where Step > 0, φ_{i+1}/Step rounded, plus noise.
type ParityNoise struct {
	Noise    noise.Distribution
	Spectrum *parity.Spectrum // over the nodes of the model's graph, or its columns
	Step     float64
}
