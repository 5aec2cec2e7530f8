package noiseaware

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// likelihood is ln P(raw | joint table of a, b, c) written from the mechanism's definition: joint[4a+2b+c] records.
type likelihood func(raw [][]int64, joint []int64) float64

// pairsOf are the tables a × b and b × c of a joint table.
func pairsOf(joint []int64) [2][4]int64 {
	var out [2][4]int64
	for x, n := range joint {
		out[0][x>>1] += n
		out[1][x&3] += n
	}
	return out
}

// bruteMeans are the posterior means of the tables of threeNodes, α = 1, by enumeration of all joint tables.
func bruteMeans(raw [][]int64, least, most int64, of likelihood) []float64 {
	joint, mean, total, first := make([]int64, 8), make([]float64, 10), 0.0, math.NaN()
	lg := func(x int64) float64 { y, _ := math.Lgamma(float64(x) + 1); return y }
	visit := func() {
		log, n := 0.0, int64(0)
		for _, m := range joint {
			log, n = log-lg(m), n+m
		}
		log += lg(n)
		t := pairsOf(joint)
		a := [2]int64{t[0][0] + t[0][1], t[0][2] + t[0][3]}
		rows := [][2]int64{a, {t[0][0], t[0][1]}, {t[0][2], t[0][3]}, {t[1][0], t[1][1]}, {t[1][2], t[1][3]}}
		for _, r := range rows { // Γ(2)/Γ(2 + m)·∏ f!
			log += lg(r[0]) + lg(r[1]) - lg(r[0]+r[1]+1)
		}
		log += of(raw, joint)
		if math.IsNaN(first) {
			first = log
		}
		w := math.Exp(log - first)
		total += w
		for i, r := range rows {
			p := float64(r[0]+1) / float64(r[0]+r[1]+2)
			mean[2*i] += w * p
			mean[2*i+1] += w * (1 - p)
		}
	}
	var fill func(i int, left int64)
	fill = func(i int, left int64) {
		if i == 7 {
			joint[7] = left
			visit()
			return
		}
		for joint[i] = 0; joint[i] <= left; joint[i]++ {
			fill(i+1, left-joint[i])
		}
	}
	for n := least; n <= most; n++ {
		fill(0, n)
	}
	for i := range mean {
		mean[i] /= total
	}
	return mean
}

// cellwise is independent noise with ln P(z) = law(table, z), z in steps of unit per record.
func cellwise(unit int64, law func(table int, z int64) float64) likelihood {
	return func(raw [][]int64, joint []int64) (sum float64) {
		for t, table := range pairsOf(joint) {
			for c, y := range raw[t] {
				sum += law(t, y-unit*table[c])
			}
		}
		return sum
	}
}

