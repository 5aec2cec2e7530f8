package bayesnet_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

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
	dag, err := bayesnet.NewDAG(nodes)
	if err != nil {
		t.Fatal(err)
	}
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
	net, err := bayesnet.NewNet(dag, cpts)
	if err != nil {
		t.Fatal(err)
	}
	return net
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
	want, err := net.Query([]int{1}, evidence)
	if err != nil {
		t.Fatal(err)
	}
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
