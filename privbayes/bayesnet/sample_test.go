package bayesnet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

func draw(t testing.TB, net *bayesnet.Net, n int, src rand.Source) [][]uint16 {
	t.Helper()
	out := make([][]uint16, net.DAG().Len())
	for i := range out {
		out[i] = make([]uint16, n)
	}
	must.Do(t, net.Sample(n, src, out))
	return out
}

// fits compares the family tables of the records with the family marginals of the network, which come from elimination.
// A cell with probability p and frequency f in n records is refused when n·KL(f‖p) > L; by Chernoff's bound that
// happens with probability at most 2e^−L, so that L = ln(2·cells/1e-9) makes 1e-9 for all cells together. Sharp to
// about 7 standard errors.
func fits(t testing.TB, net *bayesnet.Net, records [][]uint16) bool {
	t.Helper()
	d, n, cells := net.DAG(), len(records[0]), 0
	for i := range d.Len() {
		cells += d.FamilyCells(i)
	}
	limit := math.Log(2 * float64(cells) / 1e-9)
	term := func(f, p float64) float64 {
		if f == 0 {
			return 0
		}
		return f * math.Log(f/p)
	}
	for i := range d.Len() {
		family := d.Family(i)
		want := must.Get(net.Query(family, nil))(t)
		counts := make([]int, len(want))
		for k := range n {
			cell := 0
			for _, v := range family {
				cell = cell*d.Arity(v) + int(records[v][k])
			}
			counts[cell]++
		}
		for cell, p := range want {
			f := float64(counts[cell]) / float64(n)
			if p = min(p, 1); float64(n)*(term(f, p)+term(1-f, 1-p)) > limit+1e-6 {
				return false
			}
		}
	}
	return true
}

func TestSampleFits(t *testing.T) {
	asia := bayesnet.Asia()
	if !fits(t, asia, draw(t, asia, 100_000, seeded(1))) {
		t.Error("asia: the records do not fit the network")
	}
	// Mutants through the same path: the parents of dysp read in the wrong order; a tenth off one row; a link
	// forgotten.
	for name, m := range map[string]struct {
		node  int
		table []float64
	}{
		"parents swapped": {7, []float64{0.9, 0.1, 0.7, 0.3, 0.8, 0.2, 0.1, 0.9}},
		"a tenth off":     {4, []float64{0.54, 0.46, 0.3, 0.7}},
		"link forgotten":  {3, []float64{0.055, 0.945, 0.055, 0.945}},
	} {
		mutant := must.Get(asiaWith(t, m.node, m.table))(t)
		if fits(t, asia, draw(t, mutant, 100_000, seeded(1))) {
			t.Errorf("%s: accepted", name)
		}
	}
	// Words with the top bit always 0 are not uniform.
	if fits(t, asia, draw(t, asia, 100_000, stuck{seeded(1)})) {
		t.Error("a stream with its top bit stuck: accepted")
	}
}

type stuck struct{ src *rand.ChaCha8 }

func (s stuck) Uint64() uint64 { return s.src.Uint64() &^ (1 << 63) }

// Published graphs under random tables.
func TestSampleFitsPublishedGraphs(t *testing.T) {
	for _, name := range []string{"alarm", "child", "hailfinder"} { // arities up to 11
		text := must.Get(os.ReadFile("../../data/testdata/networks/" + name + ".bif"))(t)
		dag, _ := must.Get2(bayesnet.ReadBIF(bytes.NewReader(text)))(t)
		src := rand.New(seeded(9))
		tables := make([][]float64, dag.Len())
		for i := range tables {
			for range dag.FamilyCells(i) / dag.Arity(i) {
				row, sum := make([]float64, dag.Arity(i)), 0.0
				for k := range row {
					row[k] = src.ExpFloat64()
					sum += row[k]
				}
				for _, p := range row {
					tables[i] = append(tables[i], p/sum)
				}
			}
		}
		net := must.Get(bayesnet.NewNet(dag, tables))(t)
		if !fits(t, net, draw(t, net, 20_000, seeded(2))) {
			t.Errorf("%s: the records do not fit the network", name)
		}
	}
}

