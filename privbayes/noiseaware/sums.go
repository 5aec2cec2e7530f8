package noiseaware

import (
	"iter"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
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
