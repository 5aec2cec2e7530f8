package noiseaware

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Tables that contradict one another, n, or what was cut are refused wherever the contradiction is; the same ones
// nearer together are not.
func TestContradictions(t *testing.T) {
	d := threeNodes(t).DAG()
	ab := func(z StatedNoise, y ...int64) NoisyTable {
		return NoisyTable{Columns: []string{"a", "b"}, Counts: y, Noise: z}
	}
	bc := func(z StatedNoise, y ...int64) NoisyTable {
		return NoisyTable{Columns: []string{"b", "c"}, Counts: y, Noise: z}
	}
	cut := func(t NoisyTable, low, high int64) NoisyTable { t.Clamp = &Clamp{low, high}; return t }
	part := func(t NoisyTable, measured ...bool) NoisyTable { t.Measured = measured; return t }
	geo, normal := StatedGeometric(1), StatedGaussian(4)
	for name, c := range map[string]struct {
		n      StatedN
		tables []NoisyTable
		bad    bool
	}{
		"shared margins": {PublicN(1000), []NoisyTable{ab(geo, 450, 50, 450, 50), bc(geo, 50, 50, 450, 450)}, true},
		"shared margins, near": {PublicN(1000), []NoisyTable{ab(geo, 265, 235, 265, 235), bc(geo, 235, 235, 265, 265)},
			false},
		"twice": {PublicN(1000), []NoisyTable{ab(normal, 250, 250, 250, 250), ab(normal, 700, 100, 100, 100)}, true},
		"twice, in another order": {PublicN(1000), []NoisyTable{ab(normal, 700, 100, 100, 100), {Columns: []string{"b", "a"},
			Counts: []int64{100, 700, 100, 100}, Noise: normal}}, true},
		"twice, near": {PublicN(1000), []NoisyTable{ab(normal, 250, 250, 250, 250), ab(normal, 260, 240, 250, 250)},
			false},
		"cut, far from n": {PublicN(100000), []NoisyTable{cut(ab(geo, 5, 6, 7, 8), 0, Unbounded)}, true},
		"cut, near n":     {PublicN(30), []NoisyTable{cut(ab(geo, 5, 6, 7, 0), 0, Unbounded)}, false},
		"cut totals": {LatentN(), []NoisyTable{cut(ab(geo, 5, 6, 7, 8), 0, Unbounded),
			cut(bc(geo, 5000, 6000, 7000, 8000), 0, Unbounded)}, true},
		"measured above n":  {PublicN(100), []NoisyTable{part(ab(geo, 110, 110, 110, 0), true, true, true, false)}, true},
		"measured, near n":  {PublicN(100), []NoisyTable{part(ab(geo, 40, 40, 40, 0), true, true, true, false)}, false},
		"upper end above n": {PublicN(100), []NoisyTable{cut(ab(geo, 5000, 10, 10, 10), 0, 5000)}, true},
		"upper ends below n": {PublicN(100), []NoisyTable{cut(ab(geo, 10, 10, 10, 10), 0, 10)},
			false}, // each says that it is large
		"lower end below 0": {PublicN(100), []NoisyTable{cut(ab(geo, -5000, 30, 30, 40), -5000, 5000)}, true},
	} {
		_, err := FromNoisyCounts(t.Context(), d, 1, c.tables, c.n)
		var e *EvidenceError
		if errors.As(err, &e) != c.bad || !c.bad && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Coefficients far beyond n, and such as are possible one by one but not together, are refused; as drawn they are not.
func TestContradictoryParities(t *testing.T) {
	three := levelsRelease(t)
	raw := three.Raw()[0]
	for i := range raw {
		c := append([]int64(nil), raw...)
		c[i] = 1 << 40
		var e *EvidenceError
		if _, err := OfNetwork(t.Context(), raws(t, three.Plan(), c)); !errors.As(err, &e) {
			t.Errorf("coefficient %d at 2^40 steps: %v", i, err)
		}
	}
	two := drawn(t, counts.Fourier(), threeNodes(t), 4000, dp.PureDP(4), false)
	all := make([]int64, len(two.Raw()[0]))
	for i := range all {
		all[i] = 4000 // x = 1 throughout, y = 1 throughout, and x ≠ y throughout
	}
	var e *EvidenceError
	if _, err := OfNetwork(t.Context(), raws(t, two.Plan(), all)); !errors.As(err, &e) {
		t.Errorf("every parity odd: %v", err)
	}
	for name, r := range map[string]error{"two levels": asDrawn(t, two), "three levels": asDrawn(t, three)} {
		if r != nil {
			t.Errorf("%s, as drawn: %v", name, r)
		}
	}
}

// Sums of noises are beyond their reach no more often than it says, by convolution of the law itself, and within a
// few powers of ten of that often.
func TestReach(t *testing.T) {
	for name, z := range map[string]noise.Probabilities{"geometric": StatedGeometric(.3), "narrow": StatedGeometric(3),
		"Gaussian": StatedGaussian(6), "rounded Laplace": StatedLaplace(4)} {
		law := make([]float64, 401)
		total := 0.0
		for i := range law {
			law[i] = math.Exp(z.LogProb(int64(i - 200)))
			total += law[i]
		}
		for i := range law {
			law[i] /= total
		}
		sum := window{-200, law}
		for m := 1; m <= 8; m++ {
			if m > 1 {
				sum = convolve(sum, window{-200, law}, -4000, 4000, nil)
			}
			for _, logp := range []float64{math.Log(1e-4), math.Log(1e-9)} {
				far, tail := noise.Reach(z, m, logp), 0.0
				for k, p := range sum.all() {
					if math.Abs(float64(k)) >= far {
						tail += p
					}
				}
				if tail > math.Exp(logp) || m > 1 && name != "narrow" && tail < 1e-4*math.Exp(logp) {
					t.Errorf("%s, %d noises: beyond %g with probability %g, want at most %g", name, m, far, tail,
						math.Exp(logp))
				}
			}
		}
	}
}

func asDrawn(t *testing.T, r *release.Release) error {
	_, err := settingOf(t.Context(), r)
	return err
}

// levelsRelease is of a node of three levels and two of two, by Fourier.
func levelsRelease(t *testing.T) *release.Release {
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"0", "1", "2"}},
		{Name: "b", States: []string{"0", "1"}, Parents: []string{"a"}},
		{Name: "c", States: []string{"0", "1"}, Parents: []string{"b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.2, .5, .3}, {.8, .2, .25, .75, .5, .5}, {.6, .4, .1, .9}})
	must(t, err)
	return drawn(t, counts.Fourier(), net, 100, dp.PureDP(2), false)
}

// Releases as drawn are never refused, also where noise is so narrow that a sum put in another's place would be.
func TestDrawnIsExplained(t *testing.T) {
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"0", "1", "2"}},
		{Name: "b", States: []string{"0", "1"}},
		{Name: "c", States: []string{"0", "1", "2", "3"}, Parents: []string{"a", "b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.1, .2, .7}, {.9, .1}, {.7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7, .1,
		.1, .1, .1, .7, .4, .4, .1, .1, .1, .1, .4, .4}})
	must(t, err)
	for _, m := range []mechanism.Mechanism{counts.Geometric(), counts.DiscreteGaussian(), counts.Laplace(), counts.KNorm(),
		counts.BySize(), counts.Fourier()} {
		for _, target := range []dp.Request{dp.ApproxDP(200, 1e-6), dp.ApproxDP(.5, 1e-6), dp.PureDP(200), dp.PureDP(.5),
			dp.PureDP(60).Under(dp.AddRemove)} {
			for _, every := range []bool{false, true} {
				mod := model.NetworkOf("a", d)
				if every {
					mod = mod.WithEveryFamily()
				}
				sh, err := model.NewShape(model.SchemaOf("simulated", d), mod, 5000, target.Adjacency.PublicN(), "")
				must(t, err)
				if _, err := m.Plan(t.Context(), sh, target); err != nil {
					continue // not this target
				}
				if err := asDrawn(t, drawn(t, m, net, 5000, target, every)); err != nil {
					t.Errorf("%s at %v: %v", m.Title(), target, err)
				}
			}
		}
	}
}
