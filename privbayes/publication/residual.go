package publication

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Residual spaces. A table of columns A is a sum of parts, one for every S ⊆ A: the part S adds up to 0 along every
// column of S and is constant along the others. The part S of a table is that of its margin on S, so tables that share
// columns measure the same parts, and independent noise of one variance in all cells of a table is independent between
// parts. Least squares over all tables is then a weighted mean part by part, in closed form. Source:
// theory/publication.md §4.

// measured is a table with noise of one variance in every cell.
type measured struct {
	axes     []int // columns by their places, ascending
	levels   []int // of the axes
	counts   []float64
	variance float64
	noise    noise.Probabilities // of every measured count; nil where they are not independent
	once     bool                // one count of two is measured: see mechanism.CellNoise
}

// cells is how many a table has.
func (m measured) cells() float64 { return float64(product(m.levels)) }

// weight of a table in all of its parts: the precision of a sum of all its cells, but for a factor of the part alone.
func (m measured) weight() float64 { return 1 / (m.variance * m.cells()) }

func product(levels []int) int {
	n := 1
	for _, k := range levels {
		n *= k
	}
	return n
}

// key names a set of axes.
func key(axes []int) string {
	b := make([]byte, 0, 4*len(axes))
	for _, a := range axes {
		b = append(b, byte(a>>24), byte(a>>16), byte(a>>8), byte(a))
	}
	return string(b)
}

// subset is what a mask chooses of a list.
func subset(list []int, mask int) (out []int) {
	for i, x := range list {
		if mask>>i&1 == 1 {
			out = append(out, x)
		}
	}
	return out
}

// precisions are Σ_A weight of every set of axes that a measured table holds. With a public number of rows the empty
// set is known: +Inf.
func precisions(tables []measured, public bool) map[string]float64 {
	out := map[string]float64{}
	for _, m := range tables {
		for mask := range 1 << len(m.axes) {
			out[key(subset(m.axes, mask))] += m.weight()
		}
	}
	if public {
		out[""] = math.Inf(1)
	}
	return out
}

// spread are the variances of the noise of a reconciled cell of a table: of its distance from an equal part of the
// total, and of the total. The cell itself has the first and 1/d² of the second, d the number of cells:
//
//	(1/d²)·Σ_{S ⊆ T} Π_{i ∈ S}(k_i − 1)/P_S,  P_S = Σ_{A ⊇ S} 1/(σ_A²·Π_{i ∈ A} k_i).
func spread(axes, levels []int, p map[string]float64) (apart, total float64) {
	d := float64(product(levels))
	for mask := 1; mask < 1<<len(axes); mask++ {
		ways := 1.
		for _, k := range subset(levels, mask) {
			ways *= float64(k - 1)
		}
		apart += ways / p[key(subset(axes, mask))]
	}
	return apart / (d * d), 1 / p[""]
}

// margin is the sum of a table over the axes that a mask leaves out, the last of the others running fastest.
func margin(counts []float64, levels []int, mask int) []float64 {
	out := make([]float64, product(subset(levels, mask)))
	steps := make([]int, len(levels)) // in the margin, by one level of an axis; 0 for those that are left out
	at := 1
	for i := len(levels) - 1; i >= 0; i-- {
		if mask>>i&1 == 1 {
			steps[i], at = at, at*levels[i]
		}
	}
	place, cell := make([]int, len(levels)), 0
	for _, y := range counts {
		out[cell] += y
		for i := len(levels) - 1; i >= 0; i-- {
			if place[i]++; place[i] < levels[i] {
				cell += steps[i]
				break
			}
			cell -= steps[i] * (levels[i] - 1)
			place[i] = 0
		}
	}
	return out
}

// centre takes from a table the means along each of its axes, in place.
func centre(counts []float64, levels []int) {
	step := 1
	for i := len(levels) - 1; i >= 0; i-- {
		k := levels[i]
		for at := range counts {
			if at/step%k > 0 {
				continue
			}
			sum := 0.
			for l := range k {
				sum += counts[at+l*step]
			}
			sum /= float64(k)
			for l := range k {
				counts[at+l*step] -= sum
			}
		}
		step *= k
	}
}

// parts are the weighted means of all parts of measured tables. total is the number of rows where it is public, else
// NaN: then it is that of the tables.
func parts(tables []measured, p map[string]float64, total float64) map[string][]float64 {
	out := map[string][]float64{}
	for _, m := range tables {
		for mask := range 1 << len(m.axes) {
			of := key(subset(m.axes, mask))
			own := margin(m.counts, m.levels, mask)
			centre(own, subset(m.levels, mask))
			if out[of] == nil {
				out[of] = make([]float64, len(own))
			}
			share := m.weight() / p[of]
			for i, x := range own {
				out[of][i] += float64(share * x) // float64: no fused product, so that all processors agree
			}
		}
	}
	if !math.IsNaN(total) {
		out[""] = []float64{total}
	}
	return out
}

