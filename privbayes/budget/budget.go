// Package budget tracks the total privacy loss of the releases of a data set, and refuses releases beyond its limit. A
// [Budget] adds charges up in memory, or in a ledger file that outlives the process ([Open]). The limit is fixed before
// the first charge. A [RenyiFilter] adds charges up at one Rényi order.
//
// The rules hold for charges that are chosen one by one, each after seeing the earlier releases (theory/ledger.md).
package budget

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Budget is a spending limit on one data set. With a ledger file it outlives the process; see [Open]. Its methods are
// safe for concurrent use.
//
// However the charges were chosen, each after seeing what the releases before it published, all of them together have
// the level of the limit, where a limit x stands for x·(1 + 2^-50): theory/ledger.md.
type Budget struct {
	mu      sync.Mutex
	dataset string
	unit    Unit
	limit   dp.Guarantee
	account account
	charges []Charge
	notes   []string // of the ledger: what was mended
	ledger  *ledger  // nil: in memory
}

// New is a budget in memory for a data set and a unit; it forgets when the process ends. Options are for (ε, δ) limits:
// see [ConvertAtOrder]. A limit is a level under an adjacency: one refined by RequireExact or AsPublished asks for what
// no budget sees, and is refused. It fails with *ParameterError for a limit or an option outside its domain.
func New(dataset string, unit Unit, limit dp.Request, options ...Option) (*Budget, error) {
	if err := limit.Valid(); err != nil {
		return nil, err
	}
	if limit.ExactOnly || limit.NominalScale {
		return nil, &dp.ParameterError{Of: "budget", Parameter: "limit", Value: "a target refined by RequireExact or " +
			"AsPublished", Want: "a level alone: a budget does not see how a release is drawn"}
	}
	if err := validText("data set", dataset, safetext.CheckTitle); err != nil {
		return nil, err
	}
	unit = unit.filled()
	if err := unit.valid(); err != nil {
		return nil, err
	}
	c, err := newConversion(limit.Parameters, options)
	if err != nil {
		return nil, err
	}
	g := dp.Guarantee{Parameters: limit.Parameters, Adjacency: limit.Adjacency, Arithmetic: dp.Exact, Unit: unit.Name,
		RowsPerUnit: unit.Rows}
	return &Budget{dataset: dataset, unit: unit, limit: g, account: newAccount(limit.Parameters, c)}, nil
}

// ExceededError says what a charge would have cost, what is spent and what is left. The charge was not made.
type ExceededError struct {
	Dataset string
	Limit   dp.Parameters
	Spent   dp.Parameters
	Request dp.Parameters
	Left    Remainder
}

func (e *ExceededError) Error() string {
	left := dp.Parameters{Epsilon: cert.Number(e.Left.Epsilon), Delta: e.Left.Delta, Rho: e.Left.Rho,
		Order: e.Request.Order}
	return fmt.Sprintf("budget: the budget of %s has %s left of %s, and this needs %s; nothing was charged",
		safetext.Quote(e.Dataset), e.Left, e.Limit.Apart(e.Spent), e.Request.Apart(left))
}

// OverspentError refuses a charge to a ledger whose charges are above its limit already, as no budget writes it: its
// file was edited, or two machines round the cost of the conversion differently. The ledger can be read, and releases
// charged in it can be used; it takes no more.
type OverspentError struct {
	Dataset string
	Limit   dp.Parameters
	Spent   dp.Parameters // infinite where a charge cannot be counted at the order of the conversion
}

func (e *OverspentError) Error() string {
	return fmt.Sprintf("budget: budget of %s: %s is spent by the rule for charges that are chosen one after the "+
		"other, which is above the limit %s%s; it takes no more charges",
		safetext.Quote(e.Dataset), e.Spent, e.Limit, e.excess())
}

