package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/papers/study/structure"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// kMarginal is NIST's score of the ten demographic columns of national2019: 1000·(1 − mean total variation of pairs),
// after ages are cut at twentieths of the rows' ages, as SDNist does. Codes have ages in bins of five years: a
// synthetic age is a whole number drawn evenly from its bin, for every library by the same seed. Error: a frame without
// ages.
func kMarginal(set *structure.Set, train, c *structure.Coded) (float64, error) {
	ages, err := set.Train.Values("AGEP")
	if err != nil {
		return 0, err
	}
	schema := set.Train.Schema()
	at := slices.IndexFunc(schema.Columns, func(c frame.Column) bool { return c.Name == "AGEP" })
	edges, r := schema.Columns[at].Edges, rand.New(rand.NewPCG(1, 1))
	synthetic := make([]float64, c.Rows)
	for i, k := range c.Columns[at] {
		synthetic[i] = edges[k] + float64(r.IntN(int(edges[k+1]-edges[k])))
	}
	cuts := ageCuts(ages, slices.Max(synthetic))
	a, b := recoded(train, at, len(cuts), ages, cuts), recoded(c, at, len(cuts), synthetic, cuts)
	sum, pairs := 0.0, 0
	for i := range a.Names {
		for j := range i {
			sum, pairs = sum+totalVariation(a, b, i, j), pairs+1
		}
	}
	return 1000 * (1 - sum/float64(pairs)), nil
}

// ageCuts are the upper ends of the classes of ages: the twentieths of the rows, the largest age, and the largest
// synthetic age where that is larger, for which one of the twentieths is given up.
func ageCuts(ages []float64, largest float64) []float64 {
	sorted := slices.Sorted(slices.Values(ages))
	last, parts := sorted[len(sorted)-1], 20
	cuts := []float64{last}
	if largest > last {
		cuts, parts = append(cuts, largest), parts-1
	}
	for i := range parts {
		cuts = append(cuts, sorted[int(math.Ceil(float64(i)/float64(parts)*float64(len(sorted)-1)))])
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// recoded is a table with other codes in one column: the classes whose upper ends are given, the first two together.
func recoded(c *structure.Coded, at, levels int, values, cuts []float64) *structure.Coded {
	out := *c
	out.Levels, out.Columns = slices.Clone(c.Levels), slices.Clone(c.Columns)
	out.Levels[at], out.Columns[at] = levels, make([]uint8, c.Rows)
	for i, v := range values {
		out.Columns[at][i] = uint8(max(sort.SearchFloat64s(cuts, v)-1, 0))
	}
	return &out
}

// totalVariation is that of the tables of two columns.
func totalVariation(a, b *structure.Coded, i, j int) float64 {
	d := make([]float64, a.Levels[i]*a.Levels[j])
	for r := range a.Rows {
		d[int(a.Columns[i][r])*a.Levels[j]+int(a.Columns[j][r])] += 1 / float64(a.Rows)
	}
	for r := range b.Rows {
		d[int(b.Columns[i][r])*a.Levels[j]+int(b.Columns[j][r])] -= 1 / float64(b.Rows)
	}
	sum := 0.0
	for _, v := range d {
		sum += math.Abs(v)
	}
	return sum / 2
}

// classes are the lower ends of the classes of births for which Hod and Canetti (2024) publish errors of tables; sexes
// and months are classes of their own.
var classes = map[string][]float64{
	"mother_age": {25, 30, 35}, "parity": {2, 4}, "gestation_week": {37}, "birth_weight": {2500, 4000},
}

// kWay is the largest difference of the shares of a cell, over all cells of all tables of one to six columns of births
// in the published classes.
func kWay(set *structure.Set, train, c *structure.Coded) float64 {
	var levels []int
	to := make([][]int, len(train.Names)) // the class of a code
	for i, column := range set.Train.Schema().Columns {
		n := train.Levels[i]
		to[i] = make([]int, n)
		for k := range n {
			if to[i][k] = k; column.Numeric() {
				to[i][k] = sort.Search(len(classes[column.Name]), func(j int) bool {
					return classes[column.Name][j] > column.Edges[k]
				})
			}
		}
		levels = append(levels, slices.Max(to[i])+1)
	}
	joint := make([]float64, product(levels))
	for _, t := range []struct {
		c *structure.Coded
		w float64
	}{{train, 1 / float64(train.Rows)}, {c, -1 / float64(c.Rows)}} {
		for r := range t.c.Rows {
			cell := 0
			for i, l := range levels {
				cell = cell*l + to[i][t.c.Columns[i][r]]
			}
			joint[cell] += t.w
		}
	}
	return worstCell(joint, levels)
}

func product(levels []int) int {
	n := 1
	for _, l := range levels {
		n *= l
	}
	return n
}

// worstCell is the largest absolute value of a cell over all sums of a joint table.
func worstCell(joint []float64, levels []int) (worst float64) {
	for set := 1; set < 1<<len(levels); set++ {
		sums := make([]float64, len(joint))
		for cell, v := range joint {
			rest, at, scale := cell, 0, 1
			for i := len(levels) - 1; i >= 0; i-- {
				if set>>i&1 == 1 {
					at, scale = at+rest%levels[i]*scale, scale*levels[i]
				}
				rest /= levels[i]
			}
			sums[at] += v
		}
		for _, v := range sums {
			worst = math.Max(worst, math.Abs(v))
		}
	}
	return worst
}

// modelPairs is the mean total variation of the tables of all pairs between a network and the rows that it was learned
// from, without the error that synthetic rows add. Errors: those of bayesnet.Net.Query.
func modelPairs(net *bayesnet.Net, train *structure.Coded) (float64, error) {
	at := make([]int, len(train.Names)) // the place of a column in the network
	for i, name := range train.Names {
		for k := range at {
			if net.DAG().Node(k).Name == name {
				at[i] = k
			}
		}
	}
	sum, pairs := 0.0, 0
	for i := range at {
		for j := range i {
			p, err := net.Query([]int{at[i], at[j]}, nil)
			if err != nil {
				return 0, err
			}
			for r := range train.Rows {
				p[int(train.Columns[i][r])*train.Levels[j]+int(train.Columns[j][r])] -= 1 / float64(train.Rows)
			}
			for _, v := range p {
				sum += math.Abs(v) / 2
			}
			pairs++
		}
	}
	return sum / float64(pairs), nil
}
