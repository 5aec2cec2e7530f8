package loss

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// profileOn is the profile of a distribution on a grid.
func profileOn(l onGrid, step, epsilon float64) float64 {
	sum := l.lost
	for i, k := range l.at {
		sum += l.mass[i] * math.Max(0, -math.Expm1(epsilon-float64(k)*step))
	}
	return sum
}

// The envelope of a profile is at most its bounds at the points, and nowhere below the profile, on both sides of 0.
func TestEnvelopeLiesAboveTheProfile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := math.Exp(rapid.Float64Range(-4, 0).Draw(t, "log size"))
		pairs := []Pair{SelectionPair{size}, RangePair{size, size * .9}, GaussianPair{size}, LaplacePair{1 / size, 1},
			DirichletPair{1, 1 + 1/size}, GammaPair{1, 1 + 1/size}, IntegerSumPair{9 / (size * size), 3},
			DiscreteGaussianPair{9 / (size * size), 1, 3}}
		p := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "pair")]
		q, _ := profileOf(p)
		step, every := math.Sqrt(2*p.RDP(1+1e-3))/32, rapid.IntRange(1, 4).Draw(t, "every")
		dist, ok := envelope(q.forward, q.backward, p.PureEpsilon(), step, every, nil)
		if !ok {
			t.Fatal(p)
		}
		total := dist.lost
		for _, m := range dist.mass {
			total += m
		}
		if math.Abs(total-1) > 1e-8 {
			t.Fatalf("%s: mass %v", p, total)
		}
		_, convex := p.(DiscreteGaussianPair) // what ρ proves is not a profile: the distribution may be below it
		for range 5 {
			x := size * rapid.Float64Range(-4, 4).Draw(t, "ε over size")
			if have, want := profileOn(dist, step, x), ordered(q, x); !convex && have < want*(1-2e-9)-1e-15 {
				t.Fatalf("%s at %v: %v below %v", p, x, have, want)
			}
			x = float64(every) * step * math.Round(x/(float64(every)*step))
			if have, want := profileOn(dist, step, x), ordered(q, x); have > want*(1+1e-9)+1e-15 {
				t.Fatalf("%s at %v: %v above %v", p, x, have, want)
			}
		}
	})
}

// ordered is the profile at any ε.
func ordered(q profiled, epsilon float64) float64 {
	if epsilon >= 0 {
		return q.forward(epsilon)
	}
	return -math.Expm1(epsilon) + math.Exp(epsilon)*q.backward(-epsilon)
}

// What ρ proves stands above the profiles of all vectors of that norm, and so does its envelope, also with others.
func TestEnvelopeOfRhoCoversVectors(t *testing.T) {
	vector, noise := DiscreteGaussianPair{25, 1, 5}, GeometricPair{.5, 1}
	g, ok := newGrid([]Repeat{{vector, 1}, {noise, 2}}, nil)
	if !ok {
		t.Fatal("no grid")
	}
	one, _ := newGrid([]Repeat{{IntegerSumPair{25, 5}, 1}, {noise, 2}}, nil)
	missed := 0
	for _, eps := range []float64{.5, 2, 3.9, 4.9} {
		have, _, _, ok := g.delta(eps, nil)
		mutant, _, _, _ := one.delta(eps, nil)
		truth := 0.0
		for a := -70; a <= 70; a++ {
			for b := -70; b <= 70; b++ {
				p := math.Exp(-float64(a*a+b*b)/50) / (50 * math.Pi) // the normaliser is 2πσ² to 1e-200
				l := (25 + 2*float64(3*a+4*b)) / 50
				truth += p * responses(.5, 2, l, eps)
			}
		}
		if !ok || have < truth || have > 8*truth {
			t.Errorf("ε = %v: %v, by enumeration %v", eps, have, truth)
		}
		if mutant < truth*(1-1e-3) {
			missed++
		}
	}
	if missed == 0 {
		t.Error("the distribution of one sum would not have been too small")
	}
}

// responses is E(1 − e^{ε−l−L})₊ for so many geometric counts.
func responses(rate float64, times int, l, epsilon float64) float64 {
	if times == 0 {
		return math.Max(0, -math.Expm1(epsilon-l))
	}
	p := 1 / (1 + math.Exp(-rate))
	return p*responses(rate, times-1, l+rate, epsilon) + (1-p)*responses(rate, times-1, l-rate, epsilon)
}

// tiny is a list on one lattice, which can be enumerated: a sum moved by 2 under σ² = 2, losses 1 + Z, and three counts
// with losses ±½.
var tiny = []Repeat{{IntegerSumPair{2, 2}, 1}, {GeometricPair{.5, 1}, 3}}

func enumerateTiny(epsilon float64) (sum float64) {
	norm := 0.0
	for z := -30.; z <= 30; z++ {
		norm += math.Exp(-z * z / 4)
	}
	for z := -30.; z <= 30; z++ {
		sum += math.Exp(-z*z/4) / norm * responses(.5, 3, 1+z, epsilon)
	}
	return sum
}