// One node of 40 states uses the binary search; its first, last and some middle states have probability 0.
func TestSampleManyStates(t *testing.T) {
	node, row, sum := bayesnet.Node{Name: "x"}, make([]float64, 40), 0.0
	for i := range row {
		node.States = append(node.States, string(rune('A'+i)))
		if i%5 != 0 && i != 39 {
			row[i] = float64(i)
		}
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
	dag := must.Get(bayesnet.NewDAG([]bayesnet.Node{node}))(t)
	net := must.Get(bayesnet.NewNet(dag, [][]float64{row}))(t)
	records := draw(t, net, 100_000, seeded(3))
	if !fits(t, net, records) {
		t.Error("the records do not fit the network")
	}
	for _, word := range []uint64{0, 1, math.MaxUint64} {
		if x := draw(t, net, 1, constant(word))[0][0]; row[x] == 0 {
			t.Errorf("word %x draws state %d, which has probability 0", word, x)
		}
	}
}

const stableRecords = 0x80ec63cce4079ecc // of 5000 records of asia

type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// The same stream gives the same records in every version.
func TestSampleIsStable(t *testing.T) {
	h := fnv.New64a()
	for _, col := range draw(t, bayesnet.Asia(), 5000, seeded(4)) {
		for _, c := range col {
			h.Write([]byte{byte(c), byte(c >> 8)})
		}
	}
	if got := h.Sum64(); got != stableRecords {
		t.Errorf("records hash to %#x, want %#x", got, uint64(stableRecords))
	}
}

func TestSampleRefuses(t *testing.T) {
	net := bayesnet.Asia()
	out := make([][]uint16, 8)
	for i := range out {
		out[i] = make([]uint16, 5)
	}
	wantError(t, net.Sample(5, seeded(1), out[:7]), "", 0, "7 columns; want 8")
	wantError(t, net.Sample(-1, seeded(1), out), "", 0, "records: -1")
	wantError(t, net.Sample(6, seeded(1), out), "asia", 0, "length 5; want at least 6")
	if err := net.Sample(0, seeded(1), out); err != nil {
		t.Error(err)
	}
}

// parented is a network of two-level nodes, each P(x = 1) a function of how many parents are 1.
func parented(t testing.TB, parents [][]int) *bayesnet.Net {
	t.Helper()
	nodes := make([]bayesnet.Node, len(parents))
	for i, ps := range parents {
		nodes[i] = bayesnet.Node{Name: fmt.Sprint("x", i), States: []string{"0", "1"}}
		for _, p := range ps {
			nodes[i].Parents = append(nodes[i].Parents, fmt.Sprint("x", p))
		}
	}
	dag := must.Get(bayesnet.NewDAG(nodes))(t)
	cpts := make([][]float64, len(parents))
	for i, ps := range parents {
		for row := range 1 << len(ps) {
			ones := 0
			for b := row; b > 0; b >>= 1 {
				ones += b & 1
			}
			p := .2 + .6*float64(ones)/float64(max(len(ps), 1))
			cpts[i] = append(cpts[i], 1-p, p)
		}
	}
	return must.Get(bayesnet.NewNet(dag, cpts))(t)
}

// hostile are networks whose exact queries are hopeless, or only look so.
func hostile() map[string]struct {
	parents [][]int
	wide    bool
} {
	r := rand.New(rand.NewPCG(1, 2))
	chain, star, fan := make([][]int, 10_000), make([][]int, 10_000), make([][]int, 10_000)
	tangle, grid := make([][]int, 10_000), make([][]int, 900)
	dense := make([][]int, 300)
	for i := range chain {
		if i > 0 {
			chain[i], star[i] = []int{i - 1}, []int{0}
		}
		if i >= 4 { // random parents in a window, a bounded width, or anywhere
			fan[i] = []int{i - 1 - r.IntN(2), i - 3 - r.IntN(2)}
			for len(tangle[i]) < 3 {
				if p := r.IntN(i); !contains(tangle[i], p) {
					tangle[i] = append(tangle[i], p)
				}
			}
		}
	}
	for i := range grid {
		if i%30 > 0 {
			grid[i] = append(grid[i], i-1)
		}
		if i >= 30 {
			grid[i] = append(grid[i], i-30)
		}
	}
	for i := range dense {
		for len(dense[i]) < min(i, 10) {
			if p := r.IntN(i); !contains(dense[i], p) {
				dense[i] = append(dense[i], p)
			}
		}
	}
	type of = struct {
		parents [][]int
		wide    bool
	}
	return map[string]of{"chain": {chain, false}, "star": {star, false}, "fan": {fan, false}, "tangle": {tangle, true},
		"grid of 30 × 30": {grid, true}, "dense": {dense, true}}
}

func contains(list []int, x int) bool {
	for _, v := range list {
		if v == x {
			return true
		}
	}
	return false
}

// A query of a network of large treewidth is refused with width and bytes, and one of thousands of nodes that only
// looks large is answered, each in a time that is no function of how the nodes are joined: all nodes are asked about,
// by evidence at leaves or by a joint law.
func TestHostileNetworks(t *testing.T) {
	for name, c := range hostile() {
		if testing.Short() && len(c.parents) > 1000 && name != "star" {
			continue
		}
		net, last := parented(t, c.parents), len(c.parents)-1
		evidence := map[int]int{}
		children := make([]bool, len(c.parents))
		for _, ps := range c.parents {
			for _, p := range ps {
				children[p] = true
			}
		}
		for i, has := range children { // every leaf, so that no node is barren
			if !has && i != last {
				evidence[i] = i % 2
			}
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		_, err := net.WithContext(ctx).Query([]int{last}, evidence)
		cancel()
		t.Logf("%s: %s", name, time.Since(start))
		var e *bayesnet.WidthError
		switch {
		case !c.wide && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.wide && (!errors.As(err, &e) || e.Cells <= bayesnet.DefaultCells || e.Width < 28 ||
			e.Bytes != math.MaxInt && e.Bytes != 8*e.Cells):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The order does not depend on the limit where no table is above it, and a node of many neighbours waits for them in
// place of a refusal.
func TestOrderWithinTheLimit(t *testing.T) {
	star := make([][]int, 60)
	for i := range star[1:] {
		star[i+1] = []int{0}
	}
	net := parented(t, star)
	evidence := map[int]int{}
	for i := 2; i < 60; i++ {
		evidence[i] = i % 2
	}
	want := must.Get(net.Query([]int{1}, evidence))(t)
	got, err := net.WithCells(4).Query([]int{1}, evidence)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// A context ends a query in the middle of a table, and before one; an order over more nodes than the limit has memory
// for is refused.
func TestQueriesStop(t *testing.T) {
	grid := make([][]int, 14*14)
	for i := range grid {
		if i%14 > 0 {
			grid[i] = append(grid[i], i-1)
		}
		if i >= 14 {
			grid[i] = append(grid[i], i-14)
		}
	}
	net := parented(t, grid)
	var e *bayesnet.WidthError
	// at once, while the order is sought, and within a table: the order takes 195 looks
	for _, looks := range []int64{0, 100, 200} {
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(looks)
		if _, err := net.WithContext(ctx).Query([]int{195}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%d looks: %v", looks, err)
		}
		ctx.left.Store(looks)
		if _, err := net.WithContext(ctx).LogEvidence(map[int]int{195: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%d looks: %v", looks, err)
		}
	}
	if _, err := net.Query([]int{195}, nil); err != nil {
		t.Error(err)
	}
	chain := make([][]int, 5000)
	for i := range chain[1:] {
		chain[i+1] = []int{i}
	}
	long := parented(t, chain)
	if _, err := long.WithCells(1<<15).Query([]int{4999}, nil); !errors.As(err, &e) || !e.Graph || e.Width != 5000 ||
		e.Bytes != 8*e.Cells {
		t.Error(err)
	}
	if p, err := long.Query([]int{4999}, nil); err != nil || math.Abs(p[1]-.5) > 1e-6 {
		t.Error(p, err)
	}
}

// countdown is a context that is done after a number of looks at it.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
