package claims

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/parity"
)

// spectrum is the parity analysis of a graph's families.
func (g dag) spectrum(states int) (*parity.Spectrum, error) {
	var families [][]int
	for _, set := range g.families() {
		var fam []int
		for v := range g {
			if set>>v&1 == 1 {
				fam = append(fam, v)
			}
		}
		families = append(families, fam)
	}
	return parity.NewSpectrum(g.arities(states), families)
}

// families are the nodes with their parents, as bit masks.
func (g dag) families() []uint {
	out := make([]uint, len(g))
	for i, ps := range g {
		out[i] = 1 << i
		for _, p := range ps {
			out[i] |= 1 << p
		}
	}
	return out
}

// closure lists N: all sets that lie inside of a family, the empty one first.
func (g dag) closure() []uint {
	var out []uint
	for set := range uint(1) << len(g) {
		for _, f := range g.families() {
			if set&^f == 0 {
				out = append(out, set)
				break
			}
		}
	}
	return out
}

// sign is (−1)^⟨γ, c⟩.
func sign(gamma, cell uint) float64 { return 1 - 2*float64(bits.OnesCount(gamma&cell)&1) }

// margin sums a table over all variables outside of a set: by cell of the full table with the others at 0.
func margin(h []float64, set uint) map[uint]float64 {
	out := map[uint]float64{}
	for c, v := range h {
		out[uint(c)&set] += v
	}
	return out
}

// closureSuffices takes the definitions as printed: f^γ of 2^k cells, its projection on every family, and random real
// tables. The error moves one coefficient.
func closureSuffices(t *trial, err float64) error {
	r := rand.New(rand.NewPCG(3, 4))
	for name, g := range smallGraphs {
		size := uint(1) << len(g)
		norm := math.Exp2(-float64(len(g)) / 2)
		h := make([]float64, size)
		for i := range h {
			h[i] = 10 * r.NormFloat64()
		}
		for _, fam := range g.families() {
			sum := map[uint]float64{}
			for gamma := range size {
				if gamma&^fam != 0 {
					continue
				}
				f, coefficient := make([]float64, size), err
				for c := range f {
					f[c] = sign(gamma, uint(c)) * norm
					coefficient += f[c] * h[c]
				}
				for c, v := range margin(f, fam) {
					sum[c] += coefficient * v
				}
			}
			for c, v := range margin(h, fam) {
				t.printed(math.Abs(v-sum[c]) < 1e-10, float64(len(g)), "%s: family %b, cell %b: %v, not %v", name, fam,
					c, sum[c], v)
			}
		}
		s, fails := g.spectrum(2)
		if fails != nil {
			return fails
		}
		t.f.require(s.Size() == len(g.closure()), "%s: |N| = %d", name, s.Size())
	}
	return nil
}

// tablesAgree builds the joint table of noisy coefficients and compares its margins with the tables that Algorithm 2
// computes from the same coefficients, by this package's sums and by the library's transform.
func tablesAgree(t *trial, err float64) error {
	r := rand.New(rand.NewPCG(3, 5))
	for name, g := range smallGraphs {
		s, fails := g.spectrum(2)
		if fails != nil {
			return fails
		}
		joint := make([]float64, uint(1)<<len(g))
		for i := range joint {
			joint[i] = 5 * r.NormFloat64()
		}
		var tables [][]float64
		for _, fam := range s.Families() {
			m := make([]float64, 1<<len(fam))
			for c, v := range joint {
				cell := 0
				for _, u := range fam {
					cell = 2*cell + c>>u&1
				}
				m[cell] += v
			}
			tables = append(tables, m)
		}
		phi, fails := s.CoefficientsReal(tables)
		if fails != nil {
			return fails
		}
		back, fails := s.Tables(phi)
		if fails != nil {
			return fails
		}
		back[0][0] += err
		for i := range back {
			for c, v := range back[i] {
				t.printed(math.Abs(v-tables[i][c]) < 1e-10, float64(len(g)), "%s: family %d, cell %d: %v", name, i, c, v)
			}
		}
		for i := range phi { // any noise leaves tables that agree
			phi[i] += 3 * r.NormFloat64()
		}
		if back, fails = s.Tables(phi); fails != nil {
			return fails
		}
		back[0][0] += err
		for v := range g {
			share := math.NaN()
			for i, fam := range s.Families() {
				for k, u := range fam {
					if u != v {
						continue
					}
					sum := 0.0
					for c, x := range back[i] {
						if c>>(len(fam)-1-k)&1 == 0 {
							sum += x
						}
					}
					t.printed(math.IsNaN(share) || math.Abs(sum-share) < 1e-10, float64(len(g)),
						"%s: margins of node %d: %v and %v", name, v, share, sum)
					share = sum
				}
			}
		}
	}
	return nil
}

func coefficientSensitivity(t *trial, factor float64) error {
	for _, c := range []struct {
		name      string
		odd, size int
	}{{"chain", 4, 6}, {"collider", 4, 8}, {"diamond", 7, 11}, {"naive Bayes, 3 features", 6, 8}, {"alone", 2, 3}} {
		g := smallGraphs[c.name]
		s, err := g.spectrum(2)
		if err != nil {
			return err
		}
		odd, exact, _, err := s.OddSensitivity(0)
		if err != nil {
			return err
		}
		worst, most := int64(0), 0
		for z := range uint(1) << len(g) { // x and y = x xor z disagree on the γ with ⟨γ, z⟩ odd, by 2 each
			n := 0
			for _, gamma := range g.closure() {
				if sign(gamma, z) < 0 {
					n++
				}
			}
			most = max(most, n)
			t.f.Cases++
		}
		records(g.arities(2), func(z []int) {
			if n, err := s.OddCount(z); err == nil {
				worst = max(worst, n)
			}
		})
		t.f.require(exact && worst == odd && int64(most) == odd && s.Size() == c.size, "%s: |N| = %d", c.name, s.Size())
		t.bound(factor*float64(s.Size()), 2*float64(odd), float64(len(g)), "%s", c.name)
		t.f.require(2*odd > int64(s.Size()-1) && odd <= int64(s.Size()-1), "%s: odd(N) out of its range", c.name)
		t.f.number(c.name+": odd(N)", float64(odd), float64(c.odd), 0)
	}
	return nil
}
