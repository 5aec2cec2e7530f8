package model

import "fmt"

// Conditional is one column given every configuration of its parents: what a model made of count tables has a
// distribution for.
type Conditional struct {
	Name         string
	Rows, Levels int
}

// Conditionals lists the conditional distributions of a model made of count tables: the one of a categorical model; the
// class, then every feature given the class, of naive Bayes; every node of a network.
func (s *Shape) Conditionals() []Conditional {
	if m, ok := s.model.(counted); ok {
		return m.conditionals(s)
	}
	return nil
}

// ConditionalCounts are the counts behind every conditional distribution, its levels running fastest, from the tables
// of one data set laid out as Tables. They are as private as the tables; nil for models without tables.
func (s *Shape) ConditionalCounts(tables [][]int64) [][]int64 {
	if m, ok := s.model.(counted); ok {
		return m.conditionalCounts(s, tables)
	}
	return nil
}

// laws makes the distributions of given parameters, with the name and the labels of row j of conditional i: the
// released counts hold all there is, and no prior is added.
func (s *Shape) laws(e Estimate, named func(i int) (name func(row int) string, labels []string)) (out [][]Named,
	err error) {
	list := s.Conditionals()
	if len(e.Conditionals) != len(list) {
		return nil,
			wrong(s.model, "", fmt.Sprintf("%d conditional distributions", len(e.Conditionals)), fmt.Sprint(len(list)))
	}
	for i, c := range list {
		if len(e.Conditionals[i]) != c.Rows*c.Levels {
			return nil, wrong(s.model, c.Name, fmt.Sprintf("%d parameters", len(e.Conditionals[i])),
				fmt.Sprint(c.Rows*c.Levels))
		}
		rows := make([]Named, c.Rows)
		name, labels := named(i)
		for j := range rows {
			if rows[j], err = s.dirichlet(name(j), labels, e.Conditionals[i][j*c.Levels:(j+1)*c.Levels],
				true); err != nil {
				return nil, err
			}
		}
		out = append(out, rows)
	}
	return out, nil
}
