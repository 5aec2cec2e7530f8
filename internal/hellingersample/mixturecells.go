package hellingersample

import (
	"math"
	"sort"
)

// window is cell i on the candidates that some N ≥ 1 needs: cost[k] = −ln BC_i(from + k) ≤ A + 60, at is the place of
// x_i.
type window struct {
	from int64
	at   int
	cost []float64
}

func (p *problem) windows() []window {
	limit := p.a + negligible
	out := make([]window, p.dim())
	for i, x := range p.x {
		walk := func(step, end int64) (costs []float64) {
			for v := x; v != end; {
				v += step
				c := -logBC(p.alpha[i], x, v)
				if c > limit {
					break
				}
				costs = append(costs, c)
			}
			return costs
		}
		down, up := walk(-1, 0), walk(1, p.n)
		w := window{from: x - int64(len(down)), at: len(down), cost: make([]float64, 0, len(down)+1+len(up))}
		for k := len(down) - 1; k >= 0; k-- {
			w.cost = append(w.cost, down[k])
		}
		w.cost = append(append(w.cost, 0), up...)
		out[i] = w
	}
	return out
}

// span is the part [lo, hi) of the window with N·cost ≤ A + 60. Costs grow away from x.
func (w *window) span(limit float64) (lo, hi int) {
	lo = w.at - sort.Search(w.at, func(k int) bool { return w.cost[w.at-k-1] > limit })
	hi = w.at + 1 + sort.Search(len(w.cost)-w.at-1, func(k int) bool { return w.cost[w.at+1+k] > limit })
	return lo, hi
}

// logs fills out with ln t(r) = −N·cost + (r − x)·tilt on the span, and gives the largest.
func (w *window) logs(n, tilt float64, lo, hi int, out []float64) float64 {
	top := 0.0 // at x
	for k, c := range w.cost[lo:hi] {
		out[k] = float64(lo+k-w.at)*tilt - n*c
		top = math.Max(top, out[k])
	}
	return top
}

// evaluator finds tilts and normalisers block by block. Tilts are carried from block to block.
type evaluator struct {
	*problem
	cells []window
	spans [][2]int
	tilt  float64
	room  float64 // of |tilt|
	logs  []float64
}

func newEvaluator(p *problem, cells []window) *evaluator {
	longest := 0
	for i := range cells {
		longest = max(longest, len(cells[i].cost))
	}
	room := (tiltPerCell*float64(p.dim()) + tiltRoom) / float64(p.n)
	return &evaluator{problem: p, cells: cells, spans: make([][2]int, len(cells)), room: room,
		logs: make([]float64, longest)}
}

// moments are ln S, max ln t, mean of r − x and variance of one cell.
type moments struct{ logS, top, mean, variance float64 }

func (e *evaluator) cell(i int, n, tilt float64) moments {
	w, lo, hi := &e.cells[i], e.spans[i][0], e.spans[i][1]
	logs := e.logs[:hi-lo]
	top := w.logs(n, tilt, lo, hi, logs)
	var total kahan
	first, second := 0.0, 0.0
	for k, l := range logs {
		p, t := math.Exp(l-top), float64(lo+k-w.at)
		total.add(p)
		first += p * t
		second += p * t * t
	}
	mean := first / total.sum
	return moments{top + math.Log(total.sum), top, mean, math.Max(second/total.sum-mean*mean, 0)}
}

// settle finds a tilt for N = n by Newton's method, to a tenth of a standard deviation of the sum; any tilt gives the
// right law. It gives ln M and an estimate of the share of proposals that hit n and are kept.
func (e *evaluator) settle(n float64, tilt *float64, rest *int) (logM, share float64) {
	limit := (e.a + negligible) / n
	for i := range e.cells {
		lo, hi := e.cells[i].span(limit)
		e.spans[i] = [2]int{lo, hi}
	}
	best, bestOff := 0.0, math.Inf(1)
	at := e.tilt
	for range maxTiltIterations {
		mean, variance, tops := 0.0, 0.0, 0.0
		for i := range e.cells {
			c := e.cell(i, n, at)
			mean, variance, tops = mean+c.mean, variance+c.variance, tops+c.top
		}
		off := math.Abs(mean) / math.Sqrt(variance+1e-300)
		if off < bestOff && tops <= tiltRoom {
			best, bestOff = at, off
		}
		if off < 0.1 || variance < 1e-6 {
			break
		}
		at = math.Min(math.Max(at-mean/variance, -e.room), e.room)
	}
	e.tilt, *tilt = best, best
	return e.normalise(n, rest)
}

// normalise chooses the cell that is not drawn, the one with the largest S/max t, and adds up the others' ln S.
func (e *evaluator) normalise(n float64, rest *int) (logM, share float64) {
	var plus, minus kahan
	widest, gain := moments{}, -1.0
	variance, mean := 0.0, 0.0
	for i := range e.cells {
		c := e.cell(i, n, e.tilt)
		plus.add(math.Max(c.logS, 0))
		minus.add(math.Max(-c.logS, 0))
		variance, mean = variance+c.variance, mean+c.mean
		if g := c.logS - c.top; g > gain {
			widest, gain, *rest = c, g, i
		}
	}
	logM = plus.sum - minus.sum - widest.logS + widest.top
	share = math.Exp(gain-mean*mean/(2*variance+1e-300)) / math.Sqrt(2*math.Pi*variance+1)
	return logM, math.Min(share, 1)
}