// excess says by how much, parameter by parameter.
func (e *OverspentError) excess() string {
	var by []string
	for _, p := range []struct {
		name        string
		have, limit float64
	}{{"ε", float64(e.Spent.Epsilon), float64(e.Limit.Epsilon)}, {"δ", e.Spent.Delta, e.Limit.Delta},
		{"ρ", e.Spent.Rho, e.Limit.Rho}} {
		if p.have > p.limit {
			by = append(by, p.name+" by "+table.Number(p.have-p.limit))
		}
	}
	if len(by) == 0 {
		return ""
	}
	return " (" + strings.Join(by, ", ") + ")"
}

// Dataset is the name of the data set that the budget protects.
func (b *Budget) Dataset() string { return b.dataset }

// Unit is the unit that the budget protects.
func (b *Budget) Unit() Unit { return b.unit }

// Limit is the level that all charges together stay within.
func (b *Budget) Limit() dp.Parameters { return b.limit.Parameters }

// Adjacency is that of the limit, and of every charge.
func (b *Budget) Adjacency() dp.Adjacency { return b.limit.Adjacency }

// Conversion is the order and the share of δ at which an (ε, δ) budget converts: fixed when it was made. It is zero for
// other limits.
func (b *Budget) Conversion() Conversion { return b.account.conversion }

// Spent is the composed level of all charges so far, in the notion of the limit, rounded up.
func (b *Budget) Spent() dp.Parameters {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account.total(b.account.spend(b.charges))
}

// Left is what may still be charged, rounded down.
func (b *Budget) Left() Remainder {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account.remaining(b.account.spend(b.charges))
}

// Charges lists the entries, oldest first.
func (b *Budget) Charges() []Charge {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Charge, len(b.charges))
	for i, c := range b.charges {
		out[i] = c.own()
	}
	return out
}

// Charge reserves c before anything is drawn: it records c durably, or it records nothing and fails with
// *ExceededError, *OverspentError, *MismatchError, *UnitError, *ConversionOrderError or *NotionError where the limit
// cannot count such a level, *ParameterError for a malformed charge, *UnchargeableError for a release without a privacy
// level, *dp.SlotError for a slot that is used or not there, and *LedgerError or *LedgerChangedError where the file is
// at fault. A charge whose ID is already there costs
// nothing. There is no refund: a draw that fails after its charge stays charged.
func (b *Budget) Charge(dataset string, c Charge) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	c = c.own()
	c.Unit = c.Unit.filled()
	if err := b.For(dataset, c.Unit); err != nil {
		return err
	}
	if c.State == "" {
		c.State = Adaptive
	}
	if b.ledger != nil {
		c.Info = c.Info.stamped(time.Now())
	}
	if c.Part != nil && c.Part.Across == nil && c.Adjacency == dp.AddRemove && b.limit.Adjacency == dp.ReplaceOne {
		var err error
		if c, err = c.moving(); err != nil {
			return err
		}
	}
	if err := c.valid(b); err != nil {
		return err
	}
	if b.ledger == nil {
		var err error
		b.charges, err = b.admit(b.charges, c)
		return err
	}
	return b.ledger.update(b, func(have []Charge) ([]Charge, error) { return b.admit(have, c) })
}

// admit appends c when the composition stays within the limit.
func (b *Budget) admit(have []Charge, c Charge) ([]Charge, error) {
	for _, h := range have {
		if h.ID == c.ID && covers(h, c) {
			return have, nil
		}
		if h.ID == c.ID {
			return have, &MismatchError{"release " + safetext.Word(c.ID), h.subject(c), c.subject(h)}
		}
	}
	if err := cmp.Or(oneRule(have, c), oneClass(have, c), sameStrata(have, c), fromSlot(have, c)); err != nil {
		return have, err
	}
	next := append(append([]Charge(nil), have...), c)
	after, err := b.account.spend(next)
	if err == nil && b.account.fitAll(after) {
		return next, nil
	}
	if s, err := b.account.spend(have); err != nil || !b.account.fitAll(s) {
		return have, &OverspentError{b.dataset, b.limit.Parameters, b.account.total(s, err)}
	}
	var none *dp.ConversionError
	switch {
	case errors.As(err, &none) && b.limit.Notion == dp.Pure:
		return have, fmt.Errorf("the budget of %s is for pure ε and the release needs more (%w); open it with "+
			"ApproxDP(ε, δ), as a new budget, or release under PureDP", safetext.Quote(b.dataset), err)
	case err != nil:
		return have, err
	}
	shared, _ := b.account.spend(sharing(have, c))
	return have, &ExceededError{b.dataset, b.limit.Parameters, b.account.total(shared, nil), c.Level,
		b.account.remaining(shared, nil)}
}

