package budget

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A ledger file is lines of JSON: a head that names data set, unit, limit and conversion, then a line for a charge or a
// note. It only grows. Heads and charges may have an Info, which no rule reads; a field that is not known is refused.
type ledgerHead struct {
	Format     string        `json:"format"`
	Dataset    string        `json:"dataset"`
	Unit       Unit          `json:"unit"`
	Limit      dp.Parameters `json:"limit"`
	Adjacency  dp.Adjacency  `json:"adjacency"`
	Conversion Conversion    `json:"conversion,omitzero"` // of an (ε, δ) limit
	Info       Info          `json:"info,omitempty"`
}

// Format is the version of the ledger file that this library writes and reads. Files of formats 1 and 2 are refused: no
// version that wrote them was published.
const Format = "privbayes-ledger-3"

// headOf is the head of a budget's ledger.
func headOf(b *Budget) ledgerHead {
	return ledgerHead{Format: Format, Dataset: b.dataset, Unit: b.unit, Limit: b.limit.Parameters,
		Adjacency: b.limit.Adjacency, Conversion: b.account.conversion}
}

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
	at := safetext.File(e.Path)
	if e.Line > 0 {
		at += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("budget file %s: want %s: %s", at, e.Want, safetext.Cause(e.Err, 500))
	}
	return fmt.Sprintf("budget file %s: want %s", at, e.Want)
}

// Unwrap returns the cause.
func (e *LedgerError) Unwrap() error { return e.Err }

// ledgerText is what a ledger file says.
type ledgerText struct {
	account account
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
	h, end, err := parseHead(raw)
	if err != nil {
		return t, &LedgerError{path, 1, "the first line of a budget file", err}
	}
	if err := h.isOf(b, asked); err != nil {
		return t, &LedgerError{path, 1, "the budget file that was asked for", err}
	}
	t.account, t.whole, t.lines = newAccount(h.Limit, h.Conversion), end, 1
	return t, t.parseRest(path, raw, b)
}

