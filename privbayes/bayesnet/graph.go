package bayesnet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// Graph draws the graph: parents stand above their children.
func (d *DAG) Graph() *figure.Graph {
	g := &figure.Graph{Title: fmt.Sprintf("Network of %d nodes", d.Len())}
	for i, n := range d.nodes {
		g.Vertices = append(g.Vertices, figure.Vertex{Name: safetext.Line(n.Name), Parents: d.Parents(i),
			About: fmt.Sprintf("%d: %s", d.arity[i], safetext.List(n.States, 4))})
	}
	return g
}

// Graph draws the graph of the network, as DAG.Graph does.
func (n *Net) Graph() *figure.Graph { return n.dag.Graph() }
