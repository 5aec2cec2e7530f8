package privbayes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

const kept = "votes.release.json"

// wanted is so private that two draws are alike with probability 1e-6: who sees one knows which it is.
var wanted = privbayes.PureDP(1e-6)

// planned makes its plan once.
type planned struct {
	privbayes.Mechanism
	plan *privbayes.Plan
}

func (p planned) Plan(context.Context, *model.Shape, privbayes.Target) (*privbayes.Plan, error) {
	return p.plan, nil
}

// history is what the world may know of the draws of one file: the programs that run, one after another, share disk and
// budget.
type history struct {
	t      *testing.T
	disk   *disk
	budget *budget.Budget
	keep   func(opts ...privbayes.Option) (keep.Artifact, error)
	read   func(ctx context.Context, b []byte) (keep.Artifact, error)
	late   bool              // a mutant: the charge is made after the draw
	seen   map[string][]byte // by identifier: the release of that name that somebody can have seen
	faults []string

	before    int                           // charges that were there at the start
	elsewhere func() (keep.Artifact, error) // of a slot: another use of it, kept nowhere
	between   bool                          // it is tried between the first program and the second
}

func newHistory(t *testing.T) *history {
	t.Helper()
	train, _ := votes()
	ledger := must.Get(budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(10)))(t)
	m := train.WithBudget(ledger).Model(privbayes.Binary("Class"))
	mech := oncePlanned(t, m)
	h := &history{t: t, disk: newDisk(), budget: ledger, seen: map[string][]byte{}}
	h.keep = func(opts ...privbayes.Option) (keep.Artifact, error) {
		r, err := m.Privatize(mech, wanted, opts...).Release()
		return artifact(r, r != nil), err
	}
	h.read = func(ctx context.Context, b []byte) (keep.Artifact, error) { return release.Parse(ctx, b) }
	return h
}

// artifact is nil, and no artifact that is a nil pointer.
func artifact(a keep.Artifact, ok bool) keep.Artifact {
	if !ok {
		return nil
	}
	return a
}

// publishes keeps a publication of two tables in place of a release.
func (h *history) publishes() {
	train, _ := votes()
	m := train.Model(privbayes.Binary("Class"))
	items := []publication.Item{}
	for _, name := range []string{"first", "second"} {
		items = append(items, privbayes.Item(privbayes.Binary("Class")).By(oncePlanned(h.t, m)).Named(name))
	}
	p := train.WithBudget(h.budget).Publish("two tables", privbayes.PureDP(2e-6), items...)
	h.keep = func(opts ...privbayes.Option) (keep.Artifact, error) {
		r, err := p.Privatize(opts...)
		return artifact(r, r != nil), err
	}
	h.read = func(ctx context.Context, b []byte) (keep.Artifact, error) { return publication.Parse(ctx, b) }
}

var votesPlan *privbayes.Plan

func oncePlanned(t *testing.T, m *privbayes.Model) privbayes.Mechanism {
	t.Helper()
	if votesPlan == nil {
		p := must.Get(m.Plan(privbayes.Geometric(), wanted))(t)
		votesPlan = p
	}
	return planned{privbayes.Geometric(), votesPlan}
}

// see notes a release that somebody can see. Two of one name that differ are two draws under one charge; one of a name
// that no charge has is a draw without one.
func (h *history) see(r keep.Artifact) {
	b := must.Get(r.JSON())(h.t)
	if have, again := h.seen[r.ID()]; again && !bytes.Equal(have, b) {
		h.faults = append(h.faults, "two draws were seen under one charge")
	}
	h.seen[r.ID()] = b
	for _, c := range h.budget.Charges() {
		if c.ID == r.ID() {
			return
		}
	}
	h.faults = append(h.faults, "a draw was seen that nobody paid for")
}