// The kinds of warnings about a ledger.
const (
	// LedgerRepaired warns that a last line was cut short and taken out, or had no line end.
	LedgerRepaired warning.Kind = "ledger-repaired"
	// LedgerOverspent warns that a ledger's charges are above its limit: it takes no more. See [OverspentError].
	LedgerOverspent warning.Kind = "ledger-overspent"
)

// For says whether the budget is one of the data set and the unit: *MismatchError if it is another data set's,
// *UnitError if it is another unit's, an error without a budget.
func (b *Budget) For(dataset string, unit Unit) error {
	switch {
	case b == nil:
		return errors.New("no budget; want one from OpenBudget")
	case b.dataset != dataset:
		return &MismatchError{Field: "data set", Have: safetext.Quote(b.dataset), Want: safetext.Quote(dataset)}
	case !b.unit.counts(unit.filled()):
		return &UnitError{b.dataset, b.unit, unit.filled()}
	}
	return nil
}

// Warnings lists what the owner of the budget should know: what was mended in its file, and whether it is above its
// limit.
func (b *Budget) Warnings() warning.List {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list warning.List
	for _, n := range b.notes {
		list = append(list, warning.Warning{Kind: LedgerRepaired, Text: n})
	}
	if s, err := b.account.spend(b.charges); err != nil || !b.account.fitAll(s) {
		e := &OverspentError{b.dataset, b.limit.Parameters, b.account.total(s, err)}
		list = append(list, warning.Warning{Kind: LedgerOverspent, Text: strings.TrimPrefix(e.Error(), "budget: ")})
	}
	return list
}

// NotionError is a charge of a notion that the limit cannot count, such as (ε, δ) under a pure ε. Nothing was charged.
type NotionError struct {
	Limit, Charge dp.Parameters
	Err           error // *dp.ConversionError
}

func (e *NotionError) Error() string {
	s := fmt.Sprintf("budget: the limit %s cannot count %s", e.Limit, e.Charge)
	switch {
	case e.Charge.Notion == dp.None:
		return s + "; nothing was charged"
	case e.Limit.Notion == dp.Pure && e.Charge.Notion == dp.Approximate:
		s += ", as it has no δ"
	}
	return s +
		"; want a budget opened with ApproxDP(ε, δ), which counts every privacy definition, or a charge in that of the " +
		"limit; nothing was charged"
}

// Unwrap returns the cause.
func (e *NotionError) Unwrap() error { return e.Err }

// Table shows the ledger: what was charged, what is used and what is left.
func (b *Budget) Table() *table.Table {
	t := table.New(fmt.Sprintf("Budget of %s: %s, %s, unit: %s", safetext.Quote(b.dataset), b.limit.Parameters,
		b.limit.Adjacency, b.unit),
		"release", "what", "charged", "mode", "noise")
	charges := b.Charges()
	parts, tools := parted(charges), 0
	if parts {
		t.Columns = slices.Insert(t.Columns, 2, "part")
	}
	for _, c := range charges {
		row := c.row()
		if parts {
			row = slices.Insert(row, 2, any(c.Part.String()))
		}
		if t.Add(row...); c.Tool != "" {
			tools++
		}
	}
	if len(charges) == 0 {
		t.Columns = nil
		t.Note("No release yet.")
	}
	spent := b.Spent()
	if tools > 0 {
		t.Note(fmt.Sprintf("not checked here: %s of other tools. Nobody here has checked what was stated for them, and what "+
			"all releases together use is true only if it is.", table.Count(tools, "release")))
	}
	if parts {
		t.Note(partsNote(b.limit.Adjacency))
	}
	if note := slotsNote(charges); note != "" {
		t.Note(note)
	}
	t.Note("used: " + bar(b.share(spent)) + " " + spent.String() + " (adaptive composition of the charges)")
	left := b.Left()
	t.Note("left: " + left.String())
	if c := b.account.conversion; c.Order > 0 {
		paid := "to be paid by the first charge that needs it"
		if left.Converted {
			paid = "paid"
		}
		t.Note(fmt.Sprintf("zCDP, tCDP and Rényi charges add up at order %v; converting them takes ε = %s and δ = %s "+
			"once, %s: all fixed when the budget was made",
			c.Order, table.Number(b.account.cost), table.Number(c.Delta), paid))
	}
	return t
}

