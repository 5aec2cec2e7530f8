package sums

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// line are records of one integer each.
func line(values ...int64) (out [][]int64) {
	for _, v := range values {
		out = append(out, []int64{v})
	}
	return out
}

// realised is the exact pure ε of releases of the records' sums under noise of the given exponent.
func realised(t *testing.T, records [][]int64, exponent func(z []int64) float64, adj dp.Adjacency) float64 {
	t.Helper()
	e := enumeration{records: records, n: 2, rows: 1, adj: adj, exponent: exponent, box: 4}
	out := must.Get(e.largestLoss(t.Context(), false))(t)
	return out.Value
}

func weighted(weights ...float64) func(z []int64) float64 {
	return func(z []int64) float64 {
		sum := 0.0
		for i, v := range z {
			sum += weights[i] * math.Abs(float64(v))
		}
		return sum
	}
}

// The usual mistakes, at nominal ε = 1, by the enumeration that the certificate runs: each with the ε that it has.
func TestMutantsAreRejected(t *testing.T) {
	grouped := func(vector func(k int64) []int64, k int64) (out [][]int64) { // two groups
		for g := range int64(2) {
			for v := range k + 1 {
				z := vector(v)
				row := make([]int64, 2*len(z))
				copy(row[int(g)*len(z):], z)
				out = append(out, row)
			}
		}
		return out
	}
	squares := func(m, centre int64, k int64) (out [][]int64) {
		for v := range k + 1 {
			c := v - centre
			out = append(out, []int64{c, c * c})
		}
		return out
	}
	gauge := func(m int64) func(z []int64) float64 {
		return design{Kind: moments, Steps: 2 * m}.gauge(parabolaLaw, dp.ReplaceOne)
	}
	for name, c := range map[string]struct {
		records  [][]int64
		exponent func(z []int64) float64
		want     float64
	}{
		"none":                    {line(0, 1, 2, 3, 4), weighted(1.0 / 4), 1},
		"clipped after the noise": {line(0, 4, 40), weighted(1.0 / 4), 10},
		"rounding forgotten":      {line(0, 1, 2, 3), weighted(1 / 2.2), 3 / 2.2},
		"groups of K = 6, centred": {grouped(func(k int64) []int64 { return []int64{k - 3} }, 6),
			weighted(1.0/6, 1.0/6), 1},
		"groups of K = 6, uncentred": {grouped(func(k int64) []int64 { return []int64{k} }, 6),
			weighted(1.0/6, 1.0/6), 2},
		"groups uncentred at the range": {grouped(func(k int64) []int64 { return []int64{k} }, 4), weighted(.25, .25), 2},
		"counts of groups free": {grouped(func(k int64) []int64 { return []int64{1, k - 2} }, 4),
			weighted(.5, .25, .5, .25), 2},
		"centre of groups rounded": {grouped(func(k int64) []int64 { return []int64{k - 1} }, 3),
			weighted(1.0/3, 1.0/3), 4.0 / 3},
		"count of the present public": {append(grouped(func(k int64) []int64 { return []int64{1, k - 2} }, 4)[:5],
			make([]int64, 4)), weighted(1e6, .25, 1, 1), 1e6 + .5},
		"present or missing at the noise of added": {append(grouped(func(k int64) []int64 {
			return []int64{k, 4 - k}
		}, 4)[:5], make([]int64, 4)), weighted(.25, .25, 1, 1), 2},
		"the missing free":                  {append(line(2, 3, 4), line(0)...), weighted(.5), 2},
		"squares not charged":               {squares(4, 4, 8), weighted(.5/4, 1.0/16), 1.5625},
		"squares at half (wasteful)":        {squares(4, 4, 8), weighted(.25/4, .5/16), .78125},
		"K = 3 centred at its rounded half": {squares(1, 1, 3), gauge(1), 4},
		"K = 5 centred at its rounded half": {squares(2, 2, 5), gauge(2), 2.25},
		"K = 7 centred at its rounded half": {squares(3, 3, 7), gauge(3), 16.0 / 9},
	} {
		if got := realised(t, c.records, c.exponent, dp.ReplaceOne); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: ε = %v for %v", name, got, c.want)
		}
	}
	// a unit of two rows at the noise of one
	e := enumeration{records: line(0, 1, 2), n: 2, rows: 2, exponent: weighted(.5), box: 6}
	if out, err := e.largestLoss(t.Context(), false); err != nil || math.Abs(out.Value-2) > 1e-12 {
		t.Errorf("units of two rows at the noise of one: %v, %v", out.Value, err)
	}
	// bounds from the data: the rate depends on them, and the loss grows with the output, here up to 400 either way
	law := func(a, b, z int64) float64 { // of two records in {0, …, 6}
		rate := 1 / math.Max(1, math.Abs(float64(a-b)))
		return math.Log(math.Tanh(rate/2)) - rate*math.Abs(float64(z-max(a, b)+min(a, b)))
	}
	worst := 0.0
	for _, a := range pairsUpTo(6) {
		for v := range int64(7) {
			for z := int64(-400); z <= 400; z++ {
				worst = math.Max(worst, math.Abs(law(a[0], a[1], z)-law(a[0], v, z)))
			}
		}
	}
	if math.Abs(worst-332.6180524451847) > 1e-9 {
		t.Errorf("bounds from the data lose %v", worst)
	}
}

