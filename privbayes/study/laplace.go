package study

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/internal/num"
)

// Independent Laplace noise of scale b on k counts is radial: ‖Z‖₁ = ρ is Gamma(k) with scale b, independent of the direction
// Z/ρ, which is uniform on the faces of the ℓ₁ sphere. Along a ray from x the distance H grows smoothly from 0, which it does not
// across coordinate axes (H has a cone's tip at x), so integrals are taken along rays and over directions.

// ray is a direction of noise with its quadrature weight; Σ|dir| = 1 and the weights sum to 1.
type ray struct {
	dir    []float64
	weight float64
}

// noise is continuous Laplace noise on the counts, clamped to [0, n].
type noise struct {
	*bench
	rays   []ray   // for means
	coarse []ray   // for quantiles, which need fewer digits
	shape  int     // k, the number of independent Laplace variables
	scale  float64 // b
	totals float64 // Σα
	shared bool    // the total n is kept: the second count is n minus the first
}

// laplacePerCell puts Lap(2/ε) on every count.
func (b *bench) laplacePerCell() *noise {
	z := &noise{bench: b, shape: len(b.X), scale: 2 / b.Epsilon}
	ridge := make([]float64, len(b.X))
	sum := 0.0
	for i, a := range b.Prior {
		z.totals += a
		ridge[i] = a + float64(b.X[i])
		sum += ridge[i]
	}
	for i := range ridge {
		ridge[i] /= sum
	}
	z.rays = orthants(ridge, 12)
	z.coarse = orthants(ridge, 6)
	return z
}

// laplaceOneCell puts Lap(1/ε) on the first of two counts; the second is n minus the first.
func (b *bench) laplaceOneCell() *noise {
	line := []ray{{[]float64{1, -1}, 0.5}, {[]float64{-1, 1}, 0.5}}
	return &noise{
		bench: b, shape: 1, scale: 1 / b.Epsilon, totals: b.Prior[0] + b.Prior[1], shared: true,
		rays: line, coarse: line,
	}
}

// count is the clamped noisy count of cell i at radius rho.
func (z *noise) count(i int, r ray, rho float64) float64 {
	return math.Max(0, math.Min(float64(z.space.N()), float64(z.X[i])+rho*r.dir[i]))
}

// distances are H and ‖x − r‖₁ at radius rho.
func (z *noise) distances(r ray, rho float64) (h, l1 float64) {
	log, sum := 0.0, 0.0
	for i, x := range z.X {
		v := z.count(i, r, rho)
		log += num.LogBC(z.Prior[i]+float64(x), z.Prior[i]+v)
		sum += v
		l1 += math.Abs(v - float64(x))
	}
	if !z.shared {
		log -= num.LogBC(z.totals+float64(z.space.N()), z.totals+sum)
	}
	return math.Sqrt(math.Max(0, -math.Expm1(log))), l1
}

// reach cuts the radius: P[ρ > 40·b] < 1e-14 for k ≤ 3.
const reach = 40

// kinks are the radii, in units of b, where a count meets a bound, and the ends of panels.
func (z *noise) kinks(r ray) []float64 {
	cuts := []float64{0, 5, 15, reach}
	for i, d := range r.dir {
		bound := 0.0
		if d > 0 {
			bound = float64(z.space.N())
		}
		if at := (bound - float64(z.X[i])) / d / z.scale; at > 0 && at < reach {
			cuts = append(cuts, at)
		}
	}
	return cuts
}

// density is that of Gamma(k) at t.
func (z *noise) density(t float64) float64 {
	switch z.shape {
	case 1:
		return math.Exp(-t)
	case 2:
		return t * math.Exp(-t)
	}
	return t * t / 2 * math.Exp(-t)
}

// below is P[Gamma(k) ≤ t].
func (z *noise) below(t float64) float64 {
	switch {
	case z.shape == 1:
		return -math.Expm1(-t)
	case z.shape == 2:
		return 1 - (1+t)*math.Exp(-t)
	}
	return 1 - (1+t+t*t/2)*math.Exp(-t)
}

// outcome integrates the noise. E‖clamp(Z)‖₁ has a closed form for independent counts; the truth itself has probability 0.
func (z *noise) outcome(name string) (Outcome, error) {
	o := Outcome{Name: name, Scale: z.scale}
	var h1, h2, l1 float64
	var sample law // the nodes, for first guesses of quantiles
	for k, r := range z.rays {
		if k%256 == 0 && z.ctx.Err() != nil {
			return o, z.ctx.Err()
		}
		panels(z.kinks(r), legendre(14), func(t, w float64) {
			h, l := z.distances(r, t*z.scale)
			w *= r.weight * z.density(t)
			h1 += w * h
			h2 += w * h * h
			l1 += w * l
			sample.h, sample.l1, sample.p = append(sample.h, h), append(sample.l1, l), append(sample.p, w)
		})
	}
	o.MeanH, o.SDH, o.MeanL1 = h1, math.Sqrt(math.Max(0, h2-h1*h1)), l1
	q := z.quantiles(quantiles5, sample.h, sample.p, func(r ray, rho float64) float64 { h, _ := z.distances(r, rho); return h })
	o.Q05, o.Q25, o.Q50, o.Q75, o.Q95 = q[0], q[1], q[2], q[3], q[4]
	q = z.quantiles([]float64{0.5, 0.95}, sample.l1, sample.p, func(r ray, rho float64) float64 { _, l := z.distances(r, rho); return l })
	o.Q50L1, o.Q95L1 = q[0], q[1]
	return o, z.ctx.Err()
}
