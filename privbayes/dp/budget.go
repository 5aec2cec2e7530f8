package dp

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/privbayes/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Charge is one entry of a budget's ledger: a release was allowed to spend Level.
type Charge struct {
	ID        string     `json:"id"`   // the release it pays for; charging it again is free
	What      string     `json:"what"` // mechanism and model, in words
	Level     Level      `json:"level"`
	Adjacency Adjacency  `json:"adjacency"`
	Rows      int        `json:"rows,omitempty"`   // rows of one unit, 0 for 1: charges about different units do not add up
	Seeded    bool       `json:"seeded,omitempty"` // drawn from a seed: charged for practice, not private
	State     ChargeMode `json:"state"`
}

// ChargeMode tells how the level of a charge came about. Charges come one after the other, each chosen after seeing earlier releases, so
// between charges only the adaptive rules apply: pure ε adds, zCDP and tCDP ρ add, Rényi ε adds at one order, (ε, δ) adds in both.
type ChargeMode string

// The modes of a charge.
const (
	// Adaptive is a charge for one mechanism.
	Adaptive ChargeMode = "adaptive"
	// ListDeclared is a charge for several mechanisms, such as the tables of one plan, whose list was fixed before the first draw: its level
	// is that of a [Declared], exact.
	ListDeclared ChargeMode = "declared"
)

// Budget is a spending limit on one data set. With a ledger file it outlives the process; see [OpenBudget]. Its methods are safe
// for concurrent use.
type Budget struct {
	mu      sync.Mutex
	dataset string
	limit   Guarantee
	charges []Charge
	ledger  *ledger // nil: in memory
}

// NewBudget is a budget in memory; it forgets when the process ends.
func NewBudget(dataset string, limit Target) (*Budget, error) {
	if err := limit.Valid(); err != nil {
		return nil, err
	}
	if err := validText("data set", dataset, label.Check); err != nil {
		return nil, err
	}
	return &Budget{dataset: dataset, limit: Guarantee{Level: limit.Level, Adjacency: limit.Adjacency, Arithmetic: Exact, Unit: "unit", RowsPerUnit: 1}}, nil
}

// BudgetExceededError says what a charge would have cost and what is left. The charge was not made.
type BudgetExceededError struct {
	Dataset string
	Limit   Level
	Spent   Level
	Request Level
}

func (e *BudgetExceededError) Error() string {
	return fmt.Sprintf("dp: budget of %s: %s asked for, %s spent of %s; nothing was charged", label.Quote(e.Dataset), e.Request, e.Spent, e.Limit)
}

// BudgetMismatchError says that a charge does not belong to a budget.
type BudgetMismatchError struct{ Field, Have, Want string }

func (e *BudgetMismatchError) Error() string {
	return fmt.Sprintf("dp: budget %s is %s; want %s", e.Field, label.Line(e.Have), label.Line(e.Want))
}

// Dataset is the name of the data set that the budget protects.
func (b *Budget) Dataset() string { return b.dataset }

// Limit is the level that all charges together stay within.
func (b *Budget) Limit() Level { return b.limit.Level }

// Spent is the composed level of all charges so far, in the notion of the limit.
func (b *Budget) Spent() Level {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, _ := compose(b.charges, b.limit.Level)
	return l
}

// Charges lists the entries, oldest first.
func (b *Budget) Charges() []Charge {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Charge(nil), b.charges...)
}

// UnchargeableError says that a release has no privacy level, so that no budget can account for it.
type UnchargeableError struct{ What, Reason string }

func (e *UnchargeableError) Error() string {
	return fmt.Sprintf("dp: %s has no privacy level (%s); want a plan that is certified, or a frame without a budget", label.Line(e.What), label.Line(e.Reason))
}

// validText is a *ParameterError for a text that check refuses.
func validText(parameter, text string, check func(string) error) error {
	var e *label.Error
	if errors.As(check(text), &e) {
		return &ParameterError{parameter, e.Shown(), label.Want}
	}
	return nil
}

// validTexts checks what a charge says in words: its id is a name, what it pays for one line.
func (c Charge) validTexts() error {
	if err := validText("id", c.ID, label.Check); err != nil {
		return err
	}
	return validText("what is charged", c.What, label.CheckLine)
}

// Charge reserves c before anything is drawn: it fails with *BudgetExceededError, *BudgetMismatchError or, for a release
// without a privacy level, *UnchargeableError and records nothing, or it records c durably. A charge whose ID is already there costs nothing. There is no refund: a draw that fails after its charge
// stays charged.
func (b *Budget) Charge(dataset string, c Charge) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if dataset != b.dataset {
		return &BudgetMismatchError{"data set", label.Quote(b.dataset), label.Quote(dataset)}
	}
	if c.Level.Notion == None {
		return &UnchargeableError{What: c.What, Reason: c.Level.Reason}
	}
	if err := c.Level.Valid(); err != nil {
		return err
	}
	if err := c.validTexts(); err != nil {
		return err
	}
	if c.Adjacency != b.limit.Adjacency {
		return &BudgetMismatchError{"adjacency", b.limit.Adjacency.String(), c.Adjacency.String()}
	}
	switch c.State {
	case "":
		c.State = Adaptive
	case Adaptive, ListDeclared:
	default:
		return &ParameterError{"mode", string(c.State), "adaptive or declared"}
	}
	if b.ledger == nil {
		var err error
		b.charges, err = b.admit(b.charges, c)
		return err
	}
	return b.ledger.update(func(have []Charge) ([]Charge, error) {
		out, err := b.admit(have, c)
		if err == nil {
			b.charges = out
		} else {
			b.charges = have
		}
		return out, err
	})
}

