package sums

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// params are what a release file keeps: the law, and ε of its pure forms or σ² of the Gaussian's first sum, in squared
// steps. Rates follow from them and the lattice.
type params struct {
	Law     string          `json:"law"`
	Epsilon *noise.Rational `json:"epsilon,omitempty"`
	Low     uint64          `json:"low,omitempty"` // of a staircase: the width of the higher part of a step
	Sigma2  *noise.Rational `json:"sigma2,omitempty"`
	// Coarse is that of the lattice where squares are released, too; 0 in older files, and where there is no room for
	// them.
	Coarse int64 `json:"coarse,omitempty"`
	// ByUnit says that the moments of units are released
	ByUnit bool `json:"by_unit,omitempty"`
	// Single says that δ of a Gaussian's only sum is that of its own loss, and not of ρ as in older files
	Single bool `json:"single,omitempty"`
	// Vector says it of several sums
	Vector bool `json:"vector,omitempty"`
}

// Valid checks parameters of a file: *dp.ParameterError.
func (q params) Valid() error {
	gaussian := q.Law == gaussianLaw
	if (q.Single || q.Vector) && !gaussian || gaussian != (q.Sigma2 != nil) || gaussian == (q.Epsilon != nil) ||
		(q.Law == staircaseLaw) != (q.Low > 0) {
		return domain.Refuse("sums", "parameters", q.Law, "a distribution with its own: epsilon, low of a staircase, "+
			"sigma2 of "+
			"a Gaussian")
	}
	if gaussian {
		return q.Sigma2.Valid()
	}
	return q.Epsilon.Valid()
}

// onSums is the noise on the integers released.
type onSums struct {
	law      string
	draw     func(src rand.Source, out []int64)
	variance func(i int) float64
	// one is the law of every sum by itself, where the sums' noises are independent
	one func(i int) noise.Probabilities
	// exponent is −log P(z) up to a constant
	exponent func(z []int64) float64
}

// stairs is staircase noise on one sum.
type stairs struct{ sample.Staircase }

// Unit is one step of the lattice.
func (stairs) Unit() int64 { return 1 }

// noise builds the law of shipped parameters. Errors: *dp.ParameterError for parameters outside the samplers' range, or
// of a law that the release does not have.
func (p *problem) noise(q params) (onSums, error) {
	return p.design.noise(q, p.target.Adjacency, p.rows)
}

