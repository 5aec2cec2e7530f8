package learnednetworks

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Populations are the laws of records by name. Their probabilities are fixed, and not drawn from a prior.
//
//   - strong: five two-level columns in a tree, the difference that a parent makes between .45 and .7
//   - weak: the same tree with differences of .06, two standard errors of a thousand records
//   - independent: the same columns without any edge, so that every edge that is learned is there by chance
//   - three levels: four three-level columns in a tree
func Populations() []string { return []string{"strong", "weak", "independent", "three levels"} }

// population is the network of a name: *dp.ParameterError.
func population(name string) (*bayesnet.Net, error) {
	two, three := []string{"0", "1"}, []string{"0", "1", "2"}
	node := func(n string, states []string, parents ...string) bayesnet.Node {
		return bayesnet.Node{Name: n, States: states, Parents: parents}
	}
	tree := []bayesnet.Node{node("a", two), node("b", two, "a"), node("c", two, "b"), node("d", two, "b"),
		node("e", two, "d")}
	var tables [][]float64
	switch name {
	case "strong":
		tables = [][]float64{{.6, .4}, {.85, .15, .25, .75}, {.7, .3, .2, .8}, {.9, .1, .2, .8}, {.65, .35, .2, .8}}
	case "weak":
		tables = [][]float64{{.6, .4}, {.68, .32, .62, .38}, {.53, .47, .47, .53}, {.73, .27, .67, .33},
			{.58, .42, .52, .48}}
	case "independent":
		tree = []bayesnet.Node{node("a", two), node("b", two), node("c", two), node("d", two), node("e", two)}
		tables = [][]float64{{.6, .4}, {.65, .35}, {.5, .5}, {.7, .3}, {.55, .45}}
	case "three levels":
		tree = []bayesnet.Node{node("a", three), node("b", three, "a"), node("c", three, "b"), node("d", three, "b")}
		tables = [][]float64{{.3, .3, .4}, {.6, .25, .15, .25, .5, .25, .15, .25, .6},
			{.7, .2, .1, .3, .4, .3, .2, .2, .6}, {.5, .3, .2, .3, .4, .3, .1, .2, .7}}
	default:
		return nil, domain.Refuse("learnednetworks", "Population", fmt.Sprintf("%q", name),
			fmt.Sprintf("one of %q", Populations()))
	}
	d, err := bayesnet.NewDAG(tree)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(d, tables)
}

// Learners are the ways to learn by name.
func Learners() []string { return []string{"tree", "maximum entropy"} }

// learner is a model that always learns: *dp.ParameterError.
func learner(name string) (m model.LearnedModel, err error) {
	switch name {
	case "tree":
		return model.Tree().Always(), nil
	case "maximum entropy":
		return model.MaxEntropy().Always(), nil
	}
	return m, domain.Refuse("learnednetworks", "Learner", fmt.Sprintf("%q", name), fmt.Sprintf("one of %q", Learners()))
}
