package sampling

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Kappa is κ(w) = u − 1 − ln u, u = w/(e^w − 1): the largest Kullback–Leibler divergence in nats of two laws whose
// log-ratio has a range of at most w, attained by a two-point law. κ(w) ≤ w²/8, and close to w − 1 − ln w for large w.
// NaN for w < 0. Source: theory/sampling.md §5.
func Kappa(w float64) float64 {
	switch {
	case !(w >= 0):
		return math.NaN()
	case math.IsInf(w, 1):
		return w
	case w < 0.1: // w²/8 − w⁴/576 + w⁶/25920 − w⁸/1075200 + …: u − 1 and ln u would cancel
		s := w * w
		return s/8 - s*s/576 + s*s*s/25920 - s*s*s*s/1075200
	}
	u := w / math.Expm1(w)
	return u - 1 - (math.Log(w) - w - math.Log(-math.Expm1(-w)))
}

// RangeTV is tanh(w/4), the largest TV of two laws whose log-ratio has a range of at most w. NaN for w < 0.
func RangeTV(w float64) float64 {
	if !(w >= 0) {
		return math.NaN()
	}
	return math.Tanh(w / 4)
}

// laws checks two probability vectors and returns nil when they are two of the same length.
func laws(function string, p, q []float64) error {
	if err := check(function, domain.Arg("outcomes of p", len(p), len(p) > 0, "at least one"),
		domain.Arg("outcomes of q", len(q), len(q) == len(p), fmt.Sprint(len(p)))); err != nil {
		return err
	}
	for _, v := range []struct {
		name string
		p    []float64
	}{{"p", p}, {"q", q}} {
		sum := 0.0
		for i, x := range v.p {
			if err := check(function, domain.NotNegative(fmt.Sprintf("%s[%d]", v.name, i), x)); err != nil {
				return err
			}
			sum += x
		}
		if err := check(function, domain.Arg("sum of "+v.name, sum, math.Abs(sum-1) <= 1e-9,
			"1, within 1e-9")); err != nil {
			return err
		}
	}
	return nil
}

// HockeyStick is max_B [P(B) − e^ε Q(B)] = Σ (p_i − e^ε q_i)₊: the δ of the ordered pair at ε. Its value at ε = 0 is
// TV. Domain: two probability vectors of one length, ε ≥ 0; otherwise a *ParameterError.
func HockeyStick(p, q []float64, epsilon float64) (float64, error) {
	const f = "HockeyStick"
	if err := check(f, domain.NotNegative("epsilon", epsilon)); err != nil {
		return 0, err
	}
	if err := laws(f, p, q); err != nil {
		return 0, err
	}
	return hockeyStick(p, q, epsilon), nil
}

func hockeyStick(p, q []float64, epsilon float64) float64 {
	sum, e := 0.0, math.Exp(epsilon)
	for i := range p {
		if q[i] == 0 { // also for e^ε = ∞
			sum += p[i]
			continue
		}
		sum += math.Max(0, p[i]-e*q[i])
	}
	return sum
}

// divergences are the exact distances of two laws with the same support.
type divergences struct{ kl, jeffreys, tv, ratio float64 }

// compare computes them; outcomes outside the common support are left out. Posteriors of one prior that differ in
// support do so by underflow of a mass below 1e-308.
func compare(p, q []float64) divergences {
	var d divergences
	for i := range p {
		if p[i] == 0 || q[i] == 0 {
			continue
		}
		l := math.Log(p[i] / q[i])
		d.kl += p[i] * l
		d.jeffreys += (p[i] - q[i]) * l
		d.ratio = math.Max(d.ratio, math.Abs(l))
	}
	d.kl = math.Max(d.kl, 0)
	d.tv = hockeyStick(p, q, 0)
	return d
}

// jeffreysTV is the largest TV of two laws with Jeffreys divergence j = D(p‖q) + D(q‖p): the t with
//
//	2t ln((1+t)/(1−t)) = j,
//
// attained by two-point laws. Never more than √j/2, which is Pinsker's inequality in both directions.
func jeffreysTV(j float64) float64 {
	if !(j > 0) {
		return 0
	}
	lo, hi := 0.0, math.Min(1, math.Sqrt(j)/2)
	for range 200 {
		if t := (lo + hi) / 2; 4*t*math.Atanh(t) < j {
			lo = t
		} else {
			hi = t
		}
	}
	return hi
}
