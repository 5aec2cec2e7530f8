package budget

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// account is the rule by which charges add up under a limit. Each charge is chosen after seeing the outputs of those
// before it, so only sums that are fixed beforehand may be held against the limit (theory/ledger.md):
//
//   - under pure ε, ε adds; under zCDP and tCDP, ρ adds; under (λ, ε)-RDP, Rényi ε adds at the order λ of the limit;
//   - under (ε, δ), pure and (ε, δ) charges add ε and δ, and stay there; zCDP, tCDP and Rényi charges add their
//     divergence at the order of the conversion to the same ε; the first of them also pays the conversion's cost in ε
//     and its share in δ.
type account struct {
	limit      dp.Parameters
	conversion Conversion
	cost       float64 // Conversion.Cost, rounded up
}

func newAccount(limit dp.Parameters, c Conversion) account { return account{limit, c, c.Cost()} }

// leeway is by how much a sum may exceed a limit, relatively: numbers such as 0.1 are not exact in binary, and ten
// charges of 0.1 fit 1. So a limit x stands for x·(1 + 2^-50), under one part in 10^15 more; sums are exact, so that
// nothing else adds to it.
const leeway = 0x1p-50

// spending is what charges add up to, exactly.
type spending struct {
	epsilon, delta, rho *big.Float
	converted           bool // a charge of these converts
}

// nothing is the sum of no charges.
func nothing() spending { return spending{epsilon: exact(0), delta: exact(0), rho: exact(0)} }

// plus is the sum of both.
func (s spending) plus(o spending) spending {
	add := func(x, y *big.Float) *big.Float { return exact(0).Add(x, y) }
	return spending{add(s.epsilon, o.epsilon), add(s.delta, o.delta), add(s.rho, o.rho), s.converted || o.converted}
}

// exact is a number with room for every sum and product of two float64: none of them rounds.
func exact(x float64) *big.Float {
	if math.IsNaN(x) {
		x = math.Inf(1)
	}
	return new(big.Float).SetPrec(4400).SetFloat64(x)
}

// product is x·y, exactly.
func product(x, y float64) *big.Float { return exact(x).Mul(exact(x), exact(y)) }

// add adds a level, without the cost of a conversion. It fails with *ConversionOrderError or *NotionError for one that
// the limit cannot count.
func (a account) add(s *spending, l dp.Parameters) error {
	if a.limit.Notion == dp.Approximate {
		return a.addApproximate(s, l)
	}
	if a.limit.Notion == dp.Renyi && (l.Notion == dp.Concentrated || l.Notion == dp.TruncatedConcentrated &&
		a.limit.Order <= l.Order) {
		s.epsilon.Add(s.epsilon, product(l.Rho, a.limit.Order)) // as At, without its inflation
		return nil
	}
	w, err := l.At(a.limit)
	if err != nil {
		return &NotionError{Limit: a.limit, Charge: l, Err: err}
	}
	s.epsilon.Add(s.epsilon, exact(float64(w.Epsilon)))
	s.rho.Add(s.rho, exact(w.Rho))
	return nil
}

func (a account) addApproximate(s *spending, l dp.Parameters) error {
	divergence, order := exact(float64(l.Epsilon)), l.Order
	switch l.Notion {
	case dp.Pure, dp.Approximate:
		s.epsilon.Add(s.epsilon, divergence)
		s.delta.Add(s.delta, exact(l.Delta))
		return nil
	case dp.Renyi:
	case dp.Concentrated, dp.TruncatedConcentrated:
		divergence = product(l.Rho, a.conversion.Order)
		if l.Notion == dp.Concentrated {
			order = math.Inf(1)
		}
	default:
		return &NotionError{Limit: a.limit, Charge: l, Err: &dp.ConversionError{From: l.Notion, To: dp.Approximate}}
	}
	if a.conversion.Order == 0 || order < a.conversion.Order {
		return &ConversionOrderError{l, a.conversion.Order}
	}
	s.epsilon.Add(s.epsilon, divergence)
	s.converted = true
	return nil
}

