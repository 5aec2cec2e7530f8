package sqlsource

import (
	"strings"
	"testing"
)

// Databases group rows by default and SQLite reads them; WithGroups and ByRows ask for either way.
func TestHowRowsAreRead(t *testing.T) {
	for _, c := range []struct {
		d       Dialect
		way     func(*Source) *Source
		grouped bool
	}{
		{PostgreSQL, func(s *Source) *Source { return s }, true},
		{DuckDB, func(s *Source) *Source { return s }, true},
		{SQLite, func(s *Source) *Source { return s }, false},
		{SQLite, func(s *Source) *Source { return s.WithGroups(8) }, true},
		{SQLite, func(s *Source) *Source { return s.WithGroups(8).ByRows() }, false},
		{DuckDB, (*Source).ByRows, false},
	} {
		f := &fake{dialect: c.d, n: 3}
		// the fake answers with no rows that fit: what it was asked is looked at
		_, err := c.way(New(f.open(t), c.d, twoColumns(t), "t")).Statistics(t.Context(), pair(t, 3, true))
		grouped, asked := false, false
		for _, q := range f.queries {
			grouped = grouped || strings.Contains(strings.ToUpper(q), "GROUP BY")
			asked = asked || strings.Contains(q, `"a"`)
		}
		if grouped != c.grouped || !asked {
			t.Errorf("%s, %+v: grouped %v, want %v; %v: %q", c.d, c, grouped, c.grouped, err, f.queries)
		}
	}
}
