package eval

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// grouped holds predictions with rows of equal probabilities put together. A model of few columns has few different
// predictions, however many rows there are; metrics go through these, and nothing is sorted row by row.
type grouped struct {
	classes int
	rows    int
	probs   []float64 // of every group, class by class
	counts  []float64 // of every group: its rows by true class
	slots   []int32   // a hash table: a group's place, plus 1
}

// group puts rows together whose probabilities are the same numbers. flat has those of row i from i·classes on.
func group(flat []float64, classes int, labels []int) *grouped {
	g := &grouped{classes: classes, rows: len(labels), slots: make([]int32, 1<<10)}
	for i, y := range labels {
		k := g.find(flat[i*classes : (i+1)*classes])
		g.counts[k*classes+y]++
	}
	g.slots = nil
	return g
}

// groups is how many there are.
func (g *grouped) groups() int { return len(g.probs) / g.classes }

// of are the probabilities of a group, and its rows by true class.
func (g *grouped) of(k int) (p, rows []float64) {
	return g.probs[k*g.classes : (k+1)*g.classes], g.counts[k*g.classes : (k+1)*g.classes]
}

// find is the group of a row, which may be new.
func (g *grouped) find(p []float64) int {
	for h := g.hash(p); ; h = (h + 1) & (len(g.slots) - 1) {
		k := int(g.slots[h]) - 1
		if k < 0 {
			return g.add(p, h)
		}
		if same(g.probs[k*g.classes:], p) {
			return k
		}
	}
}

func same(a, b []float64) bool {
	a = a[:len(b)]
	for j, x := range b {
		if math.Float64bits(a[j]) != math.Float64bits(x) {
			return false
		}
	}
	return true
}

func (g *grouped) hash(p []float64) int {
	h := uint64(0)
	for _, x := range p {
		h = (h ^ math.Float64bits(x)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return int(h) & (len(g.slots) - 1)
}

func (g *grouped) add(p []float64, at int) int {
	k := g.groups()
	g.probs = append(g.probs, p...)
	for range p {
		g.counts = append(g.counts, 0)
	}
	g.slots[at] = int32(k + 1)
	if 2*(k+1) > len(g.slots) {
		g.slots = make([]int32, 4*len(g.slots))
		for i := range k + 1 {
			own, _ := g.of(i)
			h := g.hash(own)
			for g.slots[h] != 0 {
				h = (h + 1) & (len(g.slots) - 1)
			}
			g.slots[h] = int32(i + 1)
		}
	}
	return k
}

// reliability is Calibration of grouped rows.
func (g *grouped) reliability(bins int) *Reliability {
	all := make([]Bin, bins)
	for k := range g.groups() {
		p, rows := g.of(k)
		best := floats.MaxIdx(p)
		b, n := &all[min(int(p[best]*float64(bins)), bins-1)], floats.Sum(rows)
		b.N += int(n)
		b.Confidence += n * p[best]
		b.Accuracy += rows[best]
	}
	r := &Reliability{N: g.rows}
	for k, b := range all {
		if b.N == 0 {
			continue
		}
		b.From, b.To = float64(k)/float64(bins), float64(k+1)/float64(bins)
		b.Confidence /= float64(b.N)
		b.Accuracy /= float64(b.N)
		r.ECE += float64(b.N) / float64(r.N) * math.Abs(b.Confidence-b.Accuracy)
		r.Bins = append(r.Bins, b)
	}
	return r
}

// macroAUC is the mean of the one-versus-rest AUCs, each with p_ij as the score of class j.
func (g *grouped) macroAUC() float64 {
	all := make([]scored, g.groups())
	sum, present := 0.0, 0.0
	for j := range g.classes {
		for k := range all {
			p, rows := g.of(k)
			all[k] = scored{p[j], rows[j], floats.Sum(rows) - rows[j]}
		}
		if a := auc(all); !math.IsNaN(a) {
			sum += a
			present++
		}
	}
	return sum / present
}