// paid is the sum with the cost and the share of the conversion, where a charge converts.
func (a account) paid(s spending) spending {
	if !s.converted {
		return s
	}
	return s.plus(spending{exact(a.cost), exact(a.conversion.Delta), exact(0), true})
}

// fits reports whether the sums are within the limit, up to leeway.
func (a account) fits(s spending) bool {
	within := func(x *big.Float, limit float64) bool { return x.Cmp(product(limit, 1+leeway)) <= 0 }
	return within(s.epsilon, float64(a.limit.Epsilon)) && within(s.delta, a.limit.Delta) && within(s.rho, a.limit.Rho)
}

// level is the spending in the notion of the limit, rounded up. What cannot be counted at all is infinite.
func (a account) level(s spending, err error) dp.Parameters {
	up := func(x *big.Float) float64 {
		v, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(x).Float64()
		return v
	}
	l := dp.Parameters{Notion: a.limit.Notion, Order: a.limit.Order, Epsilon: cert.Number(up(s.epsilon)),
		Delta: up(s.delta), Rho: up(s.rho)}
	if err != nil && l.Rho == 0 {
		l.Epsilon = cert.Number(math.Inf(1))
	}
	return l
}

// Remainder is what a budget may still be charged. It is for planning: what is guaranteed is the limit, however little
// was spent.
type Remainder struct {
	Notion dp.Notion // of the limit

	Epsilon float64 // for charges that add ε: pure and, under that limit, (ε, δ); under a Rényi limit, ε at its order
	Delta   float64 // for (ε, δ) charges
	Rho     float64 // for one zCDP charge; also for tCDP up to the order
	Renyi   float64 // for one Rényi charge of at least Order under an (ε, δ) limit, after the cost of the conversion
	Order   float64 // of the conversion, or of a Rényi limit

	Converted bool // the conversion has been paid, under an (ε, δ) limit
}

// left is what the limit leaves after s, rounded down.
func (a account) left(s spending, err error) Remainder {
	r := Remainder{Notion: a.limit.Notion, Order: a.limit.Order, Converted: s.converted}
	if err != nil {
		return r
	}
	rest := func(limit float64, x *big.Float) *big.Float {
		if d := exact(limit).Sub(exact(limit), x); d.Sign() > 0 {
			return d
		}
		return exact(0)
	}
	down := func(x *big.Float) float64 {
		v, _ := new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf).Set(x).Float64()
		return v
	}
	over := func(x *big.Float, order float64) float64 {
		return down(new(big.Float).SetPrec(200).Quo(x, exact(order)))
	}
	epsilon, delta := rest(float64(a.limit.Epsilon), s.epsilon), rest(a.limit.Delta, s.delta)
	switch a.limit.Notion {
	case dp.Pure:
		r.Epsilon = down(epsilon)
	case dp.Renyi:
		r.Epsilon, r.Rho = down(epsilon), over(epsilon, a.limit.Order)
	case dp.Concentrated, dp.TruncatedConcentrated:
		r.Rho = down(rest(a.limit.Rho, s.rho))
	case dp.Approximate:
		r.Epsilon, r.Delta, r.Order = down(epsilon), down(delta), a.conversion.Order
		if !s.converted {
			if a.conversion.Order == 0 || delta.Cmp(exact(a.conversion.Delta)) < 0 {
				break
			}
			epsilon.Sub(epsilon, exact(a.cost))
			if epsilon.Sign() < 0 {
				break
			}
		}
		r.Renyi, r.Rho = down(epsilon), over(epsilon, a.conversion.Order)
	}
	return r
}

