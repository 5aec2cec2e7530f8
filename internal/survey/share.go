package survey

import "math"

// Boxes are the noisy sums of t and of t(1 − t) over the records of one category, or over all others.
type Boxes struct{ Weight, Rest float64 }

// squares is the noisy Σt².
func (b Boxes) squares() float64 { return b.Weight - b.Rest }

// alike is what is known of Σt²/Σt: of a category, of the others, of all; and Σt.
type alike struct{ own, other, all, weight float64 }

// size is (Σt)²/Σt², at least 1.
func (a alike) size() float64 { return math.Max(a.weight/a.all, 1) }

// variance is that of Σt(x − p) at a share p, for a weight of all records.
func (a alike) variance(p, weight float64) float64 {
	return p * (1 - p) * weight * ((1-p)*a.own + p*a.other)
}

// alikeOf finds Σt²/Σt of a category out of d from its boxes and those of the others, sd the noise of a box. That of
// all is released well enough; those of the parts are moved to it by as much weight as is noise.
func alikeOf(own, others Boxes, d, sd, least float64) (a alike) {
	count, rest := math.Max(own.Weight, 0), math.Max(others.Weight, 0)
	a.weight = math.Max(count+rest+sd*math.Sqrt(d)/2, sd)
	a.all = clip((own.squares()+others.squares()+.7*sd*math.Sqrt(2*d))/a.weight, least, 1)
	part := func(weight, squares, boxes float64) float64 {
		more := 4*sd*math.Sqrt(boxes) + 5*a.all
		return clip((math.Max(squares, 0)+more*a.all)/(weight+more), least, 1)
	}
	a.own, a.other = part(count, own.squares(), 1), part(rest, others.squares(), d-1)
	return a
}

// Share is the interval of the share of one of d categories, from its boxes and the sums of the others', at a level in
// (0, 1); no weight is below alpha times the largest. In short, with A and R the two weights, at least 0, s the noise
// of a box and r₁, r₀ the categories' own Σt²/Σt:
//
//	T = (1 − p)A − pR,  variance p(1 − p)(A + R)((1 − p)r₁ + p·r₀) + s²((1 − p)² + (d − 1)p²).
func Share(own, others Boxes, d int, n Noise, alpha, level float64) Interval {
	sd, k := n.box(), math.Max(float64(d), 2)
	own, others = Boxes{bounded(own.Weight), bounded(own.Rest)}, Boxes{bounded(others.Weight), bounded(others.Rest)}
	count, rest := math.Max(own.Weight, 0), math.Max(others.Weight, 0)
	a := alikeOf(own, others, k, sd, floor(alpha))
	size := a.size()
	skew := math.Sqrt(a.own / clip(a.weight/size, 1e-9, 1))
	return n.interval(level, func(p float64) test {
		return test{t: (1-p)*count - p*rest, sd: sd * math.Sqrt((1-p)*(1-p)+(k-1)*p*p), v: a.variance(p, a.weight),
			skew: clip(skewOfShare(p, size)*skew, -mostSkew, mostSkew)}
	}).estimated(count, rest, own.Weight+others.Weight, sd*math.Sqrt(k))
}

// Total is the interval of Σ over the population, from the boxes of z = t·x: in units of the largest weight times the
// largest value, at a level in (0, 1). The sampling variance at a total τ is τ·Σz²/Σz, which holds where records came
// one by one and their number is not fixed; it is too large where the number is fixed and values are far from 0. The
// estimate is the noisy sum, at least 0. Upper has no bound. A sum so far below 0 that a total of 0 would be rejected
// is moved up to where it is not: else some intervals would have no width.
func Total(boxes Boxes, n Noise, level float64) (i Interval) {
	z, sd, alpha := bounded(boxes.Weight), n.box(), (1-level)/2
	from := math.Max(z, 0)
	z = math.Max(z, -bisect(0, 20*sd, func(x float64) bool { return n.of(sd).Tail(x, 0) <= (alpha+.5)/2 }))
	alike := clip((math.Max(z-bounded(boxes.Rest), 0)+.7*math.Sqrt2*sd)/(from+sd), leastAlike, 1)
	at := func(tau float64) test {
		return test{t: z - tau, sd: sd, v: alike * tau, skew: clip(1.25*math.Sqrt(alike/tau), 0, mostSkew)}
	}
	above := func(tau float64) bool { return at(tau).tail(n, 1) >= alpha }
	below := func(tau float64) bool { return at(tau).tail(n, -1) < alpha }
	if i = (Interval{Estimate: from, Shown: true}); !above(1e-9) {
		i.Lower = bisect(0, from, above)
	}
	far := 4*from + 60/math.Sqrt2*sd + 30
	for !below(far) && far < 1e18 {
		far *= 2
	}
	i.Upper = bisect(from, far, below)
	return i
}