// parseRest adds the lines of a ledger file after those that t has.
func (t *ledgerText) parseRest(path string, raw []byte, b *Budget) error {
	t.mend = nil
	end := bytes.LastIndexByte(raw, '\n') + 1
	if end > t.whole {
		for line := range bytes.SplitSeq(raw[t.whole:end-1], []byte("\n")) {
			t.lines++
			if err := t.parseLine(line, b); err != nil {
				return &LedgerError{path, t.lines, "a charge of this budget, or a note", err}
			}
		}
	}
	t.whole = end
	if end < len(raw) {
		t.parseTail(raw[end:], b)
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

// parseHead reads the first line of a ledger file, and says where the next one begins.
func parseHead(raw []byte) (h ledgerHead, end int, err error) {
	if len(raw) == 0 {
		return h, 0, errors.New("the file is empty")
	}
	if end = bytes.IndexByte(raw, '\n') + 1; end == 0 {
		return h, 0, errors.New("the first line has no end")
	}
	line := raw[:end-1]
	if err := plainLine(line); err != nil {
		return h, 0, err
	}
	var of struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(line, &of) == nil && of.Format != Format {
		switch of.Format {
		case "privbayes-ledger-1", "privbayes-ledger-2":
			return h, 0, fmt.Errorf("format %s was written before any version was published, and cannot be read; want %q. "+
				"What its charges spent is spent: open a new budget file, under another name, with a limit that counts it",
				safetext.Short(of.Format), Format)
		case "":
			return h, 0, fmt.Errorf("it names no format; want %q", Format)
		}
		return h, 0, fmt.Errorf("format %s; this version reads %q", safetext.Short(of.Format), Format)
	}
	if err := strictJSON(line, &h); err != nil {
		return h, 0, err
	}
	return h, end, h.valid()
}

// valid checks a head by itself.
func (h ledgerHead) valid() error {
	if h.Limit.Notion == dp.None {
		return errors.New("a limit that is no privacy level")
	}
	if err := h.Limit.Valid(); err != nil {
		return err
	}
	if err := h.Unit.valid(); err != nil {
		return err
	}
	standard, err := newConversion(h.Limit, nil)
	switch {
	case err != nil:
		return err
	case h.Limit.Notion != dp.Approximate && h.Conversion != (Conversion{}):
		return errors.New("a conversion under a limit that does not convert")
	case h.Conversion == (Conversion{}) && standard != (Conversion{}):
		return errors.New("no conversion")
	case h.Conversion != (Conversion{}):
		if err := h.Conversion.valid(h.Limit); err != nil {
			return err
		}
	}
	return h.Info.valid()
}

// isOf checks that a head is that of b; of its conversion only where one was asked for.
func (h ledgerHead) isOf(b *Budget, asked bool) error {
	want := headOf(b)
	convert := func(c Conversion) string { return fmt.Sprintf("order %v with δ = %v", c.Order, c.Delta) }
	for _, f := range [...]struct {
		field, have, want string
		same              bool
	}{
		{"data set", safetext.Quote(h.Dataset), safetext.Quote(want.Dataset), h.Dataset == want.Dataset},
		{"limit", h.Limit.Apart(want.Limit), want.Limit.Apart(h.Limit), h.Limit == want.Limit},
		{"adjacency", h.Adjacency.String(), want.Adjacency.String(), h.Adjacency == want.Adjacency},
		{"conversion", convert(h.Conversion), convert(want.Conversion), h.Conversion == want.Conversion || !asked},
	} {
		if !f.same {
			return fmt.Errorf("its %s is %s, and %s was asked for", f.field, f.have, f.want)
		}
	}
	if h.Unit != want.Unit {
		return &UnitError{h.Dataset, h.Unit, want.Unit}
	}
	return nil
}

// maxLine bounds a line of a ledger, in bytes.
const maxLine = 1 << 16

// plainLine refuses what no budget writes into a line, whatever it may say.
func plainLine(line []byte) error {
	switch {
	case len(line) > maxLine:
		return fmt.Errorf("a line of %d bytes; want at most %d", len(line), maxLine)
	case bytes.HasPrefix(line, []byte("\ufeff")):
		return errors.New("a byte order mark, as an editor writes it; want the file as budgets wrote it")
	case bytes.IndexByte(line, '\r') >= 0:
		return errors.New("a carriage return, as an editor or a transfer writes it; want the file as budgets wrote it, " +
			"whose lines end in a line feed alone")
	}
	return nil
}

// parseLine adds a charge or a note.
func (t *ledgerText) parseLine(line []byte, b *Budget) error {
	if err := plainLine(line); err != nil {
		return err
	}
	if bytes.HasPrefix(line, []byte(`{"note":`)) {
		var n ledgerNote
		if err := strictJSON(line, &n); err != nil {
			return err
		}
		if n.Note == "" {
			return &dp.ParameterError{Of: "budget", Parameter: "note", Value: `""`, Want: "words"}
		}
		if err := validText("note", n.Note, safetext.CheckLine); err != nil {
			return err
		}
		t.notes = append(t.notes, n.Note)
		return nil
	}
	var c Charge
	if err := strictJSON(line, &c); err != nil {
		return err
	}
	if err := c.valid(b); err != nil {
		return err
	}
	if t.ids[c.ID] {
		return &MismatchError{"release " + safetext.Word(c.ID), "charged already", "every release once"}
	}
	if err := cmp.Or(oneRule(t.charges, c), fromSlot(t.charges, c)); err != nil {
		return err
	}
	if _, err := t.account.spend([]Charge{c}); err != nil {
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
// keeps its beginning. What a copy that stopped half-way left looks the same, and the note says that, too. A tail that
// is a whole charge but for the line end may also be one whose line end something else took away; it counts as spent,
// and gets its end.
func (t *ledgerText) parseTail(tail []byte, b *Budget) {
	before := len(t.charges)
	if bytes.HasPrefix(tail, []byte("{")) && t.parseLine(tail, b) == nil {
		t.mend = append(append(t.mend, tail...), '\n')
		if len(t.charges) > before {
			t.note(fmt.Sprintf("the charge of %s had no line end; it counts as spent", safetext.Quote(t.charges[before].ID)))
		}
		return
	}
	t.note(fmt.Sprintf("the last line had no end, and its %d bytes were taken out: a charge whose write was cut short "+
		"never completed, and nothing was drawn for it; if this file is a copy that stopped half-way, or was edited, "+
		"restore the whole of it. They begin %s", len(tail), strconv.QuoteToASCII(string(tail[:min(60, len(tail))]))))
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

// Existing opens the ledger file at path with the data set, the unit, the limit and the adjacency that it states: for
// programs whose user said them once, when the ledger was made. It makes no file. Errors: *LedgerError.
func Existing(path string) (*Budget, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &LedgerError{Path: path, Want: "a budget file that was opened with a limit", Err: err}
	}
	defer func() { _ = f.Close() }()
	raw, err := readLedger(f)
	if err != nil {
		return nil, &LedgerError{Path: path, Want: "a budget file that was opened with a limit", Err: err}
	}
	h, _, err := parseHead(raw)
	if err != nil {
		return nil, &LedgerError{path, 1, "the first line of a budget file", err}
	}
	return Open(path, h.Dataset, h.Unit, dp.Request{Parameters: h.Limit}.Under(h.Adjacency))
}

// maxLedger is the length of the longest ledger that is read, in bytes: some hundred thousand charges.
const maxLedger = 1 << 28

// readLedger reads a whole ledger.
func readLedger(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxLedger+1))
	if err == nil && len(raw) > maxLedger {
		err = fmt.Errorf("more than %d bytes", maxLedger)
	}
	return raw, err
}
