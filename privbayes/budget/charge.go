package budget

import (
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Charge is one entry of a budget's ledger: a release was allowed to spend Level.
type Charge struct {
	ID        string       `json:"id"`   // the release it pays for; charging it again is free
	What      string       `json:"what"` // mechanism and model, in words
	Level     dp.Level     `json:"level"`
	Adjacency dp.Adjacency `json:"adjacency"`
	Rows      int          `json:"rows,omitempty"`   // of one unit, 0 for 1: charges about different units do not add up
	Seeded    bool         `json:"seeded,omitempty"` // drawn from a seed: charged for practice, not private
	State     ChargeMode   `json:"state"`
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
	return fmt.Sprintf("budget: budget %s is %s; want %s", e.Field, label.Line(e.Have), label.Line(e.Want))
}

// UnchargeableError says that a release has no privacy level, so that no budget can account for it.
type UnchargeableError struct{ What, Reason string }

func (e *UnchargeableError) Error() string {
	return fmt.Sprintf("budget: %s has no privacy level (%s); want a plan that is certified, or a frame without a "+
		"budget",
		label.Line(e.What), label.Line(e.Reason))
}

// valid checks a charge by itself, and that it is about the neighbours of the limit: the same on charging and on
// reading a ledger.
func (c Charge) valid(limit dp.Guarantee) error {
	switch {
	case c.ID == "":
		return &dp.ParameterError{Of: "budget", Parameter: "id of a charge", Value: `""`,
			Want: "a name of the release, not empty"}
	case c.Level.Notion == dp.None:
		return &UnchargeableError{What: c.What, Reason: c.Level.Reason}
	case c.Rows < 0:
		return &dp.ParameterError{Of: "budget", Parameter: "rows of a unit", Value: c.Rows, Want: "a number ≥ 1, or " +
			"0 for 1"}
	case c.State != Adaptive && c.State != ListDeclared:
		return &dp.ParameterError{Of: "budget", Parameter: "mode", Value: label.Short(string(c.State)),
			Want: "adaptive or declared"}
	}
	if err := validText("id of a charge", c.ID, label.Check); err != nil {
		return err
	}
	if err := validText("what a charge is for", c.What, label.CheckLine); err != nil {
		return err
	}
	if err := c.Level.Valid(); err != nil {
		return err
	}
	if c.Adjacency != limit.Adjacency {
		return &MismatchError{"adjacency", limit.Adjacency.String(), c.Adjacency.String()}
	}
	return nil
}

// sameUnit checks that two charges are about units of one size.
func (c Charge) sameUnit(h Charge) error {
	if a, b := max(h.Rows, 1), max(c.Rows, 1); a != b {
		return &MismatchError{"rows per unit of earlier charges", fmt.Sprint(a), fmt.Sprint(b)}
	}
	return nil
}

// covers reports whether a charge already there pays for c: the same notion and adjacency, and no more of it but for
// the rounding of another machine, which may derive the level of one and the same release as another float64.
func covers(have, c Charge) bool {
	atMost := func(a, b float64) bool { return a <= b*(1+1e-9) }
	a, b := c.Level, have.Level
	return a.Notion == b.Notion && a.Order == b.Order && c.Adjacency == have.Adjacency &&
		max(c.Rows, 1) == max(have.Rows, 1) &&
		atMost(float64(a.Epsilon), float64(b.Epsilon)) && atMost(a.Delta, b.Delta) && atMost(a.Rho, b.Rho)
}

// validText is a *ParameterError for a text that check refuses.
func validText(parameter, text string, check func(string) error) error {
	var e *label.Error
	if errors.As(check(text), &e) {
		return &dp.ParameterError{Of: "budget", Parameter: parameter, Value: e.Shown(), Want: label.Want}
	}
	return nil
}
