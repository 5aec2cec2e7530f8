package budget_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// whole is the charge of a publication with two slots.
func whole() budget.Charge {
	return budget.Charge{ID: "pub", What: "publication", Level: dp.PureDP(1).Parameters, State: budget.ListDeclared,
		Slots: []dp.Slot{{Name: "later", Level: dp.PureDP(.25).Parameters},
			{Name: "last", Level: dp.PureDP(.25).Parameters}}}
}

// from is the charge of a release from a slot.
func from(id, slot string, epsilon float64) budget.Charge {
	return budget.Charge{ID: id, What: "release", Level: dp.PureDP(epsilon).Parameters,
		Slot: &dp.Slot{Publication: "pub", Title: "survey", Name: slot, Level: dp.PureDP(.25).Parameters}}
}

// A slot is used once, by a release of at most its level, and adds nothing to what is spent, in memory and in a file
// that is opened again; all else is refused, and nothing is charged.
func TestSlotsAreUsedOnce(t *testing.T) {
	unit := budget.Unit{Name: "person", Rows: 1}
	path := filepath.Join(t.TempDir(), "ledger")
	for name, open := range map[string]func() *budget.Budget{
		"memory": func() *budget.Budget { return must.Get(budget.New("d", unit, dp.PureDP(1.1)))(t) },
		"file":   func() *budget.Budget { return must.Get(budget.Open(path, "d", unit, dp.PureDP(1.1)))(t) },
	} {
		b := open()
		refused := func(c budget.Charge, field string) {
			t.Helper()
			n, err := len(b.Charges()), b.Charge("d", c)
			var e *dp.SlotError
			if !errors.As(err, &e) || e.Field != field || len(b.Charges()) != n || !strings.Contains(err.Error(), "want") {
				t.Errorf("%s: %+v: %v, %d charges", name, c.Slot, err, len(b.Charges()))
			}
		}
		refused(from("early", "later", .25), "publication")
		must.Do(t, b.Charge("d", whole()))
		refused(from("large", "later", .2500001), "level of the release")
		refused(from("lost", "nowhere", .25), "name")
		forged := from("forged", "later", .5)
		forged.Slot.Level = dp.PureDP(.5).Parameters
		refused(forged, "level")
		seeded := from("seeded", "later", .25)
		seeded.Seeded = true
		refused(seeded, "randomness")
		must.Do(t, b.Charge("d", from("one", "later", .25)))
		must.Do(t, b.Charge("d", from("one", "later", .25))) // the same release
		refused(from("two", "later", .1), "use")
		if b.Spent() != dp.PureDP(1).Parameters || len(b.Charges()) != 2 {
			t.Errorf("%s: %v", name, b)
		}
		if name == "file" {
			b = open()
			refused(from("two", "later", .1), "use")
		}
		must.Do(t, b.Charge("d", from("three", "last", .2)))
		if err := b.Charge("d", budget.Charge{ID: "one", Level: dp.PureDP(.25).Parameters}); !errors.As(err,
			new(*budget.MismatchError)) {
			t.Errorf("%s: the name of a release from a slot pays for another: %v", name, err)
		}
		if err := b.Charge("d", budget.Charge{ID: "more", Level: dp.PureDP(.2).Parameters}); !errors.As(err,
			new(*budget.ExceededError)) || b.Spent() != dp.PureDP(1).Parameters {
			t.Errorf("%s: %v, %v", name, err, b.Spent())
		}
		if text := b.String(); !strings.Contains(text, "reserved slots: 2, of which 2 used") ||
			!strings.Contains(text, "in the charge of pub") {
			t.Errorf("%s: %s", name, text)
		}
		if f := must.Get(b.Figure())(t); len(f.Series[0].X) != 1 {
			t.Errorf("%s: %v", name, f.Series)
		}
	}
	for name, c := range map[string]budget.Charge{
		"a slot of another": {ID: "a", Level: dp.PureDP(.1).Parameters, Slots: []dp.Slot{*from("", "x", 1).Slot}},
		"two of one name": {ID: "a", Level: dp.PureDP(.1).Parameters, Slots: append(whole().Slots,
			whole().Slots...)},
		"no name":   {ID: "a", Level: dp.PureDP(.1).Parameters, Slots: []dp.Slot{{Level: dp.PureDP(.1).Parameters}}},
		"no level":  {ID: "a", Level: dp.PureDP(.1).Parameters, Slots: []dp.Slot{{Name: "x"}}},
		"no source": {ID: "a", Level: dp.PureDP(.1).Parameters, Slot: &whole().Slots[0]},
	} {
		b := must.Get(budget.New("d", unit, dp.PureDP(1)))(t)
		if err := b.Charge("d", c); !errors.As(err, new(*dp.ParameterError)) || len(b.Charges()) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file in which a slot is used twice, or before its publication, is refused as a whole.
func TestLedgersWithForgedSlots(t *testing.T) {
	unit := budget.Unit{Name: "person", Rows: 1}
	path := filepath.Join(t.TempDir(), "ledger")
	b := must.Get(budget.Open(path, "d", unit, dp.PureDP(1)))(t)
	must.Do(t, b.Charge("d", whole()))
	must.Do(t, b.Charge("d", from("one", "later", .25)))
	lines := strings.SplitAfter(strings.TrimSuffix(string(must.Get(os.ReadFile(path))(t)), "\n"), "\n")
	lines[2] += "\n"
	for name, text := range map[string]string{
		"twice":               strings.Join(lines, "") + strings.Replace(lines[2], `"one"`, `"two"`, 1),
		"before":              lines[0] + lines[2] + lines[1],
		"of no publication":   lines[0] + lines[2],
		"larger":              lines[0] + lines[1] + strings.Replace(lines[2], `"epsilon":0.25`, `"epsilon":0.5`, 1),
		"larger than planned": lines[0] + lines[1] + strings.ReplaceAll(lines[2], `"epsilon":0.25`, `"epsilon":0.5`),
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := budget.Open(path, "d", unit, dp.PureDP(1)); !errors.As(err, new(*budget.LedgerError)) ||
			!errors.As(err, new(*dp.SlotError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The ledger has a memory of its own: a caller who changes his variables does not free a slot, nor use another. A level
// that cannot contain its slots is refused, and so is a use by a budget that was charged without slots.
func TestSlotsStayWhatTheyWere(t *testing.T) {
	unit := budget.Unit{Name: "person", Rows: 1}
	inMemory := func() *budget.Budget { return must.Get(budget.New("d", unit, dp.PureDP(1)))(t) }
	var e *dp.SlotError
	for _, b := range []*budget.Budget{inMemory(), must.Get(budget.Open(filepath.Join(t.TempDir(), "ledger"), "d", unit,
		dp.PureDP(1)))(t)} {
		set, use := whole(), from("one", "later", .25)
		must.Do(t, b.Charge("d", set))
		set.Slots[0].Name = "another"
		must.Do(t, b.Charge("d", use))
		use.Slot.Name, b.Charges()[1].Slot.Name = "last", "last"
		if err := b.Charge("d", from("two", "later", .25)); !errors.As(err, &e) || e.Field != "use" {
			t.Error(err)
		}
		must.Do(t, b.Charge("d", from("three", "last", .25)))
	}
	for _, slot := range []dp.Parameters{dp.PureDP(.8).Parameters, dp.ZCDP(.01).Parameters,
		dp.ApproxDP(.1, 1e-6).Parameters} {
		set := whole()
		set.Slots[0].Level = slot
		if err := inMemory().Charge("d", set); !errors.As(err, new(*dp.ParameterError)) {
			t.Errorf("a slot of %s and one of .25 in ε = 1: %v", slot, err)
		}
	}
	b, kept := inMemory(), whole()
	kept.Slots = nil
	must.Do(t, b.Charge("d", kept))
	if err := b.Charge("d", from("one", "later", .25)); !errors.As(err, &e) || e.Field != "budget" {
		t.Error(err)
	}
}

// A release from a slot of a part is of that part; where a ledger counts parts for units that move, it is compared by
// the level that was proved.
func TestSlotsOfParts(t *testing.T) {
	b := must.Get(budget.New("d", budget.Unit{Name: "person", Rows: 1}, dp.PureDP(3)))(t)
	north := &budget.Part{Rule: "region", Name: "north"}
	of := func(c budget.Charge, p *budget.Part) budget.Charge {
		c.Adjacency, c.Part = dp.AddRemove, p
		return c
	}
	must.Do(t, b.Charge("d", of(whole(), north)))
	var e *dp.SlotError
	if err := b.Charge("d", of(from("south", "later", .25), &budget.Part{Rule: "region", Name: "south"})); !errors.As(err,
		&e) || e.Field != "part of the data" {
		t.Error(err)
	}
	all := from("all", "later", .25)
	if err := b.Charge("d", all); !errors.As(err, &e) || e.Field != "part of the data" {
		t.Error(err)
	}
	must.Do(t, b.Charge("d", of(from("one", "later", .25), north)))
	if b.Spent().Epsilon != 2 {
		t.Error(b)
	}
	plain := from("two", "last", .25) // of a public size of the part, in a slot where units may move
	plain.Part = north
	across := dp.PureDP(.25).Parameters
	wide := of(from("three", "last", 50), &budget.Part{Rule: "region", Name: "north", Across: &across})
	wide.Adjacency = dp.ReplaceOne
	for _, c := range []budget.Charge{plain, wide} {
		if err := b.Charge("d", c); !errors.As(err, &e) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The periods of running totals are proved together: their levels do not add up, none is above that of the charge, and
// no release of another kind uses one.
func TestPeriodsAreProvedTogether(t *testing.T) {
	unit := budget.Unit{Name: "person", Rows: 1}
	half := dp.ZCDP(.05).Parameters
	sequence := func(level dp.Parameters, slots ...dp.Slot) budget.Charge {
		return budget.Charge{ID: "pub", What: "running totals", Level: level, State: budget.ListDeclared, Slots: slots}
	}
	periods := []dp.Slot{{Name: "2", Level: half, Joint: true}, {Name: "3", Level: half, Joint: true},
		{Name: "4", Level: half, Joint: true}}
	mixed := append([]dp.Slot{{Name: "own", Level: half}}, periods...)
	for name, c := range map[string]budget.Charge{
		"larger":     sequence(dp.ZCDP(.04).Parameters, periods...),
		"mixed":      sequence(dp.ZCDP(.1).Parameters, mixed...),
		"mixed last": sequence(dp.ZCDP(.1).Parameters, append(periods[:1:1], mixed[0])...),
		"pure":       sequence(dp.ZCDP(.1).Parameters, dp.Slot{Name: "2", Level: dp.PureDP(.1).Parameters, Joint: true}),
		"of ε and δ": sequence(dp.ApproxDP(1, 1e-6).Parameters, periods...),
		"not together": sequence(dp.ZCDP(.1).Parameters, dp.Slot{Name: "2", Level: half}, dp.Slot{Name: "3", Level: half},
			dp.Slot{Name: "4", Level: half}),
	} {
		b := must.Get(budget.New("d", unit, dp.ApproxDP(9, 1e-5)))(t)
		if err := b.Charge("d", c); !errors.As(err, new(*dp.ParameterError)) || len(b.Charges()) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "ledger")
	b := must.Get(budget.Open(path, "d", unit, dp.ApproxDP(9, 1e-5)))(t)
	must.Do(t, b.Charge("d", sequence(dp.ZCDP(.1).Parameters, periods...)))
	b = must.Get(budget.Open(path, "d", unit, dp.ApproxDP(9, 1e-5)))(t)
	spent := b.Spent()
	use := func(id string, joint bool) error {
		return b.Charge("d", budget.Charge{ID: id, What: "period", Level: half, Slot: &dp.Slot{Publication: "pub", Name: "2",
			Level: half, Joint: joint}})
	}
	var e *dp.SlotError
	if err := use("other", false); !errors.As(err, &e) || e.Field != "use" {
		t.Error(err)
	}
	must.Do(t, use("two", true))
	must.Do(t, use("two", true))
	if err := use("again", true); !errors.As(err, &e) || e.Field != "use" || b.Spent() != spent || len(b.Charges()) != 2 {
		t.Error(err, b)
	}
}
