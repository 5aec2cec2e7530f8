package model

import "github.com/privbayes/privbayes-go/privbayes/table"

// Table shows what is measured: the tables, or the sums over rows.
func (s *Shape) Table() *table.Table {
	if len(s.sums) > 0 {
		t := table.New("Model: "+s.model.String(), "sum over rows")
		for _, sum := range s.sums {
			t.Add(sum)
		}
		return t
	}
	t := table.New("Model: "+s.model.String(), "table", "columns", "cells")
	for _, c := range s.tables {
		t.Add(c.Name, c.Columns, c.Cells())
	}
	return t
}