// Contour, grid and enumeration of one list agree. Losses rounded down, a lost mass that is forgotten and one order of
// the distributions give less than the truth.
func TestContourGridAndEnumeration(t *testing.T) {
	for _, eps := range []float64{0, .3, 1, 2.2, 4, 7} {
		truth := enumerateTiny(eps)
		c := composed(tiny, eps)
		if c.Method != byLattice || math.Abs(c.Exact/truth-1) > 1e-8 {
			t.Errorf("ε = %v: contour %+v, enumeration %v", eps, c, truth)
		}
		g, _ := newGrid(tiny, nil)
		have, slop, _, ok := g.delta(eps, nil)
		if !ok || have < truth*(1-1e-12) || have > truth*1.002 || slop > 1e-7*truth {
			t.Errorf("ε = %v: grid %v (slop %v), enumeration %v", eps, have, slop, truth)
		}
		for i := range g.forward { // mutant: every loss is rounded down
			for j := range g.forward[i].at {
				g.forward[i].at[j]--
			}
		}
		if mutant, _, _, _ := g.delta(eps, nil); mutant >= truth*(1-1e-4) {
			t.Errorf("ε = %v: %v with losses rounded down is not seen", eps, mutant)
		}
	}
	// a distribution that ends early
	g, _ := newGrid(tiny, nil)
	l := &g.forward[0]
	for l.at[len(l.at)-1] > int(3.5/g.step) {
		last := len(l.at) - 1
		g.lost += l.mass[last]
		l.at, l.mass = l.at[:last], l.mass[:last]
	}
	truth := enumerateTiny(3)
	whole, _, _, _ := g.delta(3, nil)
	g.lost = 0
	if forgotten, _, _, _ := g.delta(3, nil); whole < truth || forgotten > .9*truth {
		t.Errorf("with what is lost %v, without %v, enumeration %v", whole, forgotten, truth)
	}
}

// Releases under add-remove have two orders of the distributions; the profile is the worse one's.
func TestBothOrdersOfTheLaws(t *testing.T) {
	pair := GammaPair{1, 6}
	for _, eps := range []float64{.2, 1, 2} {
		g, ok := newGrid([]Repeat{{pair, 3}}, nil)
		want := composed([]Repeat{{pair, 3}}, eps)
		have, _, _, _ := g.delta(eps, nil)
		if !ok || want.Method != byContour || have < want.Exact*(1-1e-6) || have > want.Exact*1.01 {
			t.Errorf("ε = %v: %v, contour %+v", eps, have, want)
		}
		worse := math.Inf(1)
		for _, dists := range [][]onGrid{g.forward, g.backward} {
			g := &grid{step: g.step, forward: dists, lost: g.lost, transform: g.transform}
			one, _, _, _ := g.delta(eps, nil)
			worse = math.Min(worse, one)
		}
		if worse > .98*want.Exact {
			t.Errorf("ε = %v: one order alone has %v, as much as both", eps, worse)
		}
	}
}

// The error of transforms in floating point is below what is charged for it: against a sum of all products.
func TestTransformErrorIsCharged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, ok := newGrid([]Repeat{{GeometricPair{rapid.Float64Range(.01, 2).Draw(t, "rate"), 1}, 2},
			{GeometricPair{rapid.Float64Range(.01, 2).Draw(t, "other rate"), 1}, 3}}, nil)
		if !ok {
			t.Fatal("no grid")
		}
		dist := map[int]float64{0: 1}
		for _, l := range g.forward {
			for range int(l.times) {
				next := map[int]float64{}
				for a, p := range dist {
					for i, b := range l.at {
						next[a+b] += p * l.mass[i]
					}
				}
				dist = next
			}
		}
		eps := rapid.Float64Range(0, 6).Draw(t, "ε")
		want := g.lost
		for k, p := range dist {
			want += p * math.Max(0, -math.Expm1(eps-float64(k)*g.step))
		}
		have, slop, _, _ := g.delta(eps, nil)
		if want > 0 && (have < want*(1-1e-12) || have > (want+slop)*(1+2e-9)) {
			t.Fatalf("ε = %v: %v (slop %v), by all products %v", eps, have, slop, want)
		}
	})
}

// Two equal choices have a whole number of steps between the points of their envelopes. Their δ is the same at a rate
// that another machine rounds to the next number, as a certificate that it derives again must be.
func TestNeighbouringRatesHaveOneDelta(t *testing.T) {
	for _, w := range []float64{.0511, .167, .62, 1.9} {
		before := 0.0
		for range 8 {
			d, err := Declare(Repeat{RangePair{w, w}, 2})
			if err != nil {
				t.Fatal(err)
			}
			if now := d.Delta(w); before > 0 && math.Abs(now/before-1) > 1e-12 {
				t.Errorf("range %v: δ = %v beside %v", w, now, before)
			} else {
				before = now
			}
			w = math.Nextafter(w, 2)
		}
	}
}
