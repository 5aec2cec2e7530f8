package model

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Conditional is one column given every configuration of its parents: what a model made of count tables has a distribution for.
type Conditional struct {
	Name         string
	Rows, Levels int
}

// Conditionals lists the conditional distributions of a model made of count tables: the one of a categorical model; the class, then every
// feature given the class, of naive Bayes; every node of a network.
func (s *Shape) Conditionals() []Conditional {
	switch {
	case !s.model.Kind.Counts():
		return nil
	case s.dag != nil:
		var out []Conditional
		for i := range s.dag.Len() {
			out = append(out, Conditional{s.dag.Node(i).Name, s.dag.FamilyCells(i) / s.dag.Arity(i), s.dag.Arity(i)})
		}
		return out
	}
	classes := s.Classes()
	out := []Conditional{{s.columns[0].Name, 1, classes}}
	for _, c := range s.columns[1:] {
		out = append(out, Conditional{c.Name, classes, c.Levels()})
	}
	return out
}

// ConditionalCounts are the counts behind every conditional distribution, its levels running fastest, from the tables of one data set laid
// out as Tables. They are as private as the tables.
func (s *Shape) ConditionalCounts(tables [][]int64) [][]int64 {
	switch {
	case s.dag != nil:
		out := make([][]int64, s.dag.Len())
		for i := range out {
			holder := s.holds[i][0]
			table := make([]float64, len(tables[holder]))
			for c, v := range tables[holder] {
				table[c] = float64(v)
			}
			margin := make([]float64, s.dag.FamilyCells(i))
			s.addMargin(margin, s.dag.Family(i), s.sets[holder], table, 1)
			out[i] = make([]int64, len(margin))
			for c, v := range margin {
				out[i][c] = int64(v)
			}
		}
		return out
	case len(s.columns) == 1:
		return [][]int64{tables[0]}
	}
	levels := s.tables[0].Levels[1]
	class := make([]int64, s.Classes())
	for i, c := range tables[0] {
		class[i/levels] += c
	}
	return append([][]int64{class}, tables...)
}

// fitConditionals makes the model of given parameters: the released counts hold all there is, and no prior is added.
func fitConditionals(sh *Shape, e Estimate) (*Fitted, error) {
	list := sh.Conditionals()
	if len(e.Conditionals) != len(list) {
		return nil, &Error{Model: sh.model.String(), Value: fmt.Sprintf("%d conditional distributions", len(e.Conditionals)), Want: fmt.Sprint(len(list))}
	}
	f := &Fitted{shape: sh, draws: e.Draws}
	var laws [][]Named
	var tables [][]float64
	for i, c := range list {
		if len(e.Conditionals[i]) != c.Rows*c.Levels {
			return nil, &Error{Model: sh.model.String(), Column: c.Name, Value: fmt.Sprintf("%d parameters", len(e.Conditionals[i])), Want: fmt.Sprint(c.Rows * c.Levels)}
		}
		var rows []Named
		var table []float64
		for j := range c.Rows {
			name, labels := c.Name, sh.labels(i)
			switch {
			case sh.dag != nil:
				name = sh.given(i, j)
			case i > 0:
				name = fmt.Sprintf("%s | %s = %s", c.Name, sh.columns[0].Name, sh.columns[0].Labels()[j])
			}
			row, err := sh.dirichlet(name, labels, e.Conditionals[i][j*c.Levels:(j+1)*c.Levels], true)
			if err != nil {
				return nil, err
			}
			rows, table = append(rows, row), append(table, row.Predictive()...)
		}
		laws, tables = append(laws, rows), append(tables, table)
	}
	if sh.dag == nil {
		f.class, f.cond = laws[0][0], laws[1:]
		return f, nil
	}
	f.cond = laws
	var err error
	if f.net, err = bayesnet.NewNet(sh.dag, tables); err != nil {
		return nil, err
	}
	target, _ := sh.dag.Index(sh.model.Target)
	margin, err := f.net.Marginal(target)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, v := range e.Conditionals[target] {
		total += v
	}
	for k := range margin {
		margin[k] *= total
	}
	f.class, err = sh.dirichlet(sh.model.Target, sh.labels(target), margin, true)
	return f, err
}

// labels are the levels of conditional i.
func (s *Shape) labels(i int) []string {
	if s.dag != nil {
		return s.dag.Node(i).States
	}
	return s.columns[i].Labels()
}
