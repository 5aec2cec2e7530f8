package privacyreport

import (
	"math"
	"strings"
	"testing"
)

// outputs are neighbouring output distributions on the same places.
type outputs struct {
	name string
	of   [3][]float64 // one and two steps from the first
}

func neighbouring() []outputs {
	shifted := func(name string, weight func(x float64) float64) outputs {
		l := outputs{name: name}
		for k := range l.of {
			sum := 0.0
			for x := -200; x <= 200; x++ {
				w := weight(float64(x - k))
				l.of[k], sum = append(l.of[k], w), sum+w
			}
			for i := range l.of[k] {
				l.of[k][i] /= sum
			}
		}
		return l
	}
	return []outputs{
		shifted("discrete Gaussian", func(x float64) float64 { return math.Exp(-x * x / 8) }),
		shifted("wide Gaussian", func(x float64) float64 { return math.Exp(-x * x / 200) }),
		shifted("geometric", func(x float64) float64 { return math.Exp(-math.Abs(x)) }),
		{"leaky", [3][]float64{{.6, .3, .099, .001}, {.3, .6, .1, 0}, {.2, .5, .3, 0}}},
	}
}

// profile is δ(ε), the greater of both directions.
func profile(p, q []float64, eps float64) float64 {
	var a, b float64
	for i := range p {
		a += math.Max(0, p[i]-math.Exp(eps)*q[i])
		b += math.Max(0, q[i]-math.Exp(eps)*p[i])
	}
	return math.Max(a, b)
}

// exceeds is the greater probability, over both data sets, of an output after which a suspicion of 10 % that the data
// are the first is above a bound.
func exceeds(p, q []float64, bound float64) float64 {
	var a, b float64
	for i := range p {
		if v := prior*p[i] + (1-prior)*q[i]; v > 0 && prior*p[i]/v > bound*(1+1e-9) {
			a, b = a+p[i], b+q[i]
		}
	}
	return math.Max(a, b)
}

// A suspicion stays within its bound, but with the stated probability, over all outputs of neighbouring data; between
// data that are two steps apart it stays within the bound of both steps. The bound that is often quoted, e^ε except
// with probability δ, does not hold: the test rejects it.
func TestSuspicion(t *testing.T) {
	rejected := 0
	for _, l := range neighbouring() {
		for _, eps := range []float64{0, .1, .3, .5, 1, 1.5, 2} {
			delta := math.Max(profile(l.of[0], l.of[1], eps), profile(l.of[1], l.of[2], eps))
			if delta < 1e-14 {
				delta = 0 // rounding
			}
			for _, pair := range [][2]int{{0, 1}, {1, 0}} {
				p, q := l.of[pair[0]], l.of[pair[1]]
				bound, exception := suspicion(eps, delta)
				if got := exceeds(p, q, bound); got > exception*(1+1e-9)+1e-12 {
					t.Errorf("%s, ε = %v: above %v with probability %v, want at most %v", l.name, eps, bound, got, exception)
				}
				quoted, _ := suspicion(eps, 0)
				if delta > 0 && exceeds(p, q, quoted) > delta*(1+1e-9)+1e-12 {
					rejected++
				}
			}
			eps2, delta2 := twice(eps, delta)
			if have := profile(l.of[0], l.of[2], eps2); have > delta2*(1+1e-9)+1e-14 {
				t.Errorf("%s: two steps at ε = %v have δ = %v, want at most %v", l.name, eps2, have, delta2)
			}
			bound, exception := suspicion(eps2, delta2)
			if got := exceeds(l.of[0], l.of[2], bound); got > exception*(1+1e-9)+1e-12 {
				t.Errorf("%s, two steps, ε = %v: above %v with probability %v", l.name, eps2, bound, got)
			}
		}
	}
	if rejected < 10 {
		t.Error("the quoted bound is rejected in", rejected, "cases only")
	}
	for _, c := range [][3]float64{{800, 0, 1}, {800, 1e-6, 1}, {1, .5, 1}, {0, 0, .1}} {
		if got, _ := suspicion(c[0], c[1]); math.Abs(got-c[2]) > 1e-9 {
			t.Errorf("suspicion(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// Numbers of bounds are never below the bound.
func TestRounding(t *testing.T) {
	plain := strings.NewReplacer("\u00a0", " ")
	for _, c := range []struct{ got, want string }{
		{upward(math.E), "2.72"}, {upward(1), "1.00"}, {upward(1.0001), "1.01"}, {upward(math.Exp(5)), "149"},
		{upward(9.999), "10.00"}, {upward(22026.5), "22 100"}, {upward(1e6), "1.00·10^6"}, {upward(math.Exp(50)),
			"5.19·10^21"},
		{upward(math.Inf(1)), "any number of"}, {perCent(.135915), "13.6"}, {perCent(.136000001), "13.7"}, {perCent(1.2),
			"100.0"},
		{oneIn(1e-6), "1 in 1 000 000"}, {oneIn(2e-6), "1 in 500 000"}, {oneIn(1.0 / 2685), "1 in 2 600"},
		{oneIn(.3), "1 in 3"}, {oneIn(.9), "1 in 1"}, {oneIn(1e-15), "1 in 10^15"}, {number(28155), "28 155"}, {number(7),
			"7"},
		{number(1234567), "1 234 567"}, {sure(40, 0), "almost sure: here the guarantee gives no useful bound"},
	} {
		if got := plain.Replace(c.got); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
