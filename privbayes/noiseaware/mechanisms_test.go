package noiseaware

import (
	"math"
	"math/bits"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
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
			t.Parallel()
			r := drawn(t, c.m, threeNodes(t), n, c.target, false)
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