// look reads the disk as anybody may: files that are releases, and drafts with their key. A draft is its owner's alone:
// of one that a loss of power is about to cut back, only what was synced counts.
func (h *history) look(synced bool) {
	for name, n := range h.disk.names {
		clone := newDisk()
		clone.names[journal.Path(kept)] = &inode{data: bytes.Clone(n.data)}
		if synced {
			clone.names[journal.Path(kept)].data = h.disk.afterLoss(n)
		}
		if name == journal.Path(kept) {
			d := must.Get(journal.Open(h.t.Context(), clone, kept))(h.t)
			if d.State() == journal.Sealed {
				h.parse(d.Content())
			}
			must.Do(h.t, d.Close())
		}
		if bytes.Contains(n.data, []byte(`"raw"`)) || bytes.Contains(n.data, []byte(`"measured"`)) {
			h.parse(n.data)
		}
	}
}

func (h *history) parse(b []byte) {
	if r, err := h.read(h.t.Context(), b); err == nil {
		h.see(r)
	} else if bytes.Contains(b, []byte(`"class"`)) && len(b) > 0 && b[0] != '{' {
		h.faults = append(h.faults, "a part of a draw was seen")
	}
}

// run runs one program: it keeps, and ends at a fault or with what it got.
func (h *history) run() (r keep.Artifact, err error) {
	defer func() {
		switch p := recover(); p.(type) {
		case nil:
		case crash:
			r, err = nil, errInjected
		default:
			panic(p)
		}
	}()
	options := []privbayes.Option{privbayes.OnFiles(h.disk), privbayes.KeepIn(kept)}
	var late func() error
	if h.late {
		options = append(options, privbayes.Charging(func(c func() error) error { late = c; return nil }))
	}
	r, failed := h.keep(options...)
	if late != nil {
		err = late()
	}
	if failed == nil {
		h.see(r)
		return r, err
	}
	return nil, errors.Join(failed, err)
}

// scenario is a program with a fault at a step; then its user takes an unwritten release, or does not; then the machine
// starts again, with a loss of power or not, and a second program keeps in the same file, then a third. It is false
// when there is no such step.
func (h *history) scenario(kind fault, at int, take, lose bool) bool {
	h.disk.kind, h.disk.at = kind, at
	_, err := h.run()
	reached := h.disk.steps >= at
	taken := false
	var unwritten *privbayes.UnwrittenError
	if errors.As(err, &unwritten) && take {
		r, e := unwritten.Artifact()
		if taken = e == nil; taken {
			h.see(r)
		} else if r != nil {
			h.faults = append(h.faults, "a release came with an error")
		}
	}
	h.look(lose)
	h.disk.reboot(lose)
	h.look(false)
	used := false
	if h.between {
		if r, err := h.elsewhere(); err == nil {
			used = true
			h.see(r)
		}
	}
	second, err := h.run()
	var refused *privbayes.DraftError
	if err != nil && !(taken && errors.As(err, &refused)) && !(used && errors.As(err, new(*dp.SlotError))) {
		h.faults = append(h.faults, "the next try failed: "+err.Error())
	}
	if unwritten != nil && !taken { // late: another draw may have taken its place
		if r, e := unwritten.Artifact(); e == nil {
			h.see(r)
		}
	}
	h.look(false)
	h.disk.reboot(true) // what a program returned is there after any loss of power
	third, _ := h.run()
	if second != nil && (third == nil || third.ID() != second.ID()) {
		h.faults = append(h.faults, "a kept release was lost")
	}
	h.look(false)
	if n := len(h.budget.Charges()) - h.before; n != 1 {
		h.faults = append(h.faults, fmt.Sprint(n, " charges"))
	}
	if h.elsewhere != nil {
		r, err := h.elsewhere()
		if !errors.As(err, new(*dp.SlotError)) {
			h.faults = append(h.faults, fmt.Sprint("a slot could be used again: ", err))
		}
		if r != nil {
			h.see(r)
		}
		if len(h.seen) > 1 {
			h.faults = append(h.faults, "two draws were seen from one slot")
		}
	}
	return reached
}

