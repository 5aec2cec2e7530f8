package sums

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
}

// Valid checks parameters of a file: *dp.ParameterError.
func (q params) Valid() error {
	gaussian := q.Law == gaussianLaw
	if gaussian != (q.Sigma2 != nil) || gaussian == (q.Epsilon != nil) || (q.Law == staircaseLaw) != (q.Low > 0) {
		return domain.Refuse("sums", "parameters", q.Law, "a law with its own: epsilon, low of a staircase, sigma2 of "+
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
	case q.Law == geometricLaw && d.Kind == sumSquares:
		var first, second noise.Geometric
		if first, err = rate(q.Epsilon, c.shift*r); err == nil {
			second, err = rate(q.Epsilon, d.squareChange()*r)
		}
		if err != nil {
			return z, err
		}
		z.independent(first, second)
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
		if d.Kind == sumSquares { // the second variance is rounded up
			z.exponent = func(x []int64) (sum float64) {
				for i, v := range x {
					sum += float64(v) * float64(v) / (2 * z.variance(i))
				}
				return sum
			}
		}
	default:
		return z, domain.Refuse("sums", "law", q.Law+" noise on a "+d.Kind, "a law that this release has")
	}
	return z, nil
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
			"range: a coarser lattice, or a larger ε")
	}
	return noise.NewGeometric(noise.Rational{Num: epsilon.Num, Den: epsilon.Den * uint64(delta)})
}

// samplerDen bounds the denominators of the samplers' rates.
const samplerDen = 1 << 40

