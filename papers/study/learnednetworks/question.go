package learnednetworks

import (
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// Quantity is what intervals are of.
type Quantity string

// The quantities, in the order of the table. Of edges, only those that were learned are asked.
const (
	Margins      Quantity = "columns"      // probabilities of the levels of every column
	Pairs        Quantity = "cells"        // probabilities of all cells of an edge
	Conditionals Quantity = "conditionals" // of the levels of an edge's second column given those of its first
	Differences  Quantity = "differences"  // of a conditional given the last and given the first level: 0 is no effect
)

// Quantities lists them.
func Quantities() []Quantity { return []Quantity{Margins, Pairs, Conditionals, Differences} }

// question is one of a replicate.
type question struct {
	of  Quantity
	ask *noiseaware.Question
}

// questionsOf are those of a population of which the edges were learned. Of two levels one is asked, since the other
// has the same interval.
func questionsOf(d *bayesnet.DAG, edges [][2]string) (out []question) {
	states := func(column string) []string {
		v, _ := d.Index(column)
		return d.Node(v).States
	}
	free := func(column string) []string {
		if s := states(column); len(s) > 2 {
			return s
		}
		return states(column)[1:]
	}
	for v := range d.Len() {
		name := d.Node(v).Name
		for _, l := range free(name) {
			out = append(out, question{Margins, noiseaware.Probability(noiseaware.Event{name: l})})
		}
	}
	for _, e := range edges {
		x, y := e[0], e[1]
		for _, k := range states(x) {
			for _, l := range states(y) {
				out = append(out, question{Pairs, noiseaware.Probability(noiseaware.Event{x: k, y: l})})
			}
			for _, l := range free(y) {
				out = append(out, question{Conditionals, given(y, l, x, k)})
			}
		}
		s := states(x)
		for _, l := range free(y) {
			last, first := given(y, l, x, s[len(s)-1]), given(y, l, x, s[0])
			out = append(out, question{Differences, noiseaware.Difference(last, first)})
		}
	}
	return out
}

func given(y, l, x, k string) *noiseaware.Question {
	return noiseaware.Probability(noiseaware.Event{y: l}, noiseaware.Event{x: k})
}
