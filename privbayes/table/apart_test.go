package table_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Two numbers that differ are shown differently, with no more digits than that takes; equal ones as Number shows them.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		a, b           float64
		shown, against string
	}{
		{1, 1, "1", "1"}, {1, 2, "1", "2"}, {1, 1.0000001, "1", "1.0000001"}, {0.1234567, 0.1234568, "0.1234567", "0.1234568"},
		{.5, .25, "0.5", "0.25"}, {12345.678, 12345.679, "12345.678", "12345.679"},
	} {
		if s, o := table.Apart(c.a, c.b), table.Apart(c.b, c.a); s != c.shown || o != c.against {
			t.Errorf("%v and %v are shown as %s and %s", c.a, c.b, s, o)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if s, o := table.Apart(a, b), table.Apart(b, a); a != b && s == o || a == b && s != table.Number(a) {
			t.Errorf("%v and %v are shown as %s and %s", a, b, s, o)
		}
	})
}
