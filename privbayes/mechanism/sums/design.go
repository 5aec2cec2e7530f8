package sums

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// design is which integers are released: sums over the records of integers that follow from a record's places.
type design struct {
	Kind  string `json:"release"`
	Steps int64  `json:"steps"`           // K
	Width int    `json:"width,omitempty"` // columns, or groups
}

// The releases.
const (
	oneSum       = "sum"               // k
	halves       = "pair"              // k, K − k
	moments      = "moments"           // c, c²
	columns      = "columns"           // k of every column
	columnsCount = "columns and count" // 2k − K of every column, K
	groupHalves  = "pairs by group"    // k, K − k in the group of the record
)

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
		d.Kind, d.Width = groupHalves, l.Groups
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
	case halves, moments:
		return 2
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
func (d design) half() (m, unit int64) {
	if d.Steps%2 == 0 {
		return d.Steps / 2, 1
	}
	return d.Steps, 2
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
	default:
		out[0] = k
	}
}

// measured is the sum of record over the rows, from the sums that a model counts.
func (d design) measured(whole []int64, rows int) []int64 {
	n, k := int64(rows), d.Steps
	switch d.Kind {
	case halves:
		return []int64{whole[0], n*k - whole[0]}
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
		out := make([]int64, len(whole))
		for g := 0; g < len(whole); g += 2 {
			out[g], out[g+1] = whole[g+1], whole[g]*k-whole[g+1]
		}
		return out
	}
	return append([]int64(nil), whole...)
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
//     |k − k′| + |k′ − k| ≤ 2K.
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
				if d.Kind == moments && i == 1 {
					x *= float64(momentRatioNum) / float64(momentRatioDen*m*m)
				}
				sum += x
			}
			return math.Sqrt(sum / float64(c.cells*c.shift*c.shift))
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
