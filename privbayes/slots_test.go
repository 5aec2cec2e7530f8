package privbayes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/selection"
)

// A release from a slot has the slot's level, adds nothing to the ledger, is made once and loaded afterwards; its file
// says where it is from, and verification says so. What does not fit is refused, and charges nothing.
func TestAReleaseFromASlot(t *testing.T) {
	folder := t.TempDir()
	train, test := votes()
	ledger := must.Get(privbayes.OpenBudget(filepath.Join(folder, "ledger"), train.Data().Schema(),
		privbayes.PureDP(2)))(t)
	owned := train.WithBudget(ledger)
	pub := must.Get(owned.Publish("votes", privbayes.PureDP(1), privbayes.Item(privbayes.Binary("Class")),
		privbayes.Reserve("later", privbayes.PureDP(.25)), privbayes.Reserve("last", privbayes.PureDP(.25)),
	).Privatize(privbayes.KeepIn(filepath.Join(folder, "pub"))))(t)
	slot := must.Get(pub.Slot("later"))(t)
	m := owned.Model(privbayes.Categorical("V3"))
	refused := func(name, field string, err error) {
		t.Helper()
		var e *dp.SlotError
		if !errors.As(err, &e) || e.Field != field || len(ledger.Charges()) != 1 {
			t.Errorf("%s: %v, %d charges", name, err, len(ledger.Charges()))
		}
	}
	by, at := privbayes.Geometric(), slot.Request()
	tried := func(f *privbayes.Frame, at privbayes.Target, mech privbayes.Mechanism) error {
		return f.Model(privbayes.Categorical("V3")).Privatize(mech, at, privbayes.FromSlot(slot)).Err()
	}
	refused("larger", "level of the release", tried(owned, privbayes.PureDP(.2501), by))
	refused("nominal", "level of the release", tried(owned, privbayes.AsPublished(.2), privbayes.Laplace()))
	refused("sampling", "sampling", owned.Model(privbayes.Binary("Class")).Privatize(privbayes.PosteriorSample(1), at,
		privbayes.FromSlot(slot)).Err())
	away := must.Get(by.Plan(t.Context(), must.Get(privbayes.NewShape(train.Data().Schema(),
		privbayes.Categorical("V3"), 9))(t).WithoutN(), privbayes.PureDP(.2).Under(
		privbayes.AddRemove)))(t)
	refused("adjacency", "adjacency", slot.Accepts(away))
	refused("no budget", "budget", tried(train, at, by))
	refused("other rows", "rows", tried(owned.Head(50), at, by))
	refused("fewer columns", "schema", tried(owned.Select("Class", "V3"), at, by))
	other := must.Get(budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(2)))(t)
	refused("another ledger", "publication", tried(train.WithBudget(other), at, by))
	named := train.Data().Schema().Clone()
	named.Dataset = "others"
	plan := must.Get(by.Plan(t.Context(), must.Get(privbayes.NewShape(named, privbayes.Categorical("V3"),
		train.Data().Len()))(t), at))(t)
	refused("other data", "data set", slot.Accepts(plan))
	named.Dataset, named.Unit = "votes", "household"
	plan = must.Get(by.Plan(t.Context(), must.Get(privbayes.NewShape(named, privbayes.Categorical("V3"),
		train.Data().Len()))(t), at))(t)
	refused("another unit", "unit", slot.Accepts(plan))
	refused("no slot", "publication", m.Privatize(by, at, privbayes.FromSlot(nil)).Err())
	refused("a seed", "randomness", m.Privatize(by, at, privbayes.FromSlot(slot), privbayes.Seeded(1)).Err())
	_, err := owned.Publish("more", privbayes.PureDP(.2), privbayes.Item(privbayes.Categorical("V3"))).Privatize(
		privbayes.FromSlot(slot))
	refused("a publication", "step", err)
	_, err = m.Accept(selection.Rules{}).Privatize(by, at, privbayes.FromSlot(slot))
	if err == nil || len(ledger.Charges()) != 1 {
		t.Error(err)
	}

	usedOnce(t, folder, owned, test, pub)
}

