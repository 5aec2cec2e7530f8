package privbayes

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/internal/draft"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// KeepIn draws once and keeps: on first use it draws and writes the release to path, atomically; afterwards it loads the file and checks
// that plan, schema and data set agree (*KeptError if not). A notebook that runs the cell again, in this session or another, loads and does
// not draw. Programs that keep in one file at the same time share one release and one charge.
//
// Before the charge a draft beside the file, path + ".draft", takes the release's name and room for it: *release.FileError if the folder
// does not exist, cannot be written, or the disk is full, and nothing is charged. Whatever fails or ends the program afterwards, the next
// try finds the draft and costs nothing more: a draw of which nothing can have been seen is made again under the same charge, and one that
// is in the draft is used. A draw that could not be written is an *UnwrittenError, from which it can be taken; a draft of another plan is
// a *DraftError. That a draw which nobody saw may be made again for free supposes that what ended it did not depend on the numbers drawn:
// a deadline so short that slow draws miss it is a side channel in time. And a draft must not be copied: a copy made before the draw draws once
// more under its charge.
func KeepIn(path string) Option { return func(o *options) { o.keep = path } }

// keep loads the kept release, or draws and keeps one.
func (p *Privatized) keep(m *Model, o options) error {
	if err := p.loadKept(m, o); !errors.Is(err, errNotKept) {
		if err == nil {
			draft.Clear(o.files, o.keep)
		}
		return err
	}
	d, err := draft.Open(o.ctx, o.files, o.keep)
	if err != nil {
		if o.ctx.Err() != nil {
			return o.ctx.Err()
		}
		return &release.FileError{Path: o.keep, Want: "a folder that exists and can be written, to keep it in; nothing was drawn or charged", Err: err}
	}
	defer func() { _ = d.Close() }()
	// another program may have kept one between the look and the lock
	if err := p.loadKept(m, o); !errors.Is(err, errNotKept) {
		if d.State() == draft.Empty {
			_ = d.Remove()
		} else if err == nil {
			_ = d.Obsolete()
		}
		return err
	}
	switch d.State() {
	case draft.Shown:
		return &DraftError{Path: o.keep, Want: "the release that was drawn under its charge and handed out unkept: save that one here"}
	case draft.Sealed:
		return p.finish(m, o, d)
	}
	return p.drawInto(m, o, d)
}

var errNotKept = errors.New("no kept release")

// loadKept is errNotKept where there is none.
func (p *Privatized) loadKept(m *Model, o options) error {
	_, err := o.files.Lstat(o.keep)
	_, begun := o.files.Lstat(draft.Path(o.keep))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && begun == nil && draft.Nameless(o.files, o.keep):
		return errNotKept
	case err != nil:
		return &release.FileError{Path: o.keep, Want: "a release file or a place for one; nothing was drawn or charged", Err: err}
	}
	r, err := o.load(o.keep)
	if errors.Is(err, fs.ErrNotExist) {
		return &release.FileError{Path: o.keep, Want: "a release file or nothing, not a link to nowhere; nothing was drawn or charged", Err: err}
	}
	if err != nil {
		return err
	}
	if err := samePlan(o.keep, r.Plan(), p.plan); err != nil {
		return err
	}
	p.release, p.loaded = r, true
	return m.charge(p.plan, r.ID(), r.Randomness() != "secure")
}

// finish keeps the release of a draft that an earlier try sealed: it was drawn then, and nothing is drawn now.
func (p *Privatized) finish(m *Model, o options, d *draft.Draft) error {
	r, err := release.Parse(o.ctx, d.Content())
	if err != nil {
		return err
	}
	if err := samePlan(draft.Path(o.keep), r.Plan(), p.plan); err != nil {
		return err
	}
	if err := m.charge(p.plan, r.ID(), r.Randomness() != "secure"); err != nil {
		return err
	}
	if err := d.Publish(); err != nil {
		return &UnwrittenError{Path: o.keep, Err: err, release: r}
	}
	p.release, p.loaded = r, true
	return nil
}

