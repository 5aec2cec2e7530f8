package model

import "github.com/privbayes/privbayes-go/privbayes/frame"

// onDesign reports whether the model is made of the second moments of the rows of a design.
func (s *Shape) onDesign() bool {
	_, ok := s.model.(responding)
	return ok
}

// responding is a model with a response column of its own kind.
type responding interface {
	Model
	response(of named) (frame.Column, error)
}

// designColumns are the response and the features, numeric with public bounds or categorical: those named, or else all
// other numeric columns without missing values.
func designColumns(m responding, s *frame.Schema, names []string) ([]frame.Column, error) {
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Name != m.Target() && c.Numeric() && !c.HasMissing() {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &Error{Model: m.String(), Want: "at least one numeric feature besides the response, or factors by name"}
	}
	of := nameColumns(s)
	first, err := m.response(of)
	if err != nil {
		return nil, err
	}
	cols, seen := []frame.Column{first}, map[string]bool{m.Target(): true}
	for _, name := range names {
		if seen[name] {
			return nil, wrong(m, name, "named twice", "each column once, and the response not among the features")
		}
		seen[name] = true
		c, err := feature(m, of, name)
		if err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// feature is a numeric column with public bounds or a factor.
func feature(m Model, of named, name string) (frame.Column, error) {
	c, err := of.column(name)
	if err != nil || c.Kind != frame.KindCategorical {
		return bounded(m, of, name)
	}
	if c.Levels() < 2 {
		return *c, wrong(m, name, "one level", "a factor of at least two public levels")
	}
	return *c, nil
}
