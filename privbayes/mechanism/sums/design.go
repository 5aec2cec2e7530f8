package sums

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

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
	sumSquares     = "sum and squares"         // k, c²
	columnsSquares = "columns and squares"     // k of every column, then c² of every column
	countedSquares = "columns, count, squares" // 2k − K of every column, K, then c² of every column
	triple         = "Bernstein sums"          // (J−j)², 2j(J−j), j²
	groupTriple    = "Bernstein sums by group" // these in the group of the record
)

// squared is the design that releases squares, too, where there is one for a lattice. With a count there are none on a
// lattice of one step, where all are one: changes of one are charged by their exact profile, and not by ρ, and that of
// counts with equal noise is too small for noise of two sizes.
func (d design) squared(coarse int64) (with design, ok bool) {
	with = d
	with.Coarse = coarse
	with.Kind, ok = map[string]string{oneSum: sumSquares, columns: columnsSquares,
		columnsCount: countedSquares, halves: triple, groupHalves: groupTriple}[d.Kind]
	return with, ok && coarse > 0 && (coarse > 1 || with.Kind != countedSquares)
}

// powers is how many sums stand before those of squares; 0 without these.
func (d design) powers() int {
	switch d.Kind {
	case sumSquares:
		return 1
	case columnsSquares:
		return d.Width
	case countedSquares:
		return d.Width + 1
	}
	return 0
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
	case groupUnitMoments:
		return 5 * d.Width
	case groupTriple:
		return 3 * d.Width
	case columns:
		return d.Width
	case columnsSquares:
		return 2 * d.Width
	case columnsCount:
		return d.Width + 1
	case countedSquares:
		return 2*d.Width + 1
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

// squareChange is Δ for the rate of the noise of every Σc²: 4M², with room, and M² in every column next to a count.
func (d design) squareChange() int64 {
	m, _ := d.coarseHalf()
	if d.Kind == countedSquares {
		return int64(d.Width) * m * m
	}
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
	case countedSquares:
		m, unit := d.coarseHalf()
		for i, k := range places {
			c := unit*d.coarser(k) - m
			out[i], out[len(places)+1+i] = 2*k-d.Steps, c*c
		}
		out[len(places)] = d.Steps
	case groupHalves:
		out[2*group], out[2*group+1] = k, d.Steps-k
	case sumSquares, columnsSquares:
		m, unit := d.coarseHalf()
		for i, k := range places {
			c := unit*d.coarser(k) - m
			out[i], out[len(places)+i] = k, c*c
		}
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
	case sumSquares, columnsSquares:
		m, u := d.coarseHalf()
		out := make([]int64, d.dims())
		for i := range d.powers() {
			own := whole[3*i:]
			out[i], out[d.powers()+i] = own[0], u*u*own[2]-2*u*m*own[1]+n*m*m
		}
		return out
	case countedSquares:
		m, u := d.coarseHalf()
		out := make([]int64, d.dims())
		for i := range d.Width {
			own := whole[3*i:]
			out[i], out[d.Width+1+i] = 2*own[0]-n*k, u*u*own[2]-2*u*m*own[1]+n*m*m
		}
		out[d.Width] = n * k
		return out
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
	case columns, columnsCount:
		var out []int64
		for own := range slices.Chunk(whole, len(whole)/d.Width) {
			if d.Kind == columns {
				out = append(out, own[0])
			} else {
				out = append(out, 2*own[0]-n*k)
			}
		}
		if d.Kind == columnsCount {
			out = append(out, n*k)
		}
		return out
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
//   - columns with a count and squares: the sums as before, and 0 ≤ c² ≤ M² of every column, added or removed. With
//     weights K²/(dM⁴) and K/(dM²) the squares are one more number of at most K² and K; the cube's norm as below.
//   - columns with their squares: of one column as powers, so that Gaussian and geometric noise have those times the
//     columns that change. The cube's norm is (1 − s)·max|k_i − k′_i|/K + s·max|c_i² − c′_i²|/M² ≤ 1, s = 1/cubeShare.
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
	case countedSquares:
		m, _ := d.coarseHalf()
		c.cells, c.most = int64(d.Width+2), cubeShare*max(k, m*m)
		c.l1 = c.cells * max(k, d.squareChange())
	case groupHalves:
		if adj != dp.AddRemove {
			c.l1, c.cells = 2*k, 2
		}
	case moments:
		m, _ := d.half()
		c.l1, c.most, c.shift = 2*m+m*m, max(2*m, m*m), 2*m
	case sumSquares, columnsSquares:
		c.shift = d.room(k)
		if d.Kind == columnsSquares && adj != dp.ReplaceValue {
			c.cells = int64(d.Width)
		}
		c.l1 = c.cells * max(c.shift, d.squareChange()) // of one sum beside the rate of its noise
		if m, _ := d.coarseHalf(); d.Kind == columnsSquares {
			c.most = cubeShare * max(k, m*m)
		}
	case UnitMoments, groupUnitMoments:
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

// squareRatio is (M²σ₁/(Kσ₂))² of Gaussian noise on sums and squares: 11/16 next to k, see changeOf; 1/d next to a
// count.
func (d design) squareRatio() (num, den int64) {
	if d.Kind == countedSquares {
		return 1, int64(d.Width)
	}
	return momentRatioNum, 4 * momentRatioDen
}

// gauge is the norm in which one record moves the sums by at most 1: of a law of noise, as it is drawn.
func (d design) gauge(law string, adj dp.Adjacency) func(z []int64) float64 {
	c := d.changeOf(adj)
	switch law {
	case cubeLaw:
		most := func(z []int64) (most float64) {
			for _, v := range z {
				most = math.Max(most, math.Abs(float64(v)))
			}
			return most
		}
		if p := d.powers(); p > 0 {
			m, _ := d.coarseHalf()
			return func(z []int64) float64 {
				return ((cubeShare-1)*most(z[:p])/float64(d.Steps) + most(z[p:])/float64(m*m)) / cubeShare
			}
		}
		return func(z []int64) float64 { return most(z) / float64(c.most) }
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
				case d.powers() > 0 && i >= d.powers():
					num, den := d.squareRatio()
					h, _ := d.coarseHalf()
					x *= float64(num) * math.Pow(float64(d.Steps), 2) / (float64(den) * math.Pow(float64(h), 4))
				}
				sum += x
			}
			return math.Sqrt(sum / float64(c.cells*c.shift*c.shift))
		}
	}
	if p := d.powers(); p > 0 {
		return func(z []int64) (sum float64) {
			for i, v := range z {
				delta := c.shift
				if i >= p {
					delta = d.squareChange()
				}
				sum += math.Abs(float64(v)) / float64(delta)
			}
			return sum / float64(c.cells)
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