// everyFault runs all scenarios, or those until something goes wrong, and returns how many there were and what went
// wrong.
func everyFault(t *testing.T, all bool, prepare func(h *history)) (runs int, faults []string) {
	for i, s := range []struct {
		kind       fault
		take, lose bool
	}{
		{crashAfter, false, true}, {crashBefore, false, true}, {crashAfter, false, false}, {crashBefore, false, false},
		{broken, false, false}, {fails, true, false}, {failsDone, true, false}, {fails, false, false},
		{broken, true, false},
		{fails, true, true}, {failsDone, true, true}, {failsDone, false, true},
	} {
		if testing.Short() && i%5 > 0 { // crashes with a loss of power, failures with a release that is taken, or not
			continue
		}
		for at, reached := 1, true; reached; at++ {
			h := newHistory(t)
			prepare(h)
			reached = h.scenario(s.kind, at, s.take, s.lose)
			for _, f := range h.faults {
				faults = append(faults, fmt.Sprintf("%s [step %d, %+v]", f, at, s))
			}
			if runs++; len(faults) > 0 && !all {
				return runs, faults
			}
		}
	}
	return runs, faults
}

// Whatever step of keeping fails, or is the program's last: one release is obtained for one charge, nobody sees two
// draws under one charge or a draw without one, and what was returned is still there after a loss of power.
func TestEveryFailureCostsOneCharge(t *testing.T) {
	runs, faults := everyFault(t, true, func(*history) {})
	if runs < 350 && !(testing.Short() && runs > 80) {
		t.Errorf("only %d runs", runs)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// A publication is one draw of all its items: it is kept as a release is.
func TestEveryFailureOfAPublication(t *testing.T) {
	runs, faults := everyFault(t, true, (*history).publishes)
	if runs < 350 && !(testing.Short() && runs > 80) {
		t.Errorf("only %d runs", runs)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

func TestEveryFailureWithoutLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("as long as the test before, which differs in one step")
	}
	_, faults := everyFault(t, true, func(h *history) { h.disk.noLinks = true })
	for _, f := range faults {
		t.Error(f)
	}
}

// A disk writes in the order it likes: what was written last may be all that a loss of power leaves of what was not
// synced. So the box is synced before its key is written.
func TestEveryFailureWhereTheLastWriteStays(t *testing.T) {
	if testing.Short() {
		t.Skip("as long as TestEveryFailureCostsOneCharge, which differs in what the disk loses")
	}
	_, faults := everyFault(t, true, func(h *history) { h.disk.lastStays = true })
	for _, f := range faults {
		t.Error(f)
	}
}

// The scenarios see what each part of keeping is for.
func TestKeepingMutantsAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("several runs as long as the test whose power it shows")
	}
	for name, c := range map[string]struct {
		mutate func(*history)
		want   string
	}{
		"charge after the draw":          {func(h *history) { h.late = true }, "nobody paid for"},
		"draft ignored":                  {func(h *history) { h.disk.forgets = true }, "2 charges"},
		"fresh name at the next try":     {func(h *history) { h.disk.renames = true }, "2 charges"},
		"nothing synced":                 {func(h *history) { h.disk.noSync = true }, "2 charges"},
		"no mark on what was handed out": {func(h *history) { h.disk.noMarks = true }, "two draws were seen"},
	} {
		runs, faults := everyFault(t, false, c.mutate)
		if len(faults) == 0 || !strings.Contains(strings.Join(faults, " "), c.want) {
			t.Errorf("%s: %v in %d runs", name, faults, runs)
		}
	}
}

// A disk of every size: until the room is taken nothing is charged, and once it is, there is room for all that follows.
func TestAFullDiskCostsNothing(t *testing.T) {
	probe := newHistory(t)
	must.Get(probe.run())(t)
	refused, drawn := 0, 0
	for capacity := 1; capacity < 1<<19; capacity += 1 << 14 {
		h := newHistory(t)
		h.disk.capacity = capacity
		r, err := h.run()
		var fe *release.FileError
		switch n := len(h.budget.Charges()); {
		case err == nil && r != nil && n == 1:
			drawn++
		case errors.As(err, &fe) && errors.Is(err, syscall.ENOSPC) && n == 0 && len(h.disk.names) == 0:
			refused++
		default:
			t.Errorf("%d bytes: %v, %d charges, files %v", capacity, err, n, h.disk.names)
		}
		h.disk.capacity = 0
		if _, err := h.run(); err != nil || len(h.budget.Charges()) != 1 {
			t.Errorf("%d bytes, then more: %v, %d charges", capacity, err, len(h.budget.Charges()))
		}
	}
	if refused < 5 || drawn < 5 {
		t.Errorf("%d disks were too small and %d large enough", refused, drawn)
	}
}
