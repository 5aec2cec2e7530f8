package structure

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// κ is that of another program, by integrals and by sums, and a sum over the law that is sampled is near it.
func TestKeptNoise(t *testing.T) {
	for _, c := range []struct {
		noise              *added
		parameter, m, want float64
	}{
		{gaussian, 1, 0, 0.3989422804014327}, {gaussian, 1, .5, 0.6000880034015593}, {gaussian, 1, 1, 0.7145690902151791},
		{gaussian, 1, 2, 0.7893938581860358}, {gaussian, 1, 5, 0.7978845073412101}, {gaussian, 4, 2, 2 * 0.7145690902151791},
		{geometric, .1, 0, 4.991676378648051}, {geometric, .1, 3, 6.285427944247092},
		{geometric, .1, 40, 9.891927015295359}, {geometric, 1, 2, 0.7933385052911032}, {gaussian, 4, 79, 1.5957691216057308},
	} {
		if got := c.noise.kept(c.parameter, c.m); math.Abs(got/c.want-1) > 1e-13 {
			t.Errorf("%s %v, m = %v: %.16g; want %.16g", c.noise.name, c.parameter, c.m, got, c.want)
		}
	}
	for _, c := range []struct {
		noise    *added
		num, den uint64
	}{{geometric, 1, 8}, {gaussian, 100, 1}} {
		r := rational(c.num, c.den)
		l := must.Get(c.noise.Of(r))(t)
		for _, m := range []int64{0, 1, 7, 30, 400} {
			sum := 0.0
			for z := int64(-400); z <= 400; z++ {
				sum += math.Exp(l.LogProb(z)) * math.Abs(math.Max(float64(m+z), 0)-float64(m))
			}
			if got := c.noise.kept(r.Float(), float64(m)); math.Abs(got/sum-1) > 2e-3 {
				t.Errorf("%s %s, m = %d: %v; the law has %v", c.noise.name, r, m, got, sum)
			}
		}
	}
}

// The cost of a table is that of all its noise where no cell is near 0, and half of it where all are empty; cells that
// no record can be in cost nothing, and a table without free cells costs nothing.
func TestNoiseCost(t *testing.T) {
	for name, l := range map[string]phaseLaw{
		"geometric": {kept: geometric.keptNoise(.1, true)}, "normal": {kept: gaussian.keptNoise(60, true)},
	} {
		mean := 2 * l.kept(0)
		for _, c := range []struct {
			m               []int64
			free, forbidden float64
			want            float64
		}{
			{[]int64{900, 900, 900, 900, 900, 900}, 2, 0, 2 * mean}, {make([]int64, 6), 2, 0, mean},
			{[]int64{0, 900, 900, 900, 900, 900}, 1, 1, mean}, {make([]int64, 4), 0, 4, 0}, {make([]int64, 4), -1, 2, 0},
		} {
			if got := l.noiseCost(c.m, c.free, c.forbidden); math.Abs(got-c.want) > 1e-9*mean {
				t.Errorf("%s, %v: %v; want %v", name, c.m, got, c.want)
			}
		}
	}
	before := phaseLaw{kept: geometric.keptNoise(.1, false)}
	if got, want := before.noiseCost([]int64{0, 1, 2, 900}, 1, 0), geometric.meanAbsolute(.1); math.Abs(got-want) > 1e-9 {
		t.Errorf("files from before κ: %v; want %v", got, want)
	}
}
