package noiseaware

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Cliques that are too wide name what joins them, and ask for what makes them smaller.
func TestTooWideCliques(t *testing.T) {
	var nodes []bayesnet.Node // a grid of 8 × 8 columns of 4 levels, each with those above it and to its left for parents
	name := func(i, j int) string { return fmt.Sprintf("c%d%d", i, j) }
	for i := range 8 {
		for j := range 8 {
			n := bayesnet.Node{Name: name(i, j), States: levels(4)}
			if i > 0 {
				n.Parents = append(n.Parents, name(i-1, j))
			}
			if j > 0 {
				n.Parents = append(n.Parents, name(i, j-1))
			}
			nodes = append(nodes, n)
		}
	}
	d, err := bayesnet.NewDAG(nodes)
	must(t, err)
	var tables []NoisyTable
	for v := range d.Len() {
		columns := append([]string{d.Node(v).Name}, d.Node(v).Parents...)
		cells := 1
		for range columns {
			cells *= 4
		}
		counts := make([]int64, cells)
		counts[0] = 100
		tables = append(tables, NoisyTable{Columns: columns, Counts: counts, Noise: StatedGeometric(1)})
	}
	_, err = FromNoisyCounts(t.Context(), d, 1, tables, PublicN(100))
	var w *WorkError
	if !errors.As(err, &w) || w.Work <= w.Limit {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"fewer parents": true, "fewer levels": true, `("c`: true, "less noise": false,
		"fewer records": false} {
		if strings.Contains(err.Error(), text) != want {
			t.Errorf("%q: %v, want %v", err.Error(), !want, want)
		}
	}
}