// covers reports whether a charge already there pays for c: the same notion and adjacency, and no more of it but for rounding.
func covers(have, c Charge) bool {
	atMost := func(a, b float64) bool { return a <= b*(1+1e-9) }
	a, b := c.Level, have.Level
	return a.Notion == b.Notion && a.Order == b.Order && c.Adjacency == have.Adjacency &&
		atMost(float64(a.Epsilon), float64(b.Epsilon)) && atMost(a.Delta, b.Delta) && atMost(a.Rho, b.Rho)
}

// admit appends c when the composition stays within the limit.
func (b *Budget) admit(have []Charge, c Charge) ([]Charge, error) {
	for _, h := range have {
		if a, b := max(h.Rows, 1), max(c.Rows, 1); a != b {
			return have, &BudgetMismatchError{"rows per unit of earlier charges", fmt.Sprint(a), fmt.Sprint(b)}
		}
		if h.ID == c.ID {
			if !covers(h, c) {
				return have, &BudgetMismatchError{"release " + label.Word(c.ID), h.Level.String(), c.Level.String()}
			}
			return have, nil
		}
	}
	next := append(append([]Charge(nil), have...), c)
	total, err := compose(next, b.limit.Level)
	if err != nil {
		return have, err
	}
	if !within(total, b.limit.Level) {
		spent, _ := compose(have, b.limit.Level)
		return have, &BudgetExceededError{b.dataset, b.limit.Level, spent, c.Level}
	}
	return next, nil
}

// within compares composed levels of one notion, allowing the rounding of a sum of decimal fractions: ten charges of 0.1 fit 1.
func within(a, limit Level) bool {
	le := func(x, y float64) bool { return x <= y*(1+1e-9) }
	return le(float64(a.Epsilon), float64(limit.Epsilon)) && le(a.Delta, limit.Delta) && le(a.Rho, limit.Rho)
}

// compose adds the charges by the adaptive rules and expresses the total in the notion of limit. At a fixed order Rényi ε adds, also
// when every level is chosen after seeing what came before (Feldman and Zrnic 2021, Theorem 3.1; see [RenyiFilter]). Under an (ε, δ)
// limit, zCDP and tCDP charges are added as ρ, up to the least ω, Rényi charges of one order as ε, and each sum is converted once; δ is
// shared out equally between the two, after what the other charges take.
func compose(charges []Charge, limit Level) (Level, error) {
	total := Level{Notion: limit.Notion, Order: limit.Order}
	rho, omega, delta := 0.0, math.Inf(1), 0.0
	renyi, order := 0.0, 0.0
	for _, c := range charges {
		switch {
		case limit.Notion == Approximate && c.Level.Notion == Concentrated:
			rho += c.Level.Rho
		case limit.Notion == Approximate && c.Level.Notion == TruncatedConcentrated:
			rho += c.Level.Rho
			omega = math.Min(omega, c.Level.Order)
		case limit.Notion == Approximate && c.Level.Notion == Renyi:
			if order != 0 && order != c.Level.Order {
				return total, &BudgetMismatchError{"order of earlier Rényi charges", fmt.Sprint(order), fmt.Sprint(c.Level.Order)}
			}
			order = c.Level.Order
			renyi += float64(c.Level.Epsilon)
		case limit.Notion == Approximate:
			total.Epsilon += c.Level.Epsilon
			delta += c.Level.Delta
		default:
			l, err := c.Level.At(limit)
			if err != nil {
				return total, err
			}
			total.Epsilon += l.Epsilon
			total.Rho += l.Rho
		}
	}
	total.Delta = delta
	if rho == 0 && renyi == 0 {
		return total, nil
	}
	rest := limit.Delta - delta
	if rest <= 0 {
		total.Epsilon = number(math.Inf(1))
		return total, nil
	}
	if rho > 0 && renyi > 0 {
		rest /= 2
	}
	if rho > 0 {
		total.Epsilon += number(tcdpEpsilon(rho, omega, rest))
	}
	if renyi > 0 {
		total.Epsilon += number(up(rdpEpsilon(order, renyi, rest)))
	}
	total.Delta = limit.Delta
	return total, nil
}

// Table shows the ledger: what was charged, and what is left.
func (b *Budget) Table() *table.Table {
	t := table.New(fmt.Sprintf("Budget of %s: %s, %s", label.Quote(b.dataset), b.limit.Level, b.limit.Adjacency), "release", "what", "charged", "mode", "drawn")
	for _, c := range b.Charges() {
		drawn := "secure"
		if c.Seeded {
			drawn = "seeded: not private"
		}
		id := c.ID
		if len(id) > 12 {
			id = id[:12]
		}
		t.Add(label.Word(id), c.What, c.Level.String(), string(c.State), drawn)
	}
	return t.Note("spent: " + b.Spent().String() + " (adaptive composition of the charges)")
}

// String shows the ledger as text.
func (b *Budget) String() string { return b.Table().String() }

// HTML shows the ledger as a table.
func (b *Budget) HTML() string { return b.Table().HTML() }
