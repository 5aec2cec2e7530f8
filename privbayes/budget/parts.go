package budget

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Part is one part of the data: the units that a public rule puts there, such as those of a region or of a quarter. No
// unit is in two parts of one rule, so charges of different parts need not add up (theory/ledger.md §5):
//
//   - under add-remove the total is that of the part that has spent most;
//   - under replace-one a unit may change its value, or move to another part. The total is the larger of the part that
//     has spent most by Charge.Level, and of the two parts that have spent most by Across together.
//
// Charges without a part count in every one. A charge of a part without Across, under replace-one, is one of all data:
// it says nothing about a unit that moves. A ledger has one rule.
type Part struct {
	Rule string `json:"rule"` // "quarter"
	Name string `json:"name"` // "2026-Q1"

	// Across is the level where a unit enters or leaves the part, whose size is not public then: that under add-remove.
	// Under add-remove it is nil.
	Across *dp.Parameters `json:"across,omitempty"`
}

// String is the part, such as "quarter 2026-Q1"; of none it is empty.
func (p *Part) String() string {
	if p == nil {
		return ""
	}
	return safetext.Line(p.Rule) + " " + safetext.Line(p.Name)
}

// key is the name by which parts are told apart: "2026-Q1", "2026-q1" and "2026 -Q1" are one part. Two parts that are
// taken for one count as more, never as less.
func (p *Part) key() string {
	return strings.ToLower(strings.ReplaceAll(norm.NFKC.String(p.Name), " ", ""))
}

// valid returns a *ParameterError for a part that cannot be shown or counted under an adjacency.
func (p *Part) valid(a dp.Adjacency) error {
	if p == nil {
		return nil
	}
	if err := validText("rule of parts", p.Rule, safetext.CheckTitle); err != nil {
		return err
	}
	if err := validText("name of a part", p.Name, safetext.CheckTitle); err != nil {
		return err
	}
	switch {
	case a != dp.AddRemove && a != dp.ReplaceOne:
		return &dp.ParameterError{Of: "budget", Parameter: "part", Value: p.String() + " under " + a.String(),
			Want: "replace-one or add-remove: a value that is replaced may move its unit to another part"}
	case p.Across == nil:
		return nil
	case a == dp.AddRemove:
		return &dp.ParameterError{Of: "budget", Parameter: "level across parts", Value: p.Across.String(),
			Want: "none under add-remove, where no unit moves"}
	case p.Across.Notion == dp.None:
		return &UnchargeableError{What: "part " + p.String(), Reason: p.Across.Reason}
	}
	return p.Across.Valid()
}

// covers reports whether a charge of the part p pays for one of the part o.
func (p *Part) covers(o *Part) bool {
	if p == nil || o == nil {
		return p == nil && o == nil
	}
	if p.Rule != o.Rule || p.Name != o.Name || (p.Across == nil) != (o.Across == nil) {
		return false
	}
	return p.Across == nil || atMost(*o.Across, *p.Across)
}

// RuleError refuses a part by another rule than that of the parts that were charged before: parts of two rules may
// share units. Nothing was charged.
type RuleError struct{ Have, Want string }

func (e *RuleError) Error() string {
	return fmt.Sprintf("budget: the parts of this budget are by the rule %s, and parts by the rule %s may share units "+
		"with them; want a part by %s, or a charge without a part, which counts for all data; nothing was charged",
		safetext.Quote(e.Have), safetext.Quote(e.Want), safetext.Quote(e.Have))
}

// oneRule is a *RuleError where the part of c is by another rule than those before it.
func oneRule(have []Charge, c Charge) error {
	if c.Part == nil {
		return nil
	}
	for _, h := range have {
		if h.Part != nil && h.Part.Rule != c.Part.Rule {
			return &RuleError{h.Part.Rule, c.Part.Rule}
		}
	}
	return nil
}

// moving is a charge of a part that holds for one unit more or less (add-remove), as a ledger under replace-one counts
// it: that is its level across parts. A unit that changes its value and stays is one less and one more, so the level
// within the part is
//
//	2ε;  (2ε, (1 + e^ε)δ);  4ρ of zCDP  (group privacy, Bun and Steinke 2016)
//
// *ParameterError for other notions.
func (c Charge) moving() (Charge, error) {
	l, part := c.Level, *c.Part
	part.Across = &l
	c.Part, c.Adjacency = &part, dp.ReplaceOne
	switch l.Notion {
	case dp.Pure, dp.Approximate:
		c.Level.Epsilon = 2 * l.Epsilon
		if l.Delta > 0 {
			c.Level.Delta = num.Inflate((1 + math.Exp(float64(l.Epsilon))) * l.Delta)
		}
	case dp.Concentrated:
		c.Level.Rho = 4 * l.Rho
	default:
		return c, &dp.ParameterError{Of: "budget", Parameter: "level of a part", Value: l.String(),
			Want: "pure ε, (ε, δ) or ρ of zCDP, which say what holds where a unit stays and changes its value"}
	}
	return c, c.Level.Valid()
}

