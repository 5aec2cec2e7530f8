package budget

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// validSlots returns a *dp.ParameterError for slots that a charge cannot set aside, and for one that it cannot use.
func (c Charge) validSlots() error {
	names := map[string]bool{}
	for _, s := range c.Slots {
		if err := s.Valid(); err != nil {
			return err
		}
		if s.Publication != "" || names[s.Name] {
			return &dp.ParameterError{Of: "budget", Parameter: "slots", Value: safetext.Quote(s.Name),
				Want: "each name once, in the publication's own charge"}
		}
		names[s.Name] = true
	}
	switch {
	case c.Slot == nil:
		return nil
	case c.Slot.Publication == "" || len(c.Slots) > 0 || c.Tool != "":
		return &dp.ParameterError{Of: "budget", Parameter: "slot", Value: safetext.Quote(c.Slot.Name),
			Want: "that of a publication, for one release of this library without slots of its own"}
	}
	return c.Slot.Valid()
}

// fromSlot is a *dp.SlotError where c uses a slot that no charge before it set aside, that is used, or that is not for
// a release such as c. A charge that sets slots aside counts them in full, so that c adds nothing.
func fromSlot(have []Charge, c Charge) error {
	if c.Slot == nil {
		return nil
	}
	refuse := func(field, have, want string) error {
		return &dp.SlotError{Slot: *c.Slot, Field: field, Have: have, Want: want}
	}
	whole := slices.IndexFunc(have, func(h Charge) bool { return h.ID == c.Slot.Publication })
	if whole < 0 {
		return refuse("publication", safetext.Word(c.Slot.Publication)+", which is not charged here",
			"one that this budget was charged for")
	}
	of := have[whole]
	at := slices.IndexFunc(of.Slots, func(s dp.Slot) bool { return s.Name == c.Slot.Name })
	switch {
	case at < 0:
		return refuse("name", safetext.Quote(c.Slot.Name), "a slot that its publication set aside")
	case of.Slots[at].Level != c.Slot.Level:
		return refuse("level", c.Slot.Level.Apart(of.Slots[at].Level), of.Slots[at].Level.Apart(c.Slot.Level))
	case !c.own().Satisfies(inflated(c.Slot.Level)):
		return refuse("level of the release", c.own().Apart(c.Slot.Level), "at most "+c.Slot.Level.Apart(c.own()))
	case c.Seeded != of.Seeded:
		return refuse("randomness", noise(c.Seeded), noise(of.Seeded)+", as in the publication")
	case !samePart(of.Part, c.Part):
		return refuse("part of the data", partName(c.Part), partName(of.Part))
	}
	for _, h := range have {
		if h.Slot != nil && h.Slot.Same(*c.Slot) {
			return refuse("use", "by the release "+safetext.Word(h.ID), "a slot that was not used before")
		}
	}
	return nil
}

// own is the level that was proved for the release, before a ledger counted it for units that stay in their part.
func (c Charge) own() dp.Parameters {
	if c.Part != nil && c.Part.Across != nil {
		return *c.Part.Across
	}
	return c.Level
}

// inflated is a level with room for the rounding of another machine, as in [covers].
func inflated(l dp.Parameters) dp.Parameters {
	const room = 1 + 1e-9
	l.Epsilon *= room
	l.Delta, l.Rho = l.Delta*room, l.Rho*room
	return l
}

// noise says how a release was drawn.
func noise(seeded bool) string {
	if seeded {
		return "seeded"
	}
	return "secure"
}

// samePart reports whether two charges are of one part, or of all data.
func samePart(a, b *Part) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Rule == b.Rule && a.Name == b.Name
}

func partName(p *Part) string {
	if p == nil {
		return "all of them"
	}
	return p.String()
}

// sameSlots reports whether two charges set the same aside, and use the same slot.
func sameSlots(a, b Charge) bool {
	if (a.Slot == nil) != (b.Slot == nil) || a.Slot != nil && *a.Slot != *b.Slot {
		return false
	}
	return slices.Equal(a.Slots, b.Slots)
}

// slotsNote says how slots are counted; empty where no charge has any.
func slotsNote(charges []Charge) string {
	aside, used := 0, 0
	for _, c := range charges {
		aside += len(c.Slots)
		if c.Slot != nil {
			used++
		}
	}
	if aside == 0 {
		return ""
	}
	return fmt.Sprintf("reserved slots: %d, of which %d used. The charge of the publication counts them in full; a "+
		"release from a slot adds nothing", aside, used)
}
