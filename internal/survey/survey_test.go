package survey

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawn is a random release of every kind.
func drawn(t *rapid.T, box func(name string) float64) golden {
	k := rapid.IntRange(1, 5).Draw(t, "parts")
	row := func(name string, low, high float64) (v []float64) {
		for range k {
			v = append(v, rapid.Float64Range(low, high).Draw(t, name))
		}
		return v
	}
	c := golden{D: rapid.IntRange(2, 9).Draw(t, "d"), Sizes: row("size", .01, 1e4), Weights: row("weight", .01, 1),
		Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"),
		Of: rapid.SampledFrom([]string{"six", "five", "share", "total", "strata share", "strata mean", "calibrated share",
			"calibrated mean"}).Draw(t, "of")}
	for range 6 {
		var v []float64
		for range k {
			v = append(v, box("box"))
		}
		c.Boxes = append(c.Boxes, v)
	}
	return c
}

// noises draws noise of either kind.
func noises(t *rapid.T, low, high float64) Noise {
	sd := rapid.Float64Range(low, high).Draw(t, "sd")
	if rapid.Bool().Draw(t, "normal") {
		return Gaussian(sd)
	}
	return Laplace(math.Sqrt2 / sd)
}

// Whatever was released, an interval is inside its range, has a width, and widens with its level.
func TestIntervalsAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]float64{1, 30, 1e3, 1e5}).Draw(t, "size")
		c := drawn(t, func(name string) float64 { return rapid.Float64Range(-size, 3*size).Draw(t, name) })
		n := noises(t, .05, 300)
		a, b := c.interval(n, .95), c.interval(n, .5)
		most := 1.0
		if c.Of == "total" {
			most = math.Inf(1)
		}
		if !(0 <= a.Lower && a.Lower < a.Upper && a.Upper <= most && a.Lower <= b.Lower+1e-9 && b.Upper <= a.Upper*(1+1e-9)) {
			t.Fatalf("%v: %v at .95, %v at .5", c, a, b)
		}
		if a.Shown != !math.IsNaN(a.Estimate) || a.Shown && !(a.Lower <= a.Estimate && a.Estimate <= a.Upper) {
			t.Fatalf("%v: estimate outside its interval: %+v", c, a)
		}
	})
}

// Of all finite numbers, and of what is none, there is an interval.
func TestAnyNumbersGiveAnInterval(t *testing.T) {
	strange := []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e300,
		-1e15, math.Inf(1), math.NaN()}
	rapid.Check(t, func(t *rapid.T) {
		any := func(name string) float64 {
			return rapid.OneOf(rapid.SampledFrom(strange), rapid.Float64()).Draw(t, name)
		}
		c, n := drawn(t, any), Noise{sd: any("sd"), ratio: 1, normal: rapid.Bool().Draw(t, "normal")}
		i := c.interval(n, rapid.Float64Range(1e-6, 1-1e-9).Draw(t, "level"))
		if !(0 <= i.Lower && i.Lower <= i.Upper) || c.Of != "total" && i.Upper > 1 {
			t.Fatalf("%v: %+v", c, i)
		}
		e := Effective(Boxes{any("weight"), any("rest")}, 3, n, c.Alpha, .95)
		if !(0 <= e.Lower && e.Lower <= e.Value && e.Value <= e.Upper) {
			t.Fatalf("effective size %+v", e)
		}
		var bins []Boxes
		var clusters []Cluster
		for i := range rapid.IntRange(0, 9).Draw(t, "bins") {
			bins = append(bins, Boxes{any("bin"), any("bin")})
			clusters = append(clusters, Cluster{any("ones"), any("zeros"), i % 2})
		}
		q := Quantile(bins, rapid.Float64Range(.01, .99).Draw(t, "p"), n, nil, .95)
		if !(0 <= q.Lower && q.Lower <= q.Estimate && q.Lower <= q.Upper && q.Upper <= len(bins)) {
			t.Fatalf("quantile %+v of %v", q, bins)
		}
		if i := Clusters(clusters, n, .95); !(0 <= i.Lower && i.Lower <= i.Upper && i.Upper <= 1) {
			t.Fatalf("clusters %+v", i)
		}
	})
}

// Records without differences in weight and one stratum give the test of unweighted records, of nothing else; a merged
// cell is as good as one; and cells that answer alike need no calibration.
func TestWhatIsTheSame(t *testing.T) {
	n := Laplace(1)
	cells := []ShareCell{{Size: 2, Own: Boxes{20, 11}, Others: Boxes{180, 90}},
		{Size: 1, Own: Boxes{30, 14}, Others: Boxes{70, 39}}}
	merged := []ShareCell{{Size: 3, Own: Boxes{50, 25}, Others: Boxes{250, 129}, Parts: 2}}
	apart, one := CalibratedShare(cells, n, .1, .95), CalibratedShare(merged, n, .1, .95)
	if math.Abs(apart.Lower-one.Lower) > 1e-3 || math.Abs(apart.Upper-one.Upper) > 1e-3 || apart.Thin != nil {
		t.Errorf("%+v apart, %+v merged", apart, one)
	}
	merged[0].Parts = 1
	if alone := CalibratedShare(merged, n, .1, .95); one.Lower >= alone.Lower {
		t.Errorf("two parts have no more noise: %+v for %+v", one, alone)
	}
	cells[1] = ShareCell{Size: 1, Own: Boxes{3, 1}, Others: Boxes{2, 1}}
	if got := CalibratedShare(cells, n, .1, .95); !slices.Equal(got.Thin, []int{1}) || got.Shown {
		t.Errorf("a cell with less weight than its noise: %+v", got)
	}
	thin := CalibratedMean([]MeanCell{{Size: 1, Boxes: Six{Weight: [3]float64{200, 50, 9}}}, {Size: 1}}, n, .1, .95)
	if !slices.Equal(thin.Thin, []int{1}) || thin.Shown || !math.IsNaN(thin.Estimate) {
		t.Errorf("an empty cell: %+v", thin)
	}
}

