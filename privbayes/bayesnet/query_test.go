package bayesnet_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Every query on small networks against the sum over the whole joint table, with and without zeros in the tables.
func TestQueryAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := drawNet(t, 8)
		k := net.DAG().Len()
		some := rapid.SliceOfNDistinct(rapid.IntRange(0, k-1), 1, min(k, 5), rapid.ID[int]).Draw(t, "variables")
		split := rapid.IntRange(0, len(some)).Draw(t, "targets")
		targets, evidence := some[:split], map[int]int{}
		for _, v := range some[split:] {
			evidence[v] = rapid.IntRange(0, net.DAG().Arity(v)-1).Draw(t, "code")
		}
		want, total := brute(net, targets, evidence)
		log, err := net.LogEvidence(evidence)
		if err != nil || !near(log, math.Log(total), 1e-12*(1+math.Abs(log))) {
			t.Fatalf("ln P(evidence) %v, %v; want %v", log, err, math.Log(total))
		}
		got, err := net.Query(targets, evidence)
		if total == 0 {
			var e *bayesnet.ImpossibleError
			if !errors.As(err, &e) || len(e.Evidence) != len(evidence) {
				t.Fatalf("impossible evidence: %v, %v", got, err)
			}
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatal(got, err)
		}
		for i := range want {
			if !near(got[i], want[i], 1e-13) {
				t.Fatalf("P(%v | %v)[%d] = %v, want %v", targets, evidence, i, got[i], want[i])
			}
		}
	})
}

// The probabilities of the published network, computed in exact rational arithmetic over the 256 assignments.
func TestAsiaGolden(t *testing.T) {
	net := bayesnet.Asia()
	for _, c := range []struct {
		target   string
		evidence map[string]string
		want     float64
	}{
		{"asia", nil, 0.01},
		{"tub", nil, 0.0104},
		{"smoke", nil, 0.5},
		{"lung", nil, 0.055},
		{"bronc", nil, 0.45},
		{"either", nil, 0.064828},
		{"xray", nil, 0.11029004},
		{"dysp", nil, 0.4359706},
		{"lung", map[string]string{"dysp": "yes"}, 0.10275922275492888},
		{"lung", map[string]string{"asia": "yes", "xray": "yes", "dysp": "yes"}, 0.44427050775543164},
		{"tub", map[string]string{"asia": "yes", "smoke": "no", "dysp": "yes"}, 0.11283497884344147},
		{"bronc", map[string]string{"xray": "no", "dysp": "yes"}, 0.8633919827619309},
		{"smoke", map[string]string{"xray": "yes"}, 0.6877538533851288},
		{"asia", map[string]string{"xray": "yes", "dysp": "no", "lung": "no"}, 0.012244769057626496},
	} {
		p, err := net.Given(c.target, c.evidence)
		if err != nil || !near(p[0], c.want, 1e-14) || !near(p[0]+p[1], 1, 1e-15) {
			t.Errorf("P(%s | %v) = %v, %v; want %v", c.target, c.evidence, p, err, c.want)
		}
	}
}

