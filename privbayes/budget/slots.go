package budget

import (
	"fmt"
	"math"
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
	if err := c.contains(); err != nil {
		return err
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

// contains is a *dp.ParameterError where the level of a charge cannot count its slots in full: a pure level counts pure
// slots whose ε add up to at most its own, ρ at most so much ρ, and ε and δ at most so much δ, and slots of pure ε that
// randomised response meets: (e^s − e^ε)/(1 + e^s) ≤ δ. These are necessary conditions.
func (c Charge) contains() error {
	whole, epsilon, rho, delta := inflated(c.proved()), 0., 0., 0.
	for _, s := range c.Slots {
		own, fits := float64(s.Level.Epsilon), false
		if s.Joint || c.Slots[0].Joint { // proved together: none has more than all
			fits = s.Joint && c.Slots[0].Joint && whole.Notion == dp.Concentrated && s.Level.Rho <= whole.Rho
			if fits {
				continue
			}
			whole.Notion = dp.None
		}
		switch whole.Notion {
		case dp.Pure:
			epsilon += own
			fits = s.Level.Notion == dp.Pure && epsilon <= float64(whole.Epsilon)
		case dp.Concentrated:
			rho += s.Level.Rho
			fits = (s.Level.Notion == dp.Pure || s.Level.Notion == dp.Concentrated) && rho <= whole.Rho
		case dp.Approximate:
			delta += s.Level.Delta
			fits = delta <= whole.Delta &&
				(math.Exp(own)-math.Exp(float64(whole.Epsilon)))/(1+math.Exp(own)) <= whole.Delta
		}
		if !fits {
			return &dp.ParameterError{Of: "budget", Parameter: "slots", Value: safetext.Quote(s.Name) + ", " +
				s.Level.String(), Want: "slots that the charge's level counts in full: " + c.proved().String()}
		}
	}
	return nil
}

// own is the charge with its own memory of slots: the caller may change its variables.
func (c Charge) own() Charge {
	c.Slots = slices.Clone(c.Slots)
	if c.Slot != nil {
		s := *c.Slot
		c.Slot = &s
	}
	return c
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
	case len(of.Slots) == 0:
		return refuse("budget", "one that was charged when the publication's file was loaded",
			"the one that was charged when it was drawn, which knows whether the slot was used")
	case at < 0:
		return refuse("name", safetext.Quote(c.Slot.Name), "a slot that its publication set aside")
	case of.Slots[at].Joint != c.Slot.Joint:
		return refuse("use", "a release of another kind", "the next period of the running totals that set it aside, or of a "+
			"publication a release of its own")
	case of.Slots[at].Level != c.Slot.Level:
		return refuse("level", c.Slot.Level.Apart(of.Slots[at].Level), of.Slots[at].Level.Apart(c.Slot.Level))
	case !c.proved().Satisfies(inflated(c.Slot.Level)):
		return refuse("level of the release", c.proved().Apart(c.Slot.Level), "at most "+
			c.Slot.Level.Apart(c.proved()))
	case c.Seeded != of.Seeded:
		return refuse("randomness", noise(c.Seeded), noise(of.Seeded)+", as in the publication")
	case !samePart(of.Part, c.Part):
		return refuse("part of the data", partName(c.Part), partName(of.Part))
	case moves(of) != moves(c):
		return refuse("part of the data", "a release under another adjacency", "that of the publication")
	case moves(c):
		within, err := Charge{Level: c.Slot.Level, Part: c.Part}.moving()
		if err != nil || !c.Level.Satisfies(inflated(within.Level)) {
			return refuse("level of the release within its part", c.Level.String(), "at most "+within.Level.String())
		}
	}
	for _, h := range have {
		if h.Slot != nil && h.Slot.Same(*c.Slot) {
			want := "a slot that was not used before"
			if c.Slot.Joint {
				want = "to go on from the file of that release, as each period is measured once"
			}
			return refuse("use", "made already, by the release "+safetext.Word(h.ID), want)
		}
	}
	return nil
}

// moves reports whether a charge has a level of its own for units that move between parts.
func moves(c Charge) bool { return c.Part != nil && c.Part.Across != nil }

// proved is the level that was proved for the release, before a ledger counted it for units that stay in their part.
func (c Charge) proved() dp.Parameters {
	if moves(c) {
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

// sameSlots reports whether two charges set the same aside, and use the same slot. A charge for a kept file sets
// nothing aside.
func sameSlots(a, b Charge) bool {
	if (a.Slot == nil) != (b.Slot == nil) || a.Slot != nil && *a.Slot != *b.Slot {
		return false
	}
	return len(a.Slots) == 0 || len(b.Slots) == 0 || slices.Equal(a.Slots, b.Slots)
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
	return fmt.Sprintf("reserved slots: %d, of which %d used. The charge that set them aside counts them in full; a "+
		"release from a slot adds nothing", aside, used)
}
