package keep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// SamePlan compares a kept plan with the one asked for: *Error where they differ.
func SamePlan(path string, have, want *mechanism.Plan) error {
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
// else the first field of the shapes, such as the features of their models, or of the parameters.
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
	for _, d := range []struct {
		name       string
		have, want any
	}{{"", have.Shape(), want.Shape()}, {parameters, have.Params(), want.Params()}} {
		a, errA := decoded(d.have)
		b, errB := decoded(d.want)
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		if field, x, y := difference(d.name, a, b); x != y {
			return &Error{path, field, x, y}
		}
	}
	return &Error{path, "plan", have.Title(), "another one"}
}

// decoded is a value as JSON has it, numbers with all their digits.
func decoded(v any) (out any, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return out, d.Decode(&out)
}

// difference is the first field in which two values of JSON differ, below a name, and its values. They are equal where
// none differs.
func difference(name string, a, b any) (field, have, want string) {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		text := func(v any) string {
			if v == nil {
				return "not given"
			}
			b, _ := json.Marshal(v) // it was JSON
			return string(b)
		}
		return name, text(a), text(b)
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		below := strings.TrimPrefix(name+"."+key, ".")
		if field, have, want = difference(below, x[key], y[key]); have != want {
			return field, have, want
		}
	}
	return name, "", ""
}

// sameSlot compares the slot that a kept release is from with the one asked for: *Error where they differ.
func sameSlot(path string, have, want *dp.Slot) error {
	name := func(s *dp.Slot) string {
		if s == nil {
			return "none"
		}
		return s.String()
	}
	if have == nil && want == nil || have != nil && want != nil && *have == *want {
		return nil
	}
	return &Error{path, "slot", name(have), name(want)}
}