func TestQueryRefuses(t *testing.T) {
	net := bayesnet.Asia()
	for _, c := range []struct {
		targets  []int
		evidence map[int]int
		node     string
		part     string
	}{
		{[]int{8}, nil, "", "node 8; want 0 to 7"},
		{[]int{-1}, nil, "", "node -1"},
		{[]int{1, 1}, nil, "tub", "twice"},
		{[]int{1}, map[int]int{1: 0}, "tub", "also in the evidence"},
		{[]int{1}, map[int]int{9: 0}, "", "node 9"},
		{[]int{1}, map[int]int{2: 2}, "smoke", "code 2; want 0 to 1"},
		{[]int{1}, map[int]int{2: -1}, "smoke", "code -1"},
	} {
		_, err := net.Query(c.targets, c.evidence)
		wantError(t, err, c.node, 0, c.part)
	}
	_, err := net.LogEvidence(map[int]int{2: 7})
	wantError(t, err, "smoke", 0, "code 7")
	_, err = net.Given("nobody", nil)
	wantError(t, err, "nobody", 0, "unknown node")
	_, err = net.Given("lung", map[string]string{"nobody": "yes"})
	wantError(t, err, "nobody", 0, "unknown node")
	_, err = net.Given("lung", map[string]string{"smoke": "often"})
	wantError(t, err, "smoke", 0, `"often"`, "yes")
	for _, err := range []error{
		second(net.Given("Lung", nil)), second(net.Given("tub", map[string]string{"lumg": "yes"})),
		second(net.GivenState("lungs", "yes", nil)),
	} {
		if err == nil || !strings.Contains(err.Error(), `one of "asia", "tub", "smoke", "lung"`) ||
			!strings.Contains(err.Error(), `did you mean "lung"?`) {
			t.Error(err)
		}
	}
	if _, err := net.GivenState("lung", "Yes", nil); err == nil ||
		!strings.Contains(err.Error(), `did you mean "yes"?`) {
		t.Error(err)
	}
	if _, err := net.GivenState("asia", "yes", map[string]string{"either": "no", "lung": "yes"}); err == nil {
		t.Error("impossible evidence has a probability")
	}
	_, err = net.Given("asia", map[string]string{"either": "no", "lung": "yes"})
	if want := `bayesnet: the evidence either = no, lung = yes has probability 0; want evidence that the network allows`; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func second[T any](_ T, err error) error { return err }

// star is a hidden binary root with k binary children: P(child = 0 | root = 0) = p, P(child = 0 | root = 1) = q.
func star(t testing.TB, k int, p, q float64) *bayesnet.Net {
	t.Helper()
	two := []string{"0", "1"}
	nodes, cpts := []bayesnet.Node{{Name: "root", States: two}}, [][]float64{{0.5, 0.5}}
	for i := range k {
		nodes = append(nodes, bayesnet.Node{Name: fmt.Sprint("c", i), States: two, Parents: []string{"root"}})
		cpts = append(cpts, []float64{p, 1 - p, q, 1 - q})
	}
	dag := must.Get(bayesnet.NewDAG(nodes))(t)
	return must.Get(bayesnet.NewNet(dag, cpts))(t)
}

// Evidence far below the smallest float64: ln P = ln ½ + k ln p + ln(1 + (q/p)^k), and the odds of the root are
// (p/q)^k.
func TestQueryUnderflow(t *testing.T) {
	const k, p, q = 3000, 1e-3, 1.001e-3
	net := star(t, k, p, q)
	evidence := map[int]int{}
	for i := range k {
		evidence[i+1] = 0
	}
	ratio := math.Exp(k * math.Log(q/p))
	got, err := net.Query([]int{0}, evidence)
	if err != nil || !near(got[0], 1/(1+ratio), 1e-11) {
		t.Errorf("%v, %v, want %v", got, err, 1/(1+ratio))
	}
	log, err := net.LogEvidence(evidence)
	if want := math.Log(0.5) + k*math.Log(p) + math.Log1p(ratio); err != nil || !near(log, want, 1e-9) {
		t.Errorf("%v, %v, want %v", log, err, want)
	}
}

// Two branches say 1 : 1e-400 for a root, two others 1e-500 : 1. Linear arithmetic loses the first ratio to 0, and
// would then answer 1 : 0 or call the evidence impossible.
func TestQueryBalancesUnderflows(t *testing.T) {
	two := []string{"0", "1"}
	node := func(name string, parents ...string) bayesnet.Node {
		return bayesnet.Node{Name: name, States: two, Parents: parents}
	}
	dag := must.Get(bayesnet.NewDAG([]bayesnet.Node{node("r"), node("a", "r"), node("b", "r"), node("c", "r"),
		node("d", "r")}))(t)
	net := must.Get(bayesnet.NewNet(dag, [][]float64{{0.5, 0.5}, {1, 0, 1e-200, 1}, {1, 0, 1e-200, 1}, {1e-250, 1, 1, 0},
		{1e-250, 1, 1, 0}}))(t)
	p, err := net.Query([]int{0}, map[int]int{1: 0, 2: 0, 3: 0, 4: 0})
	if err != nil || !near(p[0], 1e-100, 1e-111) || p[1] != 1 {
		t.Errorf("%v, %v; want 1e-100, 1", p, err)
	}
	log, err := net.LogEvidence(map[int]int{1: 0, 2: 0, 3: 0, 4: 0})
	if want := math.Log(0.5) - 400*math.Ln10; err != nil || !near(log, want, 1e-10) {
		t.Errorf("%v, %v; want %v", log, err, want)
	}
}

func TestWidthError(t *testing.T) {
	net := star(t, 200, 0.3, 0.6)
	all := upTo(201)
	_, err := net.Query(all, nil)
	var e *bayesnet.WidthError
	if !errors.As(err, &e) || e.Width != 201 || e.Cells != math.MaxInt || e.Bytes != math.MaxInt || e.Node != "" ||
		e.Limit != bayesnet.DefaultCells {
		t.Errorf("%v", err)
	}
	// Evidence on the root separates the children; without it the answer over three children needs the root too.
	small := net.WithCells(8)
	if _, err := small.Query([]int{1, 2, 3}, map[int]int{0: 1}); err != nil {
		t.Error(err)
	}
	_, err = small.Query([]int{1, 2, 3}, nil)
	if !errors.As(err, &e) || e.Width != 4 || e.Cells != 16 || e.Bytes != 128 || e.Node != "root" || e.Limit != 8 {
		t.Errorf("%v", err)
	}
	if want := `bayesnet: eliminating node "root" needs 4 variables at once, 16 cells or 128 bytes; at most 8 cells are allowed (see Net.WithCells)`; err.Error() != want {
		t.Error(err)
	}
	// Barren nodes cost nothing, and a limit belongs to the copy only.
	if _, err := net.WithCells(0).Query([]int{0}, nil); !errors.As(err, &e) || e.Cells != 2 {
		t.Error(err)
	}
	if _, err := net.Query([]int{1, 2, 3}, nil); err != nil {
		t.Error(err)
	}
}

// Predictions against enumeration, for rows of positive probability with any set of codes missing.
func TestPredictAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := drawNet(t, 7)
		k := net.DAG().Len()
		target := rapid.IntRange(0, k-1).Draw(t, "target")
		missing := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), k, k).Draw(t, "missing")
		full := make([][]uint16, k)
		for i := range full {
			full[i] = make([]uint16, 3)
		}
		must.Do(t, net.Sample(3, seeded(rapid.Uint64().Draw(t, "records")), full))
		rows := make([][]int, 3)
		for r := range rows {
			rows[r] = make([]int, k)
			for i := range k {
				if rows[r][i] = int(full[i][r]); missing[i] {
					rows[r][i] = -1
				}
			}
		}
		got := must.Get(net.Predict(target, rows))(t)
		for r, row := range rows {
			evidence := map[int]int{}
			for i, c := range row {
				if i != target && c >= 0 {
					evidence[i] = c
				}
			}
			want, _ := brute(net, []int{target}, evidence)
			for x := range want {
				if !near(got[r][x], want[x], 1e-12) {
					t.Fatalf("row %v: %v, want %v", row, got[r], want)
				}
			}
		}
	})
}

