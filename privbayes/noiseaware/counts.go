package noiseaware

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// window is a law on consecutive integers lo, lo+1, …; probabilities outside are 0.
type window struct {
	lo int
	p  []float64
}

func (w window) hi() int { return w.lo + len(w.p) - 1 }

func (w window) at(f int) float64 {
	if i := f - w.lo; i >= 0 && i < len(w.p) {
		return w.p[i]
	}
	return 0
}

// all lists the integers with their probabilities.
func (w window) all() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i, p := range w.p {
			if !yield(w.lo+i, p) {
				return
			}
		}
	}
}

// tailCut is the probability left out at each end of a law at first.
const tailCut = 1e-25

// trim cuts both tails, of probability at most tailCut each.
func (w window) trim() window { return w.trimTo(tailCut) }

// trimTo cuts both tails, of probability at most cut each.
func (w window) trimTo(cut float64) window {
	lo, hi, below, above := 0, len(w.p)-1, 0.0, 0.0
	for lo < hi && below+w.p[lo] <= cut {
		below += w.p[lo]
		lo++
	}
	for hi > lo && above+w.p[hi] <= cut {
		above += w.p[hi]
		hi--
	}
	return window{w.lo + lo, w.p[lo : hi+1]}
}

// sums are independent counts f_i with weights w_i, and the law of their total. Conditioned on the total, which is all
// that is ever asked, the counts have the same law under w_i(f)·e^{τf} for every τ. τ is chosen so that the mean of the
// total is near the wanted one: then what is asked for near it is in no far tail, plain probabilities lose no digit,
// and cutting tails is harmless there. All terms are positive.
type sums struct {
	tilt        float64
	cells       []window
	first, last []window // first[k]: total of cells 0 … k−1; last[k]: total of cells k …
	top         int      // totals above it are not asked for
	cut, cuts   float64  // probability left out at an end of a law, and in all, under the tilted law
}

// newSums takes log-weights of f = 0, 1, … per cell. Errors: that of the effort.
func newSums(logw [][]float64, target, top int, cut float64, e *effort) (*sums, error) {
	s := &sums{tilt: findTilt(logw, target, e), top: top, cut: cut}
	for _, l := range logw {
		s.cells = append(s.cells, tilted(l, s.tilt, cut, e).trimTo(cut))
	}
	if err := e.failed(); err != nil {
		return nil, err
	}
	d, one := len(logw), window{0, []float64{1}}
	s.cuts = float64(6*d) * cut // two tails of every cell and of every partial total
	s.first, s.last = make([]window, d+1), make([]window, d+1)
	s.first[0], s.last[d] = one, one
	if err := e.needs(s.leastWork()); err != nil {
		return nil, err
	}
	for k := range d {
		s.first[k+1] = s.add(s.first[k], s.cells[k], e)
	}
	for k := d - 1; k >= 0; k-- {
		s.last[k] = s.add(s.last[k+1], s.cells[k], e)
	}
	return s, e.failed()
}

// leastWork is about how many products the convolutions will form, and rather fewer, before any is: a partial total is
// taken to reach 20 standard deviations in all, as a normal law does with tails of 1e-25, or as far as the widest
// count.
func (s *sums) leastWork() (work float64) {
	most := float64(s.top + 1)
	pass := func(cells []window) {
		variance, width, widest := 0.0, 0.0, 0.0
		for _, c := range cells {
			_, v := c.moments()
			reach := math.Max(20*math.Sqrt(variance), widest)
			work += 2 * math.Min(math.Min(width, most), reach) * float64(len(c.p))
			variance, width, widest = variance+v, width+float64(len(c.p)), math.Max(widest, float64(len(c.p)))
		}
	}
	pass(s.cells)
	backwards := slices.Clone(s.cells)
	slices.Reverse(backwards)
	pass(backwards)
	return work
}