// sum is a table of reconciled counts: Σ_{S ⊆ T} part_S·Π_{i ∈ S} k_i/Π_{i ∈ T} k_i, each part where its cell lies.
func sum(axes, levels []int, part map[string][]float64) []float64 {
	out := make([]float64, product(levels))
	for mask := range 1 << len(axes) {
		of := part[key(subset(axes, mask))]
		scale := float64(len(of)) / float64(len(out))
		for cell := range out {
			at, rest, step := 0, cell, 1
			for i := len(levels) - 1; i >= 0; i-- {
				if mask>>i&1 == 1 {
					at, step = at+rest%levels[i]*step, step*levels[i]
				}
				rest /= levels[i]
			}
			out[cell] += float64(scale * of[at])
		}
	}
	return out
}

// reconciled are the tables that agree in all margins and the total, nearest to the measured ones in units of their
// noise.
func reconciled(tables []measured, p map[string]float64, total float64) [][]float64 {
	part := parts(tables, p, total)
	out := make([][]float64, len(tables))
	for t, m := range tables {
		out[t] = sum(m.axes, m.levels, part)
	}
	return out
}

// nonNegativeSteps is how often negative counts are moved.
const nonNegativeSteps = 200

// nonNegative are reconciled tables without a negative count, about the nearest to the measured ones: alternating
// projections on tables that agree and on counts of at least 0, with the corrections of Dykstra (1983), and at the end
// as much of equal counts as takes the rest. Agreement is kept exactly. The total of the reconciled tables must be
// above 0; without a public number of rows it may rise.
func nonNegative(tables []measured, p map[string]float64, total float64) [][]float64 {
	least := func(list [][]float64) float64 {
		lowest := 0.
		for _, x := range list {
			lowest = math.Min(lowest, slices.Min(x)*float64(len(x)))
		}
		return lowest
	}
	out := reconciled(tables, p, total)
	rows := floats.Sum(out[0])
	at := slices.Clone(tables)
	moved := make([][]float64, len(tables)) // by the last cut at 0
	for step := 0; step < nonNegativeSteps && least(out) < -1e-6*rows; step++ {
		for t, x := range out {
			before := moved[t]
			moved[t], at[t].counts = make([]float64, len(x)), make([]float64, len(x))
			for i, y := range x {
				if before != nil {
					y += before[i]
				}
				at[t].counts[i] = math.Max(y, 0)
				moved[t][i] = math.Min(y, 0)
			}
		}
		out = reconciled(at, p, total)
	}
	if low := least(out); low < 0 { // of the mean of the cells, which is total/d
		rows = floats.Sum(out[0])
		equal := low / (low - rows)
		for _, x := range out {
			for i, y := range x {
				x[i] = math.Max(float64((1-equal)*y)+equal*rows/float64(len(x)), 0)
			}
		}
	}
	return out
}

// term is a noise in an estimate: a public number times independent noises of one distribution.
type term struct {
	by    float64
	times float64
	noise noise.Probabilities
}

// terms are the noise of k reconciled cells together that differ in one axis, the only one of their table, or of one
// cell (k = 1) of any table: of a cell that lies with the wanted one along the axes of M ⊆ A ∩ T, and of none else,
//
//	(1/d)·Σ_{S ⊆ A ∩ T} (weight_A/P_S)·Π_{i ∈ S}(k_i·1[i ∈ M] − 1),
//
// without the empty S where n is public. ok is false where the noise of a table is not independent.
func terms(axes, levels []int, k int, tables []measured, p map[string]float64) (out []term, ok bool) {
	d := float64(product(levels))
	for _, m := range tables {
		if m.noise == nil {
			return nil, false
		}
		both := 0 // of the axes of T
		others := m.cells()
		for i, a := range axes {
			if slices.Contains(m.axes, a) {
				both |= 1 << i
				others /= float64(levels[i])
			}
		}
		by := func(match int) (sum float64) {
			for s := both; ; s = (s - 1) & both {
				x := m.weight() / p[key(subset(axes, s))]
				for i, l := range levels {
					switch {
					case s>>i&1 == 0:
					case match>>i&1 == 1:
						x *= float64(l - 1)
					default:
						x = -x
					}
				}
				if sum += x; s == 0 {
					return sum / d
				}
			}
		}
		unit := float64(m.noise.Unit())
		if m.once { // (z, −z), which cancels where the two cells lie alike
			halves := 0
			for i, l := range levels {
				if both>>i&1 == 1 && l == 2 {
					halves |= 1 << i
				}
			}
			out = append(out, term{(by(both) - by(both&^halves)) / unit, 1, m.noise})
			continue
		}
		if k > 1 {
			in, outside := by(both), by(0)
			out = append(out, term{(float64(float64(k-1)*outside) + in) / unit, float64(k*both) * others, m.noise},
				term{float64(k) * outside / unit, (float64(levels[0]*both+1-both) - float64(k*both)) * others, m.noise})
			continue
		}
		for match := both; ; match = (match - 1) & both {
			times := others
			for i, l := range levels {
				if (both&^match)>>i&1 == 1 {
					times *= float64(l - 1)
				}
			}
			out = append(out, term{by(match) / unit, times, m.noise})
			if match == 0 {
				break
			}
		}
	}
	return slices.DeleteFunc(out, func(t term) bool { return t.by == 0 || t.times == 0 }), true
}