func TestPredictRefuses(t *testing.T) {
	net := bayesnet.Asia()
	row := func(i, c int) [][]int {
		r := make([]int, 8)
		r[i] = c
		return [][]int{make([]int, 8), r}
	}
	_, err := net.Predict(8, nil)
	wantError(t, err, "", 0, "target: node 8")
	_, err = net.Predict(1, [][]int{{1}})
	wantError(t, err, "", 0, "1 codes in row 0; want 8")
	_, err = net.Predict(1, row(2, 2))
	wantError(t, err, "smoke", 0, "code 2 in row 1; want 0 to 1, or -1")
	_, err = net.Predict(1, row(2, -2))
	wantError(t, err, "smoke", 0, "code -2 in row 1")
	// lung = yes rules out either = no, in the blanket and beside a missing code.
	var e *bayesnet.ImpossibleError
	if _, err = net.Predict(1, [][]int{{0, 0, 0, 0, 0, 1, 0, 0}}); !errors.As(err, &e) || e.Evidence["lung"] != "yes" {
		t.Error(err)
	}
	if _, err = net.Predict(1, [][]int{{-1, 0, 0, 0, 0, 1, 0, 0}}); !errors.As(err, &e) {
		t.Error(err)
	}
	if p, err := net.Predict(1, row(1, 99)); err != nil || len(p) != 2 {
		t.Errorf("the code at the target is looked at: %v, %v", p, err)
	}
}

// Naive Bayes with 3000 features, each of probability about 1e-3: the products underflow, the prediction must not.
func TestPredictUnderflow(t *testing.T) {
	const k, p, q = 3000, 1e-3, 1.001e-3
	net := star(t, k, p, q)
	got, err := net.Predict(0, [][]int{make([]int, k+1)})
	if want := 1 / (1 + math.Exp(k*math.Log(q/p))); err != nil || !near(got[0][0], want, 1e-11) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func ExampleNet_Answer() {
	a, err := bayesnet.Asia().Answer("lung", "yes", nil, map[string]string{"xray": "yes", "dysp": "yes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	// Output:
	// P(lung = yes), answered by the network
	// given                   probability
	// ----------------------  -----------
	// nothing                       0.055
	// dysp = yes, xray = yes       0.6213
}

// Answer is GivenState for every piece of evidence, and says which one could not be asked.
func TestAnswer(t *testing.T) {
	n := bayesnet.Asia()
	evidence := []map[string]string{{"dysp": "yes", "xray": "yes"}, {}, {"smoke": "no"}}
	a := must.Get(n.Answer("lung", "no", evidence...))(t)
	if a.Target != "lung" || a.State != "no" {
		t.Error(a.Target, a.State)
	}
	for i, e := range evidence {
		if want, err := n.GivenState("lung", "no", e); err != nil || a.Values[i] != want {
			t.Errorf("%v: %g, want %g, %v", e, a.Values[i], want, err)
		}
	}
	if a.Given[0] != "dysp = yes, xray = yes" || a.Given[1] != "nothing" {
		t.Errorf("%q", a.Given)
	}
	if _, _, err := a.Figure().Size(); err != nil {
		t.Error(err)
	}
	var e *bayesnet.Error
	if _, err := n.Answer("lung", "no", nil, map[string]string{"Smoke": "no"}); !errors.As(err, &e) {
		t.Error(err)
	}
}
