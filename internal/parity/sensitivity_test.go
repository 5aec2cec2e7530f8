package parity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// near is |a − b| ≤ tol·max(1, |b|).
func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Max(1, math.Abs(b)) }

// Reference values: brute force over all pairs of records in double precision.
func TestHelmertSensitivity(t *testing.T) {
	single := func(r int) network { return network{[]int{r}, [][]int{nil}} }
	for _, tc := range []struct {
		name string
		net  network
		want float64
	}{
		{"r=2", single(2), 2},
		{"r=3", single(3), 3.3460652149512318},
		{"r=4", single(4), 4.540111220059324},
		{"r=5", single(5), 5.639506983627369},
		{"r=8", single(8), 8.58020199538078},
		{"NB2 (2,3,3)", with(naiveBayes(2), 2, 3, 3), 13.384260859804929},
		{"collider (3,3,3)", with(collider, 3, 3, 3), 34.27254371241402},
		{"chain3 (3,3,3)", with(chain3, 3, 3, 3), 19.620333660177973},
		{"diamond (3,3,3,3)", with(diamond, 3, 3, 3, 3), 48.0362},
		{"constant", single(1), 0},
	} {
		s := tc.net.spectrum(t)
		got, exact, x, y, err := s.HelmertSensitivity(0)
		tol := 1e-12
		if tc.name == "diamond (3,3,3,3)" {
			tol = 1e-5 // known to four decimals
		}
		if !near(got, tc.want, tol) || !exact || err != nil {
			t.Errorf("%s: %v, exact %v, error %v; want %v", tc.name, got, exact, err, tc.want)
		}
		d := distance(s.oneRecord(t, tc.net, x), s.oneRecord(t, tc.net, y))
		if d > got || !near(d, got, 1e-12) {
			t.Errorf("%s: its pair is at distance %v; want %v from below", tc.name, d, got)
		}
		for _, limit := range []int64{1, 5, 50} {
			bound, _, _, _, err := s.HelmertSensitivity(limit)
			if bound < d || err != nil {
				t.Errorf("%s: bound %v within limit %d, error %v; want at least %v", tc.name, bound, limit, err, got)
			}
		}
	}
}

// randomNet draws a small network: at most maxStates states, at most three parents.
func randomNet(t *rapid.T, maxNodes, maxStates int) network {
	k := rapid.IntRange(1, maxNodes).Draw(t, "nodes")
	n := network{parents: make([][]int, k)}
	for i := range k {
		n.arities = append(n.arities, rapid.IntRange(min(2, maxStates), maxStates).Draw(t, "arity"))
		for j := range i {
			if len(n.parents[i]) < 3 && rapid.Bool().Draw(t, "edge") {
				n.parents[i] = append(n.parents[i], j)
			}
		}
	}
	// any order of the nodes, so that owners and orders vary
	at := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
		for i := 0; i < k && yield(i); i++ {
		}
	})).Draw(t, "order")
	out := network{make([]int, k), make([][]int, k)}
	for i, ps := range n.parents {
		out.arities[at[i]] = n.arities[i]
		for _, p := range ps {
			out.parents[at[i]] = append(out.parents[at[i]], at[p])
		}
	}
	return out
}

func spectrum(t *rapid.T, arities []int, families [][]int) *Spectrum {
	return must.Get(NewSpectrum(arities, families))(t)
}

// closure is N as sets of bits, by enumeration.
func closure(families [][]int) map[int]bool {
	all := map[int]bool{0: true}
	for _, f := range families {
		m := 0
		for _, v := range f {
			m |= 1 << v
		}
		for g := m; g > 0; g = (g - 1) & m {
			all[g] = true
		}
	}
	return all
}

func TestOddIsTheMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomNet(t, 9, 2)
		s := spectrum(t, n.arities, n.families())
		sets := closure(n.families())
		if len(sets) != s.Size() {
			t.Fatalf("|N| = %d, want %d", s.Size(), len(sets))
		}
		best := int64(0)
		z := make([]int, len(n.arities))
		for m := range 1 << len(z) {
			for v := range z {
				z[v] = m >> v & 1
			}
			count := int64(0)
			for g := range sets {
				parity := 0
				for v := range z {
					parity ^= g >> v & z[v]
				}
				count += int64(parity & 1)
			}
			best = max(best, count)
			if got, err := s.OddCount(z); got != count || err != nil {
				t.Fatalf("OddCount(%v) = %d, %v; want %d", z, got, err, count)
			}
		}
		odd, exact, at, err := s.OddSensitivity(0)
		if odd != best || !exact || err != nil {
			t.Fatalf("odd = %d, %v, %v; want %d", odd, exact, err, best)
		}
		if got, _ := s.OddCount(at); got != best {
			t.Fatalf("the witness has %d, want %d", got, best)
		}
		textbook := 0
		for _, i := range s.Maximal() {
			textbook += 1 << len(n.families()[i]) / 2
		}
		limit := rapid.Int64Range(1, 300).Draw(t, "limit")
		bound, exact, _, _ := s.OddSensitivity(limit)
		if bound < best || exact && bound != best || bound > int64(min(s.Size()-1, textbook)) {
			t.Fatalf("bound %d, exact %v; want at least %d, at most min(%d, %d)", bound, exact, best, s.Size()-1,
				textbook)
		}
		if size := int64(s.Size()); 2*best <= size-1 && size > 1 {
			t.Fatalf("odd = %d is not above (|N|−1)/2, |N| = %d", best, size)
		}
	})
}

// oneRecord are the coefficients of the tables of one record.
func (s *Spectrum) oneRecord(t must.T, n network, x []int) []float64 {
	t.Helper()
	return must.Get(s.CoefficientsReal(toReal(tablesOf(n, [][]int{x}))))(t)
}

// distance is the L1 distance of coefficients.
func distance(p, q []float64) (sum float64) {
	for g := range p {
		sum += math.Abs(p[g] - q[g])
	}
	return sum
}

// The sensitivity is the greatest distance of the coefficients of two records, over all pairs.
func TestHelmertIsTheMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomNet(t, 4, 3)
		s := spectrum(t, n.arities, n.families())
		var phis [][]float64
		digits := newOdometer(n.arities)
		for {
			phis = append(phis, s.oneRecord(t, n, digits.digits))
			if digits.next() < 0 {
				break
			}
		}
		best := 0.0
		for i, p := range phis {
			for _, q := range phis[:i] {
				best = max(best, distance(p, q))
			}
		}
		got, exact, _, _, err := s.HelmertSensitivity(0)
		if !near(got, best, 1e-12) || got < best-1e-13 || !exact || err != nil {
			t.Fatalf("S = %v, %v, %v; want %v", got, exact, err, best)
		}
		bound, _, _, _, err := s.HelmertSensitivity(rapid.Int64Range(1, 500).Draw(t, "limit"))
		if bound < got*(1-1e-12) || err != nil {
			t.Fatalf("bound %v, %v; want at least %v", bound, err, got)
		}
	})
}

// The parity sensitivity is what data sets show: adjacent data sets never differ by more, and the witness attains it.
func TestSensitivityOnData(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, n := range []network{naiveBayes(3), diamond, asia, triangle} {
		s := n.spectrum(t)
		odd, _, z, _ := s.OddSensitivity(0)
		for trial := range 300 {
			rows := randomRows(rng, n, 6)
			other := slices.Clone(rows)
			other[0] = randomRows(rng, n, 1)[0]
			if trial == 0 {
				other[0] = slices.Clone(rows[0])
				for v := range z {
					other[0][v] ^= z[v]
				}
			}
			a, err := s.Coefficients(tablesOf(n, rows))
			b, err2 := s.Coefficients(tablesOf(n, other))
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			l1 := int64(0)
			for g := range a {
				l1 += max(a[g]-b[g], b[g]-a[g])
			}
			if l1 > 2*odd || trial == 0 && l1 != 2*odd {
				t.Errorf("trial %d: L1 %d, sensitivity %d", trial, l1, 2*odd)
			}
		}
	}
}