func (s *sums) add(a, b window, e *effort) window {
	e.spend(float64(len(a.p)) * float64(len(b.p))) // the marginals will take as much again
	return convolve(a, b, 0, s.top, e).trimTo(s.cut)
}

// tilted is w(f)·e^{τf}, normalised. Terms below 1e-12·cut of the largest are 0: 1e8 of them weigh less than cut.
func tilted(logw []float64, tau, cut float64, e *effort) window {
	best, least := math.Inf(-1), math.Log(cut)-28
	for f, l := range logw {
		best = max(best, l+tau*float64(f))
	}
	w, sum := window{0, make([]float64, len(logw))}, 0.0
	for f, l := range logw {
		if f%often == 0 && !e.spend(perTilted*float64(min(often, len(logw)-f))) {
			return window{0, []float64{1}}
		}
		if u := l + tau*float64(f) - best; u > least {
			w.p[f] = math.Exp(u)
			sum += w.p[f]
		}
	}
	for f := range w.p {
		w.p[f] /= sum
	}
	return w
}

// findTilt finds τ with |Σ E f_i − target| within half a standard deviation and half a record: Newton's method in a
// bracket.
func findTilt(logw [][]float64, target int, e *effort) float64 {
	lo, hi, tau := math.Inf(-1), math.Inf(1), 0.0
	for range 200 {
		mean, variance := 0.0, 0.0
		for _, l := range logw {
			m, v := tilted(l, tau, tailCut, e).moments()
			mean, variance = mean+m, variance+v
		}
		if e.failed() != nil {
			break
		}
		off := mean - float64(target)
		if math.Abs(off) <= 0.5*math.Sqrt(variance)+0.5 {
			break
		}
		if off > 0 {
			hi = tau
		} else {
			lo = tau
		}
		next := tau - off/variance
		switch reach := 1 + 2*math.Abs(tau); {
		case next > lo && next < hi && math.Abs(next-tau) <= reach:
		case math.IsInf(lo, -1):
			next = tau - reach
		case math.IsInf(hi, 1):
			next = tau + reach
		default:
			next = (lo + hi) / 2
		}
		tau = next
	}
	return tau
}

func (w window) moments() (mean, variance float64) {
	for i, p := range w.p {
		mean += float64(i) * p
	}
	for i, p := range w.p {
		u := float64(i) - mean
		variance += u * u * p
	}
	return float64(w.lo) + mean, variance
}

// convolve is the law of a sum, between lo and hi.
func convolve(a, b window, lo, hi int, e *effort) window {
	lo, hi = max(lo, a.lo+b.lo), min(hi, a.hi()+b.hi())
	if hi < lo {
		return window{lo, []float64{0}}
	}
	if len(a.p) > len(b.p) {
		a, b = b, a
	}
	out := window{lo, make([]float64, hi-lo+1)}
	for i, p := range a.p {
		if p == 0 {
			continue
		}
		shift := a.lo + i + b.lo // where b's first term goes
		from, to := max(0, lo-shift), min(len(b.p), hi-shift+1)
		if from >= to {
			continue
		}
		if !e.spend(float64(to - from)) {
			break
		}
		o := out.p[shift+from-lo:]
		for j, q := range b.p[from:to] {
			o[j] += p * q
		}
	}
	return out
}

// total is the law of the total under the tilt.
func (s *sums) total() window { return s.last[0] }

// logTotal is the logarithm of Σ over f with total N of ∏ w_i(f_i), up to a constant, from below and from above: what
// tails were cut lies between.
func (s *sums) logTotal(n int) (lower, upper float64) {
	p := s.total().at(n)
	return math.Log(p) - s.tilt*float64(n), math.Log(p+s.cuts) - s.tilt*float64(n)
}

// short is the largest share of the upper bound that the lower one may miss, at total N: 0 ≤ 1 − lower/upper. It bounds
// the total variation error of every law given N, too.
func (s *sums) short(n int) float64 { return s.cuts / (s.total().at(n) + s.cuts) }

