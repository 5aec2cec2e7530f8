package keep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// samePlan compares a kept plan with the one asked for.
func samePlan(path string, have, want *mechanism.Plan) error {
	if a, b := have.Shape().Schema().Dataset, want.Shape().Schema().Dataset; a != b {
		return &Error{path, "data set", safetext.Quote(a), safetext.Quote(b)}
	}
	if a, b := have.Shape().Schema().Digest(), want.Shape().Schema().Digest(); a != b {
		have, want := schemaDifference(have.Shape().Schema(), want.Shape().Schema())
		return &Error{path, "schema", have, want}
	}
	a, errA := json.Marshal(have)
	b, errB := json.Marshal(want)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return keptPlan(path, have, want)
	}
	return nil
}

// schemaDifference shows where two schemas differ: unit, or the first column that is another one.
func schemaDifference(a, b *frame.Schema) (have, want string) {
	column := func(s *frame.Schema, i int) string {
		if i >= len(s.Columns) {
			return fmt.Sprintf("one of %d columns", len(s.Columns))
		}
		c := s.Columns[i]
		return fmt.Sprintf("one whose column %d is %s, %s, with levels %s", i+1, safetext.Quote(c.Name), c.Kind,
			strings.Join(c.Labels(), ", "))
	}
	for i := range max(len(a.Columns), len(b.Columns)) {
		if have, want = column(a, i), column(b, i); have != want {
			return have, want
		}
	}
	return fmt.Sprintf("one with unit %s and digest %.12s", safetext.Quote(a.Unit), a.Digest()),
		fmt.Sprintf("unit %s and digest %.12s", safetext.Quote(b.Unit), b.Digest())
}

// keptPlan names what differs between two plans for one data set: the first of target, model, n, rows and mechanism,
// else the parameters.
func keptPlan(path string, have, want *mechanism.Plan) error {
	n := func(p *mechanism.Plan) string {
		if v, public := p.Shape().N(); public {
			return fmt.Sprint(v)
		}
		return "private"
	}
	rows := func(p *mechanism.Plan) string {
		return cmp.Or(p.Shape().RowsText(), "all rows of the data set")
	}
	target := func(p *mechanism.Plan) string {
		return fmt.Sprintf("%s, %s", p.Target().Parameters, p.Target().Adjacency)
	}
	for _, d := range []struct{ field, have, want string }{
		{"target", target(have), target(want)},
		{"model", have.Shape().Model().String(), want.Shape().Model().String()},
		{"n", n(have), n(want)},
		{"rows", rows(have), rows(want)},
		{"mechanism", have.Title(), want.Title()},
	} {
		if d.have != d.want {
			return &Error{path, d.field, d.have, d.want}
		}
	}
	return &Error{path, "plan", fmt.Sprintf("%s with parameters %s", have.Title(), have.Params()),
		fmt.Sprintf("parameters %s", want.Params())}
}