// The draws of a release of every mechanism have the means that enumeration of the mechanism's own law gives; with half
// the rate they have not. K-norm is enumerated as noise that adds up to 0.
func TestMechanismsAgainstEnumeration(t *testing.T) {
	const n = 8
	rate := func(p *mechanism.Plan) float64 { z, _ := p.Noise(); return noise.FormOf(z).Rate }
	geometric := func(g float64) func(int, int64) float64 {
		return func(_ int, z int64) float64 { return -g * math.Abs(float64(z)) }
	}
	for name, c := range map[string]struct {
		m      mechanism.Mechanism
		target dp.Request
		of     func(p *mechanism.Plan, scale float64) likelihood
		most   int64 // of a latent n
	}{
		"geometric": {counts.Geometric(), dp.PureDP(2), func(p *mechanism.Plan, s float64) likelihood {
			return cellwise(1, geometric(s*rate(p)))
		}, 0},
		"consistent": {counts.Geometric().WithPostProcess(counts.Consistent), dp.PureDP(2),
			func(p *mechanism.Plan, s float64) likelihood { return cellwise(1, geometric(s*rate(p))) }, 0},
		"Gaussian": {counts.DiscreteGaussian(), dp.ZCDP(.3), func(p *mechanism.Plan, s float64) likelihood {
			z, _ := p.Noise()
			return cellwise(1, func(_ int, x int64) float64 { return -s * float64(x*x) / (2 * noise.FormOf(z).Sigma2) })
		}, 0},
		"Laplace": {counts.Laplace(), dp.PureDP(2), func(p *mechanism.Plan, s float64) likelihood {
			return cellwise(noise.LaplaceSteps, geometric(s*rate(p)))
		}, 0},
		"K-norm": {counts.KNorm(), dp.PureDP(2), func(p *mechanism.Plan, s float64) likelihood {
			return func(raw [][]int64, joint []int64) (sum float64) {
				for t, table := range pairsOf(joint) {
					total := int64(0)
					for c, y := range raw[t] {
						z := y - table[c]
						total += z
						sum -= s * rate(p) * math.Abs(float64(z))
					}
					if total != 0 {
						return math.Inf(-1)
					}
				}
				return sum
			}
		}, 0},
		"by size": {counts.BySize(), dp.PureDP(2), func(p *mechanism.Plan, s float64) likelihood {
			return cellwise(1, geometric(s*.5)) // tables of one size share ε = 2·(2γ₁ + 2γ₂)/2
		}, 0},
		"Fourier": {counts.Fourier(), dp.PureDP(6), func(p *mechanism.Plan, s float64) likelihood {
			m, _ := p.Measured()
			return func(raw [][]int64, joint []int64) (sum float64) {
				for i, y := range raw[0] {
					support, _ := m.Parities.Spectrum.Index(i + 1)
					mask, odd := 0, int64(0)
					for _, v := range support {
						mask |= 4 >> v
					}
					for x, k := range joint {
						if bits.OnesCount(uint(x&mask))%2 == 1 {
							odd += k
						}
					}
					sum -= s * noise.FormOf(m.Parities.Noise).Rate * math.Abs(float64(y-odd))
				}
				return sum
			}
		}, 0},
		"private n": {counts.Geometric(), dp.PureDP(4).Under(dp.AddRemove),
			func(p *mechanism.Plan, s float64) likelihood { return cellwise(1, geometric(s*rate(p))) }, 16},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && (c.most > 0 || name == "consistent" || name == "Laplace") {
				t.Skip("the sampler and the enumeration of others say it too")
			}
			net := threeNodes(t)
			r := drawnOf(t, c.m, model.NetworkOf("a", net.DAG()).WithPrior(1), net, n, c.target)
			exact, err := OfNetwork(t.Context(), r)
			must(t, err)
			if exact.Exact() != (name != "Fourier" && c.most == 0) {
				t.Errorf("exact: %v", exact.Exact())
			}
			p := exact
			if exact.Exact() {
				p, err = OfNetwork(t.Context(), r, Sampled())
				must(t, err)
			}
			l, _, err := p.level(t.Context(), 3)
			must(t, err)
			mean := make([]float64, 10)
			for c := range chains {
				for d := range l.draws {
					for i := range mean {
						row := l.counts[c][d*10+i&^1:][:2]
						mean[i] += float64(row[i&1]+1) / float64(row[0]+row[1]+2) / float64(chains*l.draws)
					}
				}
			}
			least, most := int64(n), int64(n)
			if c.most > 0 {
				least, most = 0, c.most
			}
			far := func(scale float64) (worst float64) {
				for i, m := range bruteMeans(r.Raw(), least, most, c.of(r.Plan(), scale)) {
					worst = max(worst, math.Abs(m-mean[i]))
				}
				return worst
			}
			right, wrong := far(1), far(.4)
			if right > .008 || wrong < 1.5*right || wrong < .008 {
				t.Errorf("off by %.4f; from the law of another scale by %.4f", right, wrong)
			}
			t.Logf("%.4f %.4f", right, wrong)
			for i, m := range bruteMeans(r.Raw(), least, most, c.of(r.Plan(), 1)) {
				v, row := []int{0, 1, 1, 2, 2}[i/2], []int{0, 0, 1, 0, 1}[i/2]
				if !exact.Exact() {
					break
				}
				if got := exact.mixture(v, row, i%2).Mean(); math.Abs(got-m) > 1e-10 {
					t.Errorf("the exact mean of entry %d is %v, want %v", i, got, m)
				}
			}
		})
	}
}

// plain is Σ over counts with each total up to n of ∏ Γ(α+f)/(Γ(α)f!)·P(y | f), by convolution over the whole range,
// nothing tilted or cut.
func plain(lp func(int64, int) float64, alpha float64, n int, raw []int64) []float64 {
	out := make([]float64, n+1)
	out[0] = 1
	for _, y := range raw {
		next := make([]float64, n+1)
		for f := range n + 1 {
			w := math.Exp(logUrnOf([]float64{alpha, 1}, []int{f, 0}) - logUrn(alpha+1, f) + lp(y, f) + 5)
			for s := 0; s+f <= n; s++ {
				next[s+f] += w * out[s]
			}
		}
		out = next
	}
	return out
}

