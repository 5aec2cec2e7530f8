package loss

import (
	"math"
	"math/cmplx"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/privbayes/privbayes-go/internal/num"
)

// grid composes a list whose losses have distributions on multiples of one step, each with a profile nowhere below that
// of its part ([onGrid]), by discrete Fourier transforms:
//
//	δ(ε) ≤ Σ_i lost_i + e^{K(c) − cε} [Σ_x w(x)·p_c(x) + error],  w(x) = e^{−c(x−ε)}(1 − e^{ε−x})₊ ≤ 1,
//
// where p_c is the convolution of the tilted distributions ∝ p_i(x)e^{cx}, and K(c) the sum of the logs of their sums.
// At the saddle point e^{K(c) − cε} is Chernoff's bound, a small multiple of δ, so that the error is relative however
// small δ is: that of the transforms in floating point, and what wraps around. Source: theory/ledger.md §4.3.
type grid struct {
	step      float64
	forward   []onGrid
	backward  []onGrid // with the distributions of every pair exchanged; nil where that changes nothing
	lost      float64
	transform map[int]*fourier.FFT
}

const (
	// gridSteps is steps a standard deviation of the sum, over the root of the number of its terms and gridTerms. A loss
	// that is split gains at most step²/4 of variance, so that the sum gains a relative 2e-5.
	gridSteps = 128
	gridTerms = 16
	// leastGrid bounds the work for many terms, as steps a standard deviation.
	leastGrid = 1 << 14

	// wrapLog is −ln of the mass of the tilted distribution that is allowed outside of the window, on each side.
	wrapLog   = 36
	maxWindow = 1 << 21

	// fftError is the relative error of a transform in the ℓ₂ norm for each factor of 2 of its length, with room.
	fftError = 0x1p-50
	// moreError is added to that.
	moreError = 1e-13
)

// newGrid is the list on a grid; ok is false where a part has no distribution, or too long a one, or stop says so.
func newGrid(parts []Repeat, stop func() bool) (g *grid, ok bool) {
	variance, terms := 0.0, 0.0
	spread := make([]float64, len(parts))
	for i, part := range parts {
		v := 2 * part.Pair.RDP(1+1e-3)
		spread[i] = math.Sqrt(v)
		variance += float64(part.Times) * v
		terms += float64(part.Times)
	}
	sigma := math.Sqrt(variance)
	steps := math.Min(leastGrid, gridSteps*math.Sqrt(terms+gridTerms))
	g = &grid{step: sigma / steps, transform: map[int]*fourier.FFT{}}
	if !(g.step > 0) || math.IsInf(g.step, 1) {
		return g, false
	}
	asymmetric := false
	for i, part := range parts {
		if stop != nil && stop() {
			return g, false
		}
		dist, cells, found := atoms(part.Pair, g.step)
		back := dist
		if !found {
			q, known := profileOf(part.Pair)
			if !known {
				return g, false
			}
			cells = q.cells
			// taken up, as two equal parts have a whole number here, which machines round to both sides
			every := max(1, int((1+num.Slack)*spread[i]/math.Sqrt(float64(cells))/(q.fine*g.step)))
			pure := part.Pair.PureEpsilon() / float64(cells)
			if dist, found = envelope(q.forward, q.backward, pure, g.step, every, stop); !found {
				return g, false
			}
			back = dist
			if _, one := part.Pair.(GammaPair); one {
				asymmetric = true
				if back, found = envelope(q.backward, q.forward, pure, g.step, every, stop); !found {
					return g, false
				}
			}
		}
		times := float64(part.Times) * float64(cells)
		dist.times, back.times = times, times
		dist.logs, back.logs = logs(dist.mass), logs(back.mass)
		g.forward, g.backward = append(g.forward, dist), append(g.backward, back)
		g.lost += times * math.Max(dist.lost, back.lost)
	}
	if !asymmetric {
		g.backward = nil
	}
	return g, true
}

// delta is an upper bound of the profile at ε, how much of it stands for errors, and the c of its tilt.
func (g *grid) delta(epsilon float64, stop func() bool) (delta, slop, tilt float64, ok bool) {
	for i, dists := range [][]onGrid{g.forward, g.backward} {
		if i == 1 && dists == nil {
			continue
		}
		c := g.tilt(dists, epsilon)
		v, e, ok := g.one(dists, c, epsilon, stop)
		if !ok {
			return 1, 1, 0, false
		}
		if v >= delta {
			delta, slop, tilt = v, e, c
		}
	}
	return math.Min(1, num.InflateGamma(delta+g.lost)), slop + g.lost, tilt, true
}

func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}

// logSum is ln Σ p(x)e^{cx}.
func (l onGrid) logSum(c, step float64) float64 {
	top := math.Inf(-1)
	for i, k := range l.at {
		top = math.Max(top, l.logs[i]+c*float64(k)*step)
	}
	sum := 0.0
	for i, k := range l.at {
		sum += math.Exp(l.logs[i] + c*float64(k)*step - top)
	}
	return top + math.Log(sum)
}