// Clusters are read with a floor, by stratum, and as design-based standard errors are.
func TestClusters(t *testing.T) {
	// The clusters of an example that agrees with svymean of R's survey 4.1: standard errors .094868… and .089312…
	w := []float64{3.829, 2.534, 3.929, 1.243, 2.822, 2.129, 3.406, 1.524, 3.615, 2.632, 3.707, 2.431}
	y := []float64{0.43, 0.789, 0.984, 0.37, 0.969, 0.929, 0.178, 0.609, 0.705, 0.943, 0.666, 0.133}
	for strata, want := range map[int]struct{ se, t float64 }{1: {.09486849240696216, 2.570581835636314},
		2: {.08931289973987168, 2.7764451051977987}} {
		var list []Cluster
		for p := range 6 {
			z := Cluster{Stratum: p / 3 * (strata - 1)}
			for _, i := range []int{2 * p, 2*p + 1} {
				z.Ones, z.Zeros = z.Ones+w[i]*y[i], z.Zeros+w[i]*(1-y[i])
			}
			list = append(list, z)
		}
		i := Clusters(list, Gaussian(1e-6), .95)
		if math.Abs(i.Estimate-.652090796130292) > 1e-12 || math.Abs((i.Upper-i.Estimate)/want.t-want.se) > 1e-9 {
			t.Errorf("%d strata: %+v, standard error %v", strata, i, (i.Upper-i.Estimate)/want.t)
		}
		if i := Clusters(list, Gaussian(9), .95); i.Shown || i.Lower != 0 || i.Upper != 1 {
			t.Errorf("less weight than noise: %+v", i)
		}
		list[0].Stratum = 7
		if i := Clusters(list, Gaussian(1e-6), .95); i.Shown || i.Lower != 0 || i.Upper != 1 {
			t.Errorf("a stratum with one cluster: %+v", i)
		}
	}
	// a share that is below 0 has an interval of some width
	none := []Cluster{{-3, 40, 0}, {-1, 60, 0}, {0, 50, 0}}
	if i := Clusters(none, Gaussian(1), .95); i.Estimate != 0 || !(i.Upper > 0) {
		t.Errorf("below 0: %+v", i)
	}
}

// The quantile's interval: all edges where nothing is known or none is kept, the bins around the truth else.
func TestQuantiles(t *testing.T) {
	bins := make([]Boxes, 20)
	for i := range bins {
		bins[i] = Boxes{50, 20}
	}
	got := Quantile(bins, .5, Laplace(1), nil, .95)
	if got.Lower != 9 || got.Upper != 11 || got.Estimate < 9 || got.Estimate > 10 || !got.Shown {
		t.Errorf("the middle: %+v", got)
	}
	if wide := Quantile(bins, .5, Laplace(1), func(int) float64 { return 200 }, .95); wide.Lower >= got.Lower {
		t.Errorf("with more noise: %+v", wide)
	}
	for i := range bins {
		bins[i] = Boxes{}
	}
	if got := Quantile(bins, .5, Laplace(1), nil, .95); got.Shown || got.Lower != 0 || got.Upper != 20 {
		t.Errorf("nothing: %+v", got)
	}
	bins[3] = Boxes{1e4, 5e3} // no edge is kept
	if got := Quantile(bins, .5, Laplace(1), nil, .95); got.Lower != 3 || got.Upper != 4 || got.Estimate != 3 {
		t.Errorf("all in one bin: %+v", got)
	}
	bins[3], bins[5], bins[6] = Boxes{}, Boxes{400, 0}, Boxes{-400, 0} // surely above, then no longer
	if got := Quantile(bins, .5, Laplace(1), nil, .95); got.Lower > 5 || got.Upper != 20 {
		t.Errorf("edges in disorder: %+v", got)
	}
}

// Of n records of equal weight there are n; noise widens what is said.
func TestEffectiveSize(t *testing.T) {
	e := Effective(Boxes{400, 0}, 2, Laplace(2), 1, .95)
	if e.Value != 400 || !(e.Lower < 400 && e.Upper > 400) || !e.Shown {
		t.Errorf("equal weights: %+v", e)
	}
	e = Effective(Boxes{400, 300}, 3, Laplace(1), 0, .95)
	if e.Value != 1600 || !(e.Lower > 1200 && e.Upper < 2200) {
		t.Errorf("unequal weights: %+v", e)
	}
	if e = Effective(Boxes{1, 3}, 3, Laplace(1), 0, .95); e.Shown {
		t.Errorf("nothing: %+v", e)
	}
}

func BenchmarkMeanSix(b *testing.B) {
	c := golden{Boxes: [][]float64{{150.2}, {21.4}, {1.1}, {96.3}, {14.2}, {.8}}}
	for b.Loop() {
		MeanSix(c.six(0), Laplace(1), 1./64, .95)
	}
}

func BenchmarkShare(b *testing.B) {
	for b.Loop() {
		Share(Boxes{7.9, 4.1}, Boxes{241, 150}, 2, Laplace(1), 1./64, .95)
	}
}