func pairsUpTo(k int64) (out [][2]int64) {
	for a := range k + 1 {
		for b := range k + 1 {
			out = append(out, [2]int64{a, b})
		}
	}
	return out
}

// The golden sensitivities of designs that are not released: four moments at once, and Bernstein's three of degree 2.
func TestGoldenSensitivitiesBeside(t *testing.T) {
	far := func(steps int64, vector func(k int64) []float64) (replaced, added float64) {
		norm := func(a, b []float64) (sum float64) {
			for i := range a {
				sum += math.Abs(a[i] - b[i])
			}
			return sum
		}
		for _, p := range pairsUpTo(steps) {
			a, b := vector(p[0]), vector(p[1])
			replaced = math.Max(replaced, norm(a, b))
			added = math.Max(added, norm(a, make([]float64, len(a))))
		}
		return replaced, added
	}
	got, _ := far(40, func(k int64) []float64 {
		u := float64(k-20) / 20
		return []float64{u, u * u, u * u * u, u * u * u * u}
	})
	if math.Abs(got-2704.0/625) > 1e-12 {
		t.Errorf("four moments: %v", got)
	}
	replaced, added := far(3, func(k int64) []float64 {
		return []float64{float64((3 - k) * (3 - k)), float64(2 * k * (3 - k)), float64(k * k)}
	})
	if added != 9 || replaced != 18 {
		t.Errorf("Bernstein's three: %v and %v for 9 and 18", added, replaced)
	}
	centred, _ := far(10, func(k int64) []float64 { return []float64{float64(k - 5)} })
	if _, added := far(10, func(k int64) []float64 { return []float64{float64(k - 5)} }); centred != 10 || added != 5 {
		t.Errorf("centred: %v and %v for 10 and 5", centred, added)
	}
}

// Every design and law: one record moves the sums by at most 1 in the noise's norm, and by 1 for some: nothing wasted.
func TestChangesAreTight(t *testing.T) {
	for _, k := range []int64{1, 2, 3, 5, 6, 8} {
		for _, adj := range adjacencies {
			private := adj == dp.AddRemove
			for _, c := range []struct {
				d    design
				laws []string
				ok   bool
			}{
				{design{Kind: oneSum, Steps: k}, []string{geometricLaw, gaussianLaw}, true},
				{design{Kind: halves, Steps: k}, []string{geometricLaw, gaussianLaw}, private},
				{design{Kind: moments, Steps: k}, []string{parabolaLaw, gaussianLaw}, !private},
				{design{Kind: columns, Steps: k, Width: 2}, []string{geometricLaw, cubeLaw, gaussianLaw}, !private},
				{design{Kind: columnsCount, Steps: k, Width: 2}, []string{geometricLaw, cubeLaw, gaussianLaw}, private},
				{design{Kind: groupHalves, Steps: k, Width: 3}, []string{geometricLaw, gaussianLaw}, true},
				{design{Kind: groupHalves, Steps: k, Width: 1, Omit: true}, []string{geometricLaw, gaussianLaw}, true},
				{design{Kind: groupHalves, Steps: k, Width: 3, Omit: true}, []string{geometricLaw, gaussianLaw}, true},
				{design{Kind: groupTriple, Steps: k, Coarse: k, Width: 1, Omit: true},
					[]string{geometricLaw, gaussianLaw}, true},
				{design{Kind: groupTriple, Steps: 3 * k, Coarse: 2, Width: 2, Omit: true},
					[]string{geometricLaw, gaussianLaw}, true},
				{design{Kind: sumSquares, Steps: k, Coarse: k}, []string{geometricLaw, gaussianLaw}, !private},
				{design{Kind: columnsSquares, Steps: k, Coarse: k, Width: 2}, []string{geometricLaw, gaussianLaw}, !private},
				{design{Kind: triple, Steps: k, Coarse: k}, []string{geometricLaw, gaussianLaw}, private},
				{design{Kind: triple, Steps: 3 * k, Coarse: 2}, []string{geometricLaw, gaussianLaw}, private},
				{design{Kind: groupTriple, Steps: k, Coarse: k, Width: 2}, []string{geometricLaw, gaussianLaw}, true},
			} {
				if !c.ok {
					continue
				}
				for _, law := range c.laws {
					got := c.d.farthest(adj, c.d.records(), c.d.gauge(law, adj)).Value
					if got > 1+1e-12 || got < 1-1e-12 {
						t.Errorf("%+v, %s, %s: %v", c.d, law, adj, got)
					}
				}
			}
		}
	}
}