// others is the law of the total of all cells but i, between lo and hi.
func (s *sums) others(i, lo, hi int, e *effort) window {
	return convolve(s.first[i], s.last[i+1], lo, hi, e)
}

// logUrn is log N!/Γ(A+N): what turns ∏ Γ(α_i+f_i)/f_i! into the Dirichlet-multinomial law of counts with total N, up
// to a constant.
func logUrn(total float64, n int) float64 {
	return -num.LogGammaDiff(float64(n)+1, total-1)
}

// impossible is the logarithm of the probability below which noise does not reach, of all that is looked at together.
var impossible = math.Log(1e-30)

// noisyTable are the noisy numbers of a table, in steps of the noise's lattice; cells beyond them were not measured.
type noisyTable struct {
	name string
	y    []int64
	all  bool // every cell was measured
	law  noise.Probabilities

	columns []string // of the table
	ends    []end    // of each number, where some are no plain ones
}

// end says how a number was cut.
type end uint8

const (
	uncut    end = iota
	atLow        // f + Z ≤ y
	atHigh       // f + Z ≥ y
	silenced     // not measured
)

// bound is what is known of one count: between lo and hi, with the table that said so, or −1, and its noisy number.
type bound struct {
	lo, hi         float64
	below, above   int
	yBelow, yAbove float64
}

// evidence are bounds of the counts of margins: of every table whole, of its columns, of what it shares with another,
// and of all records.
type evidence struct {
	d      *bayesnet.DAG
	n      int64
	tables []noisyTable
	vars   [][]int // of every table
	logp   float64
	margin map[string][]bound
}

