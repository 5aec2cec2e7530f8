package parity

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// tablesOf counts the records into the family tables.
func tablesOf(n network, rows [][]int) [][]int64 {
	var out [][]int64
	for _, f := range n.families() {
		cells := 1
		for _, v := range f {
			cells *= n.arities[v]
		}
		t := make([]int64, cells)
		for _, x := range rows {
			c := 0
			for _, v := range f {
				c = c*n.arities[v] + x[v]
			}
			t[c]++
		}
		out = append(out, t)
	}
	return out
}

func randomRows(rng *rand.Rand, n network, count int) [][]int {
	rows := make([][]int, count)
	for i := range rows {
		for _, r := range n.arities {
			rows[i] = append(rows[i], rng.IntN(r))
		}
	}
	return rows
}

func toReal[T int | int64](tables [][]T) [][]float64 {
	out := make([][]float64, len(tables))
	for i, t := range tables {
		for _, v := range t {
			out[i] = append(out[i], float64(v))
		}
	}
	return out
}

// seven are seven records of three variables.
var seven = [][]int{{0, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}}

// maskOf is the support of a coefficient as bits, variable v being bit v.
func maskOf(s *Spectrum, i int) int {
	m := 0
	support, _ := s.Index(i)
	for _, v := range support {
		m |= 1 << v
	}
	return m
}

func TestColliderCoefficients(t *testing.T) {
	s := collider.spectrum(t)
	phi := must.Get(s.Coefficients(tablesOf(collider, seven)))(t)
	want := []int64{7, -1, -3, 1, -3, 1, 3, 3} // by mask
	shifted := make([]float64, 8)
	for i, v := range phi {
		if m := maskOf(s, i); v != want[m] {
			t.Errorf("φ of mask %d: %d, want %d", m, v, want[m])
		} else {
			shifted[i] = float64(v) + 0.5*float64(m) - 1.25
		}
	}
	// reference tables have variable 0 fastest
	for _, tc := range []struct {
		phi  []float64
		want []float64
	}{
		{toReal([][]int64{phi})[0], []float64{1, 0, 0, 1, 0, 1, 2, 2}},
		{shifted, []float64{1.5, -0.25, -0.5, 1, -1, 1, 2, 2}},
	} {
		tables := must.Get(s.Tables(tc.phi))(t)
		for c, v := range tables[2] {
			if back := int(bits.Reverse8(uint8(c)) >> 5); v != tc.want[back] {
				t.Errorf("cell %03b: %v, want %v", c, v, tc.want[back])
			}
		}
	}
}

// Coefficients by their definition as sums over records, numbering, owners, and tables there and back.
func TestCoefficientsAreSumsOverRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomNet(t, 6, rapid.SampledFrom([]int{1, 2, 3, 4}).Draw(t, "states"))
		s := spectrum(t, n.arities, n.families())
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rows := randomRows(rng, n, 40)
		counts := tablesOf(n, rows)
		phi, err := s.CoefficientsReal(toReal(counts))
		if err != nil || phi[0] != 40 {
			t.Fatal(phi[0], err)
		}
		bases := make([][][]float64, len(n.arities))
		for v, r := range n.arities {
			bases[v] = Helmert(r)
		}
		seen := map[string]bool{}
		for i := range phi {
			support, function := s.Index(i)
			sum := 0.0
			key := make([]byte, len(n.arities))
			for k, v := range support {
				key[v] = byte(function[k])
			}
			seen[string(key)] = true
			for _, x := range rows {
				u := 1.0
				for k, v := range support {
					u *= bases[v][function[k]][x[v]]
				}
				sum += u
			}
			if !near(phi[i], sum, 1e-12) {
				t.Fatalf("φ of %v %v: %v, want %v", support, function, phi[i], sum)
			}
			families := s.Containing(support)
			owner := s.Owner(i)
			if !slices.Contains(families, owner) || !slices.Contains(s.Maximal(), owner) {
				t.Fatalf("owner %d, containing %v, maximal %v", owner, families, s.Maximal())
			}
			for _, m := range s.Maximal() {
				if m < owner && slices.Contains(families, m) {
					t.Fatalf("coefficient %d: family %d comes before its owner %d", i, m, owner)
				}
			}
		}
		if len(seen) != s.Size() {
			t.Fatalf("%d different coefficients of %d", len(seen), s.Size())
		}
		tables := must.Get(s.Tables(phi))(t)
		for i := range tables {
			for c, v := range tables[i] {
				if !near(v, float64(counts[i][c]), 1e-12) {
					t.Fatalf("table %d: %v, want %v", i, tables[i], counts[i])
				}
			}
		}
		if !s.Binary() {
			return
		}
		exact := must.Get(s.Coefficients(counts))(t)
		for i, v := range exact {
			if float64(v) != phi[i] {
				t.Fatalf("integer %d, real %v", v, phi[i])
			}
		}
	})
}

// marginOf sums a table over family f down to the set.
func marginOf(arities, f, set []int, table []float64) []float64 {
	var own []int
	cells := 1
	for _, v := range f {
		own = append(own, arities[v])
	}
	for _, v := range set {
		cells *= arities[v]
	}
	out := make([]float64, cells)
	digits := newOdometer(own)
	for _, x := range table {
		c := 0
		for k, v := range f {
			if slices.Contains(set, v) {
				c = c*arities[v] + digits.digits[k]
			}
		}
		out[c] += x
		digits.next()
	}
	return out
}

// Whatever the coefficients, tables agree on their common margins and with Margin.
func TestTablesAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomNet(t, 6, rapid.SampledFrom([]int{2, 4}).Draw(t, "states"))
		fams := n.families()
		s := spectrum(t, n.arities, fams)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		phi := make([]float64, s.Size())
		for i := range phi {
			phi[i] = 100 * rng.NormFloat64()
		}
		tables := must.Get(s.Tables(phi))(t)
		for i, f := range fams {
			for j, g := range fams {
				var common []int
				for _, v := range f {
					if slices.Contains(g, v) {
						common = append(common, v)
					}
				}
				a, b := marginOf(n.arities, f, common, tables[i]), marginOf(n.arities, g, common, tables[j])
				for c := range a {
					if !near(a[c], b[c], 1e-12*100) {
						t.Fatalf("families %v, %v, margin %v: %v, %v", f, g, common, a, b)
					}
				}
			}
		}
	})
}

func TestHelmertBasis(t *testing.T) {
	for r := 1; r <= 12; r++ {
		u := Helmert(r)
		for j := range u {
			for k := range u {
				functions, states := 0.0, 0.0
				for x := range r {
					functions += u[j][x] * u[k][x]
					states += u[x][j] * u[x][k]
				}
				want := 0.0
				if j == k {
					want = float64(r)
				}
				if !near(functions, want, 1e-14*float64(r)) || !near(states, want, 1e-14*float64(r)) {
					t.Errorf("r = %d, %d and %d: %v, %v", r, j, k, functions, states)
				}
			}
		}
	}
	want := [][]float64{{1, 1, 1}, {1.224744871391589, -1.224744871391589, 0},
		{0.7071067811865476, 0.7071067811865476, -1.4142135623730951}}
	for j, u := range Helmert(3) {
		for x := range u {
			if !near(u[x], want[j][x], 1e-15) {
				t.Errorf("u_%d(%d) = %v, want %v", j, x, u[x], want[j][x])
			}
		}
	}
	if got := Helmert(2); got[1][0] != 1 || got[1][1] != -1 {
		t.Error(got)
	}
	if got := Helmert(-1); len(got) != 0 {
		t.Error(got)
	}
}
