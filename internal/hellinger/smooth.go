package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Attained is the maximum over data sets y of a function of LS(y) and dist(x, y), with what attains it.
type Attained struct {
	Value    float64 // the maximum
	Edge     float64 // LS(Y), the distance that the move covers
	Distance int64   // dist(x, Y)
	Y        []int64
	From, To int // the move from Y; −1 for n = 0, where there is none
}

// Smooth is the smooth sensitivity
//
//	S_β(x) = max_y LS(y)·e^{−β·dist(x, y)},  β ≥ 0,
//
// which is at least LS and satisfies S(x) ≤ e^β·S(y) for neighbours. By Theorem S it is the largest h·e^{−β·dist} over
// the candidates (dist, h)
//
//	(0, LS(x)),
//	d = 2, x = (k, n−k): (max(k−1, 0), edge(a, b+n−1)), (max(n−1−k, 0), edge(a+n−1, b)),
//	d ≥ 3: (x_j − 1, edge(min_{i≠j}(α_i+x_i), α_j)) for x_j ≥ 1,
//	       (x_i + x_j − 1, edge(α_i, α_j)) for i < j, with distance 1 when both cells are empty,
//
// because 1/√(1 − C·g(p)) is concave and ln(1 − C·g(p)) convex in p: an edge {z + e_i, z + e_j} reaches the maximum
// with z_i and z_j each 0 or as in x. O(1) for d = 2; for d ≥ 3 O(d) and a few operations for each pair of cells that
// are not empty. Relative error at most 1e-14. 0 for n = 0.
//
// Source for the definition: Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data
// analysis" (2007).
func (s *Space) Smooth(x []int64, beta float64) Attained { return s.maximise(x, smooth(beta)) }

// Reciprocal is the sensitivity smoothed in its reciprocal,
//
//	S_γ(x) = max_y 1/(1/LS(y) + γ·dist(x, y)),  γ ≥ 0,
//
// which is at least LS and makes 1/S change by at most γ between neighbours. Candidates, cost and error are those of
// [Space.Smooth].
func (s *Space) Reciprocal(x []int64, gamma float64) Attained {
	return s.maximise(x, reciprocal(gamma))
}

// maximise takes the best of the candidates of Theorem S. They are compared by squared edges, for which 1 − g_i·g_j =
// v_i + g_i·v_j with v = 1 − g needs no special function and cancels nothing; the winner is evaluated anew.
func (s *Space) maximise(x []int64, o objective) Attained {
	h, from, to := s.Local(x)
	best := Attained{Edge: h, From: from, To: to, Y: append([]int64(nil), x...)}
	if from < 0 {
		return best
	}
	best.Value = o.value(h, 0)
	if len(x) == 2 {
		s.corners(x, o, &best)
		return best
	}
	if c := s.search(x, o, best.Value); c.found {
		s.settle(x, o, c, &best)
	}
	return best
}

// corners is the case d = 2, where the candidates are the two ends.
func (s *Space) corners(x []int64, o objective, best *Attained) {
	for i, h := range s.ends {
		k := max(x[i]-1, 0)
		v := o.value(h, float64(k))
		if v <= best.Value {
			continue
		}
		*best = Attained{Value: v, Edge: h, Distance: k, Y: []int64{x[0], x[1]}, From: 1 - i, To: i}
		if x[i] > 0 {
			best.Y[i], best.Y[1-i] = 1, s.n-1
			best.From, best.To = i, 1-i
		}
	}
}

// candidate is an edge between cells i and j at the data set nearest to x where cell j is emptied, and cell i too if
// both.
type candidate struct {
	i, j        int
	both, found bool
}

// search finds the candidate that beats best by most, for d ≥ 3. A pair of an empty and another cell needs no look: the
// empty one competes for min_{i≠j}(α_i + x_i).
func (s *Space) search(x []int64, o objective, best float64) (c candidate) {
	target, empty := noLeast, noLeast
	full := 0
	for i, a := range s.alpha {
		target.see(i, a+float64(x[i]))
		if x[i] == 0 {
			empty.see(i, a)
		} else {
			full++
		}
	}
	var v, g [2]float64 // 1 − g(c) and g(c) of the two smallest c = α + x
	for k, q := range target.val {
		l := num.LogGammaHalfRatio(q)
		v[k], g[k] = -math.Expm1(l), math.Exp(l)
	}
	room := make([]float64, 4*full)
	r := row{v: room[:0:full], g: room[full : full : 2*full], x: room[2*full : 2*full : 3*full],
		w: room[3*full : 3*full]}
	at := make([]int, 0, full)
	vMax, xMin := 0.0, math.Inf(1)
	for j, k := range x {
		if k == 0 {
			continue
		}
		m := 0
		if target.at[0] == j {
			m = 1
		}
		count := float64(k)
		if val := o.value(math.Sqrt(v[m]+g[m]*s.v[j]), count-1); val > best {
			best, c = val, candidate{i: target.at[m], j: j, found: true}
		}
		at, r.v, r.g, r.x, r.w = append(at, j), append(r.v, s.v[j]), append(r.g, s.g[j]), append(r.x, count),
			append(r.w, o.weight(count))
		vMax, xMin = math.Max(vMax, s.v[j]), math.Min(xMin, count)
	}
	if i, j := empty.at[0], empty.at[1]; j >= 0 {
		if val := o.value(math.Sqrt(s.v[i]+s.g[i]*s.v[j]), 1); val > best {
			best, c = val, candidate{i: i, j: j, both: true, found: true}
		}
	}
	for i := range at {
		if o.value(math.Sqrt(r.v[i]+r.g[i]*vMax), r.x[i]+xMin-1) <= best {
			continue // no partner can be good enough
		}
		if j := o.partner(&r, i, best); j >= 0 {
			best = o.value(math.Sqrt(r.v[i]+r.g[i]*r.v[j]), r.x[i]+r.x[j]-1)
			c = candidate{i: at[i], j: at[j], both: true, found: true}
		}
	}
	return c
}

// settle evaluates a candidate and builds the data set that attains it: what leaves cells i and j goes to a third.
func (s *Space) settle(x []int64, o objective, c candidate, best *Attained) {
	a := Attained{Y: best.Y, From: c.j, To: c.i}
	k := s.third(c.i, c.j)
	switch {
	case !c.both:
		a.Edge, a.Distance = edge(s.alpha[c.i]+float64(x[c.i]), s.alpha[c.j]), x[c.j]-1
	case x[c.i] == 0: // both are empty: one record moves in
		a.Edge, a.Distance = edge(s.alpha[c.i], s.alpha[c.j]), 1
		for k = 0; x[k] == 0; k++ {
		}
	default:
		a.Edge, a.Distance = edge(s.alpha[c.i], s.alpha[c.j]), x[c.i]+x[c.j]-1
	}
	if a.Value = o.value(a.Edge, float64(a.Distance)); a.Value <= best.Value {
		return
	}
	a.Y[c.j] = 1
	if c.both {
		a.Y[c.i] = 0
	}
	if c.both && x[c.i] == 0 {
		a.Y[k]--
	} else {
		a.Y[k] += a.Distance
	}
	*best = a
}
