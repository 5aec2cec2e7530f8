package budget

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A ledger file is lines of JSON: a head that names data set, limit and conversion, then a line for a charge or a note.
// It only grows.
type ledgerHead struct {
	Format     string       `json:"format"`
	Dataset    string       `json:"dataset"`
	Limit      dp.Level     `json:"limit"`
	Adjacency  dp.Adjacency `json:"adjacency"`
	Conversion Conversion   `json:"conversion,omitzero"` // format 2: of an (ε, δ) limit
}

const (
	// no conversion in the head: it is that of the limit, as for a ledger made without options
	ledgerFormat1 = "privbayes-ledger-1"
	ledgerFormat2 = "privbayes-ledger-2"
)

// ledgerNote is a line that charges nothing and says what was mended.
type ledgerNote struct {
	Note string `json:"note"`
}

// LedgerError is a ledger file that cannot be used. Nothing was charged.
type LedgerError struct {
	Path string
	Line int
	Want string
	Err  error
}

func (e *LedgerError) Error() string {
	at := label.File(e.Path)
	if e.Line > 0 {
		at += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("budget: ledger %s: want %s: %s", at, e.Want, label.Cause(e.Err, 500))
	}
	return fmt.Sprintf("budget: ledger %s: want %s", at, e.Want)
}

// Unwrap returns the cause.
func (e *LedgerError) Unwrap() error { return e.Err }

// ledgerText is what a ledger file says.
type ledgerText struct {
	account account
	old     bool // format 1
	charges []Charge
	notes   []string
	ids     map[string]bool // of the charges
	lines   int             // in the bytes up to whole
	whole   int             // bytes up to the last line that is kept
	mend    []byte          // what is to be written from there on, if not empty: see parseTail
}

// parseLedger reads a ledger file that is to hold the charges of b. asked is set where options were given for the
// conversion, which must then be that of the file.
func parseLedger(path string, raw []byte, b *Budget, asked bool) (ledgerText, error) {
	var t ledgerText
	end := bytes.IndexByte(raw, '\n') + 1
	if end == 0 {
		return t, &LedgerError{Path: path, Line: 1, Want: "a ledger's head"}
	}
	account, old, err := parseHead(raw[:end-1], b, asked)
	if err != nil {
		return t, &LedgerError{path, 1, "a ledger's head", err}
	}
	t.account, t.old, t.whole, t.lines = account, old, end, 1
	return t, t.parseRest(path, raw, b.limit)
}

// parseRest adds the lines of a ledger file after those that t has.
func (t *ledgerText) parseRest(path string, raw []byte, limit dp.Guarantee) error {
	t.mend = nil
	end := bytes.LastIndexByte(raw, '\n') + 1
	if end > t.whole {
		for line := range bytes.SplitSeq(raw[t.whole:end-1], []byte("\n")) {
			t.lines++
			if err := t.parseLine(line, limit, t.account, t.old); err != nil {
				return &LedgerError{path, t.lines, "a charge that the limit can count, or a note", err}
			}
		}
	}
	t.whole = end
	if end < len(raw) {
		t.parseTail(raw[end:], limit, t.account, t.old)
	}
	return nil
}

// add takes note of what was written after the lines of t.
func (t *ledgerText) add(written []byte, charges []Charge) {
	for _, c := range charges[len(t.charges):] {
		if t.ids == nil {
			t.ids = map[string]bool{}
		}
		t.ids[c.ID] = true
	}
	t.charges, t.mend = charges, nil
	t.whole += len(written)
	t.lines += bytes.Count(written, []byte("\n"))
}

// headMismatchError is a ledger of another budget than the one asked for.
type headMismatchError struct{ have, want ledgerHead }

func (e *headMismatchError) Error() string {
	show := func(h ledgerHead) string {
		s := fmt.Sprintf("data set %s, limit %s, %s", label.Quote(h.Dataset), h.Limit, h.Adjacency)
		if h.Conversion.Order > 0 {
			s += fmt.Sprintf(", converting at order %v with δ = %v", h.Conversion.Order, h.Conversion.Delta)
		}
		return s
	}
	return fmt.Sprintf("the file is of %s; asked for is %s", show(e.have), show(e.want))
}

