package bayesnet_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

func TestNewDAGRefuses(t *testing.T) {
	ab := []string{"a", "b"}
	for _, c := range []struct {
		name  string
		nodes []bayesnet.Node
		node  string
		parts []string
	}{
		{"nothing", nil, "", []string{"nodes", "at least one"}},
		{"no name", []bayesnet.Node{{"", ab, nil}}, "", []string{"name", "place 0"}},
		{"name twice", []bayesnet.Node{{"x", ab, nil}, {"y", ab, nil}, {"x", ab, nil}}, "x", []string{"nodes 0 and 2"}},
		{"bad UTF-8", []bayesnet.Node{{"\xff", ab, nil}}, "\xff", []string{"UTF-8"}},
		{"bad UTF-8 state", []bayesnet.Node{{"x", []string{"\xff"}, nil}}, "x", []string{"states", "UTF-8"}},
		{"no states", []bayesnet.Node{{"x", nil, nil}}, "x", []string{"states", "0; want 1 to 65536"}},
		{"too many states", []bayesnet.Node{{"x", make([]string, bayesnet.MaxStates+1), nil}}, "x", []string{"65537"}},
		{"state twice", []bayesnet.Node{{"x", []string{"a", "b", "a"}, nil}}, "x", []string{`"a" twice`}},
		{"unknown parent", []bayesnet.Node{{"x", ab, []string{"z"}}}, "x",
			[]string{"parents", `"z"`, "one without parents is declared too", `one of "x"`}},
		{"own parent", []bayesnet.Node{{"x", ab, []string{"x"}}}, "x", []string{"itself"}},
		{"parent twice", []bayesnet.Node{{"y", ab, nil}, {"x", ab, []string{"y", "y"}}}, "x", []string{`"y" twice`}},
		{"cycle", []bayesnet.Node{{"r", ab, nil}, {"x", ab, []string{"r", "z"}}, {"y", ab, []string{"x"}},
			{"z", ab, []string{"y"}}, {"w", ab, []string{"z"}}},
			"x", []string{"cycle x → y → z → x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := bayesnet.NewDAG(c.nodes)
			wantError(t, err, c.node, 0, c.parts...)
		})
	}
}

func TestDAGAccessors(t *testing.T) {
	d := bayesnet.Asia().DAG()
	i, ok := d.Index("dysp")
	if _, none := d.Index("nobody"); i != 7 || !ok || none || d.Len() != 8 || d.Arity(7) != 2 || d.FamilyCells(7) != 8 {
		t.Fatal(i, ok, none, d.Len(), d.Arity(7), d.FamilyCells(7))
	}
	for _, c := range []struct {
		what      string
		got, want []int
	}{
		{"parents", d.Parents(5), []int{3, 1}},
		{"children", d.Children(2), []int{3, 4}},
		{"family", d.Family(5), []int{3, 1, 5}},
		{"blanket", d.MarkovBlanket(4), []int{2, 5, 7}},
		{"order", d.Order(), []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"blanket with a child's parent", d.MarkovBlanket(1), []int{0, 3, 5}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	families, containing := d.MaximalFamilies()
	if want := [][]int{{0, 1}, {2, 3}, {2, 4}, {1, 3, 5}, {5, 6}, {4, 5, 7}}; !slices.EqualFunc(families, want,
		slices.Equal) {
		t.Errorf("maximal families %v, want %v", families, want)
	}
	if want := [][]int{{0}, {0}, {1, 2}, {1}, {2}, {3}, {4}, {5}}; !slices.EqualFunc(containing, want, slices.Equal) {
		t.Errorf("containing %v, want %v", containing, want)
	}
}

// What a caller does with its own slices, or with results, must not reach the graph.
func TestDAGIsImmutable(t *testing.T) {
	nodes := []bayesnet.Node{{"x", []string{"a", "b"}, nil}, {"y", []string{"a", "b"}, []string{"x"}}}
	d := must.Get(bayesnet.NewDAG(nodes))(t)
	before, _ := d.MarshalJSON()
	nodes[0].States[0], nodes[1].Parents[0] = "z", "z"
	n := d.Node(1)
	n.States[0], n.Parents[0], d.Parents(1)[0], d.Children(0)[0], d.Order()[0], d.Family(1)[0] = "z", "z", 9, 9, 9, 9
	if after, _ := d.MarshalJSON(); string(after) != string(before) || d.Parents(1)[0] != 0 || d.Children(0)[0] != 1 ||
		d.Order()[0] != 0 {
		t.Errorf("changed from %s to %s", before, after)
	}
}

func TestFamilyCellsSaturate(t *testing.T) {
	states := strings.Split(strings.Repeat("x", 256), "")
	for i := range states {
		states[i] += strconv.Itoa(i)
	}
	var nodes []bayesnet.Node
	var names []string
	for i := range 8 {
		names = append(names, string(rune('a'+i)))
		nodes = append(nodes, bayesnet.Node{Name: names[i], States: states})
	}
	d, err := bayesnet.NewDAG(append(nodes, bayesnet.Node{Name: "y", States: []string{"only"}, Parents: names}))
	if err != nil || d.FamilyCells(8) != math.MaxInt {
		t.Error(err)
	}
}

func TestGraphProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDAG(t, 12)
		order := d.Order()
		place := make([]int, d.Len())
		for j, i := range order {
			place[i] = j
		}
		for i := range d.Len() {
			cells := d.Arity(i)
			for _, p := range d.Parents(i) {
				cells *= d.Arity(p)
				if place[p] >= place[i] || !slices.Contains(d.Children(p), i) {
					t.Fatalf("parent %d of %d: order %v, children %v", p, i, order, d.Children(p))
				}
			}
			if d.FamilyCells(i) != cells {
				t.Fatal(cells)
			}
		}
		checkMaximal(t, d)
		for a := range d.Len() {
			blanket := d.MarkovBlanket(a)
			for b := range d.Len() {
				joined := false
				for i := range d.Len() {
					joined = joined || a != b && slices.Contains(d.Family(i), a) && slices.Contains(d.Family(i), b)
				}
				if slices.Contains(blanket, b) != joined {
					t.Fatalf("blanket %v of %d, order %v, at %d", blanket, a, order, b)
				}
			}
		}
	})
}

