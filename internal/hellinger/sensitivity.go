package hellinger

import (
	"iter"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Local is the local sensitivity of the score −H at x and the move that attains it,
//
//	LS(x) = max_r max_{y ~ x} |H(x, r) − H(y, r)| = max_{y ~ x} H(x, y)
//	      = max_{i≠j, x_i ≥ 1} edge(α_i + x_i − 1, α_j + x_j).
//
// (The first equality is the triangle inequality, attained at r = x and r = y only.) L increases, so the two smallest
// of each argument suffice: O(d). For n = 0, where no neighbours exist, 0, −1, −1. Relative error at most 2e-15.
func (s *Space) Local(x []int64) (value float64, from, to int) {
	source, target := noLeast, noLeast
	for i, a := range s.alpha {
		if x[i] >= 1 {
			source.see(i, a+float64(x[i]-1))
		}
		target.see(i, a+float64(x[i]))
	}
	return bestMove(source, target)
}

// LocalPlus is LS without the condition that the cell a record leaves is not empty,
//
//	LS⁺(x) = max_{i≠j} edge(α_i + max(x_i − 1, 0), α_j + x_j) ≥ LS(x),
//
// with the cells that attain it; it is LS for d = 2. Unlike 1/LS, 1/LS⁺ changes by at most [Space.GammaPlus] between
// neighbours.
func (s *Space) LocalPlus(x []int64) (value float64, from, to int) {
	if s.n == 0 {
		return 0, -1, -1
	}
	source, target := noLeast, noLeast
	for i, a := range s.alpha {
		source.see(i, a+float64(max(x[i]-1, 0)))
		target.see(i, a+float64(x[i]))
	}
	return bestMove(source, target)
}

// bestMove maximises edge(p_i, q_j) over i ≠ j: the smallest p with the smallest q unless they are the same cell's,
// when one of the two takes the second.
func bestMove(source, target least) (value float64, from, to int) {
	i, j := source.at[0], target.at[0]
	switch {
	case i < 0:
		return 0, -1, -1
	case i != j:
		return edge(source.val[0], target.val[0]), i, j
	}
	value, from, to = edge(source.val[0], target.val[1]), i, target.at[1]
	if k := source.at[1]; k >= 0 {
		if v := edge(source.val[1], target.val[0]); v > value {
			value, from, to = v, k, j
		}
	}
	return value, from, to
}

// Global is the global sensitivity Δ = max_x LS(x) and neighbours x, y that attain it:
//
//	d = 2: edge(α_min, α_max + n − 1), where every record but one lies in the cell with the larger α;
//	d ≥ 3: edge(α_(1), α_(2)) of the two smallest α, for every n ≥ 1: the other records lie in a third cell.
//
// For n = 0 it is 0, and x = y.
func (s *Space) Global() (value float64, x, y []int64) {
	x, y = make([]int64, len(s.alpha)), make([]int64, len(s.alpha))
	if s.n == 0 {
		return 0, x, y
	}
	i, j := s.low[0], s.low[1]
	if len(s.alpha) == 2 {
		x[j], y[i], y[j] = s.n, 1, s.n-1
		return s.ends[i], x, y
	}
	x[i], y[j] = 1, 1
	if k := s.third(i, j); s.n > 1 {
		x[k], y[k] = s.n-1, s.n-1
	}
	return edge(s.alpha[i], s.alpha[j]), x, y
}

// GlobalUpper is a number that is surely not below the exact global sensitivity: the upper end of
// [Space.GlobalEnclosure].
func (s *Space) GlobalUpper() float64 { return s.GlobalEnclosure().Hi }

// GlobalEnclosure encloses the exact global sensitivity, relative width at most 1e-13.
func (s *Space) GlobalEnclosure() num.Interval {
	if s.n == 0 {
		return num.Point(0)
	}
	p, q := s.alpha[s.low[0]], s.alpha[s.low[1]]
	if len(s.alpha) > 2 {
		return num.HellingerEdgeEnclosure(p, q)
	}
	at := num.Point(q).Add(num.Point(float64(s.n - 1)))
	// edge decreases
	return num.Interval{Lo: num.HellingerEdgeEnclosure(p, at.Hi).Lo, Hi: num.HellingerEdgeEnclosure(p, at.Lo).Hi}
}

// third is the first cell that is neither i nor j; −1 for d = 2.
func (s *Space) third(i, j int) int {
	for k := range min(3, len(s.alpha)) {
		if k != i && k != j {
			return k
		}
	}
	return -1
}

// Rho is the factor of the exponential mechanism's privacy: with S ≥ LS and |1/S(x) − 1/S(y)| ≤ γ for neighbours, and
// distances at most D, the log-ratios of P[r] ∝ exp(−κ·H(x, r)/S(x)) span at most κ·ρ, and the mechanism is κρ-DP,
//
//	ρ(γ, D) = min(2 + γD, 1 + √(1 + 2γ²)),
//
// rounded up. γ ≥ 0, 0 ≤ D ≤ 1; NaN otherwise.
func Rho(gamma, diameter float64) float64 {
	if !(gamma >= 0 && diameter >= 0 && diameter <= 1) {
		return math.NaN()
	}
	root := num.Up(1 + num.Up(math.Sqrt(num.Up(1+2*num.Up(gamma*gamma)))))
	if gamma == 0 {
		return 2
	}
	return math.Min(num.Up(2+num.Up(gamma*diameter)), root)
}

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

// The definitions, by visiting everything: what the rules are tested and certified against. The cost is the number of
// data sets, [Space.Size], times what is said.

// Compositions yields all x ∈ ℕ^d with Σx = n, in lexicographic order. The slice is reused; copy it to keep it.
func Compositions(n int64, d int) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		x := make([]int64, d)
		x[d-1] = n
		for {
			if !yield(x) {
				return
			}
			// Take one record from the last cell that is not empty and give it, with the rest back at the end, to the
			// cell before.
			k := d - 1
			for k > 0 && x[k] == 0 {
				k--
			}
			if k == 0 {
				return
			}
			rest := x[k] - 1
			x[k] = 0
			x[k-1]++
			x[d-1] = rest
		}
	}
}

