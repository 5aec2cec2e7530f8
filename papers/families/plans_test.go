package families_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A network's bound stands above the enumeration of all data sets of small networks, within 5–11 % of it. Package
// truncatednet enumerates them again. Source: theory/networks.md §3.4 and 7.
func TestNetworksAreAboveTheEnumeration(t *testing.T) {
	b, err := os.ReadFile("../../internal/truncatednet/testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Bound []struct {
			Name         string
			Parents      [][]int
			N            int
			Bound, Brute float64
		}
	}
	if err := json.Unmarshal(b, &golden); err != nil || len(golden.Bound) == 0 {
		t.Fatalf("%d networks: %v", len(golden.Bound), err)
	}
	for _, r := range golden.Bound {
		var nodes []families.NetworkNode
		for _, p := range r.Parents {
			nodes = append(nodes, families.NetworkNode{States: 2, Parents: p})
		}
		f, err := families.NewNetwork(r.N, nodes, 1, .1, families.OneRecord)
		if err != nil {
			t.Fatal(err)
		}
		if bound := f.Epsilon(); r.Brute > bound || bound < r.Bound || bound > r.Bound*(1+3e-9) {
			t.Errorf("%s, n = %d: bound %.12g, want %.12g, enumeration %g", r.Name, r.N, bound, r.Bound, r.Brute)
		}
	}
}

// The library's plan of one draw of a chain has the ε that the searches of this package find, which know the families'
// definition only. Planned for another floor it has not.
func TestPlanHasTheFamilysEpsilon(t *testing.T) {
	nodes := []families.NetworkNode{{States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}}
	f, err := families.NewNetwork(40, nodes, 1, .1, families.OneRecord)
	if err != nil {
		t.Fatal(err)
	}
	s := &frame.Schema{Dataset: "toy", Columns: []frame.Column{frame.Categorical("c0", "a", "b"),
		frame.Categorical("c1", "a", "b"), frame.Categorical("c2", "a", "b")}}
	chain := model.Network("c0", model.Node("c0"), model.Node("c1", "c0"), model.Node("c2", "c1"))
	sh, err := model.NewShape(s, chain, 40, true, "")
	if err != nil {
		t.Fatal(err)
	}
	for floor, same := range map[float64]bool{.1: true, .11: false} {
		p, err := posteriorsample.New(1).WithBounds(floor).WithPower(1).Plan(t.Context(), sh, dp.PureDP(1e3))
		if err != nil {
			t.Fatal(err)
		}
		if e := p.Pair().PureEpsilon(); (math.Abs(e/f.Epsilon()-1) <= 1e-6) != same {
			t.Errorf("floor %v: %v, the family has %v", floor, e, f.Epsilon())
		}
	}
}