// String says what is left, such as "ε = 0.4 and δ = 5e-07, or ρ = 0.01 of zCDP".
func (r Remainder) String() string {
	n := table.Number
	switch r.Notion {
	case dp.Pure:
		return "ε = " + n(r.Epsilon)
	case dp.Renyi:
		return fmt.Sprintf("ε = %s at order %s, or ρ = %s of zCDP", n(r.Epsilon), n(r.Order), n(r.Rho))
	case dp.Concentrated, dp.TruncatedConcentrated:
		return "ρ = " + n(r.Rho)
	case dp.Approximate:
		s := fmt.Sprintf("ε = %s and δ = %s", n(r.Epsilon), n(r.Delta))
		switch {
		case r.Rho > 0 && r.Converted:
			return s + fmt.Sprintf(", or ρ = %s of zCDP (the conversion is paid)", n(r.Rho))
		case r.Rho > 0:
			return s + fmt.Sprintf(", or ρ = %s of zCDP after paying the conversion", n(r.Rho))
		}
		return s + ", nothing for zCDP, tCDP or Rényi charges"
	}
	return "nothing"
}

// Charge is one entry of a budget's ledger: a release was allowed to spend Level.
type Charge struct {
	ID        string        `json:"id"`   // the release it pays for; charging it again is free
	What      string        `json:"what"` // mechanism and model, in words
	Level     dp.Parameters `json:"level"`
	Adjacency dp.Adjacency  `json:"adjacency"`
	Unit      Unit          `json:"unit"`             // must be the budget's
	Seeded    bool          `json:"seeded,omitempty"` // drawn from a seed: charged for practice, not private
	State     ChargeMode    `json:"state"`
	Tool      string        `json:"tool,omitempty"`    // the other tool that released, of which nothing was checked here
	Part      *Part         `json:"part,omitempty"`    // the part of the data that was released; nil: all of them
	Columns   *Columns      `json:"columns,omitempty"` // under replace-value: which are protected
	Strata    string        `json:"strata,omitempty"`  // under replace-one within strata: which, frame.Schema.StrataName
	Design    string        `json:"design,omitempty"`  // how the rows were drawn: frame.Schema.DesignName; "": not said
	Slots     []dp.Slot     `json:"slots,omitempty"`   // set aside for later releases; Level counts them in full
	Slot      *dp.Slot      `json:"slot,omitempty"`    // the release is from it: its charge is that of the publication
	Info      Info          `json:"info,omitempty"`    // for people: nothing is decided by it
}

// ChargeMode tells how the level of a charge came about. Charges come one after the other, each chosen after seeing
// earlier releases, so between charges only the adaptive rules apply: pure ε adds, zCDP and tCDP ρ add, Rényi ε adds at
// one order, (ε, δ) adds in both.
type ChargeMode string

// The modes of a charge.
const (
	// Adaptive is a charge for one mechanism.
	Adaptive ChargeMode = "adaptive"
	// ListDeclared is a charge for several mechanisms, such as the tables of one plan, whose list was fixed before the
	// first draw: its level is that of a [Declared], exact.
	ListDeclared ChargeMode = "declared"
)

// MismatchError says that a charge does not belong to a budget.
type MismatchError struct{ Field, Have, Want string }

func (e *MismatchError) Error() string {
	want := safetext.Line(e.Want)
	if e.Field == "adjacency" {
		want += ", which is that of the release"
	}
	return fmt.Sprintf("budget: budget %s is %s; want %s", e.Field, safetext.Line(e.Have), want)
}

// UnchargeableError says that a release has no privacy level, so that no budget can account for it.
type UnchargeableError struct{ What, Reason string }

func (e *UnchargeableError) Error() string {
	return fmt.Sprintf("budget: %s has no privacy level (%s); want a plan that is certified, or a frame without a "+
		"budget",
		safetext.Line(e.What), safetext.Line(e.Reason))
}

// maxWhat bounds what a charge says it is for, in bytes, so that its line fits a ledger.
const maxWhat = 1 << 14

