package privbayes

import (
	"io"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Graph is the structure of a Bayesian network: see bayesnet.DAG.
type Graph = bayesnet.DAG

// Network is a Bayesian network over columns, with the node that is classified first. See model.Network.
func Network(target string, families ...model.Family) model.Graphical {
	return model.Network(target, families...)
}

// Node is a node of a network with its parents. See model.Node.
func Node(name string, parents ...string) model.Family { return model.Node(name, parents...) }

// NetworkOf is Network with the structure of a graph, such as one that ReadNetwork read. See model.NetworkOf.
func NetworkOf(target string, g *Graph) model.Graphical { return model.NetworkOf(target, g) }

// ReadNetwork reads a network in the interchange format (BIF): its graph and, where the file has them, its tables. See
// bayesnet.ReadBIF.
func ReadNetwork(r io.Reader) (*Graph, *bayesnet.Net, error) { return bayesnet.ReadBIF(r) }

// Simulate draws a frame of records of a network whose tables are known: public data for tutorials and experiments. The schema has
// the nodes as categorical columns.
func Simulate(dataset string, net *bayesnet.Net, records int, seed uint64) *Frame {
	if net == nil {
		return &Frame{err: step("Simulate", ErrNoFrame)}
	}
	f, err := model.Simulate(dataset, net, records, dp.Seeded(seed))
	return &Frame{f: f, err: step("Simulate", err)}
}