// drawInto reserves name and room, charges, draws, and seals the release in the draft, in this order, and makes the file of it.
func (p *Privatized) drawInto(m *Model, o options, d *draft.Draft) error {
	first := d.State() == draft.Empty
	abandon := func(err error) error {
		if first {
			_ = d.Remove()
		}
		return err
	}
	stream, err := o.stream()
	if err != nil {
		return abandon(err)
	}
	id, err := releaseID(stream, p.plan)
	if err != nil {
		return abandon(err)
	}
	public, err := digest(p.plan, o)
	if err != nil {
		return abandon(err)
	}
	if !first {
		if d.Head().Plan != public {
			return &DraftError{Path: o.keep, Want: "the plan and the randomness with which it was begun"}
		}
		id = d.Head().ID
	}
	size, err := room(p.plan)
	if err != nil {
		return abandon(err)
	}
	if err := d.Reserve(id, public, size); err != nil {
		return abandon(&release.FileError{Path: o.keep, Want: "room for the release beside it; nothing was drawn or charged", Err: err})
	}
	charge := func() error { return m.charge(p.plan, id, o.seeded) }
	if o.charging != nil {
		err = o.charging(charge)
	} else {
		err = charge()
	}
	if err != nil {
		var ledger *budget.LedgerError
		if errors.As(err, &ledger) {
			return err // whether the charge is on disk is not known: the name stays
		}
		return abandon(err)
	}
	if err := p.drawNamed(o, id, stream); err != nil {
		return err
	}
	content, err := p.release.JSON()
	if err != nil {
		return err
	}
	if err := d.Seal(content); err != nil {
		attempt := d.Head().Attempt
		show := func() error { return draft.Show(context.WithoutCancel(o.ctx), o.files, o.keep, attempt) }
		return &UnwrittenError{Path: o.keep, Err: err, release: p.release, show: show}
	}
	if err := d.Publish(); err != nil {
		return &UnwrittenError{Path: o.keep, Err: err, release: p.release}
	}
	return nil
}

// room bounds the size of a release's file from public facts: the numbers that its plan may draw, each raw and as what is made of it, the names
// and labels around them, and the checks.
func room(plan *mechanism.Plan) (int64, error) {
	const number, word = 40, 16 // bytes of a number on a line of its own, and around a word
	checks, errA := json.Marshal(plan.Certificate())
	described, errB := json.Marshal(plan)
	if err := errors.Join(errA, errB); err != nil {
		return 0, err
	}
	bytes := 1<<16 + 3*int64(len(checks)) + 3*int64(len(described))
	bytes += number * int64(plan.Numbers())
	real := plan.RealDrawer(seal.Key{}) != nil
	if real { // they come again as what is made of them
		bytes += number * int64(plan.Numbers())
	}
	longest := 0
	for _, t := range plan.Shape().Tables() {
		bytes += number * int64(t.Cells())
		for i, c := range t.Columns {
			bytes += int64(2*len(c) + 2*word)
			for _, l := range t.Labels[i] {
				longest = max(longest, len(l), len(c))
				bytes += int64(len(l) + word)
			}
		}
	}
	for _, c := range plan.Shape().Conditionals() {
		if real {
			bytes += int64(c.Rows*c.Levels) * int64(number+4*longest+2*word) // with a name, in a list of draws
		}
	}
	return bytes, nil
}

// digest is of all that decides the law of a draw, and of the seed if there is one.
func digest(plan *mechanism.Plan, o options) (string, error) {
	b, err := json.Marshal(plan)
	if err != nil {
		return "", err
	}
	if o.seeded {
		b = fmt.Appendf(b, "seed %d", o.seed)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), nil
}

// samePlan compares a kept plan with the one asked for.
func samePlan(path string, have, want *mechanism.Plan) error {
	if a, b := have.Shape().Schema().Dataset, want.Shape().Schema().Dataset; a != b {
		return &KeptError{path, "data set", label.Quote(a), label.Quote(b)}
	}
	if a, b := have.Shape().Schema().Digest(), want.Shape().Schema().Digest(); a != b {
		have, want := schemaDifference(have.Shape().Schema(), want.Shape().Schema())
		return &KeptError{path, "schema", have, want}
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
func schemaDifference(a, b *Schema) (have, want string) {
	column := func(s *Schema, i int) string {
		if i >= len(s.Columns) {
			return fmt.Sprintf("one of %d columns", len(s.Columns))
		}
		c := s.Columns[i]
		return fmt.Sprintf("one whose column %d is %s, %s, with levels %s", i+1, label.Quote(c.Name), c.Kind, strings.Join(c.Labels(), ", "))
	}
	for i := range max(len(a.Columns), len(b.Columns)) {
		if have, want = column(a, i), column(b, i); have != want {
			return have, want
		}
	}
	return fmt.Sprintf("one with unit %s and digest %.12s", label.Quote(a.Unit), a.Digest()), fmt.Sprintf("unit %s and digest %.12s", label.Quote(b.Unit), b.Digest())
}

// keptPlan names what differs between two plans for one data set: the first of target, model, n, rows and mechanism, else the parameters.
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
	target := func(p *mechanism.Plan) string { return fmt.Sprintf("%s, %s", p.Target().Level, p.Target().Adjacency) }
	for _, d := range []struct{ field, have, want string }{
		{"target", target(have), target(want)},
		{"model", have.Shape().Model().String(), want.Shape().Model().String()},
		{"n", n(have), n(want)},
		{"rows", rows(have), rows(want)},
		{"mechanism", have.Title(), want.Title()},
	} {
		if d.have != d.want {
			return &KeptError{path, d.field, d.have, d.want}
		}
	}
	return &KeptError{path, "plan", fmt.Sprintf("%s with parameters %s", have.Title(), have.Params()), fmt.Sprintf("parameters %s", want.Params())}
}
