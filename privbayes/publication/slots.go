package publication

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Reserve is a part of the guarantee that is set aside for one later release: what is released in it may depend on all
// that was seen, its level is fixed here. A level is pure ε; ρ where the target is ρ, or ε and δ; ε and δ where the
// target has a δ. The publication is charged for it in full. See [Publication.Slot].
func Reserve(name string, level dp.Request) Item {
	return Item{slot: &level, wish: Wish{Name: name}}
}

// apart divides a list into the models and the slots. *dp.ParameterError for a slot whose level a target cannot count.
func apart(target dp.Request, items []Item) (models []Item, slots []dp.Slot, err error) {
	for _, i := range items {
		if i.slot == nil {
			models = append(models, i)
			continue
		}
		refuse := func(field string, have any, want string) error {
			return domain.Refuse("publication: slot "+safetext.Quote(i.wish.Name), field, have, want)
		}
		s := dp.Slot{Name: i.wish.Name, Level: i.slot.Parameters}
		switch adj := i.slot.Adjacency; {
		case i.wish != Wish{Name: s.Name} || i.mechanism != nil:
			return nil, nil, refuse("wish", "one", "a level alone: what is released is not known yet")
		case adj != target.Adjacency && adj != dp.ReplaceOne || i.slot.ExactOnly || i.slot.NominalScale:
			return nil, nil, refuse("level", fmt.Sprint(s.Level, ", ", adj), "parameters under "+target.Adjacency.String()+
				", the adjacency of the publication")
		}
		if err := s.Valid(); err != nil {
			return nil, nil, err
		}
		slots = append(slots, s)
	}
	return models, slots, reservable(target, slots)
}

// reservable refuses slots that a target cannot count: *dp.ParameterError. Under replace-value it is not fixed
// beforehand which columns a later release protects.
func reservable(target dp.Request, slots []dp.Slot) error {
	if len(slots) == 0 {
		return nil
	}
	if target.Adjacency == dp.ReplaceValue {
		return domain.Refuse("publication", "reserve", target.Adjacency, "replace-one or add-remove: which column a later "+
			"release protects is not fixed")
	}
	delta := 0.
	for _, s := range slots {
		delta += s.Level.Delta
		if n := s.Level.Notion; n == dp.Approximate && target.Notion != dp.Approximate || n == dp.Concentrated &&
			target.Notion == dp.Pure {
			return domain.Refuse("publication: slot "+safetext.Quote(s.Name), "level", s.Level,
				"one that the target "+target.Parameters.String()+" can count")
		}
	}
	if target.Notion == dp.Approximate && !(delta < target.Delta) {
		return domain.Refuse("publication", "sum of δ of the slots", delta, "a number below the target's δ")
	}
	return nil
}

// pairOf is the dominating pair of every mechanism with the level of a slot, but for its δ: see [leaking].
func pairOf(s dp.Slot) loss.Pair {
	if s.Level.Notion == dp.Concentrated {
		return loss.ConcentratedPair{Rho: s.Level.Rho}
	}
	return loss.PurePair{Epsilon: float64(s.Level.Epsilon)}
}

// leaking is a list of which a part tells everything with a probability of at most delta. A mechanism with (ε, δ) is
// dominated by randomised response at ε that does so with probability δ (Kairouz, Oh, Viswanath 2015), so
//
//	δ(ε) ≤ Σδ_i + the profile of the list with randomised response at ε_i in place of (ε_i, δ_i).
type leaking struct {
	loss.Declared
	delta float64 // > 0
}

