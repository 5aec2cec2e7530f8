package structure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Downstream are the accuracy and the area under the ROC curve, on held-out rows, of a classifier trained on a
// synthetic table.
type Downstream struct {
	Accuracy float64 `json:"accuracy"`
	AUC      float64 `json:"auc"`
}

// trained bounds the rows that a classifier is trained on: the first ones.
const trained = 8000

// Classify trains a logistic regression on the one-hot codes of all other columns, with penalty ½‖w‖² and by Newton's
// method, and judges it on the held-out rows. ok is false where the target has not two levels, or the table has rows of
// one class only, or other columns.
func (j *Scorer) Classify(c *Coded) (d Downstream, ok bool) {
	c, err := j.aligned(c)
	if err != nil || c.Levels[j.target] != 2 {
		return d, false
	}
	rows := min(c.Rows, trained)
	if !slices.Contains(c.Columns[j.target][:rows], 0) || !slices.Contains(c.Columns[j.target][:rows], 1) {
		return d, false
	}
	offsets, width := j.offsets(c)
	w := make([]float64, width)
	for range 12 {
		if newton(c, j.target, rows, offsets, w) < 1e-6 {
			break
		}
	}
	return j.heldOut(offsets, w), true
}

// offsets are the places of the columns' codes among the weights; the last weight is the constant.
func (j *Scorer) offsets(c *Coded) (at []int, width int) {
	at = make([]int, len(c.Levels))
	for i, l := range c.Levels {
		if at[i] = width; i != j.target {
			width += l
		}
	}
	return at, width + 1
}

// active are the weights of a row.
func active(c *Coded, target, row int, offsets []int, width int, to []int) []int {
	to = to[:0]
	for i, o := range offsets {
		if i != target {
			to = append(to, o+int(c.Columns[i][row]))
		}
	}
	return append(to, width-1)
}

// newton takes one step and returns its largest component.
func newton(c *Coded, target, rows int, offsets []int, w []float64) float64 {
	n := len(w)
	h, g := mat.NewSymDense(n, nil), make([]float64, n)
	for k := range w {
		g[k] = w[k]
		h.SetSym(k, k, 1)
	}
	var at []int
	for r := range rows {
		at = active(c, target, r, offsets, n, at)
		z := 0.0
		for _, k := range at {
			z += w[k]
		}
		p := 1 / (1 + math.Exp(-z))
		for i, a := range at {
			g[a] += p - float64(c.Columns[target][r])
			for _, b := range at[i:] {
				h.SetSym(a, b, h.At(a, b)+p*(1-p))
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return 0
	}
	step, largest := mat.NewVecDense(n, nil), 0.0
	if err := chol.SolveVecTo(step, mat.NewVecDense(n, g)); err != nil {
		return 0
	}
	for k := range w {
		w[k] -= step.AtVec(k)
		largest = math.Max(largest, math.Abs(step.AtVec(k)))
	}
	return largest
}

// heldOut scores the held-out rows.
func (j *Scorer) heldOut(offsets []int, w []float64) Downstream {
	type scored struct {
		z        float64
		positive bool
	}
	s, right := make([]scored, j.Test.Rows), 0
	var at []int
	for r := range s {
		at = active(j.Test, j.target, r, offsets, len(w), at)
		for _, k := range at {
			s[r].z += w[k]
		}
		if s[r].positive = j.Test.Columns[j.target][r] == 1; s[r].positive == (s[r].z > 0) {
			right++
		}
	}
	slices.SortFunc(s, func(a, b scored) int {
		switch {
		case a.z < b.z:
			return -1
		case a.z > b.z:
			return 1
		}
		return 0
	})
	// Mann–Whitney: ties count one half.
	below, wins, positives := 0, 0.0, 0
	for lo := 0; lo < len(s); {
		hi, pos := lo, 0
		for ; hi < len(s) && s[hi].z == s[lo].z; hi++ {
			if s[hi].positive {
				pos++
			}
		}
		neg := hi - lo - pos
		wins += float64(pos) * (float64(below) + float64(neg)/2)
		below, positives, lo = below+neg, positives+pos, hi
	}
	return Downstream{float64(right) / float64(len(s)), wins / (float64(positives) * float64(below))}
}