// bisect is where a predicate that is false at lo becomes true below hi.
func bisect(lo, hi float64, holds func(x float64) bool) float64 {
	for range 60 {
		if mid := (lo + hi) / 2; holds(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// EffectiveSize is how many records of equal weight would be as exact: (Σt)²/Σt², with an interval of the rows' own at
// a level in (0, 1), which accounts for the noise of both sums alone.
type EffectiveSize struct {
	Value, Lower, Upper float64
	Shown               bool // as of [Interval]
}

// Effective finds the effective size from the sum of all boxes of d categories, of three for a mean. A design effect is
// a public number of records over it.
func Effective(all Boxes, d int, n Noise, alpha, level float64) (e EffectiveSize) {
	weight, squares := bounded(all.Weight), bounded(all.Rest)
	squares = weight - squares
	parts := math.Sqrt(math.Max(float64(d), 1))
	sdWeight, sdSquares := n.box()*parts, n.difference()*parts
	// Each of four ends may be wrong with a quarter of 1 − level.
	miss := func(x float64) float64 { return n.of(1).Tail(x, 0) - (1-level)/4 }
	reach := bisect(0, 1e3, func(x float64) bool { return miss(x) <= 0 })
	size := func(weight, squares float64) float64 {
		weight = math.Max(weight, 0)
		squares = clip(squares, floor(alpha)*math.Max(weight, n.box()), math.Max(weight, n.box()))
		return weight * weight / squares
	}
	e = EffectiveSize{Value: size(weight, squares), Shown: weight > 2*sdWeight,
		Lower: size(weight-reach*sdWeight, squares+reach*sdSquares),
		Upper: size(weight+reach*sdWeight, squares-reach*sdSquares)}
	return e
}

// Bins is what can be said of a quantile from weighted counts of bins: it lies between two edges, of which 0 is before
// the first bin. Estimate is the bin in which the noisy counts cross it, Shown as of [Interval].
type Bins struct {
	Lower, Upper, Estimate int
	Shown                  bool
}

// Quantile is the interval of the quantile at p in (0, 1), at a level in (0, 1), from the boxes of bins in order. At an
// edge, T = (1 − p)·Σt below − p·Σt above has the sampling variance (1 − p)²·Σt² below + p²·Σt² above, and noise of a
// standard deviation that noise gives of every edge from 1 on: nil where every bin has its own noise n. An edge is
// below the quantile, or above it, where T is that far from 0. The interval goes from the edge before the first that is
// not below to the one after the last that is not above, so that edges in disorder make it wider and leave it a bin at
// least.
func Quantile(bins []Boxes, p float64, n Noise, noise func(edge int) float64, level float64) (b Bins) {
	k := len(bins)
	var all, below Boxes
	for _, z := range bins {
		all = Boxes{all.Weight + bounded(z.Weight), all.Rest + bounded(z.Rest)}
	}
	if noise == nil {
		noise = func(edge int) float64 {
			j := float64(edge)
			return n.box() * math.Sqrt((1-p)*(1-p)*j+p*p*(float64(k)-j))
		}
	}
	times := math.Sqrt2 * math.Erfinv(level)
	first, last, crossed := k, 0, false
	for j := 1; j < k; j++ {
		below = Boxes{below.Weight + bounded(bins[j-1].Weight), below.Rest + bounded(bins[j-1].Rest)}
		above := Boxes{all.Weight - below.Weight, all.Rest - below.Rest}
		t := (1-p)*below.Weight - p*above.Weight
		v := (1-p)*(1-p)*math.Max(below.squares(), 0) + p*p*math.Max(above.squares(), 0)
		v = clip(v, 0, math.Max(all.Weight, n.box()))
		if crossed = crossed || t >= 0; !crossed {
			b.Estimate = j
		}
		sd := noise(j)
		reach := times * math.Sqrt(v+sd*sd)
		if !(t < -reach) {
			first = min(first, j)
		}
		if !(t > reach) {
			last = j
		}
	}
	if k > 0 {
		b.Lower, b.Upper = first-1, last+1
	}
	b.Shown = all.Weight > 2*n.box()*math.Sqrt(float64(k))
	return b
}