// Delta implements loss.Pair.
func (l leaking) Delta(epsilon float64) float64 { return l.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or a bound that is sooner known: see [loss.Until].
func (l leaking) DeltaUntil(epsilon float64, stop func() bool) float64 {
	return math.Min(1, l.delta+l.Declared.DeltaUntil(epsilon, stop))
}

// PureEpsilon implements loss.Pair.
func (l leaking) PureEpsilon() float64 { return math.Inf(1) }

// RDP implements loss.Pair.
func (l leaking) RDP(float64) float64 { return math.Inf(1) }

// ZCDP implements loss.Pair.
func (l leaking) ZCDP() float64 { return math.Inf(1) }

// left is what the slots leave to the items of a total: of ε or of ρ. Under (ε, δ) it is a sum of ρ with which the list
// meets the target: all together by ρ, or the slots of ε by adding them. *dp.ParameterError where nothing is left.
func left(target dp.Request, slots []dp.Slot) (float64, error) {
	pure, rho, concentrated, delta := 0., 0., 0., 0.
	for _, s := range slots {
		pure, delta = pure+float64(s.Level.Epsilon), delta+s.Level.Delta
		if rho += pairOf(s).ZCDP(); s.Level.Notion == dp.Concentrated {
			concentrated += s.Level.Rho
		}
	}
	const room = 1 - 1e-9
	total := 0.
	switch target.Notion {
	case dp.Pure:
		total = room*float64(target.Epsilon) - pure
	case dp.Concentrated:
		total = room*target.Rho - rho
	default:
		delta := target.Delta - delta
		total = math.Max(rhoOf(float64(target.Epsilon), delta)-rho,
			rhoOf(float64(target.Epsilon)-pure, delta)-concentrated)
	}
	if !(total > 0) {
		return 0, domain.Refuse("publication", "reserve", table.Count(len(slots), "slot"), "slots that leave something of "+
			target.Parameters.String()+" for the items")
	}
	return total, nil
}

// rhoOf is the ρ from which ε at δ follows: the least ε of ρ at δ is about ρ + 2√(ρ ln 1/δ). It is 0 for ε ≤ 0.
func rhoOf(epsilon, delta float64) float64 {
	l := -math.Log(delta)
	root := math.Sqrt(l+math.Max(epsilon, 0)) - math.Sqrt(l)
	return root * root
}

// share is a slot's ε or ρ, as [rate] is an item's.
func share(target dp.Request, s dp.Slot) float64 {
	if target.Notion == dp.Pure {
		return float64(s.Level.Epsilon)
	}
	return pairOf(s).ZCDP()
}

// bound are the slots as the identifiers of items have them, so that none can be left out or changed.
func bound(slots []dp.Slot) string {
	if len(slots) == 0 {
		return ""
	}
	b, _ := json.Marshal(slots) // names and numbers
	return " " + string(b)
}

// Slots are the levels that are set aside for later releases.
func (p *Plan) Slots() []dp.Slot { return append([]dp.Slot(nil), p.slots...) }

// Slot is a level that a released publication set aside. One release may be made from it, by the frame and the budget
// of the publication.
type Slot struct {
	dp.Slot
	of *Plan
}

// Slot is a slot by its name. Error: *dp.ParameterError where there is none.
func (p *Publication) Slot(name string) (*Slot, error) {
	var names []string
	for _, s := range p.plan.slots {
		if s.Name == name {
			s.Publication, s.Title = p.id, p.plan.name
			return &Slot{s, p.plan}, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return nil, domain.Refuse("publication", "slot", name, "a publication with reserved slots")
	}
	return nil, domain.Refuse("publication", "slot", name, safetext.OneOf(name, names))
}

// Request is the level of the slot under the adjacency of its publication: the most that a release from it may have.
func (s *Slot) Request() dp.Request {
	t := s.of.target
	t.Parameters = s.Level
	return t
}

// Accepts refuses a plan that the slot is not for: *dp.SlotError for a level above the slot's, and for another data
// set, schema, unit, adjacency or choice of rows than that of the publication.
func (s *Slot) Accepts(p *mechanism.Plan) error {
	refuse := func(field, have, want string) error {
		return &dp.SlotError{Slot: s.Slot, Field: field, Have: have, Want: want}
	}
	if s.of == nil {
		return refuse("publication", "none", "a slot of one that was released: Publication.Slot")
	}
	first, is, g := s.of.lines[0].Plan.Shape(), p.Shape(), p.Certified()
	a, b := first.Schema(), is.Schema()
	switch {
	case p.Target().NominalScale || !g.Parameters.Satisfies(s.Level):
		return refuse("level of the release", g.Parameters.Apart(s.Level), "at most "+s.Level.Apart(g.Parameters))
	case g.Adjacency != s.of.guarantee.Adjacency:
		return refuse("adjacency", g.Adjacency.String(), s.of.guarantee.Adjacency.String())
	case g.Arithmetic != dp.Exact && s.of.guarantee.Arithmetic == dp.Exact:
		return refuse("sampling", g.Arithmetic.String(), "exact, as in the publication")
	case a.Dataset != b.Dataset:
		return refuse("data set", safetext.Quote(b.Dataset), safetext.Quote(a.Dataset))
	case unitOf(a) != unitOf(b):
		return refuse("unit", unitOf(b), unitOf(a))
	case a.Digest() != b.Digest():
		return refuse("schema", fmt.Sprintf("one with digest %.12s", b.Digest()), fmt.Sprintf("that with digest %.12s",
			a.Digest()))
	case rowsOf(is) != rowsOf(first):
		return refuse("rows", rowsOf(is), "those of the publication: "+rowsOf(first))
	}
	return nil
}

// unitOf says what a schema protects.
func unitOf(s *frame.Schema) string {
	return fmt.Sprintf("%s of up to %s, key %s", safetext.Quote(s.Unit), table.Count(max(s.RowsPerUnit, 1), "row"),
		safetext.Quote(cmp.Or(s.UnitKey, "none")))
}