// gaussians are the laws of the sums: of moments, σ₂² = σ₁²M²·4/11; of powers the least whole number that is at least
// 16·M⁴σ₁²/(11·K²), M that of the coarse lattice.
func (d design) gaussians(sigma2 noise.Rational) ([]noise.Distribution, error) {
	first, err := noise.NewGaussian(sigma2)
	if err != nil || d.Kind != moments && d.Kind != sumSquares {
		return []noise.Distribution{first}, err
	}
	if d.Kind == sumSquares {
		m, _ := d.coarseHalf()
		up := new(big.Int).Exp(big.NewInt(m), big.NewInt(4), nil)
		up.Mul(up, big.NewInt(4*momentRatioDen)).Mul(up, new(big.Int).SetUint64(sigma2.Num))
		down := new(big.Int).Exp(big.NewInt(d.Steps), big.NewInt(2), nil)
		down.Mul(down, big.NewInt(momentRatioNum)).Mul(down, new(big.Int).SetUint64(sigma2.Den))
		if up.Add(up, down).Sub(up, big.NewInt(1)).Div(up, down); !up.IsUint64() {
			return nil, domain.Refuse("sums", "σ²", sigma2.String(), "a variance in the sampler's range: a coarser lattice")
		}
		second, err := noise.NewGaussian(noise.Rational{Num: up.Uint64(), Den: 1})
		return []noise.Distribution{first, second}, err
	}
	m, _ := d.half()
	up, down := uint64(m*m)*momentRatioDen, sigma2.Den*momentRatioNum
	for up%2 == 0 && down%2 == 0 {
		up, down = up/2, down/2
	}
	if sigma2.Num > 1<<62/up {
		return nil, domain.Refuse("sums", "σ²", sigma2.String(), "a variance in the sampler's range: a coarser lattice")
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
	return d.pairAt(q.Law, size.Float(), adj, rows, want)
}

// pairAt is the pair at ε of a law for pure ε, or σ² of a Gaussian's first sum.
func (d design) pairAt(law string, size float64, adj dp.Adjacency, rows int, want dp.Notion) loss.Pair {
	c := d.changeOf(adj)
	switch {
	case law == gaussianLaw:
		return loss.DiscreteGaussianPair{Sigma2: size, Cells: int(c.cells), Shift: int(c.shift) * rows}
	case law == geometricLaw && want != dp.Pure && d.Kind != sumSquares: // whose rates differ
		shift := c.l1 * int64(rows)
		return loss.ShiftedGeometricPair{Rate: size / float64(shift), Shift: int(shift), Cells: 1}
	}
	return loss.PurePair{Epsilon: size}
}

// design is which integers are released: sums over the records of integers that follow from a record's places.
type design struct {
	Kind  string `json:"release"`
	Steps int64  `json:"steps"`           // K
	Width int    `json:"width,omitempty"` // columns, or groups
	// J, of releases with squares: see model.Lattice.Coarse
	Coarse int64 `json:"coarse,omitempty"`
	// k, of unit moments: the rows of a unit
	Unit int64 `json:"unit,omitempty"`
	// Omit says that a record may have no value: it is in no group then, and adds nothing.
	Omit bool `json:"omit,omitempty"`
}

// The releases.
const (
	oneSum       = "sum"               // k
	halves       = "pair"              // k, K − k
	moments      = "moments"           // c, c²
	columns      = "columns"           // k of every column
	columnsCount = "columns and count" // 2k − K of every column, K
	groupHalves  = "pairs by group"    // k, K − k in the group of the record

	// with squares, of c = j − J/2, or 2j − J where J is odd, and of j, the place on the coarse lattice
	sumSquares  = "sum and squares"         // k, c²
	triple      = "Bernstein sums"          // (J−j)², 2j(J−j), j²
	groupTriple = "Bernstein sums by group" // these in the group of the record
)

// squared is the design that releases squares, too, where there is one for a lattice.
func (d design) squared(coarse int64) (with design, ok bool) {
	with = d
	with.Coarse = coarse
	with.Kind, ok = map[string]string{oneSum: sumSquares, halves: triple, groupHalves: groupTriple}[d.Kind]
	return with, ok && coarse > 0
}

func designOf(l *model.Lattice, adj dp.Adjacency) design {
	d := design{Steps: l.Steps}
	private := adj == dp.AddRemove
	switch l.Form {
	case model.TwoPowers:
		d.Kind = moments
	case model.PerColumn:
		d.Kind, d.Width = columns, len(l.Low)
		if private {
			d.Kind = columnsCount
		}
	case model.PerGroup:
		d.Kind, d.Width, d.Omit = groupHalves, l.Groups, l.Omits
	default:
		d.Kind = oneSum
		if private {
			d.Kind = halves
		}
	}
	return d
}

// dims is the number of integers released.
func (d design) dims() int {
	switch d.Kind {
	case halves, moments, sumSquares:
		return 2
	case triple:
		return 3
	case UnitMoments:
		return 5 // of model.UnitMoments
	case groupTriple:
		return 3 * d.Width
	case columns:
		return d.Width
	case columnsCount:
		return d.Width + 1
	case groupHalves:
		return 2 * d.Width
	}
	return 1
}

// half is M, the largest |c|, and unit the number of units of c per step: c = k − K/2 where K is even, else 2k − K.
func (d design) half() (m, unit int64) { return halfOf(d.Steps) }

// coarseHalf is half of the coarse lattice.
func (d design) coarseHalf() (m, unit int64) { return halfOf(d.Coarse) }

func halfOf(steps int64) (m, unit int64) {
	if steps%2 == 0 {
		return steps / 2, 1
	}
	return steps, 2
}

// coarser is the place on the coarse lattice that is nearest to k.
func (d design) coarser(k int64) int64 {
	return (&model.Lattice{Steps: d.Steps, Coarse: d.Coarse}).Coarser(k)
}

// room is Δ of a sum raised by 1/J for the rounding of places to the coarse lattice, and Δ where that is the only one:
// see changeOf.
func (d design) room(delta int64) int64 {
	if d.Coarse == d.Steps {
		return delta
	}
	return delta + (delta+d.Coarse-1)/d.Coarse
}

// squareChange is Δ of Σc² for the rate of its noise: 4M², with room.
func (d design) squareChange() int64 {
	m, _ := d.coarseHalf()
	return d.room(4 * m * m)
}

// record are the integers that a record adds, by its places.
func (d design) record(places []int64, group int, out []int64) {
	clear(out)
	switch k := places[0]; d.Kind {
	case halves:
		out[0], out[1] = k, d.Steps-k
	case moments:
		m, unit := d.half()
		c := unit*k - m
		out[0], out[1] = c, c*c
	case columns:
		copy(out, places)
	case columnsCount:
		for i, k := range places {
			out[i] = 2*k - d.Steps
		}
		out[len(places)] = d.Steps
	case groupHalves:
		out[2*group], out[2*group+1] = k, d.Steps-k
	case sumSquares:
		m, unit := d.coarseHalf()
		c := unit*d.coarser(k) - m
		out[0], out[1] = k, c*c
	case triple, groupTriple:
		j, own := d.coarser(k), out[3*group:]
		own[0], own[1], own[2] = (d.Coarse-j)*(d.Coarse-j), 2*j*(d.Coarse-j), j*j
	default:
		out[0] = k
	}
}

// measured is the sum of record over the rows, from the sums that a model counts.
func (d design) measured(whole []int64, rows int) []int64 {
	n, k := int64(rows), d.Steps
	switch d.Kind {
	case oneSum:
		return []int64{whole[0]}
	case halves:
		return []int64{whole[0], n*k - whole[0]}
	case sumSquares:
		m, u := d.coarseHalf()
		return []int64{whole[0], u*u*whole[2] - 2*u*m*whole[1] + n*m*m}
	case triple:
		return d.bernstein(n, whole[1], whole[2], nil)
	case groupTriple:
		var out []int64
		for own := range slices.Chunk(whole, len(whole)/d.Width) {
			out = d.bernstein(own[0], own[2], own[3], out)
		}
		return out
	case moments: // c = uk − M: Σc², expanded
		m, u := d.half()
		return []int64{u*whole[0] - n*m, u*u*whole[1] - 2*u*m*whole[0] + n*m*m}
	case columnsCount:
		var out []int64
		for _, s := range whole {
			out = append(out, 2*s-n*k)
		}
		return append(out, n*k)
	case groupHalves:
		var out []int64
		for own := range slices.Chunk(whole, len(whole)/d.Width) {
			out = append(out, own[1], own[0]*k-own[1])
		}
		return out
	}
	return slices.Clone(whole)
}

// bernstein appends Σ(J−j)², Σ2j(J−j) and Σj² of so many records, from Σj and Σj².
func (d design) bernstein(records, places, squares int64, to []int64) []int64 {
	j := d.Coarse
	return append(to, records*j*j-2*j*places+squares, 2*j*places-2*squares, squares)
}

// change is what one record changes at most, as the laws of noise need it: proved for every K, and enumerated for small
// K by the certificate.
type change struct {
	l1   int64 // Σ|z_i|
	most int64 // max|z_i|
	// Σz_i² is at most cells·shift² with Gaussian noise of one σ; of moments, the second with its own
	cells, shift int64
}

// changeOf proves:
//
//   - k, and (k, K−k) of a record that comes or goes: k ≤ K; k + (K−k) = K; k² + (K−k)² ≤ K².
//   - columns: |k_i − k′_i| ≤ K, so √d·K; one column only where a value is replaced. 2k − K in [−K, K] and K, added or
//     removed: at most K each.
//   - groups: a replaced record leaves one pair and enters another, K + K and K² + K²; or stays in its group,
//     |k − k′| + |k′ − k| ≤ 2K; or comes to have a value or none, K and K² (triples: J² and J⁴), as if added or removed.
//   - powers: of u = 2k/K − 1 and u₂ = c/M, changes d = |u − u′|, d₂ = |u₂ − u₂′| and e = |u₂² − u₂′²| ≤ d₂(2 − d₂). A
//     place is rounded by half a step 2/J at most, so that d ≤ d₂ + 2/J (0 for 2/J where J = K), and d/2 + e/4 ≤
//     1 − (1 − d₂/2)² + 1/J ≤ 1 + 1/J, which room takes in. For Gaussian noise d² + (11/4)e² ≤ (2 + 2/J)², by the bound
//     of moments.
//   - triples: the squares are those of a partition of J and add up to J²: their ℓ₁ norm, and at most their ℓ₂ norm.
//   - moments: |c − c′| ≤ 2M, |c² − c′²| ≤ M²; the norms of noise are at sample.ParabolaNorm and momentRatio.
func (d design) changeOf(adj dp.Adjacency) change {
	k := d.Steps
	c := change{l1: k, most: k, cells: 1, shift: k}
	switch d.Kind {
	case columns:
		if adj != dp.ReplaceValue {
			c.l1, c.cells = int64(d.Width)*k, int64(d.Width)
		}
	case columnsCount:
		c.l1, c.cells = int64(d.Width+1)*k, int64(d.Width+1)
	case groupHalves:
		if adj != dp.AddRemove {
			c.l1, c.cells = 2*k, 2
		}
	case moments:
		m, _ := d.half()
		c.l1, c.most, c.shift = 2*m+m*m, max(2*m, m*m), 2*m
	case sumSquares:
		c.shift = d.room(k)
		c.l1 = max(c.shift, d.squareChange()) // of one sum beside the rate of its noise
	case UnitMoments:
		return d.unitChange(adj)
	case triple, groupTriple:
		j := d.Coarse * d.Coarse
		c.l1, c.shift = j, j
		if d.Kind == groupTriple && adj != dp.AddRemove {
			c.l1, c.cells = 2*j, 2
		}
	}
	return c
}

// momentRatio is (Mσ₁/σ₂)² of Gaussian noise on (Σc, Σc²): with x = |d|/M in [0, 2], |e| ≤ M²x(2−x), so that
// d²/σ₁² + e²/σ₂² ≤ (M/σ₁)²x²(1 + L(2−x)²), which stays at its value 4 at x = 2 for L ≤ ((1+√5)/2)⁵/4.
const momentRatioNum, momentRatioDen = 11, 4

// gauge is the norm in which one record moves the sums by at most 1: of a law of noise, as it is drawn.
func (d design) gauge(law string, adj dp.Adjacency) func(z []int64) float64 {
	c := d.changeOf(adj)
	switch law {
	case cubeLaw:
		return func(z []int64) float64 {
			most := int64(0)
			for _, v := range z {
				most = max(most, v, -v)
			}
			return float64(most) / float64(c.most)
		}
	case parabolaLaw:
		m, _ := d.half()
		return func(z []int64) float64 {
			num, den := sample.ParabolaNorm(z[0], z[1], uint64(m))
			if num.Sign() == 0 {
				return 0
			}
			a, _ := num.Float64()
			b, _ := den.Float64()
			return a / b
		}
	case gaussianLaw:
		m, _ := d.half()
		return func(z []int64) float64 {
			sum := 0.0
			for i, v := range z {
				x := float64(v) * float64(v)
				switch {
				case d.Kind == moments && i == 1:
					x *= float64(momentRatioNum) / float64(momentRatioDen*m*m)
				case d.Kind == sumSquares && i == 1:
					h, _ := d.coarseHalf()
					x *= momentRatioNum * math.Pow(float64(d.Steps), 2) / (4 * momentRatioDen * math.Pow(float64(h), 4))
				}
				sum += x
			}
			return math.Sqrt(sum / float64(c.cells*c.shift*c.shift))
		}
	}
	if d.Kind == sumSquares {
		return func(z []int64) float64 {
			return math.Abs(float64(z[0]))/float64(c.shift) + math.Abs(float64(z[1]))/float64(d.squareChange())
		}
	}
	return func(z []int64) float64 {
		sum := int64(0)
		for _, v := range z {
			sum += max(v, -v)
		}
		return float64(sum) / float64(c.l1)
	}
}