// row is a line of the table.
func (c Charge) row() []any {
	drawn, what := "secure", safetext.Unmixed(c.What)
	switch {
	case c.Tool != "":
		drawn, what = "not checked here", what+", by "+safetext.Quote(c.Tool)
	case c.Seeded:
		drawn = "seeded: not private"
	}
	id, level := []rune(c.ID), c.Level.String()
	if c.Slot != nil {
		level += ", in the charge of " + safetext.Word(c.Slot.Publication[:min(12, len(c.Slot.Publication))])
	}
	if c.Part != nil && c.Part.Across != nil {
		level += "; across parts " + c.Part.Across.String()
	}
	return []any{safetext.Word(string(id[:min(12, len(id))])), what, level, string(c.State), drawn}
}

// String shows the ledger as text.
func (b *Budget) String() string { return table.Text(b) }

// share is the larger of the shares of ε, δ and ρ that are spent.
func (b *Budget) share(spent dp.Parameters) (out float64) {
	for _, p := range [][2]float64{{float64(spent.Epsilon), float64(b.limit.Epsilon)}, {spent.Delta, b.limit.Delta},
		{spent.Rho, b.limit.Rho}} {
		if p[1] > 0 {
			out = math.Max(out, p[0]/p[1])
		}
	}
	return out
}

// bar draws a share with twenty blocks and says it in per cent; a little that is spent is one block, and a little that
// is left an empty one.
func bar(share float64) string {
	const blocks = 20
	full := blocks
	if share < 1 {
		full = min(int(math.Ceil(share*blocks)), blocks-1)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", blocks-full) + fmt.Sprintf(" %.0f %%,", 100*share)
}

// Info is what the head or a charge of a ledger says to people beside what counts: "time", "who", "why", "part", and
// whatever else a program writes there. It is kept and shown, and nothing is decided by it: no rule reads it, two
// charges of one release are one charge whatever they say here, and who can write the file can write anything. Keys are
// words of small letters and underscores; values are texts of one line. All other fields of a ledger are known, and one
// that is not is refused, as it may change what the others mean.
type Info map[string]string

// The bounds of an Info.
const (
	maxInfo     = 32
	maxInfoText = 1000 // bytes
)

// timeKey is the key of the time at which a charge was made, in UTC and whole minutes: RFC 3339.
const timeKey = "time"

// valid returns a *ParameterError for what no Info may say.
func (i Info) valid() error {
	if len(i) > maxInfo {
		return &dp.ParameterError{Of: "budget", Parameter: "info", Value: fmt.Sprint(len(i), " fields"),
			Want: fmt.Sprintf("at most %d", maxInfo)}
	}
	for k, v := range i {
		if !smallWord(k) || len(k) > 40 {
			return &dp.ParameterError{Of: "budget", Parameter: "field of info", Value: safetext.Short(k),
				Want: "at most 40 small letters a to z and underscores"}
		}
		if len(v) > maxInfoText {
			return &dp.ParameterError{Of: "budget", Parameter: "info " + k, Value: fmt.Sprint(len(v), " bytes"),
				Want: fmt.Sprintf("at most %d", maxInfoText)}
		}
		if err := validText("info "+k, v, safetext.CheckLine); err != nil {
			return err
		}
	}
	return nil
}

// stamped is the info with the time, unless it says one.
func (i Info) stamped(now time.Time) Info {
	out := Info{timeKey: now.UTC().Truncate(time.Minute).Format(time.RFC3339)}
	for k, v := range i {
		out[k] = v
	}
	return out
}
