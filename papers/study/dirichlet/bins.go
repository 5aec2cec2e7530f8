package dirichlet

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Bins says how numbers become levels.
type Bins string

const (
	// Public are the edges of the public schemas: round numbers and code books, chosen without the data.
	Public Bins = "public"
	// Decile are the paper's (§5.1): every number in ten bins between the deciles of its training values, and only the
	// categories that occur. They read the data, so nothing made with them is private.
	Decile Bins = "decile"
	// Quantile are those of the published code as the theory has them: as Decile, but a column of at most 30 values has
	// a bin for every value, and values that occur often are set apart. They are not private either. See
	// frame.QuantileSplit.
	Quantile Bins = "quantile"
)

// allBins lists them.
var allBins = []Bins{Public, Decile, Quantile}

// readsData reports whether the bins are computed from the rows.
func (b Bins) readsData() bool { return b != Public }

// binner puts both parts of a split under the bins of the run.
type binner func(train, test *frame.Frame) (btrain, btest *frame.Frame, err error)

func (b Bins) binner() binner {
	return func(train, test *frame.Frame) (*frame.Frame, *frame.Frame, error) {
		switch b {
		case Decile:
			return decileSplit(train, test)
		case Quantile:
			return frame.QuantileSplit(train, test, QuantileBins)
		}
		return train, test, nil
	}
}

// decileSplit puts the numbers of both parts in the bins (q_{k−1}, q_k] of the deciles q_k of the training part, by
// linear interpolation between order statistics; equal deciles are merged, and the outermost bins are open outwards.
// Categories are those of frame.QuantileSplit.
func decileSplit(train, test *frame.Frame) (*frame.Frame, *frame.Frame, error) {
	q, _, err := frame.QuantileSplit(train, test, QuantileBins)
	if err != nil {
		return nil, nil, err
	}
	s, wide := q.Schema(), train.Schema()
	for i := range s.Columns {
		c := &s.Columns[i]
		if !c.Numeric() {
			continue
		}
		v, err := train.Values(c.Name)
		if err != nil {
			return nil, nil, err
		}
		c.Min, c.Max = wide.Columns[i].Min, wide.Columns[i].Max
		if c.Kind == frame.KindInteger { // the largest value may need a bin of its own
			c.Max++
		} else {
			c.Max = math.Nextafter(c.Max, math.Inf(1))
		}
		c.Edges, c.Description = append(append([]float64{c.Min}, decileStarts(v)...), c.Max), "deciles, computed from data"
	}
	if train, err = train.Under(s); err != nil {
		return nil, nil, err
	}
	test, err = test.Under(s)
	return train, test, err
}

// decileStarts gives the smallest value above every decile that has one, each once.
func decileStarts(values []float64) (starts []float64) {
	v := slices.DeleteFunc(slices.Sorted(slices.Values(values)), math.IsNaN)
	for k := 1; k < QuantileBins && len(v) > 0; k++ {
		place := float64(len(v)-1) * float64(k) / QuantileBins
		i := int(place)
		edge := v[i]
		if i+1 < len(v) {
			edge += (v[i+1] - v[i]) * (place - float64(i))
		}
		if at, _ := slices.BinarySearchFunc(v, edge, func(x, edge float64) int {
			if x <= edge {
				return -1
			}
			return 1
		}); at < len(v) && (len(starts) == 0 || v[at] > starts[len(starts)-1]) {
			starts = append(starts, v[at])
		}
	}
	return starts
}