// usedOnce uses a slot of a publication, and tries it again.
func usedOnce(t *testing.T, folder string, owned, test *privbayes.Frame, pub *publication.Publication) {
	slot, last := must.Get(pub.Slot("later"))(t), must.Get(pub.Slot("last"))(t)
	ledger := must.Get(budget.Existing(filepath.Join(folder, "ledger")))(t)
	owned = owned.WithBudget(ledger)
	m, by, at := owned.Model(privbayes.Categorical("V3")), privbayes.Geometric(), slot.Request()
	path := filepath.Join(folder, "later")
	made := m.Privatize(by, at, privbayes.FromSlot(slot), privbayes.KeepIn(path))
	r := must.Get(made.Release())(t)
	if s := r.Slot(); s == nil || !s.Same(slot.Slot) || r.Guarantee().Epsilon != .25 || made.Loaded() {
		t.Error(r)
	}
	if spent := ledger.Spent(); spent.Epsilon > 1 || len(ledger.Charges()) != 2 {
		t.Error(ledger)
	}
	if again := m.Privatize(by, at, privbayes.FromSlot(slot), privbayes.KeepIn(path)); !again.Loaded() ||
		len(ledger.Charges()) != 2 {
		t.Error(again)
	}
	_, err := made.PrivateAccuracy(test, privbayes.PureDP(.1), privbayes.FromSlot(last))
	if !errors.As(err, new(*dp.SlotError)) {
		t.Error(err)
	}
	if _, err := privbayes.NoiseAware(r, privbayes.FromSlot(last)); !errors.As(err, new(*dp.ParameterError)) {
		t.Error(err)
	}
	for name, opts := range map[string][]privbayes.Option{"elsewhere": {privbayes.FromSlot(slot)},
		"in another file": {privbayes.FromSlot(slot), privbayes.KeepIn(filepath.Join(folder, "x"))}} {
		if err := m.Privatize(by, at, opts...).Err(); !errors.As(err, new(*dp.SlotError)) || len(ledger.Charges()) != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "x.draft")); err == nil {
		t.Error("a draft of a release that was refused")
	}
	for name, opts := range map[string][]privbayes.Option{"of another slot": {privbayes.FromSlot(last)}, "of none": nil} {
		var e *privbayes.KeptError
		if err := m.Privatize(by, at, append(opts, privbayes.KeepIn(path))...).Err(); !errors.As(err, &e) ||
			e.Field != "slot" || len(ledger.Charges()) != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := must.Get(privbayes.Verify(path))(t)
	if text := v.String(); !v.OK() || !strings.Contains(text, pub.ID()) || !strings.Contains(text, `slot "later"`) {
		t.Error(text)
	}
	if text := r.Details().String(); !strings.Contains(text, `publication "votes"`) {
		t.Error(text)
	}
	file := string(must.Get(os.ReadFile(path))(t))
	for name, edit := range map[string][2]string{"a smaller slot": {`"epsilon": 0.25
   }`, `"epsilon": 0.2
   }`}, "no publication": {pub.ID(), ""}} {
		edited := strings.Replace(file, edit[0], edit[1], 1)
		must.Do(t, os.WriteFile(filepath.Join(folder, "edited"), []byte(edited), 0o600))
		if _, err := privbayes.LoadRelease(filepath.Join(folder, "edited")); err == nil || edited == file {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// slotted is a publication with a slot, and its charge.
var slotted = sync.OnceValues(func() (*publication.Publication, budget.Charge) {
	train, _ := votes()
	ledger, err := budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(10))
	if err != nil {
		panic(err)
	}
	p, err := train.WithBudget(ledger).Publish("votes", privbayes.PureDP(2e-6), privbayes.Item(privbayes.Binary("Class")),
		privbayes.Reserve("later", wanted)).Privatize()
	if err != nil {
		panic(err)
	}
	return p, ledger.Charges()[0]
})

// fromSlot keeps a release from a slot in place of one with a charge of its own.
func (h *history) fromSlot() {
	train, _ := votes()
	p, charge := slotted()
	slot := must.Get(p.Slot("later"))(h.t)
	must.Do(h.t, h.budget.Charge("votes", charge))
	m := train.WithBudget(h.budget).Model(privbayes.Binary("Class"))
	mech := oncePlanned(h.t, m)
	h.before = 1
	h.keep = func(opts ...privbayes.Option) (keep.Artifact, error) {
		r, err := m.Privatize(mech, wanted, append(opts, privbayes.FromSlot(slot))...).Release()
		return artifact(r, r != nil), err
	}
	h.elsewhere = func() (keep.Artifact, error) { return h.keep() }
}

// Whatever step of a release from a slot fails, or is the program's last: the slot is used by one release, or
// untouched, and nobody sees two draws from it, also where it is tried elsewhere in between.
func TestEveryFailureOfASlot(t *testing.T) {
	for _, between := range []bool{true, false} {
		if testing.Short() && !between {
			continue
		}
		runs, faults := everyFault(t, true, func(h *history) {
			h.fromSlot()
			h.between = between
		})
		if runs < 350 && !(testing.Short() && runs > 80) {
			t.Errorf("only %d runs", runs)
		}
		for _, f := range faults {
			t.Error(f)
		}
	}
}

// The scenarios see a slot that is not counted as used, and a use that is noted after the draw.
func TestSlotMutantsAreSeen(t *testing.T) {
	_, faults := everyFault(t, false, func(h *history) {
		h.fromSlot()
		h.elsewhere = func() (keep.Artifact, error) { // by a ledger that does not know of the use
			forgetful := newHistory(t)
			forgetful.fromSlot()
			return forgetful.keep()
		}
	})
	if !strings.Contains(strings.Join(faults, " "), "two draws were seen from one slot") {
		t.Error("a use that is not noted passes: ", faults)
	}
	_, faults = everyFault(t, false, func(h *history) {
		h.fromSlot()
		h.between, h.late = true, true
	})
	if !strings.Contains(strings.Join(faults, " "), "nobody paid for") {
		t.Error("a use that is noted after the draw passes: ", faults)
	}
}

// A slot is drawn from once, whatever the caller does to his own copy of it, and by the budget alone that paid for the
// draw: one that is charged when the kept publication is loaded gives no slot.
func TestASlotHasOneBudget(t *testing.T) {
	train := privbayes.ReadFrame(data.Votes())
	path, drawn := filepath.Join(t.TempDir(), "publication"), 0
	for range 3 {
		b := must.Get(budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(1)))(t)
		owned := train.WithBudget(b)
		pub := must.Get(owned.Publish("votes", privbayes.PureDP(1), privbayes.Item(privbayes.Binary("Class")),
			privbayes.Reserve("later", privbayes.PureDP(.25))).Privatize(privbayes.KeepIn(path)))(t)
		for range 2 {
			slot := must.Get(pub.Slot("later"))(t)
			err := owned.Model(privbayes.Categorical("V3")).Privatize(privbayes.Geometric(), slot.Request(),
				privbayes.FromSlot(slot)).Err()
			if slot.Name = "other"; err == nil {
				drawn++
			} else if !errors.As(err, new(*dp.SlotError)) {
				t.Error(err)
			}
		}
		if b.Spent().Epsilon > 1 || b.Spent().Epsilon < .999 {
			t.Error(b)
		}
	}
	if drawn != 1 {
		t.Errorf("%d draws from one slot", drawn)
	}
}

// A publication that was charged and not drawn, and is taken up under another budget, has its slots there alone.
func TestSlotsOfAPublicationTakenUp(t *testing.T) {
	train := privbayes.ReadFrame(data.Votes())
	path, drawn := filepath.Join(t.TempDir(), "publication"), 0
	unit := budget.UnitOf(train.Data().Schema())
	one, other := must.Get(budget.New("votes", unit, privbayes.PureDP(1)))(t), must.Get(budget.New("votes", unit,
		privbayes.PureDP(1)))(t)
	publish := func(b *budget.Budget, ctx context.Context) (*publication.Publication, error) {
		return train.WithBudget(b).Publish("votes", privbayes.PureDP(1), privbayes.Item(privbayes.Binary("Class")),
			privbayes.Reserve("later", privbayes.PureDP(.25))).Privatize(privbayes.KeepIn(path), privbayes.WithContext(ctx))
	}
	if _, err := publish(one, untilCharged{t.Context(), one}); !errors.Is(err, context.Canceled) ||
		len(one.Charges()) != 1 {
		t.Fatalf("%v: %v", err, one)
	}
	pub := must.Get(publish(other, t.Context()))(t)
	slot := must.Get(pub.Slot("later"))(t)
	for _, b := range []*budget.Budget{one, other} {
		err := train.WithBudget(b).Model(privbayes.Categorical("V3")).Privatize(privbayes.Geometric(), slot.Request(),
			privbayes.FromSlot(slot)).Err()
		if err == nil {
			drawn++
		} else if !errors.As(err, new(*dp.SlotError)) {
			t.Error(err)
		}
	}
	if drawn != 1 {
		t.Errorf("%d draws from one slot", drawn)
	}
}
