package bayesnet

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// FuzzReadBIF: no input panics; what is accepted has rows that sum to 1 and is the same after writing and reading. The
// limits are lowered so that a default row cannot ask for a gigabyte.
func FuzzReadBIF(f *testing.F) {
	for _, name := range []string{"networks/asia", "testdata/networks/cancer"} {
		text := must.Get(os.ReadFile("../../data/" + name + ".bif"))(f)
		f.Add(text)
	}
	f.Add(
		[]byte(
			`network "a" { property x; } variable "\"" { type discrete [1] { "," }; } probability ("\"") { table 1; }`,
		),
	)
	f.Add([]byte("variable a { type discrete[2]{x,y}; }//c\nvariable b{type discrete[3]{1,2,3};property p " +
		"q;}\n/**/probability(a|b){default 0.3 0.7;(2)1,0;}probability(b){table 0.2,0.3,0.5000001;}"))
	f.Add([]byte("variable a{type discrete[1]{x};}variable b{type " +
		"discrete[1]{x};}probability(a|b){}probability(b|a){}"))
	lim := bifLimits{nodes: 100, entries: 10000}
	f.Fuzz(func(t *testing.T, text []byte) {
		dag, net, err := readBIF(bytes.NewReader(text), lim)
		if err != nil {
			if dag != nil || net != nil {
				t.Fatal("a network besides an error")
			}
			if e, ok := err.(*Error); !ok || e.Line < 1 || e.Line > 1+bytes.Count(text, []byte{'\n'}) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		var b bytes.Buffer
		if net == nil {
			err = dag.WriteBIF(&b)
		} else {
			err = net.WriteBIF(&b)
		}
		if err != nil {
			t.Fatal(err)
		}
		dag2, net2, err := readBIF(bytes.NewReader(b.Bytes()), lim)
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.Bytes())
		}
		same := func(a, b Node) bool {
			return a.Name == b.Name && slices.Equal(a.States, b.States) && slices.Equal(a.Parents, b.Parents)
		}
		if !slices.EqualFunc(dag.nodes, dag2.nodes, same) || (net == nil) != (net2 == nil) {
			t.Fatalf("%v became %v", dag.nodes, dag2.nodes)
		}
		if net == nil {
			return
		}
		for i, table := range net.cpts {
			if !slices.Equal(table, net2.cpts[i]) {
				t.Fatalf("table of %q: %v became %v", dag.nodes[i].Name, table, net2.cpts[i])
			}
			for row := range slices.Chunk(table, dag.arity[i]) {
				sum := 0.0
				for _, p := range row {
					sum += p
				}
				if !(math.Abs(sum-1) <= 1e-12) {
					t.Fatalf("row %v", row)
				}
			}
		}
	})
}