// spend is what the charges add up to, for the units of which they spend most: some sums, each of which is to be within
// the limit. Without parts it is one sum. Errors: those of add.
func (a account) spend(charges []Charge) ([]spending, error) {
	whole := nothing()
	var order []string // of the parts
	within, across := map[string]*spending{}, map[string]*spending{}
	for _, c := range charges {
		if c.Slot != nil {
			continue // its publication is charged for it
		}
		if c.Part == nil || c.Part.Across == nil && c.Adjacency != dp.AddRemove {
			if err := a.add(&whole, c.Level); err != nil {
				return []spending{a.paid(whole)}, err
			}
			continue
		}
		name := c.Part.key()
		if within[name] == nil {
			in, over := nothing(), nothing()
			within[name], across[name], order = &in, &over, append(order, name)
		}
		err := a.add(within[name], c.Level)
		if err == nil && c.Part.Across != nil {
			err = a.add(across[name], *c.Part.Across)
		}
		if err != nil {
			return []spending{a.paid(whole)}, err
		}
	}
	if len(order) == 0 {
		return []spending{a.paid(whole)}, nil
	}
	var out []spending
	stay, move := largest(order, within), largest(order, across)
	for _, s := range append(stay.one(), move.two()...) {
		out = append(out, a.paid(whole.plus(s)))
	}
	return out, nil
}

// ranked are the largest and the second largest of each number over the parts, of those with and those without a charge
// that converts: as the limit bounds each number by itself, nothing is lost by taking them from different parts.
type ranked struct{ plain, converted [2]spending }

func largest(order []string, of map[string]*spending) ranked {
	r := ranked{[2]spending{nothing(), nothing()}, [2]spending{nothing(), nothing()}}
	for _, name := range order {
		s := of[name]
		to := &r.plain
		if s.converted {
			to = &r.converted
			to[0].converted, to[1].converted = true, true
		}
		for _, n := range [][3]**big.Float{{&s.epsilon, &to[0].epsilon, &to[1].epsilon},
			{&s.delta, &to[0].delta, &to[1].delta}, {&s.rho, &to[0].rho, &to[1].rho}} {
			switch x := *n[0]; {
			case x.Cmp(*n[1]) > 0:
				*n[1], *n[2] = x, *n[1]
			case x.Cmp(*n[2]) > 0:
				*n[2] = x
			}
		}
	}
	return r
}

// one are the sums of one part.
func (r ranked) one() []spending {
	if !r.converted[0].converted {
		return r.plain[:1]
	}
	return []spending{r.plain[0], r.converted[0]}
}

// two are the sums of two parts.
func (r ranked) two() []spending {
	out := []spending{r.plain[0].plus(r.plain[1])}
	if r.converted[0].converted {
		out = append(out, r.plain[0].plus(r.converted[0]), r.converted[0].plus(r.converted[1]))
	}
	return out
}

// fitAll reports whether every sum is within the limit.
func (a account) fitAll(sums []spending) bool {
	return !slices.ContainsFunc(sums, func(s spending) bool { return !a.fits(s) })
}

// total is the level of the sums together, number by number.
func (a account) total(sums []spending, err error) dp.Parameters {
	var out dp.Parameters
	for i, s := range sums {
		l := a.level(s, err)
		if i == 0 {
			out = l
		}
		out.Epsilon = cert.Number(math.Max(float64(out.Epsilon), float64(l.Epsilon)))
		out.Delta, out.Rho = math.Max(out.Delta, l.Delta), math.Max(out.Rho, l.Rho)
	}
	return out
}

// remaining is what every sum leaves, for a charge of all data.
func (a account) remaining(sums []spending, err error) Remainder {
	var out Remainder
	for i, s := range sums {
		r := a.left(s, err)
		if i == 0 {
			out = r
		}
		out.Epsilon, out.Delta = math.Min(out.Epsilon, r.Epsilon), math.Min(out.Delta, r.Delta)
		out.Rho, out.Renyi = math.Min(out.Rho, r.Rho), math.Min(out.Renyi, r.Renyi)
		out.Converted = out.Converted && r.Converted
	}
	return out
}

// parted reports whether a charge is of a part.
func parted(charges []Charge) bool {
	return slices.ContainsFunc(charges, func(c Charge) bool { return c.Part != nil })
}

// sharing are the charges that a unit of the part of c may be in, where none moves: the others do not bind c.
func sharing(have []Charge, c Charge) []Charge {
	if c.Part == nil || c.Adjacency != dp.AddRemove {
		return have
	}
	return slices.DeleteFunc(slices.Clone(have), func(h Charge) bool {
		return h.Part != nil && h.Part.key() != c.Part.key()
	})
}

// partsNote says how charges of parts add up.
func partsNote(a dp.Adjacency) string {
	if a == dp.AddRemove {
		return "parts: no unit is in two of them, so what is used is that of the part that has used most, with the " +
			"releases of all data"
	}
	return "parts: no unit is in two of them. What is used is the larger of two numbers, with the releases of all data: " +
		"that of the part that has used most; and that of the two parts that have used most across parts, together, for a " +
		"unit that moves. A release of a part without a level across parts counts as one of all data, and does not hide " +
		"which part a unit is in"
}
