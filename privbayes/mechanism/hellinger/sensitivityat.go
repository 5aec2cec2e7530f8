package hellinger

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Diagnostic is what the score's sensitivity is at one data set. Private: do not publish.
type Diagnostic struct {
	Local     Attained // LS(x) = max over neighbours y of H(x, y)
	LocalPlus Attained // LS⁺(x) ≥ LS(x), which also counts moves from empty cells; the pair is then at distance 1
	Global    Extremum // public
	space     *hellinger.Space
	x         []int64
}

// Attained is a sensitivity at a data set and where it comes from: the neighbours X, Y, of which X is at Distance
// records from the data.
type Attained struct {
	Value    float64 // relative error at most 1e-14
	Distance int64
	X, Y     []int64
}

// At is the sensitivity at counts x. Its result is private. Errors: *CountsError unless x holds d counts ≥ 0 of sum n.
func (h *Sensitivity) At(x []int64) (*Diagnostic, error) {
	if err := h.space.Check(x); err != nil {
		return nil, err
	}
	d := &Diagnostic{Global: h.Global(), space: h.space, x: append([]int64(nil), x...)}
	v, from, to := h.space.Local(x)
	d.Local = pair(v, 0, d.x, from, to)
	v, from, to = h.space.LocalPlus(x)
	if from >= 0 && x[from] == 0 {
		d.LocalPlus = d.Local // also where rounding made equals differ
		d.LocalPlus.Value = v
		for k, c := range x { // a record of a third cell moves to the empty one first
			if k != to && c > 0 {
				near := append([]int64(nil), x...)
				near[k]--
				near[from]++
				d.LocalPlus = pair(v, 1, near, from, to)
				break
			}
		}
	} else {
		d.LocalPlus = pair(v, 0, x, from, to)
	}
	return d, nil
}

// pair is the move from → to at x; no pair for n = 0.
func pair(v float64, dist int64, x []int64, from, to int) Attained {
	a := Attained{Value: v, Distance: dist}
	if from < 0 {
		return a
	}
	a.X, a.Y = append([]int64(nil), x...), append([]int64(nil), x...)
	a.Y[from]--
	a.Y[to]++
	return a
}

// Smooth is the smooth sensitivity at the data,
//
//	S_β(x) = max_y LS(y)·e^{−β·dist(x, y)},  β > 0,
//
// in O(1) for d = 2 and O(d²) otherwise. Errors: *dp.ParameterError unless β is finite and positive.
// Source: Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data analysis" (2007).
func (d *Diagnostic) Smooth(beta float64) (Attained, error) {
	if err := domain.Check("hellinger", "smoothing", domain.Positive("beta", beta)); err != nil {
		return Attained{}, err
	}
	a := d.space.Smooth(d.x, beta)
	return pair(a.Value, a.Distance, a.Y, a.From, a.To), nil
}

// Reciprocal is the sensitivity smoothed in its reciprocal,
//
//	S_γ(x) = max_y 1/(1/LS(y) + γ·dist(x, y)),  γ > 0,
//
// with which the exponential mechanism is private without a δ. Cost and errors are those of Smooth.
func (d *Diagnostic) Reciprocal(gamma float64) (Attained, error) {
	if err := domain.Check("hellinger", "smoothing", domain.Positive("gamma", gamma)); err != nil {
		return Attained{}, err
	}
	a := d.space.Reciprocal(d.x, gamma)
	return pair(a.Value, a.Distance, a.Y, a.From, a.To), nil
}

// Table shows the local sensitivities beside the global one.
func (d *Diagnostic) Table() *table.Table {
	t := table.New("Hellinger sensitivity at the data (private: do not publish)", "sensitivity", "value",
		"of the global", "records away")
	row := func(name string, v float64, dist any) {
		share := any(nil)
		if d.Global.Value > 0 {
			share = v / d.Global.Value
		}
		t.Add(name, v, share, dist)
	}
	row("local, LS", d.Local.Value, d.Local.Distance)
	row("local with empty cells, LS⁺", d.LocalPlus.Value, d.LocalPlus.Distance)
	row("global", d.Global.Value, hellinger.Dist(d.x, d.Global.X))
	return t.Note(fmt.Sprintf("%d cells, n = %d. Local sensitivities depend on the data: publishing them has no "+
		"privacy guarantee at any ε.", len(d.x), d.space.N()))
}

// String shows the diagnostic as text.
func (d *Diagnostic) String() string { return table.Text(d) }
