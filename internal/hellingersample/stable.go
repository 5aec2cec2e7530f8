package hellingersample

import "math"

// stable walks the discrete ½-stable law p_0, p_1, … with generating function Σ p_N z^N = exp(−A√(1−z)):
//
//	p_0 = e^{−A},  p_1 = (A/2)·p_0,  p_{N+2} = [(N + ½)·p_{N+1} + A²/(4(N+1))·p_N]/(N + 2),
//
// the recurrence of y′√(1−z) = (A/2)·y, differentiated once more. All terms are positive, so that the relative error of
// p_N is at most 4N·2^−53. Values are kept as cur·2^(step·scale), in units of p_0.
type stable struct {
	a         float64
	n         int64 // of cur
	cur, next float64
	scale     int
}

const stableStep = 400

func newStable(a float64) stable { return stable{a: a, cur: 1, next: a / 2} }

// advance goes from N to N+1. It tells whether the scale was raised.
func (s *stable) advance() bool {
	n := float64(s.n)
	s.cur, s.next = s.next, ((n+0.5)*s.next+s.a*s.a/(4*(n+1))*s.cur)/(n+2)
	s.n++
	if s.next > 0x1p+400 {
		s.cur, s.next = s.cur*0x1p-400, s.next*0x1p-400
		s.scale++
		return true
	}
	return false
}

// log is ln p_N.
func (s *stable) log() float64 { return s.logOf(s.cur) }

func (s *stable) logOf(v float64) float64 {
	return math.Log(v) + float64(s.scale)*(stableStep*math.Ln2) - s.a
}

// sum is ln(p_N + … + p_{end−1}); it leaves the walk at end. The sum is compensated.
func (s *stable) sum(end int64) float64 {
	var total kahan
	for s.n < end {
		total.add(s.cur)
		if s.advance() {
			total.sum, total.rest = total.sum*0x1p-400, total.rest*0x1p-400
		}
	}
	return s.logOf(total.sum)
}

// exponents fills out with ln(max p) − ln p_N, N = s.n, s.n+1, …
func (s stable) exponents(out []float64) {
	least := math.Inf(1)
	for i := range out {
		out[i] = -s.log()
		least = math.Min(least, out[i])
		s.advance()
	}
	for i := range out {
		out[i] -= least
	}
}

// kahan is a compensated sum of positive terms, relative error below 2^−51.
type kahan struct{ sum, rest float64 }

func (k *kahan) add(v float64) {
	y := v - k.rest
	t := k.sum + y
	k.rest = (t - k.sum) - y
	k.sum = t
}
