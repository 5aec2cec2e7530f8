package budget

import (
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Charge is one entry of a budget's ledger: a release was allowed to spend Level.
type Charge struct {
	ID        string        `json:"id"`   // the release it pays for; charging it again is free
	What      string        `json:"what"` // mechanism and model, in words
	Level     dp.Parameters `json:"level"`
	Adjacency dp.Adjacency  `json:"adjacency"`
	Unit      Unit          `json:"unit"`             // must be the budget's
	Seeded    bool          `json:"seeded,omitempty"` // drawn from a seed: charged for practice, not private
	State     ChargeMode    `json:"state"`
	Info      Info          `json:"info,omitempty"` // for people: nothing is decided by it
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
	return fmt.Sprintf("budget: budget %s is %s; want %s", e.Field, safetext.Line(e.Have), safetext.Line(e.Want))
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
	if c.Unit != b.unit {
		return &UnitError{b.dataset, b.unit, c.Unit}
	}
	if c.Adjacency != b.limit.Adjacency {
		return &MismatchError{"adjacency", b.limit.Adjacency.String(), c.Adjacency.String()}
	}
	return c.Info.valid()
}

// covers reports whether a charge already there pays for c, of the same unit and adjacency: the same notion, and no
// more of it but for the rounding of another machine, which may derive the level of one and the same release as another
// float64.
func covers(have, c Charge) bool {
	atMost := func(a, b float64) bool { return a <= b*(1+1e-9) }
	a, b := c.Level, have.Level
	return a.Notion == b.Notion && a.Order == b.Order &&
		atMost(float64(a.Epsilon), float64(b.Epsilon)) && atMost(a.Delta, b.Delta) && atMost(a.Rho, b.Rho)
}

// validText is a *ParameterError for a text that check refuses.
func validText(parameter, text string, check func(string) error) error {
	var e *safetext.Error
	if errors.As(check(text), &e) {
		return &dp.ParameterError{Of: "budget", Parameter: parameter, Value: e.Shown(), Want: safetext.Want}
	}
	return nil
}
