package model

import "github.com/privbayes/privbayes-go/privbayes/frame"

// named finds columns of a schema by name: as frame.Schema.Column, in a time that does not grow with the number of
// columns.
type named struct {
	schema *frame.Schema
	places map[string]int
}

func nameColumns(s *frame.Schema) named {
	places := make(map[string]int, len(s.Columns))
	for i := range s.Columns {
		places[s.Columns[i].Name] = i
	}
	return named{s, places}
}

// column is the column of a name. Error: *frame.ColumnError.
func (n named) column(name string) (*frame.Column, error) {
	if i, ok := n.places[name]; ok {
		return &n.schema.Columns[i], nil
	}
	_, _, err := n.schema.Column(name)
	return nil, err
}
