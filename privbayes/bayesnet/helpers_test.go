package bayesnet_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// seeded is a fixed stream.
func seeded(seed uint64) *rand.ChaCha8 {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return rand.NewChaCha8(key)
}

// drawDAG is a random graph of at most maxNodes nodes, arities 1 to 4, at most three parents, numbered in any order.
func drawDAG(t *rapid.T, maxNodes int) *bayesnet.DAG {
	k := rapid.SampledFrom(upTo(maxNodes)).Draw(t, "nodes") + 1
	order := rapid.Permutation(upTo(k)).Draw(t, "order") // order[j]: the node at place j of a topological order
	nodes := make([]bayesnet.Node, k)
	for j, i := range order {
		n := bayesnet.Node{Name: fmt.Sprint("v", i)}
		for x := range rapid.SampledFrom([]int{2, 3, 4, 2, 1}).Draw(t, "arity") {
			n.States = append(n.States, fmt.Sprint("s", x))
		}
		if j > 0 {
			for _, p := range rapid.SliceOfNDistinct(rapid.SampledFrom(order[:j]), 0, min(j, 3), rapid.ID[int]).Draw(t,
				"parents") {
				n.Parents = append(n.Parents, fmt.Sprint("v", p))
			}
		}
		nodes[i] = n
	}
	return must.Get(bayesnet.NewDAG(nodes))(t)
}

// drawNet adds random tables; about a quarter of the entries are 0.
func drawNet(t *rapid.T, maxNodes int) *bayesnet.Net {
	dag := drawDAG(t, maxNodes)
	rng := rand.New(seeded(rapid.Uint64().Draw(t, "tables")))
	cpts := make([][]float64, dag.Len())
	for i := range cpts {
		r := dag.Arity(i)
		cpts[i] = make([]float64, dag.FamilyCells(i))
		for lo := 0; lo < len(cpts[i]); lo += r {
			row, sum := cpts[i][lo:lo+r], 0.0
			for x := range row {
				if rng.IntN(4) > 0 {
					row[x] = rng.ExpFloat64()
				}
				sum += row[x]
			}
			if sum == 0 {
				row[rng.IntN(r)], sum = 1, 1
			}
			for x := range row {
				row[x] /= sum
			}
		}
	}
	return must.Get(bayesnet.NewNet(dag, cpts))(t)
}

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// enumerate calls f with every assignment and its probability, the product of the table entries.
func enumerate(net *bayesnet.Net, f func(codes []int, p float64)) {
	d := net.DAG()
	codes, tables := make([]int, d.Len()), make([][]float64, d.Len())
	for i := range tables {
		tables[i] = net.Table(i)
	}
	order := d.Order()
	var rec func(j int, p float64)
	rec = func(j int, p float64) {
		if j == len(order) {
			f(codes, p)
			return
		}
		i := order[j]
		row := 0
		for _, q := range d.Parents(i) {
			row = row*d.Arity(q) + codes[q]
		}
		for x := range d.Arity(i) {
			codes[i] = x
			rec(j+1, p*tables[i][row*d.Arity(i)+x])
		}
	}
	rec(0, 1)
}

// brute is the table over the targets and ln P(evidence), by enumeration.
func brute(net *bayesnet.Net, targets []int, evidence map[int]int) (table []float64, total float64) {
	cells := 1
	for _, v := range targets {
		cells *= net.DAG().Arity(v)
	}
	table = make([]float64, cells)
	enumerate(net, func(codes []int, p float64) {
		for v, c := range evidence {
			if codes[v] != c {
				return
			}
		}
		cell := 0
		for _, v := range targets {
			cell = cell*net.DAG().Arity(v) + codes[v]
		}
		table[cell] += p
		total += p
	})
	for i := range table {
		table[i] /= total
	}
	return table, total
}

func near(a, b, tol float64) bool { return a == b || math.Abs(a-b) <= tol }

// load reads a network file.
func load(t testing.TB, name string) *bayesnet.Net {
	t.Helper()
	f := must.Get(os.Open(data.Need(t, "networks/"+name+".bif")))(t)
	defer f.Close()
	_, net := must.Get2(bayesnet.ReadBIF(f))(t)
	return net
}

// networkFiles are all network files.
func networkFiles(t testing.TB) []string {
	t.Helper()
	return must.Get(filepath.Glob(filepath.Join(filepath.Dir(data.Need(t, "networks/alarm.bif")), "*.bif")))(t)
}

// wantError checks an *Error: node, line, and parts of its text.
func wantError(t *testing.T, err error, node string, line int, parts ...string) {
	t.Helper()
	var e *bayesnet.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want an *Error", err, err)
	}
	if e.Node != node || e.Line != line {
		t.Errorf("node %q, line %d in %q; want node %q, line %d", e.Node, e.Line, err, node, line)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
	if e.Want == "" || e.Value == "" {
		t.Errorf("%q does not say what was found or expected", err)
	}
}