// Neighbours yields the moves from x, x itself being changed to the neighbour while it is yielded: all i ≠ j with x_i ≥
// 1.
func Neighbours(x []int64) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for i := range x {
			if x[i] == 0 {
				continue
			}
			for j := range x {
				if i == j {
					continue
				}
				x[i]--
				x[j]++
				more := yield(i, j)
				x[i]++
				x[j]--
				if !more {
					return
				}
			}
		}
	}
}

// LocalBrute is LS(x) as the largest distance from x to a neighbour; O(d²).
func (s *Space) LocalBrute(x []int64) float64 {
	y, worst := append([]int64(nil), x...), 0.0
	for range Neighbours(y) {
		worst = math.Max(worst, s.Distance(x, y))
	}
	return worst
}

// SmoothBrute is S_β(x) by its definition; O(d²) a data set.
func (s *Space) SmoothBrute(x []int64, beta float64) float64 { return s.maximiseBrute(x, smooth(beta)) }

// ReciprocalBrute is S_γ(x) by its definition; O(d²) a data set.
func (s *Space) ReciprocalBrute(x []int64, gamma float64) float64 {
	return s.maximiseBrute(x, reciprocal(gamma))
}

func (s *Space) maximiseBrute(x []int64, o objective) float64 {
	best := 0.0
	for y := range Compositions(s.n, len(x)) {
		if h := s.LocalBrute(y); h > 0 {
			best = math.Max(best, o.value(h, float64(Dist(x, y))))
		}
	}
	return best
}

// Dist is dist(x, y) = ½‖x − y‖₁, the number of records to replace.
func Dist(x, y []int64) int64 {
	var k int64
	for i := range x {
		k += max(x[i]-y[i], 0)
	}
	return k
}