// parseHead checks that the head is that of b, and returns the account of the file.
func parseHead(line []byte, b *Budget, asked bool) (account, bool, error) {
	var h ledgerHead
	if err := strictJSON(line, &h); err != nil {
		return account{}, false, err
	}
	old := h.Format == ledgerFormat1
	switch {
	case !old && h.Format != ledgerFormat2:
		return account{}, false, fmt.Errorf("format %s; this version reads %q and %q", label.Short(h.Format),
			ledgerFormat1, ledgerFormat2)
	case old && h.Conversion != (Conversion{}):
		return account{}, false, errors.New("a conversion, which format 1 has not")
	case h.Limit.Notion == dp.None:
		return account{}, false, errors.New("a limit that is no privacy level")
	}
	if err := h.Limit.Valid(); err != nil {
		return account{}, false, err
	}
	standard, err := newConversion(h.Limit, nil)
	if err != nil {
		return account{}, false, err
	}
	switch {
	case old:
		h.Conversion = standard
	case h.Limit.Notion != dp.Approximate && h.Conversion != (Conversion{}):
		return account{}, false, errors.New("a conversion under a limit that does not convert")
	case h.Conversion == (Conversion{}) && standard != (Conversion{}):
		return account{}, false, errors.New("no conversion")
	case h.Conversion != (Conversion{}):
		if err := h.Conversion.valid(h.Limit); err != nil {
			return account{}, false, err
		}
	}
	want := ledgerHead{h.Format, b.dataset, b.limit.Level, b.limit.Adjacency, b.account.conversion}
	if !asked {
		want.Conversion = h.Conversion
	}
	if h != want {
		return account{}, false, &headMismatchError{h, want}
	}
	return newAccount(h.Limit, h.Conversion), old, nil
}

// parseLine adds a charge or a note. A ledger of the old format may have charges that no order fixed beforehand counts:
// they make it overspent, not unreadable.
func (t *ledgerText) parseLine(line []byte, limit dp.Guarantee, a account, old bool) error {
	if bytes.HasPrefix(line, []byte(`{"note":`)) {
		var n ledgerNote
		if err := strictJSON(line, &n); err != nil {
			return err
		}
		if n.Note == "" {
			return &dp.ParameterError{Of: "budget", Parameter: "note", Value: `""`, Want: "words"}
		}
		if err := validText("note", n.Note, label.CheckLine); err != nil {
			return err
		}
		t.notes = append(t.notes, n.Note)
		return nil
	}
	var c Charge
	if err := strictJSON(line, &c); err != nil {
		return err
	}
	if err := c.valid(limit); err != nil {
		return err
	}
	if t.ids[c.ID] {
		return &MismatchError{"release " + label.Word(c.ID), "charged already", "every release once"}
	}
	if len(t.charges) > 0 {
		if err := c.sameUnit(t.charges[0]); err != nil {
			return err
		}
	}
	var order *ConversionOrderError
	if _, err := a.spend([]Charge{c}); err != nil && !(old && errors.As(err, &order)) {
		return err
	}
	if t.ids == nil {
		t.ids = map[string]bool{}
	}
	t.ids[c.ID] = true
	t.charges = append(t.charges, c)
	return nil
}

// parseTail decides about bytes after the last line end. A charge returns only when its whole line is on disk, so a
// line that was cut short in a write has charged nothing, and nothing was drawn for it: it is taken out, and the note
// keeps its beginning. A tail that is a whole charge but for the line end may also be one whose line end something else
// took away; it counts as spent, and gets its end.
func (t *ledgerText) parseTail(tail []byte, limit dp.Guarantee, a account, old bool) {
	before := len(t.charges)
	if bytes.HasPrefix(tail, []byte("{")) && t.parseLine(tail, limit, a, old) == nil {
		t.mend = append(append(t.mend, tail...), '\n')
		if len(t.charges) > before {
			t.note(fmt.Sprintf("the charge of %s had no line end, as if a write was cut short; it counts as spent",
				label.Quote(t.charges[before].ID)))
		}
		return
	}
	t.note(fmt.Sprintf("a write was cut short after %d bytes, and they were taken out: its charge never completed, "+
		"so nothing was drawn for it; they begin %s",
		len(tail), strconv.QuoteToASCII(string(tail[:min(60, len(tail))]))))
}

func (t *ledgerText) note(text string) {
	t.notes = append(t.notes, text)
	line, err := encodeLine(ledgerNote{text})
	if err == nil {
		t.mend = append(t.mend, line...)
	}
}

// encodeLine is one line of a ledger.
func encodeLine(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(b, '\n'), err
}

// strictJSON decodes one value with the fields of v, each once and spelt as v spells it, and nothing after it.
// encoding/json would take the last of two equal keys, take "ID" for "id", and replace bytes that are not UTF-8.
func strictJSON(b []byte, v any) error {
	if err := uniqueKeys(b); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("want one JSON value and nothing after it")
	}
	return nil
}
