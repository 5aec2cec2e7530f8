package counts

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// zeroNoise shows the rounded coefficients themselves.
type zeroNoise struct{ noNoise }

// The rounded coefficients of neighbours differ by at most the certified steps, over random data sets of columns with
// two to four levels, and by more than 0.9 of them somewhere; the sensitivity before rounding has the values of
// theory/networks.md §2.6.
func TestLatticeSensitivity(t *testing.T) {
	for _, c := range []struct {
		arities  []int
		families [][]int
		want     float64
	}{{[]int{3}, [][]int{{0}}, 3.3461}, {[]int{5}, [][]int{{0}}, 5.6395},
		{[]int{2, 3, 3}, [][]int{{0, 1}, {0, 2}}, 13.3843}, {[]int{3, 3, 3}, [][]int{{0, 1, 2}}, 34.2725}} {
		s := must.Get(parity.NewSpectrum(c.arities, c.families))(t)
		const n = 40
		l, err := newLattice(s, n)
		if err != nil || math.Abs(l.sensitivity-c.want) > 6e-5 || float64(l.steps)*l.step > 1.001*l.sensitivity {
			t.Fatalf("%v: %+v, want S = %v (%v)", c.arities, l, c.want, err)
		}
		d := &fourierSampler{spectrum: s, law: zeroNoise{}, n: n, lattice: l}
		r := rand.New(rand.NewPCG(1, 1))
		tables := func(records [][]int) [][]int64 {
			out := make([][]int64, len(c.families))
			for f, vars := range c.families {
				out[f] = make([]int64, s.Cells()[f])
				for _, x := range records {
					cell := 0
					for _, v := range vars {
						cell = cell*c.arities[v] + x[v]
					}
					out[f][cell]++
				}
			}
			return out
		}
		record := func() []int {
			x := make([]int, len(c.arities))
			for v, a := range c.arities {
				x[v] = r.IntN(a)
			}
			return x
		}
		most := int64(0)
		for range 4000 {
			records := make([][]int, n)
			for i := range records {
				records[i] = record()
			}
			a, errA := d.drawLattice(t.Context(), tables(records), dp.Seeded(1))
			records[0] = record()
			b, errB := d.drawLattice(t.Context(), tables(records), dp.Seeded(1))
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			diff := int64(0)
			for i := range a[0] {
				diff += max(a[0][i]-b[0][i], b[0][i]-a[0][i])
			}
			most = max(most, diff)
		}
		if most > l.steps || float64(most) < .9*float64(l.steps) {
			t.Errorf("%v: neighbours differ by up to %d steps, certified %d", c.arities, most, l.steps)
		}
	}
}

// With little noise the tables of three-level columns come back within a record.
func TestLatticeTables(t *testing.T) {
	sh := smallShape(t, model.Network("c0", model.Node("c0"), model.Node("c1", "c0")), 30, 3, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{5, 0, 10, 2, 6, 7}}))(t)
	p := must.Get(Fourier().Plan(t.Context(), sh, dp.PureDP(500)))(t)
	if e := float64(p.Certified().Epsilon); e > 500 || e < 499.5 {
		t.Errorf("certified %v of 500", e)
	}
	drawn := must.Get(p.Draw(t.Context(), st, "x", dp.Seeded(1)))(t)
	e := must.Get(p.Estimate(t.Context(), drawn))(t)
	for i, v := range []float64{5, 0, 10, 2, 6, 7} {
		if math.Abs(e.Tables[0][i]-v) > .5 {
			t.Errorf("tables %v", e.Tables[0])
		}
	}
	if _, ok := p.Sampler(access.Mine()).(*fourierSampler); !ok {
		t.Error("another sampler")
	}
}
