package simulate

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// Level is that of the intervals.
const Level = .95

// SE is the standard error of a coverage over independent runs whose true value is the level.
func SE(runs int) float64 { return math.Sqrt(Level * (1 - Level) / float64(runs)) }

// Held is 1 where an interval holds the truth, and 0 where it does not.
func Held(lower, upper, truth float64) float64 {
	if lower <= truth && truth <= upper {
		return 1
	}
	return 0
}

// Moments are sums over replicates of a number and of its square.
type Moments struct{ N, sum, squares float64 }

// Add counts one more.
func (m *Moments) Add(x float64) { m.N, m.sum, m.squares = m.N+1, m.sum+x, m.squares+x*x }

// Mean is that of the numbers, NaN of none.
func (m Moments) Mean() float64 { return m.sum / m.N }

// SD is their standard deviation, with N in the denominator.
func (m Moments) SD() float64 {
	return math.Sqrt(math.Max(m.squares/m.N-m.sum/m.N*m.sum/m.N, 0))
}

// SE is the standard error of the mean.
func (m Moments) SE() float64 {
	return math.Sqrt(math.Max(m.squares/m.N-m.Mean()*m.Mean(), 0) / (m.N - 1))
}

// Short is a contract of chains for studies: R-hat below 1.05 and 100 effective draws, of which intervals are made by
// [Apart].
var Short = mcmc.Contract{Sweeps: 100, RHat: 1.05, ESS: 100, Naive: 399}

// Apart is the interval between order statistics of draws so far apart that they are nearly independent: as many as the
// effective sample size, at most.
func Apart(q *noiseaware.Quantity) (lower, upper float64) {
	all := slices.Concat(q.Draws()...)
	stride := max(int(math.Ceil(float64(len(all))/q.ESS)), 1)
	var few []float64
	for i := stride / 2; i < len(all); i += stride {
		few = append(few, all[i])
	}
	return Ends(few)
}

// Ends are the order statistics at p(N + 1) of the ends of an interval, between two the straight line: those of N
// independent draws cover as they say for every N. x is sorted.
func Ends(x []float64) (lower, upper float64) {
	slices.Sort(x)
	at := func(p float64) float64 {
		h := min(max(p*float64(len(x)+1)-1, 0), float64(len(x)-1))
		i := min(int(h), len(x)-2)
		return x[i] + (h-float64(i))*(x[i+1]-x[i])
	}
	return at((1 - Level) / 2), at((1 + Level) / 2)
}

// Results are the cells of a study that a run has counted. Committed ones say what wrote them.
type Results[Cell any] struct {
	Library string `json:"library,omitempty"`
	Command string `json:"command,omitempty"`
	Seed    uint64 `json:"seed"`
	Cells   []Cell `json:"cells"`
}

// Committed reads a committed file of results.
func Committed[R any](file []byte) (*R, error) {
	var r R
	return &r, json.Unmarshal(file, &r)
}