func (d design) noise(q params, adj dp.Adjacency, rows int) (z onSums, err error) {
	c, r := d.changeOf(adj), int64(rows)
	z.law = q.Law
	gauge := d.gauge(q.Law, adj)
	if q.Law != gaussianLaw {
		eps := q.Epsilon.Float()
		z.exponent = func(x []int64) float64 { return eps / float64(r) * gauge(x) }
	}
	switch {
	case q.Law == geometricLaw && d.powers() > 0:
		var first, second noise.Geometric
		if first, err = rate(q.Epsilon, c.cells*c.shift*r); err == nil {
			second, err = rate(q.Epsilon, c.cells*d.squareChange()*r)
		}
		if err != nil {
			return z, err
		}
		z.independent(d.withSquares(first, second)...)
	case q.Law == geometricLaw && d.Kind != moments:
		var g noise.Geometric
		if g, err = rate(q.Epsilon, c.l1*r); err != nil {
			return z, err
		}
		z.independent(g)
	case q.Law == staircaseLaw && d.Kind == oneSum:
		var s sample.Staircase
		if s, err = sample.NewStaircase(uint64(c.l1*r), q.Low, q.Epsilon.Num, q.Epsilon.Den); err != nil {
			return z, err
		}
		z.draw = func(src rand.Source, out []int64) { out[0] = s.Draw(src) }
		z.variance = func(int) float64 { return s.Variance() }
		z.one = func(int) noise.Probabilities { return stairs{s} }
		z.exponent = func(x []int64) float64 { return -s.LogProb(x[0]) }
	case q.Law == cubeLaw && d.Width > 0 && d.powers() > 0:
		p := d.powers()
		var sums, squares sample.Cube
		if sums, err = cube(p, q.Epsilon, cubeShare-1, d.Steps*r); err == nil {
			m, _ := d.coarseHalf()
			squares, err = cube(d.Width, q.Epsilon, 1, m*m*r)
		}
		if err != nil {
			return z, err
		}
		z.draw = func(src rand.Source, out []int64) {
			sums.Draw(src, out[:p])
			squares.Draw(src, out[p:])
		}
		variances := [2]float64{sums.Variance(), squares.Variance()}
		z.variance = func(i int) float64 { return variances[min(i/p, 1)] }
	case q.Law == cubeLaw && (d.Kind == columns || d.Kind == columnsCount):
		var g noise.Geometric
		if g, err = rate(q.Epsilon, c.most*r); err != nil {
			return z, err
		}
		var cube sample.Cube
		if cube, err = sample.NewCube(d.dims(), g.Num, g.Den); err != nil {
			return z, err
		}
		z.draw = cube.Draw
		v := cube.Variance()
		z.variance = func(int) float64 { return v }
	case q.Law == parabolaLaw && d.Kind == moments:
		m, _ := d.half()
		var s sample.Parabola
		if s, err = sample.NewParabola(uint64(m), q.Epsilon.Num, q.Epsilon.Den*uint64(r)); err != nil {
			return z, err
		}
		z.draw = func(src rand.Source, out []int64) { out[0], out[1] = s.Draw(src) }
		unit := float64(m) * float64(r) / q.Epsilon.Float()
		variances := []float64{parabolaFirst * unit * unit, parabolaSecond * unit * unit * float64(m) * float64(m)}
		z.variance = func(i int) float64 { return variances[i] }
	case q.Law == gaussianLaw:
		var laws []noise.Distribution
		if laws, err = d.gaussians(*q.Sigma2); err != nil {
			return z, err
		}
		z.independent(laws...)
		scale := float64(c.cells*c.shift*c.shift) / (2 * q.Sigma2.Float())
		z.exponent = func(x []int64) float64 { g := gauge(x); return scale * g * g }
		if d.powers() > 0 { // the second variance is rounded up
			z.exponent = func(x []int64) (sum float64) {
				for i, v := range x {
					sum += float64(v) * float64(v) / (2 * z.variance(i))
				}
				return sum
			}
		}
	default:
		return z, domain.Refuse("sums", "law", q.Law+" noise on a "+d.Kind, "a noise distribution that this release has")
	}
	return z, nil
}

// cube is noise on so many numbers of which a record changes each by at most delta, at so many cubeShares of ε.
func cube(dims int, epsilon *noise.Rational, parts uint64, delta int64) (sample.Cube, error) {
	g, err := rate(&noise.Rational{Num: epsilon.Num * parts, Den: epsilon.Den * cubeShare}, delta)
	if err != nil {
		return sample.Cube{}, err
	}
	return sample.NewCube(dims, g.Num, g.Den)
}

// cubeShare: squares have an eighth of ε where the cube's sums have the rest.
const cubeShare = 8

// withSquares are the distributions of sums and, after them, of their squares.
func (d design) withSquares(first, second noise.Distribution) []noise.Distribution {
	return append(slices.Repeat([]noise.Distribution{first}, d.powers()), second)
}

// The variances of K-norm noise on (Σc, Σc²) at ε = 1, in units of M and M², in the limit of fine lattices: z is a
// point uniform in the hull times a Gamma(3) radius, whose mean square is 12.
const (
	parabolaFirst  = 12 * parabolaXX / parabolaArea
	parabolaSecond = 12 * parabolaYY / parabolaArea
	// the hull in the first quadrant: y ≤ 1 for x ≤ 1, y ≤ x(2−x) for 1 ≤ x ≤ 2
	parabolaArea = 1 + 2.0/3
	parabolaXX   = 1.0/3 + 13.0/10 // ∫x² + ∫x³(2−x)
	parabolaYY   = 1.0/3 + 16.0/105
)

// independent draws every sum's noise by itself: the first's by the first law, and so on; the last has all that follow.
func (z *onSums) independent(laws ...noise.Distribution) {
	of := func(i int) noise.Distribution { return laws[min(i, len(laws)-1)] }
	z.draw = func(src rand.Source, out []int64) {
		for i := range out {
			out[i] = of(i).Draw(src)
		}
	}
	z.variance = func(i int) float64 {
		if sigma2 := noise.FormOf(of(i)).Sigma2; sigma2 > 0 {
			return sigma2 // which the variance of a discrete Gaussian is at most
		}
		return of(i).Variance()
	}
	z.one = func(i int) noise.Probabilities { return of(i) }
}