// valid checks a charge by itself, and that it is about the unit and the neighbours of the budget: the same on charging
// and on reading a ledger.
func (c Charge) valid(b *Budget) error {
	switch {
	case c.ID == "":
		return &dp.ParameterError{Of: "budget", Parameter: "id of a charge", Value: `""`,
			Want: "a name of the release, not empty"}
	case c.Level.Notion == dp.None:
		return &UnchargeableError{What: c.What, Reason: c.Level.Reason}
	case len(c.What) > maxWhat:
		return &dp.ParameterError{Of: "budget", Parameter: "what a charge is for", Value: fmt.Sprint(len(c.What), " bytes"),
			Want: fmt.Sprintf("at most %d", maxWhat)}
	case c.State != Adaptive && c.State != ListDeclared:
		return &dp.ParameterError{Of: "budget", Parameter: "mode", Value: safetext.Short(string(c.State)),
			Want: "adaptive or declared"}
	}
	if err := validText("id of a charge", c.ID, safetext.Check); err != nil {
		return err
	}
	if err := validText("what a charge is for", c.What, safetext.CheckLine); err != nil {
		return err
	}
	if err := c.Level.Valid(); err != nil {
		return err
	}
	if err := c.Unit.valid(); err != nil {
		return err
	}
	if !b.unit.counts(c.Unit) {
		return &UnitError{b.dataset, b.unit, c.Unit}
	}
	if !c.Adjacency.Implies(b.limit.Adjacency) {
		return &MismatchError{"adjacency", b.limit.Adjacency.String(), c.Adjacency.String()}
	}
	if c.Tool != "" {
		if err := validText("tool", c.Tool, safetext.CheckTitle); err != nil {
			return err
		}
	}
	return cmp.Or(c.Part.valid(c.Adjacency), c.Columns.valid(c.Adjacency), c.validStrata(), c.validDesign(),
		c.validSlots(), c.Info.valid())
}

// covers reports whether a charge already there pays for c, of the same unit and adjacency: by the same tool, of the
// same part and columns, the same notion, and no more of it but for the rounding of another machine, which may derive
// the level of one and the same release as another float64. A ledger of before does not say how rows were drawn.
func covers(have, c Charge) bool {
	return have.Tool == c.Tool && (c.Tool == "" || have.What == c.What) && have.Part.covers(c.Part) &&
		have.Columns.covers(c.Columns) && have.Strata == c.Strata && (have.Design == c.Design || have.Design == "") &&
		sameSlots(have, c) && atMost(c.Level, have.Level)
}

// subject says what a charge is, where it differs from another of the same name.
func (c Charge) subject(o Charge) string {
	s := c.Level.Apart(o.Level)
	if c.Tool != o.Tool || c.What != o.What && c.Tool != "" {
		s += " for " + safetext.Quote(c.What)
		if c.Tool != "" {
			s += " by " + safetext.Quote(c.Tool)
		}
	}
	if !c.Part.covers(o.Part) && c.Part != nil {
		s += " of the part " + c.Part.String()
	}
	if !c.Columns.covers(o.Columns) {
		s += " of other columns"
	}
	if c.Strata != o.Strata {
		s += " of other strata"
	}
	switch {
	case c.Design == o.Design:
	case c.Design == "":
		s += " without a sampling design"
	default:
		s += " of the sampling design " + safetext.Quote(c.Design)
	}
	switch {
	case c.Slot != nil:
		s += " from the " + c.Slot.String()
	case !sameSlots(c, o):
		s += fmt.Sprintf(" with %s", table.Count(len(c.Slots), "reserved slot"))
	}
	return s
}

// atMost reports whether a is the notion of b, and no more of it but for rounding.
func atMost(a, b dp.Parameters) bool {
	less := func(a, b float64) bool { return a <= b*(1+1e-9) }
	return a.Notion == b.Notion && a.Order == b.Order &&
		less(float64(a.Epsilon), float64(b.Epsilon)) && less(a.Delta, b.Delta) && less(a.Rho, b.Rho)
}

// validText is a *ParameterError for a text that check refuses.
func validText(parameter, text string, check func(string) error) error {
	var e *safetext.Error
	if errors.As(check(text), &e) {
		return &dp.ParameterError{Of: "budget", Parameter: parameter, Value: e.Shown(), Want: safetext.Want}
	}
	return nil
}