// With records that may have no value, sums of public n are refused by the enumeration of the certificate: what a
// missing one leaves out of the centred squares is more than is charged for. No such design is certified.
func TestPublicCountOfThePresentIsRejected(t *testing.T) {
	for _, d := range []design{{Kind: sumSquares, Steps: 4, Coarse: 4}, {Kind: sumSquares, Steps: 5, Coarse: 5},
		{Kind: oneSum, Steps: 4}, {Kind: moments, Steps: 4}, {Kind: columns, Steps: 2, Width: 2},
		{Kind: halves, Steps: 4}, {Kind: triple, Steps: 4, Coarse: 4}} {
		d.Omit = true
		if got := d.farthest(dp.ReplaceOne, d.records(), d.gauge(geometricLaw, dp.ReplaceOne)).Value; got <= 1 &&
			(d.Kind == sumSquares || d.Kind == halves || d.Kind == triple) {
			t.Errorf("%+v: a record moves the sums by %v", d, got)
		}
		if err := d.valid(24, 3); err == nil {
			t.Errorf("%+v is certified", d)
		}
	}
	ok := design{Kind: groupTriple, Steps: 4, Coarse: 4, Width: 1, Omit: true}
	if err := ok.valid(24, 3); err != nil || len(ok.records()) != 6 {
		t.Errorf("%d records, %v", len(ok.records()), err)
	}
}

// Squares on a coarser lattice: the note's exact losses at nominal ε = 1 for places that are rounded half up, more than
// 1, and none with the room that production leaves; Bernstein's sums.
func TestSquaresOfRoundedPlaces(t *testing.T) {
	for _, c := range []struct {
		m, coarse int64
		want      float64
	}{{16, 4, 67.0 / 64}, {64, 8, 263.0 / 256}, {60, 7, 1205.0 / 1176}, {128, 16, 1039.0 / 1024}} {
		d := design{Kind: sumSquares, Steps: 2 * c.m, Coarse: 2 * c.coarse}
		far := func(a, b float64) float64 {
			return d.farthest(dp.ReplaceOne, d.records(), weighted(a, b)).Value
		}
		plain := far(1/float64(2*c.m), 1/float64(4*c.coarse*c.coarse))
		if math.Abs(plain-c.want) > 1e-12 || plain > 1+1/float64(2*c.coarse) {
			t.Errorf("M = %d on %d: %v for %v", c.m, c.coarse, plain, c.want)
		}
		for _, law := range []string{geometricLaw, gaussianLaw} {
			if got := d.farthest(dp.ReplaceOne, d.records(), d.gauge(law, dp.ReplaceOne)).Value; got > 1 || got < .8 {
				t.Errorf("M = %d on %d, %s: %v with room", c.m, c.coarse, law, got)
			}
		}
	}
	if got := (design{Kind: triple, Steps: 7, Coarse: 7}).l1(dp.AddRemove); got != 49 {
		t.Errorf("Bernstein's sums of K = 7: %v for 49", got)
	}
}

// Every lattice, coarse lattice and adjacency: with squares, too, one record moves the sums by at most 1 in the noise's
// norm, also where J does not divide K and where either is odd.
func TestChangesWithSquares(t *testing.T) {
	for k := int64(1); k <= 24; k++ {
		for j := int64(1); j <= k; j++ {
			if j%2 == 1 && j < k {
				continue
			}
			for _, adj := range adjacencies {
				for _, d := range []design{{Kind: sumSquares, Steps: k, Coarse: j}, {Kind: triple, Steps: k, Coarse: j},
					{Kind: groupTriple, Steps: k, Coarse: j, Width: 2}} {
					if (d.Kind == sumSquares) == (adj == dp.AddRemove) && d.Kind != groupTriple {
						continue
					}
					for _, law := range []string{geometricLaw, gaussianLaw} {
						if got := d.farthest(adj, d.records(), d.gauge(law, adj)).Value; got > 1+1e-12 {
							t.Errorf("%+v, %s, %s: %v", d, law, adj, got)
						}
					}
				}
			}
		}
	}
}