// rate is two-sided geometric noise at ε/Δ.
func rate(epsilon *noise.Rational, delta int64) (noise.Geometric, error) {
	if delta > samplerDen || epsilon.Den > samplerDen/uint64(delta) {
		return noise.Geometric{}, domain.Refuse("sums", "ε/Δ", epsilon.String(), "a rate in the sampler's "+
			"range: a coarser grid, or a larger ε")
	}
	return noise.NewGeometric(noise.Rational{Num: epsilon.Num, Den: epsilon.Den * uint64(delta)})
}

// samplerDen bounds the denominators of the samplers' rates.
const samplerDen = 1 << 40

// gaussians are the laws of the sums: of moments, σ₂² = σ₁²M²·4/11; of powers the least whole number that is at least
// M⁴σ₁²/K² over squareRatio, M that of the coarse lattice.
func (d design) gaussians(sigma2 noise.Rational) ([]noise.Distribution, error) {
	first, err := noise.NewGaussian(sigma2)
	if err != nil || d.Kind != moments && d.powers() == 0 {
		return []noise.Distribution{first}, err
	}
	if d.powers() > 0 {
		m, _ := d.coarseHalf()
		num, den := d.squareRatio()
		up := new(big.Int).Exp(big.NewInt(m), big.NewInt(4), nil)
		up.Mul(up, big.NewInt(den)).Mul(up, new(big.Int).SetUint64(sigma2.Num))
		down := new(big.Int).Exp(big.NewInt(d.Steps), big.NewInt(2), nil)
		down.Mul(down, big.NewInt(num)).Mul(down, new(big.Int).SetUint64(sigma2.Den))
		if up.Add(up, down).Sub(up, big.NewInt(1)).Div(up, down); !up.IsUint64() {
			return nil, domain.Refuse("sums", "σ²", sigma2.String(), "a variance in the sampler's range: a coarser grid")
		}
		second, err := noise.NewGaussian(noise.Rational{Num: up.Uint64(), Den: 1})
		return d.withSquares(first, second), err
	}
	m, _ := d.half()
	up, down := uint64(m*m)*momentRatioDen, sigma2.Den*momentRatioNum
	for up%2 == 0 && down%2 == 0 {
		up, down = up/2, down/2
	}
	if sigma2.Num > 1<<62/up {
		return nil, domain.Refuse("sums", "σ²", sigma2.String(), "a variance in the sampler's range: a coarser grid")
	}
	second, err := noise.NewGaussian(noise.Rational{Num: sigma2.Num * up, Den: down})
	return []noise.Distribution{first, second}, err
}

// pair is the dominating pair of a unit's change at shipped parameters.
func (d design) pair(q params, adj dp.Adjacency, rows int, want dp.Notion) loss.Pair {
	size := q.Epsilon
	if q.Sigma2 != nil {
		size = q.Sigma2
	}
	if q.Single && d.Kind == oneSum && q.Law == gaussianLaw {
		return loss.IntegerSumPair{Sigma2: size.Float(), Shift: int(d.changeOf(adj).shift) * rows}
	}
	pair := d.pairAt(q.Law, size.Float(), adj, rows, want)
	if vector, ok := pair.(loss.DiscreteGaussianPair); ok && vector.Shift > 1 {
		if z, err := d.gaussians(*size); err == nil {
			least := min(size.Float(), noise.FormOf(z[len(z)-1]).Sigma2)
			return loss.LatticePair{DiscreteGaussianPair: vector, Least: least, ByRho: !q.Vector}
		}
	}
	return pair
}

// pairAt is the pair at ε of a law for pure ε, or σ² of a Gaussian's first sum.
func (d design) pairAt(law string, size float64, adj dp.Adjacency, rows int, want dp.Notion) loss.Pair {
	c := d.changeOf(adj)
	switch {
	case law == gaussianLaw:
		return loss.DiscreteGaussianPair{Sigma2: size, Cells: int(c.cells), Shift: int(c.shift) * rows}
	case law == geometricLaw && want != dp.Pure && d.powers() == 0: // the rates of squares differ
		shift := c.l1 * int64(rows)
		return loss.ShiftedGeometricPair{Rate: size / float64(shift), Shift: int(shift), Cells: 1}
	}
	return loss.PurePair{Epsilon: size}
}
