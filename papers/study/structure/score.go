package structure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