// The note's goldens of sensitivities that releases rest on.
func TestGoldenSensitivities(t *testing.T) {
	for name, c := range map[string]struct {
		have, want float64
	}{
		"sum":                  {design{Kind: oneSum, Steps: 10}.l1(dp.ReplaceOne), 10},
		"sum, added":           {design{Kind: oneSum, Steps: 10}.l1(dp.AddRemove), 10},
		"pairs, replaced":      {design{Kind: groupHalves, Steps: 6, Width: 3}.l1(dp.ReplaceOne), 12},
		"pairs, added":         {design{Kind: groupHalves, Steps: 6, Width: 3}.l1(dp.AddRemove), 6},
		"parabola, β = 1":      {worstMoment(8, 1.0/8, 1.0/64), 9.0 / 4},
		"parabola, free":       {worstMoment(9, 1.0/18, 1.0/(4*81)), 1},
		"parabola, M = 5":      {worstMoment(5, 1.0/5, 1.0/25), 56.0 / 25},
		"parabola in ℓ₂, 11/4": {squareMoment(7), 4},
	} {
		if math.Abs(c.have-c.want) > 1e-12 {
			t.Errorf("%s: %v for %v", name, c.have, c.want)
		}
	}
	// (Mσ₁/σ₂)² above ((1+√5)/2)⁵/4 = 2.7725 is no longer free
	d := design{Kind: moments, Steps: 2000}
	worst := 0.0
	for x := int64(0); x <= 2000; x++ {
		z, m := []int64{x, x * (2000 - x)}, 1000.0
		u, v := float64(z[0])/m, float64(z[1])/(m*m)
		worst = math.Max(worst, u*u+2.80*v*v)
	}
	if g := d.gauge(gaussianLaw, dp.ReplaceOne)([]int64{2000, 0}); worst <= 4 || math.Abs(g-1) > 1e-12 {
		t.Errorf("at 2.80 the sup is %v, the norm of the farthest change %v", worst, g)
	}
}

func (d design) l1(adj dp.Adjacency) float64 {
	return d.farthest(adj, d.records(), func(z []int64) float64 {
		sum := 0.0
		for _, v := range z {
			sum += math.Abs(float64(v))
		}
		return sum
	}).Value
}

func worstMoment(m int64, a, b float64) float64 {
	d := design{Kind: moments, Steps: 2 * m}
	return d.farthest(dp.ReplaceOne, d.records(), weighted(a, b)).Value
}

func squareMoment(m int64) float64 {
	d := design{Kind: moments, Steps: 2 * m}
	return d.farthest(dp.ReplaceOne, d.records(), func(z []int64) float64 {
		u, v := float64(z[0])/float64(m), float64(z[1])/float64(m*m)
		return u*u + float64(momentRatioNum)/momentRatioDen*v*v
	}).Value
}

// The exponent of every law is that of what is drawn: as sampled, not only as stated.
func TestExponentsAreThoseOfTheSamplers(t *testing.T) {
	src := dp.Seeded(5)
	for _, m := range models {
		for _, adj := range adjacencies {
			for _, target := range []dp.Request{dp.PureDP(3), dp.ZCDP(2)} {
				sh := shapeOf(t, withSteps(m), 50, 1)
				p, err := New().prepare(t.Context(), sh, target.Under(adj))
				if err != nil {
					continue
				}
				q := must.Get(calibrate(t.Context(), p))(t)
				z := must.Get(p.noise(q))(t)
				a, b := make([]int64, p.dims()), make([]int64, p.dims())
				b[0] = 1
				ratio := math.Exp(z.exponent(a) - z.exponent(b)) // P(b)/P(a)
				na, nb := 0.0, 0.0
				out := make([]int64, p.dims())
				const n = 40_000
				for range n {
					z.draw(src, out)
					switch {
					case equal(out, a):
						na++
					case equal(out, b):
						nb++
					}
				}
				// six standard errors: a false alarm of 1e-9 each
				if na+nb < 200 {
					continue
				}
				share, want := nb/(na+nb), ratio/(1+ratio)
				if math.Abs(share-want) > 6.2*math.Sqrt(want*(1-want)/(na+nb)) {
					t.Errorf("%s, %s, %s: P(1, 0, …) : P(0) is %.3f for %.3f", m, q.Law, adj, share, want)
				}
			}
		}
	}
	_ = sample.MaxCube
}

func equal(a, b []int64) bool {
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return true
}

// Parameters of unit moments whose change leaves 64 bits, or that are too many to enumerate, are refused: no panic, and
// no loss of 0.
func TestLargeUnitsAreRefused(t *testing.T) {
	large := design{Kind: UnitMoments, Steps: 1 << 24, Coarse: 1 << 24, Unit: 4096}
	many := design{Kind: UnitMoments, Steps: 24, Coarse: 24, Unit: 4096}
	enough := design{Kind: UnitMoments, Steps: 2, Coarse: 2, Unit: 4}
	if large.valid(1<<24, 1) == nil || many.few(24) == nil || enough.few(8) != nil {
		t.Error("accepted")
	}
}
