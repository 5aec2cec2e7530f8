package selection

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Warnings lists what is dangerous about the level of the whole, and about the schema.
func (p *Plan) Warnings() warning.List {
	sh := p.candidate.Shape()
	return p.guarantee.Parameters.Warnings(mechanism.Size(sh)).And(sh.Schema().Warnings())
}

// Table shows the rules, and what they cost.
func (p *Plan) Table() *table.Table {
	t := table.New("Selection among candidates", "rule", "value")
	c := p.candidate.Certified()
	t.Add("a candidate", p.candidate.Title()+", "+c.Parameters.String())
	test := fmt.Sprintf("ε = %g", p.rules.Test.Epsilon)
	if !p.rules.Stop.Best {
		test += fmt.Sprintf(", passed wrongly with probability %g at most", p.rules.Test.Wrong)
	}
	t.Add("its test", test)
	t.Add("candidates", p.rules.Stop)
	if p.rules.Report > 0 {
		t.Add("report", fmt.Sprintf("ε = %g", p.rules.Report))
	}
	t.Add("the whole", p.guarantee.Parameters)
	for _, name := range p.rules.Criteria.Names() {
		t.Add("criterion", name)
	}
	if p.rules.Stop.Best {
		t.Note("The candidate whose least slack is the greatest with noise added is released, whatever it meets.")
	} else {
		t.Note(fmt.Sprintf("A candidate passes where its least slack, in rows, is %d or more with noise added.", p.limit))
		t.Note(fmt.Sprintf("If every candidate passes with probability .5, one is released with probability %.3f; if "+
			"with .9, %.3f.", p.rules.Stop.Chance(.5), p.rules.Stop.Chance(.9)))
	}
	return t.Note("Guarantee of the whole: " + p.guarantee.String() + ".")
}

// String shows the plan as text.
func (p *Plan) String() string { return table.Text(p) }

// Table shows what was accepted and, with a report, by how much every criterion is met.
func (s *Selection) Table() *table.Table {
	t := table.New("Selection among candidates", "criterion", "slack in rows", "95 % from", "to")
	half := math.NaN()
	if s.plan.report != nil {
		half = float64(noise.Quantile(s.plan.report, math.Log(.025)) - 1)
	}
	for i, name := range s.plan.rules.Criteria.Names() {
		if s.slacks == nil {
			t.Add(name, "–", "–", "–")
			continue
		}
		g := float64(s.slacks[i])
		t.Add(name, g, g-half, g+half)
	}
	switch {
	case s.accepted == nil:
		t.Note("No candidate was accepted. The draw is charged.")
	case s.slacks != nil:
		t.Note("A slack of 0 or more meets its criterion; one row moves it by at most 1. Intervals are of the rows.")
	default:
		t.Note("A candidate was accepted. There is no report of its slacks.")
	}
	t.Note("Guarantee of the whole: " + s.plan.guarantee.String() + ".")
	if g := s.Guarantee(); g.Notion == dp.None {
		t.Note("This draw: " + g.Parameters.String() + ".")
	}
	return t
}

// String shows the selection and its warnings as text.
func (s *Selection) String() string { return table.Text(s) }
