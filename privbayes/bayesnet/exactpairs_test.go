package bayesnet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func columnsOf(n *Net, records int) [][]uint16 {
	out := make([][]uint16, n.DAG().Len())
	for i := range out {
		out[i] = make([]uint16, records)
	}
	return out
}

func exactPairs(t *testing.T, n *Net, records int, seed uint64) [][]uint16 {
	t.Helper()
	out := columnsOf(n, records)
	must.Do(t, n.ExactPairs(records, rand.NewPCG(seed, 9), out))
	return out
}

// farthest is the largest distance of a count from records·P, over all columns and pairs, and the mean distance.
func farthest(t *testing.T, n *Net, out [][]uint16) (most, mean float64) {
	cells := 0.0
	for i := range out {
		for j := range i + 1 {
			p := must.Get(n.Query(slices.Compact([]int{i, j}), nil))(t)
			for k := range p {
				p[k] *= float64(len(out[0]))
			}
			for r, x := range out[i] {
				if i != j {
					x = x*uint16(n.DAG().Arity(j)) + out[j][r]
				}
				p[x]--
			}
			for _, d := range p {
				most, mean, cells = max(most, math.Abs(d)), mean+math.Abs(d), cells+1
			}
		}
	}
	return most, mean / cells
}

// crowded is a network of four columns whose last has three parents, so that 600 configurations share few records.
// Its first row forbids a state, and some of its states are rare.
func crowded(t *testing.T) *Net {
	rng, nodes, cpts := rand.New(rand.NewPCG(6, 6)), []Node{}, [][]float64{}
	arity := []int{10, 6, 10, 8}
	for i, r := range arity {
		n := Node{Name: fmt.Sprint("x", i)}
		rows := 1
		for _, p := range nodes {
			n.Parents, rows = append(n.Parents, p.Name), rows*len(p.States)
		}
		for k := range r {
			n.States = append(n.States, fmt.Sprint("s", k))
		}
		table := []float64{}
		for row := range rows {
			p, sum := make([]float64, r), 0.0
			for k := range p {
				switch p[k] = rng.ExpFloat64(); {
				case i > 0 && k == row%r:
					p[k] = 0
				case k == 3:
					p[k] = 1e-7
				}
				sum += p[k]
			}
			for _, v := range p {
				table = append(table, v/sum)
			}
		}
		nodes, cpts = append(nodes, n), append(cpts, table)
	}
	return must.Get(NewNet(must.Get(NewDAG(nodes))(t), cpts))(t)
}

// All counts of columns and pairs are within four of what they should be, and within .6 in the mean.
// Records of ExactCounts are not, where there are as many parent configurations as records.
func TestExactPairsAreNear(t *testing.T) {
	for _, c := range []struct {
		net     *Net
		records int
	}{{Asia(), 5000}, {Asia(), 100}, {crowded(t), 700}, {crowded(t), 5000}} {
		most, mean := farthest(t, c.net, exactPairs(t, c.net, c.records, 1))
		rounded, _ := farthest(t, c.net, exact(t, c.net, c.records, 1))
		if most > 4 || mean > .6 {
			t.Errorf("%d records: counts are off by %v, by %v in the mean", c.records, most, mean)
		}
		if rounded < most || c.records == 5000 && rounded < 5 {
			t.Errorf("%d records: by configurations they are off by %v, and by %v", c.records, rounded, most)
		}
	}
}

// No record has probability 0, and records that are rare stay so: of 20 tables of 700 records, with 0.03 of a rare
// state in all, none has one. Without the probability of records in the choice of values, hundreds have.
func TestExactPairsKeepRareRecordsRare(t *testing.T) {
	n, rare := crowded(t), 0
	for seed := range uint64(20) {
		out := exactPairs(t, n, 700, seed)
		for r := range out[0] {
			codes := []int{}
			for _, col := range out {
				codes = append(codes, int(col[r]))
			}
			if math.IsInf(must.Get(n.LogProb(codes))(t), -1) {
				t.Fatalf("record %v has probability 0", codes)
			}
			if slices.Contains(codes, 3) {
				rare++
			}
		}
	}
	if rare > 0 {
		t.Errorf("%d records of rare states", rare)
	}
}

// Rounding is fair where nothing has to change, as in tables of one record. With a fixed seed, a deviation of 6.5
// standard errors has probability 8e-11.
func TestExactPairsOfOneRecordAreFair(t *testing.T) {
	const sets = 1000
	n, ill := Asia(), 0.0
	for k := range sets {
		if exactPairs(t, n, 1, uint64(k))[4][0] == 0 {
			ill++
		}
	}
	if dev := math.Abs(ill/sets-0.45) / math.Sqrt(.45*.55/sets); dev > 6.5 {
		t.Errorf("P(bronchitis) = %v in sets of one record; want 0.45", ill/sets)
	}
}

func TestExactPairsRefuseAndRepeat(t *testing.T) {
	n := crowded(t)
	if !slices.EqualFunc(exactPairs(t, n, 300, 4), exactPairs(t, n, 300, 4), slices.Equal[[]uint16]) {
		t.Error("the same stream gives other records")
	}
	exactPairs(t, n, 0, 1)
	var e *Error
	if err := n.ExactPairs(1, rand.NewPCG(1, 1), nil); !errors.As(err, &e) {
		t.Errorf("%v; want an Error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.WithContext(ctx).ExactPairs(9, rand.NewPCG(1, 1), columnsOf(n, 9)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want the context's error", err)
	}
}

// What is compared keeps to the limits, those of a family first; a pair whose query is too wide is left out.
func TestComparable(t *testing.T) {
	var nodes []Node
	for i := range 40 {
		n := Node{Name: fmt.Sprint("x", i), States: []string{"a", "b"}}
		if i > 0 {
			n.Parents = []string{fmt.Sprint("x", i-1)}
		}
		nodes = append(nodes, n)
	}
	d, cpts := must.Get(NewDAG(nodes))(t), [][]float64{{.3, .7}}
	for range 39 {
		cpts = append(cpts, []float64{.2, .8, .6, .4})
	}
	n := must.Get(NewNet(d, cpts))(t)
	for records, want := range map[int]int{10: 820, 1 << 17: 256, 1 << 25: 128} {
		pairs := n.comparable(records)
		for i := range 39 {
			if !slices.Contains(pairs, [2]int{i + 1, i}) {
				t.Errorf("%d records: not the edge to %d", records, i+1)
			}
		}
		if len(pairs) != want {
			t.Errorf("%d records: %d tables; want %d", records, len(pairs), want)
		}
	}
	narrow := must.Get(n.WithCells(4).pairCounts(10, columnsOf(n, 10)))(t)
	for i, tables := range narrow.of { // alone, and with its neighbours
		if len(tables) < 2 || len(tables) > 3 {
			t.Errorf("column %d is in %d tables that are narrow enough; want 2 or 3", i, len(tables))
		}
	}
}
