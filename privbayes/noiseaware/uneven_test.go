package noiseaware

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// uneven is a → b → c, a of several levels, so that its table is larger than the other.
type uneven struct{ levels int }

func (u uneven) net(t testing.TB) *bayesnet.Net {
	t.Helper()
	var states []string
	a, b := []float64{}, []float64{}
	for i := range u.levels {
		states = append(states, fmt.Sprint("v", i))
		a = append(a, float64(i+1)/float64(u.levels*(u.levels+1)/2))
		b = append(b, []float64{.9, .1, .2, .8, .5, .5}[2*i%6:][:2]...)
	}
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: states},
		{Name: "b", States: []string{"no", "yes"}, Parents: []string{"a"}},
		{Name: "c", States: []string{"no", "yes"}, Parents: []string{"b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{a, b, {.7, .3, .1, .9}})
	must(t, err)
	return net
}

// rows are the lengths of the rows of all tables.
func (u uneven) rows() (out []int) {
	out = []int{u.levels}
	for range u.levels + 2 {
		out = append(out, 2)
	}
	return out
}

// families are the counts of all rows of a joint table of n records, joint[4a + 2b + c].
func (u uneven) families(joint []int64) []int64 {
	out := make([]int64, 3*u.levels+4)
	for x, k := range joint {
		out[x/4] += k
		out[u.levels+x/2] += k
		out[3*u.levels+x%4] += k
	}
	return out
}

// entryMeans are the means of all entries given the counts, α = 1, and the logarithm of what the prior gives the rows.
func (u uneven) entryMeans(families []int64) (mean []float64, log float64) {
	at := 0
	for _, k := range u.rows() {
		total := int64(0)
		for _, m := range families[at : at+k] {
			total += m
			log += lgammaOf(m + 1)
		}
		log -= lgammaOf(total + int64(k))
		for _, m := range families[at : at+k] {
			mean = append(mean, float64(m+1)/float64(total+int64(k)))
		}
		at += k
	}
	return mean, log
}

func lgammaOf(x int64) float64 { y, _ := math.Lgamma(float64(x)); return y }

// brute are the posterior means of all entries under several likelihoods of joint tables of n records, by enumeration.
func (u uneven) brute(n int64, of ...func(joint []int64) float64) [][]float64 {
	joint := make([]int64, 4*u.levels)
	out, total, first := make([][]float64, len(of)), make([]float64, len(of)), make([]float64, len(of))
	for i := range out {
		out[i], first[i] = make([]float64, 3*u.levels+4), math.NaN()
	}
	var fill func(i int, left int64)
	fill = func(i int, left int64) {
		if i < len(joint)-1 {
			for joint[i] = 0; joint[i] <= left; joint[i]++ {
				fill(i+1, left-joint[i])
			}
			return
		}
		joint[i] = left
		mean, log := u.entryMeans(u.families(joint))
		for _, m := range joint {
			log -= lgammaOf(m + 1)
		}
		for i, like := range of {
			l := log + like(joint)
			if math.IsNaN(first[i]) {
				first[i] = l
			}
			w := math.Exp(l - first[i])
			total[i] += w
			for j, m := range mean {
				out[i][j] += w * m
			}
		}
	}
	fill(0, n)
	for i := range out {
		for j := range out[i] {
			out[i][j] /= total[i]
		}
	}
	return out
}

// sampled are the means of all entries over the draws of a release's posterior.
func (u uneven) sampled(t *testing.T, r *release.Release) []float64 {
	t.Helper()
	p, err := OfNetwork(t.Context(), r)
	must(t, err)
	l, _, err := p.level(t.Context(), 5)
	must(t, err)
	k := 3*u.levels + 4
	out := make([]float64, k)
	for c := range chains {
		for d := range l.draws {
			mean, _ := u.entryMeans(l.counts[c][d*k:][:k])
			for i, m := range mean {
				out[i] += m / float64(chains*l.draws)
			}
		}
	}
	return out
}

func furthest(a, b []float64) (worst float64) {
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// Under BySize tables of 12 and of 4 cells have rates γ ∝ √m with 2γ₁ + 2γ₂ = ε. The draws have the means that
// enumeration of all joint tables gives with these, and not with the rates exchanged or with one rate for both.
func TestBySizeWithUnequalTables(t *testing.T) {
	if testing.Short() {
		t.Skip("long chains")
	}
	const n, eps = 6, 4.
	u := uneven{6}
	r := drawn(t, counts.BySize(), u.net(t), n, dp.PureDP(eps), false)
	if raw := r.Raw(); len(raw) != 2 || len(raw[0]) != 12 || len(raw[1]) != 4 {
		t.Fatal(raw)
	}
	law := func(large, small float64) func(joint []int64) float64 {
		return func(joint []int64) (sum float64) {
			tables := u.families(joint)[u.levels:]
			for c, y := range append(append([]int64(nil), r.Raw()[0]...), r.Raw()[1]...) {
				rate := large
				if c >= 12 {
					rate = small
				}
				sum -= rate * math.Abs(float64(y-tables[c]))
			}
			return sum
		}
	}
	large := eps / 2 * math.Sqrt(12) / (math.Sqrt(12) + math.Sqrt(4))
	small := eps/2 - large
	got, want := u.sampled(t, r), u.brute(n, law(large, small), law(small, large), law(eps/4, eps/4))
	if right := furthest(got, want[0]); right > .006 {
		t.Errorf("off by %.4f", right)
	}
	for i, name := range []string{"exchanged", "one rate"} {
		if wrong := furthest(got, want[i+1]); wrong < .012 {
			t.Errorf("%s: off by %.4f only", name, wrong)
		}
	}
	t.Logf("%.4f, mutants %.4f %.4f", furthest(got, want[0]), furthest(got, want[1]), furthest(got, want[2]))
}

// Fourier over a column of three levels measures coefficients in products of Helmert functions, rounded to a lattice:
// u₁ = √(3/2)·(1, −1, 0), u₂ = √(1/2)·(1, 1, −2). The draws have the means of enumeration with that, and not with the
// two functions exchanged, nor with another scale of the noise.
func TestFourierWithThreeLevels(t *testing.T) {
	const n = 6
	u := uneven{3}
	r := drawn(t, counts.Fourier(), u.net(t), n, dp.PureDP(12), false)
	m, _ := r.Plan().Measured()
	z, one := m.Parities, []float64{1, -1}
	basis := [][]float64{{math.Sqrt(1.5), -math.Sqrt(1.5), 0}, {math.Sqrt(.5), math.Sqrt(.5), -2 * math.Sqrt(.5)}}
	law := func(first int, scale float64) func(joint []int64) float64 {
		return func(joint []int64) (sum float64) {
			for i, y := range r.Raw()[0] {
				support, function := z.Spectrum.Index(i + 1)
				phi := 0.0
				for x, k := range joint {
					value := float64(k)
					for j, v := range support {
						if v == 0 {
							value *= basis[(function[j]-1+first)%2][x/4]
						} else {
							value *= one[x>>(2-v)&1]
						}
					}
					phi += value
				}
				sum -= scale * noise.FormOf(z.Noise).Rate * math.Abs(float64(y)-math.Round(phi/z.Step))
			}
			return sum
		}
	}
	got, want := u.sampled(t, r), u.brute(n, law(0, 1), law(1, 1), law(0, .4))
	if right := furthest(got, want[0]); right > .006 || len(r.Raw()[0]) != 7 {
		t.Errorf("%d coefficients, off by %.4f", len(r.Raw()[0]), right)
	}
	for i, name := range []string{"functions exchanged", "another scale"} {
		if wrong := furthest(got, want[i+1]); wrong < .012 {
			t.Errorf("%s: off by %.4f only", name, wrong)
		}
	}
	t.Logf("%.4f, mutants %.4f %.4f", furthest(got, want[0]), furthest(got, want[1]), furthest(got, want[2]))
}