// checkMaximal compares with the definition over all pairs of families.
func checkMaximal(t *rapid.T, d *bayesnet.DAG) {
	within := func(a, b []int) bool {
		return !slices.ContainsFunc(a, func(v int) bool { return !slices.Contains(b, v) })
	}
	var want [][]int
	for i := range d.Len() {
		maximal := true
		for j := range d.Len() {
			maximal = maximal && (i == j || !within(d.Family(i), d.Family(j)))
		}
		if maximal {
			want = append(want, slices.Sorted(slices.Values(d.Family(i))))
		}
	}
	families, containing := d.MaximalFamilies()
	if !slices.EqualFunc(families, want, slices.Equal) {
		t.Fatalf("maximal families %v, want %v", families, want)
	}
	for i, places := range containing {
		var all []int
		for m, f := range families {
			if within(d.Family(i), f) {
				all = append(all, m)
			}
		}
		if len(all) == 0 || !slices.Equal(places, all) {
			t.Fatalf("family of %d in %v, want %v", i, places, all)
		}
	}
}

// asiaWith is asia with one table replaced.
func asiaWith(t testing.TB, i int, table []float64) (*bayesnet.Net, error) {
	t.Helper()
	asia := bayesnet.Asia()
	cpts := make([][]float64, 8)
	for j := range cpts {
		cpts[j] = asia.Table(j)
	}
	cpts[i] = table
	return bayesnet.NewNet(asia.DAG(), cpts)
}

func TestNewNetRefuses(t *testing.T) {
	_, err := bayesnet.NewNet(bayesnet.Asia().DAG(), nil)
	wantError(t, err, "", 0, "0 tables; want 8")
	for _, c := range []struct {
		table []float64
		part  string
	}{
		{[]float64{1, 0}, "2 entries; want 4"},
		{[]float64{0.1, 0.9, 0.01, 0.98}, "sum 0.99 in row (smoke=no)"},
		{[]float64{0.1, 0.9, 0.01, 0.990002}, "in row (smoke=no); want rows that sum to 1 within 1e-06"},
		{[]float64{-0.1, 1.1, 0.01, 0.99}, "-0.1 in row (smoke=yes)"},
		{[]float64{0.1, 0.9, math.NaN(), 0.99}, "NaN in row (smoke=no)"},
		{[]float64{math.Inf(1), 0.9, 0.5, 0.5}, "+Inf in row"},
		{[]float64{0, 0, 0.5, 0.5}, "sum 0 in row"},
	} {
		_, err := asiaWith(t, 3, c.table)
		wantError(t, err, "lung", 0, "table", c.part)
	}
}

func TestNewNetNormalises(t *testing.T) {
	given := []float64{0.1, 0.9000009, 0.25, 0.75}
	net := must.Get(asiaWith(t, 3, given))(t)
	given[2] = 7 // the caller's slice is its own
	if row := net.Prob(3, 0); math.Abs(row[0]+row[1]-1) > 1e-15 || math.Abs(row[0]-0.1/1.0000009) > 1e-16 {
		t.Error(row)
	}
	if row := net.Prob(3, 1); !slices.Equal(row, []float64{0.25, 0.75}) {
		t.Error(row)
	}
	net.Prob(3, 1)[0], net.Table(3)[2] = 7, 7
	if net.Prob(3, 1)[0] != 0.25 || net.Parameters() != 18 {
		t.Error("a result reaches the network")
	}
}

// Normalising twice changes nothing: rows of any length, off by up to the tolerance.
func TestNormalisationIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Float64Range(1e-9, 1), 1, 300).Draw(t, "row")
		scale := rapid.Float64Range(1-9e-7, 1+9e-7).Draw(t, "scale")
		sum := 0.0
		node := bayesnet.Node{Name: "x"}
		for i, p := range row {
			sum += p
			node.States = append(node.States, fmt.Sprint("s", i))
		}
		for i := range row {
			row[i] *= scale / sum
		}
		dag := must.Get(bayesnet.NewDAG([]bayesnet.Node{node}))(t)
		once := must.Get(bayesnet.NewNet(dag, [][]float64{row}))(t)
		twice, err := bayesnet.NewNet(dag, [][]float64{once.Table(0)})
		if err != nil || !slices.Equal(once.Table(0), twice.Table(0)) {
			t.Fatalf("%v, then %v (%v)", once.Table(0), twice.Table(0), err)
		}
	})
}

func TestLogProb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := drawNet(t, 6)
		enumerate(net, func(codes []int, p float64) {
			got, err := net.LogProb(codes)
			if want := math.Log(p); err != nil || !near(got, want, 1e-13*(1+math.Abs(want))) {
				t.Fatalf("ln P(%v) = %v, %v; want %v", codes, got, err, want)
			}
		})
	})
	_, err := bayesnet.Asia().LogProb([]int{0, 1})
	wantError(t, err, "", 0, "2 codes; want 8")
	_, err = bayesnet.Asia().LogProb([]int{0, 0, 2, 0, 0, 0, 0, 0})
	wantError(t, err, "smoke", 0, "code 2; want 0 to 1")
}