// At a realistic size, tilting and cutting change nothing: every marginal of naive Bayes against whole-range
// convolutions.
func TestNaiveBayesByPlainConvolution(t *testing.T) {
	const n = 60
	features := []int{2, 3}
	likely := [][]int64{{35, -8, 2, 41}, {11, 19, -14, 4, 33, 21}}
	// the estimate of a class total is 0, and its posterior is spread over 0 … n: windows about 0 would be wrong
	wide := [][]int64{{-350, -80, 200, 410}, {11, -190, -140, 4, 330, 21}}
	for _, c := range []struct {
		mech   mechanism.Mechanism
		target dp.Request
		raw    [][]int64
	}{
		{counts.DiscreteGaussian(), dp.ApproxDP(1, 1e-5), likely},
		{counts.Geometric(), dp.PureDP(1), likely},
		{counts.Geometric(), dp.PureDP(0.03), wide},
		{counts.DiscreteGaussian(), dp.ApproxDP(0.03, 1e-5), wide},
	} {
		raw := c.raw
		p := plan(t, c.mech, bayes(t, n, 2, features...), c.target)
		lp := logProb(t, p)
		evidence := func(k, j, skip, total int) float64 { // of row j of table k, without a cell
			d := features[k]
			cells := append([]int64{}, raw[k][j*d:(j+1)*d]...)
			if skip >= 0 {
				cells = append(cells[:skip], cells[skip+1:]...)
			}
			return plain(lp, 1, total, cells)[total]
		}
		row := func(k, j, total int) float64 {
			return math.Exp(logUrn(float64(features[k]), total)) * evidence(k, j, -1, total)
		}
		class := make([]float64, n+1)
		for a := range class {
			class[a] = 1
			for k := range features {
				class[a] *= row(k, 0, a) * row(k, 1, n-a)
			}
		}
		var want, cell betas // the class, and feature 1's level 2 in class 1
		for a, w := range class {
			want.add(w, 1+float64(a), 1+float64(n-a))
			total := n - a
			all := evidence(1, 1, -1, total)
			for f := 0; f <= total; f++ {
				wf := math.Exp(lp(raw[1][5], f)-lp(raw[1][5], 0)) * evidence(1, 1, 2, total-f) / all
				cell.add(w*wf, 1+float64(f), 2+float64(total-f))
			}
		}
		got := posteriorOf(t, raws(t, p, raw...)).params
		same(t, c.mech.Title()+" class", got[0].Law(), &want, 1e-11)
		same(t, fmt.Sprint(c.mech.Title(), got[11].Name, got[11].Label), got[11].Law(), &cell, 1e-11)
	}
}

// A private n under wide noise, where the sum of the noisy counts says little about n: against the sum over both
// counts.
func TestPrivateNByPlainSum(t *testing.T) {
	if testing.Short() {
		t.Skip("a sum over all totals and tables")
	}
	p := plan(t, counts.Geometric(), categorical(t, 2, 5, 0.5, 3).WithoutN(), dp.PureDP(0.2).Under(dp.AddRemove))
	lp := logProb(t, p)
	const most = 500 // e^{−0.2·500} = 1e-43
	for _, raw := range [][]int64{{30, -15}, {-90, -4}, {12, 60}} {
		var want betas
		for f := range most {
			for g := range most {
				l := logUrnOf([]float64{0.5, 3}, []int{f, g}) + lp(raw[0], f) - lp(raw[0], 0) +
					lp(raw[1], g) - lp(raw[1], 0)
				if l > -80 {
					want.add(math.Exp(l), 0.5+float64(f), 3+float64(g))
				}
			}
		}
		same(t, fmt.Sprint(raw), posteriorOf(t, raws(t, p, raw)).params[0].Law(), &want, 1e-11)
	}
}

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

// drawn is a release under independent rows.
func (u uneven) drawn(t *testing.T, m mechanism.Mechanism, n int, target dp.Request) *release.Release {
	net := u.net(t)
	return drawnOf(t, m, model.NetworkOf(net.DAG().Node(0).Name, net.DAG()).WithPrior(1), net, n, target)
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
	r := u.drawn(t, counts.BySize(), n, dp.PureDP(eps))
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
	r := u.drawn(t, counts.Fourier(), n, dp.PureDP(12))
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