// explained refuses noisy numbers that no tables explain. Every sum of a table's counts over a margin lies within the
// noise's reach of the sum of its noisy numbers, but for a chance that is 1e-30 over all sums together; so they must
// leave something between 0 and n, and between what different tables say. n < 0 is latent. Errors: *EvidenceError, the
// context's.
func explained(ctx context.Context, d *bayesnet.DAG, n int64, tables []noisyTable) error {
	e := &evidence{d: d, n: n, tables: tables, margin: map[string][]bound{}}
	for _, t := range tables {
		var vars []int
		for _, c := range t.columns {
			v, _ := d.Index(c)
			vars = append(vars, v)
		}
		e.vars = append(e.vars, vars)
	}
	looked, sets := 0.0, make([][][]int, len(tables))
	for t := range tables {
		sets[t] = e.sets(t)
		for _, set := range sets[t] {
			looked += float64(e.cells(set))
		}
	}
	e.logp = impossible - math.Log(max(looked, 1))
	for t := range tables {
		for _, set := range sets[t] {
			if err := e.add(ctx, t, set); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *evidence) cells(set []int) int {
	out := 1
	for _, v := range set {
		out *= e.d.Arity(v)
	}
	return out
}

// sets are the margins of a table that are looked at, each ascending.
func (e *evidence) sets(t int) [][]int {
	var out [][]int
	seen := map[string]bool{}
	put := func(set []int) {
		slices.Sort(set)
		if key := fmt.Sprint(set); !seen[key] {
			seen[key], out = true, append(out, set)
		}
	}
	put(slices.Clone(e.vars[t])) // cells first: they say best what is wrong
	put(nil)
	for _, v := range e.vars[t] {
		put([]int{v})
	}
	for s := range e.tables {
		var both []int
		for _, v := range e.vars[t] {
			if slices.Contains(e.vars[s], v) {
				both = append(both, v)
			}
		}
		put(both)
	}
	return out
}

// sum is what a margin's cell is made of: numbers that bound it from above, and from below.
type sum struct {
	cells, up, down int
	upper, lower    float64
	open            bool // nothing bounds it from above
}

// add takes in what a table says of a margin.
func (e *evidence) add(ctx context.Context, t int, set []int) error {
	table, vars := &e.tables[t], e.vars[t]
	sums, stride := make([]sum, e.cells(set)), make([]int, len(vars))
	at := 1
	for _, v := range slices.Backward(set) {
		stride[slices.Index(vars, v)] = at
		at *= e.d.Arity(v)
	}
	unit := float64(table.law.Unit())
	for c := range e.cells(vars) {
		if c%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := 0
		for i, rest := len(vars)-1, c; i >= 0; i-- {
			at += rest % e.d.Arity(vars[i]) * stride[i]
			rest /= e.d.Arity(vars[i])
		}
		s, how, y := &sums[at], silenced, 0.0
		if c < len(table.y) {
			how, y = uncut, float64(table.y[c])/unit
			if table.ends != nil {
				how = table.ends[c]
			}
		}
		s.cells++
		if how == uncut || how == atLow {
			s.upper, s.up = s.upper+y, s.up+1
		} else {
			s.open = true
		}
		if how == uncut || how == atHigh {
			s.lower, s.down = s.lower+y, s.down+1
		}
	}
	key := fmt.Sprint(set)
	known := e.margin[key]
	if known == nil {
		known = make([]bound, len(sums))
		for c := range known {
			known[c] = bound{lo: 0, hi: math.Inf(1), below: -1, above: -1}
			if e.n >= 0 {
				known[c].hi = float64(e.n)
				if len(set) == 0 {
					known[c].lo = float64(e.n)
				}
			}
		}
		e.margin[key] = known
	}
	reached := map[int]float64{}
	far := func(m, cells int) float64 {
		r, ok := reached[m]
		if !ok {
			logp := e.logp
			if table.ends != nil { // which numbers were cut depends on the noise: for every choice of them
				logp -= float64(cells) * math.Ln2
			}
			r = noise.Reach(table.law, m, logp) / unit
			reached[m] = r
		}
		return r
	}
	for c, s := range sums {
		b := &known[c]
		if hi := s.upper + far(s.up, s.cells); !s.open && hi < b.hi {
			b.hi, b.above, b.yAbove = hi, t, s.upper
		}
		if lo := s.lower - far(s.down, s.cells); s.down > 0 && lo > b.lo {
			b.lo, b.below, b.yBelow = lo, t, s.lower
		}
		if b.lo > b.hi {
			return e.refuse(*b, set, c, s.cells)
		}
	}
	return nil
}

// refuse says which numbers leave nothing.
func (e *evidence) refuse(b bound, set []int, cell, cells int) error {
	where := ""
	for _, v := range slices.Backward(set) {
		node := e.d.Node(v)
		where = ", " + safetext.Short(node.Name) + " = " + safetext.Short(node.States[cell%len(node.States)]) + where
		cell /= len(node.States)
	}
	if where != "" {
		where = " of" + strings.TrimPrefix(where, ",")
	}
	if b.below >= 0 && b.above >= 0 && b.below != b.above {
		t, u, x, y := b.below, b.above, b.yBelow, b.yAbove
		return &EvidenceError{safetext.Short(e.tables[t].name), fmt.Sprintf("noisy counts%s that add up to %.6g, and to %.6g "+
			"in %s", where, x, y, safetext.Short(e.tables[u].name)), "tables of the same records"}
	}
	t, y := b.above, b.yAbove
	if t < 0 || b.below >= 0 {
		t, y = b.below, b.yBelow
	}
	out := &EvidenceError{Table: safetext.Short(e.tables[t].name), Value: fmt.Sprintf("noisy counts%s that add up to %.6g",
		where, y), Want: fmt.Sprintf("numbers within the noise's reach of %s, probability at least 1e-30", countsUpTo(e.n))}
	if cells == 1 {
		out.Value = fmt.Sprintf("a noisy count of %.6g records%s", y, where)
	}
	if len(set) == 0 && e.n >= 0 {
		out.Want = fmt.Sprintf("a sum within the noise's reach of n = %d", e.n)
	}
	return out
}

func countsUpTo(n int64) string {
	if n < 0 {
		return "0 or more"
	}
	return fmt.Sprintf("0 to n = %d", n)
}
