package structure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// triplesScored bounds the triples that are scored; of more, that many are drawn with a fixed seed.
const triplesScored = 100

// Scorer scores synthetic tables against a set: what it holds read the data, and its scores are for a study of public
// tables.
type Scorer struct {
	Train, Test *Coded
	target      int
	sets        [3][][]int // columns, pairs, triples
	tables      [3][][]int64
	edges       map[[2]int]bool
}

// NewScorer counts the tables of a set.
func NewScorer(set *Set) (*Scorer, error) {
	train, err := Code(set.Train)
	if err != nil {
		return nil, err
	}
	test, err := Code(set.Test)
	if err != nil {
		return nil, err
	}
	j := &Scorer{Train: train, Test: test, target: slices.Index(train.Names, set.Target)}
	for k := range j.sets {
		s := subsets(len(train.Names), k+1)
		if len(s) > triplesScored && k == 2 {
			r := rand.New(rand.NewPCG(3, 3))
			r.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
			s = s[:triplesScored]
		}
		j.sets[k] = s
		if j.tables[k], err = train.counts(s); err != nil {
			return nil, err
		}
	}
	if set.Edges != nil {
		j.edges = map[[2]int]bool{}
		for _, e := range set.Edges {
			j.edges[ordered(slices.Index(train.Names, e[0]), slices.Index(train.Names, e[1]))] = true
		}
	}
	return j, nil
}

func ordered(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// aligned is a table with its columns in the order of the training rows. Error: a column that is missing or has other
// levels.
func (j *Scorer) aligned(c *Coded) (*Coded, error) {
	out := &Coded{Names: j.Train.Names, Levels: j.Train.Levels, Rows: c.Rows}
	for i, name := range out.Names {
		k := slices.Index(c.Names, name)
		if k < 0 || c.Levels[k] != out.Levels[i] {
			return nil, fmt.Errorf("structure: no column %s of %d levels", name, out.Levels[i])
		}
		out.Columns = append(out.Columns, c.Columns[k])
	}
	return out, nil
}

// Distances are the mean total variations of columns, pairs and triples between a synthetic table, whose columns may
// stand in any order, and the training rows. Error: a column that is missing or has other levels.
func (j *Scorer) Distances(c *Coded) (tv [3]float64, err error) {
	if c, err = j.aligned(c); err != nil {
		return tv, err
	}
	for k, sets := range j.sets {
		tables, err := c.counts(sets)
		if err != nil {
			return tv, err
		}
		for i := range sets {
			tv[k] += distance(tables[i], j.tables[k][i]) / float64(len(sets))
		}
	}
	return tv, nil
}

// LogLikelihood is the mean log-probability of the held-out rows under a network, whose every row is mixed with a part
// in a thousand of the uniform law, so that it is finite.
func (j *Scorer) LogLikelihood(net *bayesnet.Net) float64 {
	const part = 1e-3
	d, sum := net.DAG(), 0.0
	at := make([]int, d.Len())
	for i := range at {
		at[i] = slices.Index(j.Test.Names, d.Node(i).Name)
	}
	for i := range d.Len() {
		table, parents := net.Table(i), d.Parents(i)
		for r := range j.Test.Rows {
			cell := 0
			for _, p := range parents {
				cell = cell*d.Arity(p) + int(j.Test.Columns[at[p]][r])
			}
			p := table[cell*d.Arity(i)+int(j.Test.Columns[at[i]][r])]
			sum += math.Log((1-part)*p + part/float64(d.Arity(i)))
		}
	}
	return sum / float64(j.Test.Rows)
}

// TrueEdges counts the learned edges that the network which made the rows has; −1 where there is none.
func (j *Scorer) TrueEdges(edges [][2]string) int {
	if j.edges == nil {
		return -1
	}
	n := 0
	for _, e := range edges {
		if j.edges[ordered(slices.Index(j.Train.Names, e[0]), slices.Index(j.Train.Names, e[1]))] {
			n++
		}
	}
	return n
}

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
