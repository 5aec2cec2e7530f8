package bayesnet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

func ExampleNewDAG() {
	yesNo := []string{"yes", "no"}
	dag, err := bayesnet.NewDAG([]bayesnet.Node{
		{Name: "rain", States: yesNo},
		{Name: "sprinkler", States: yesNo, Parents: []string{"rain"}},
		{Name: "grass", States: []string{"dry", "damp", "wet"}, Parents: []string{"rain", "sprinkler"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	families, _ := dag.MaximalFamilies()
	fmt.Println(dag.Family(2), dag.FamilyCells(2), families)
	_, err = bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: yesNo, Parents: []string{"b"}},
		{Name: "b", States: yesNo, Parents: []string{"a"}}})
	fmt.Println(err)
	// Output:
	// [0 1 2] 12 [[0 1 2]]
	// bayesnet: node "a": parents: a cycle a → b → a; want no cycle
}

func ExampleReadBIF() {
	dag, net, err := bayesnet.ReadBIF(strings.NewReader(`
network unknown { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) {
  (yes) 0.1, 0.9;
  (no) 0.01, 0.99;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := net.Marginal(1)
	fmt.Printf("%d %.4f\n", dag.Len(), p)
	// Output: 2 [0.0550 0.9450]
}

func ExampleNet_Query() {
	asia := bayesnet.Asia()
	lung, _ := asia.DAG().Index("lung")
	bronc, _ := asia.DAG().Index("bronc")
	dysp, _ := asia.DAG().Index("dysp")
	p, err := asia.Query([]int{lung, bronc}, map[int]int{dysp: 0})
	fmt.Printf("%.4f %v\n", p, err)
	// Output: [0.0650 0.0377 0.7689 0.1283] <nil>
}

func ExampleNet_Given() {
	p, err := bayesnet.Asia().Given("lung", map[string]string{"dysp": "yes", "xray": "yes"})
	fmt.Printf("%.4f %v\n", p, err)
	_, err = bayesnet.Asia().Given("asia", map[string]string{"lung": "yes", "either": "no"})
	fmt.Println(err)
	// Output:
	// [0.6213 0.3787] <nil>
	// bayesnet: the evidence either = no, lung = yes has probability 0; want evidence that the network allows
}

func ExampleNet_GivenState() {
	p, err := bayesnet.Asia().GivenState("lung", "yes", map[string]string{"dysp": "yes", "xray": "yes"})
	fmt.Printf("%.4f %v\n", p, err)
	_, err = bayesnet.Asia().GivenState("lung", "true", nil)
	fmt.Println(err)
	_, err = bayesnet.Asia().GivenState("lung", "yes", map[string]string{"Smoke": "no"})
	fmt.Println(err)
	// Output:
	// 0.6213 <nil>
	// bayesnet: node "lung": targets: "true"; want one of "yes", "no"
	// bayesnet: node "Smoke": evidence: unknown node; want one of "asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"; did you mean "smoke"?
}

func ExampleNet_Predict() {
	// The columns are asia, tub, smoke, lung, bronc, either, xray, dysp; -1 is missing.
	p, err := bayesnet.Asia().Predict(3, [][]int{{1, 1, 0, 0, 1, 0, 0, 0}, {-1, -1, 0, -1, -1, -1, 0, -1}})
	fmt.Printf("%.4f %v\n", p, err)
	// Output: [[1.0000 0.0000] [0.6460 0.3540]] <nil>
}

func ExampleNet_Sample() {
	asia, records := bayesnet.Asia(), make([][]uint16, 8)
	for i := range records {
		records[i] = make([]uint16, 1000)
	}
	err := asia.Sample(1000, rand.NewChaCha8([32]byte{1}), records)
	fmt.Println(len(records), len(records[0]), err)
	// Output: 8 1000 <nil>
}

func ExampleDAG_WriteBIF() {
	dag, _ := bayesnet.NewDAG([]bayesnet.Node{{Name: "a b", States: []string{"<5", "5+"}},
		{Name: "c", States: []string{"x"}, Parents: []string{"a b"}}})
	if err := dag.WriteBIF(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// network unknown {
	// }
	// variable "a b" {
	//   type discrete [ 2 ] { <5, 5+ };
	// }
	// variable c {
	//   type discrete [ 1 ] { x };
	// }
	// probability ( "a b" ) {
	// }
	// probability ( c | "a b" ) {
	// }
}

// A network of large treewidth is refused with what it would take, and a context ends what is begun.
func ExampleNet_WithContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := bayesnet.Asia().WithContext(ctx).Marginal(0)
	fmt.Println(err)
	// Output: context canceled
}
