package noiseaware

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// Dependence is what an edge of the network says: the conditional mutual information of child and parent given the
// child's other parents, in bits,
//
//	I = Σ P(x_child, x_parents)·log₂[P(x_child | x_parents)/P(x_child | the other parents)].
//
// It is 0 where the child does not depend on this parent. Its posterior lies above 0 all the same, since every network
// drawn has some dependence: look at how near 0 the lower end is. Asking gives *dp.ParameterError where there is no
// such edge.
func Dependence(parent, child string) *Question {
	return &Question{name: fmt.Sprintf("%s → %s, bits", safetext.Line(parent), safetext.Line(child)),
		key: fmt.Sprintf("I(%q,%q)", parent, child),
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			c, ok := d.Index(child)
			p, known := d.Index(parent)
			if !ok || !known || !slices.Contains(d.Parents(c), p) {
				return nil, domain.Refuse("noiseaware", "edge", safetext.Short(parent)+" → "+safetext.Short(child),
					"one of the network")
			}
			return func(net *bayesnet.Net) (float64, error) { return dependence(net, p, c) }, nil
		}}
}

// dependence sums over the child's family. Parents are asked as one table with the chosen one next to last.
func dependence(net *bayesnet.Net, parent, child int) (float64, error) {
	d := net.DAG()
	family := slices.DeleteFunc(d.Family(child), func(v int) bool { return v == parent || v == child })
	joint, err := net.Query(append(family, parent, child), nil)
	if err != nil {
		return 0, err
	}
	r, s := d.Arity(parent), d.Arity(child)
	sum := 0.0
	for lo := 0; lo < len(joint); lo += r * s {
		block := joint[lo : lo+r*s]
		rows, columns, total := make([]float64, r), make([]float64, s), 0.0
		for i, x := range block {
			rows[i/s], columns[i%s], total = rows[i/s]+x, columns[i%s]+x, total+x
		}
		for i, x := range block {
			if x > 0 {
				sum += x * math.Log2(x*total/(rows[i/s]*columns[i%s]))
			}
		}
	}
	return math.Max(sum, 0), nil
}

// Edges draws the network with what is known of every edge: its Dependence with the 95 % interval, dark up to the lower
// end and light up to the upper one. Errors: those of Answers.
func (p *NetworkPosterior) Edges(ctx context.Context) (*figure.Graph, error) {
	d := p.s.dag
	var questions []*Question
	for i := range d.Len() {
		for _, u := range d.Parents(i) {
			questions = append(questions, Dependence(d.Node(u).Name, d.Node(i).Name))
		}
	}
	g := d.Graph()
	g.Title, g.Caption = "Dependence along every edge, bits", p.s.caption
	if len(questions) == 0 {
		return g, nil
	}
	a, err := p.Answers(ctx, questions...)
	if err != nil {
		return nil, err
	}
	rows, err := a.Rows(tableLevel)
	if err != nil {
		return nil, err
	}
	g.Weight = "dependence in bits (95 %)"
	for i, k := 0, 0; i < d.Len(); i++ {
		for range d.Parents(i) {
			g.Vertices[i].Weights = append(g.Vertices[i].Weights, figure.Mark{At: rows[k].Mean,
				From: math.Max(rows[k].Lower, 0), To: rows[k].Upper})
			k++
		}
	}
	return g, nil
}