// k is K(c).
func (g *grid) k(dists []onGrid, c float64) (sum float64) {
	for _, l := range dists {
		sum += l.times * l.logSum(c, g.step)
	}
	return sum
}

// tilt is about where K(c) − cε − ln c − ln(1+c) is least: every c > 0 gives a bound.
func (g *grid) tilt(dists []onGrid, epsilon float64) float64 {
	f := func(t float64) float64 {
		c := math.Exp(t)
		return g.k(dists, c) - c*epsilon - t - math.Log1p(c)
	}
	lo, hi := num.GoldenSection(f, -6, 14, .1)
	return math.Exp((lo + hi) / 2)
}

// window is the first point and the number of points, a power of two, outside of which the tilted distribution has a
// mass of at most e^{−wrapLog} on each side: P_c(X ≥ b) ≤ e^{K(c+s) − K(c) − sb} for every s > 0, and likewise below.
func (g *grid) window(dists []onGrid, c, kc float64) (low, n int, ok bool) {
	least, most, variance := 0.0, 0.0, 0.0
	d := 1e-3 * c
	variance = (g.k(dists, c+d) - 2*kc + g.k(dists, c-d)) / (d * d)
	for _, l := range dists {
		least += l.times * float64(l.at[0]) * g.step
		most += l.times * float64(l.at[len(l.at)-1]) * g.step
	}
	scale := math.Sqrt(2 * wrapLog / math.Max(variance, g.step*g.step))
	for _, s := range []float64{scale / 4, scale / 2, scale * .8, scale, scale * 1.3, scale * 2} {
		most = math.Min(most, (g.k(dists, c+s)-kc+wrapLog)/s)
		least = math.Max(least, (kc-g.k(dists, c-s)-wrapLog)/s)
	}
	size := (most-least)/g.step + 4
	if !(size < maxWindow) {
		return 0, 0, false
	}
	for n = 256; float64(n) < size; n *= 2 {
	}
	return int(math.Floor(least/g.step)) - 1, n, true
}

// one is the bound for one order of the distributions, without what is lost.
func (g *grid) one(dists []onGrid, c, epsilon float64, stop func() bool) (delta, slop float64, ok bool) {
	kc := g.k(dists, c)
	low, n, ok := g.window(dists, c, kc)
	if !ok {
		return 0, 0, false
	}
	fft := g.transform[n]
	if fft == nil {
		fft = fourier.NewFFT(n)
		g.transform[n] = fft
	}
	product := make([]complex128, n/2+1)
	for i := range product {
		product[i] = 1
	}
	norms := 2.0
	for _, l := range dists {
		if stop != nil && stop() {
			return 0, 0, false
		}
		norms += l.times * l.multiply(product, c, g.step, n, fft)
	}
	dist := fft.Sequence(nil, product)
	var sum, weights float64
	for i, p := range dist {
		k := low + ((i-low)%n+n)%n
		x := float64(k)*g.step - epsilon
		if x <= 0 {
			continue
		}
		w := math.Exp(-c*x) * -math.Expm1(-x)
		weights += w * w
		sum += w * math.Max(0, p/float64(n))
	}
	rounding := fftError*math.Log2(float64(n))*math.Sqrt(weights)*norms + moreError
	wrapped := 2 * math.Exp(-wrapLog)
	scale := math.Exp(kc - c*epsilon)
	return scale * (sum + rounding + wrapped), scale * (rounding + wrapped), true
}

// multiply puts the transform of the tilted distribution, to the power of its multiplicity, into the product, and gives
// the ℓ₂ norm of that distribution.
func (l onGrid) multiply(product []complex128, c, step float64, n int, fft *fourier.FFT) float64 {
	a := make([]float64, n)
	log := l.logSum(c, step)
	for i, k := range l.at {
		a[(k%n+n)%n] += math.Exp(l.logs[i] + c*float64(k)*step - log)
	}
	norm := 0.0
	for _, v := range a {
		norm += v * v
	}
	for i, f := range fft.Coefficients(nil, a) {
		product[i] *= power(f, l.times)
	}
	return math.Sqrt(norm)
}

// power is f to a whole power.
func power(f complex128, times float64) complex128 {
	if times > 64 {
		return cmplx.Pow(f, complex(times, 0))
	}
	out := complex(1, 0)
	for k := int(times); k > 0; k >>= 1 {
		if k&1 == 1 {
			out *= f
		}
		f *= f
	}
	return out
}

// grids makes the grid of a list when it is first asked for, once.
type grids struct {
	sync.Mutex
	done, ok bool
	grid     *grid
}

// delta is that of the grid; ok is false where there is none.
func (s *grids) delta(parts []Repeat, epsilon float64, stop func() bool) (delta, slop, tilt float64, ok bool) {
	s.Lock()
	defer s.Unlock()
	if !s.done {
		s.grid, s.ok = newGrid(parts, stop)
		s.done = stop == nil || !stop()
	}
	if !s.ok {
		return 1, 1, 0, false
	}
	return s.grid.delta(epsilon, stop)
}
