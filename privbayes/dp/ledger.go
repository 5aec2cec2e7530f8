package dp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/internal/label"
)

// ledger is an append-only file of JSON lines: a header that names data set and limit, then one line a charge. Every update holds
// an exclusive lock, reads the file anew, appends, and syncs before it returns.
type ledger struct {
	path   string
	header ledgerHeader
}

type ledgerHeader struct {
	Format    string    `json:"format"`
	Dataset   string    `json:"dataset"`
	Limit     Level     `json:"limit"`
	Adjacency Adjacency `json:"adjacency"`
}

const ledgerFormat = "privbayes-ledger-1"

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
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("dp: ledger %s: want %s: %s", at, e.Want, label.Clip(label.Line(e.Err.Error()), 500))
	}
	return fmt.Sprintf("dp: ledger %s: want %s", at, e.Want)
}

// Unwrap returns the cause.
func (e *LedgerError) Unwrap() error { return e.Err }

// OpenBudget opens the ledger file at path, or creates it with the given limit. An existing ledger must be of the same data set,
// limit and adjacency, else *LedgerError. A last line that a crash cut short still counts as spent: it is refused, not ignored.
func OpenBudget(path, dataset string, limit Target) (*Budget, error) {
	b, err := NewBudget(dataset, limit)
	if err != nil {
		return nil, err
	}
	b.ledger = &ledger{path: path, header: ledgerHeader{ledgerFormat, dataset, limit.Level, limit.Adjacency}}
	err = b.ledger.update(func(have []Charge) ([]Charge, error) {
		b.charges = have
		return have, nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// update reads the ledger under the lock and appends what change adds.
func (l *ledger) update(change func([]Charge) ([]Charge, error)) error {
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return &LedgerError{Path: l.path, Want: "a file that can be read and written", Err: err}
	}
	defer func() { _ = f.Close() }()
	if err := lockFile(f); err != nil {
		return &LedgerError{Path: l.path, Want: "an exclusive lock", Err: err}
	}
	defer func() { _ = unlockFile(f) }()
	raw, err := io.ReadAll(f)
	if err != nil {
		return &LedgerError{Path: l.path, Want: "a readable file", Err: err}
	}
	have, err := l.parse(raw)
	if err != nil {
		return err
	}
	next, err := change(have)
	if err != nil {
		return err
	}
	var add bytes.Buffer
	enc := json.NewEncoder(&add)
	if len(raw) == 0 {
		err = enc.Encode(l.header)
	}
	for _, c := range next[len(have):] {
		err = errors.Join(err, enc.Encode(c))
	}
	if err != nil || add.Len() == 0 {
		return err
	}
	if _, err := f.Write(add.Bytes()); err != nil {
		return &LedgerError{Path: l.path, Want: "room to append", Err: err}
	}
	if err := f.Sync(); err != nil {
		return &LedgerError{Path: l.path, Want: "a durable write", Err: err}
	}
	return nil
}

// parse reads the lines of a ledger file.
func (l *ledger) parse(raw []byte) ([]Charge, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[len(raw)-1] != '\n' {
		return nil, &LedgerError{Path: l.path, Line: bytes.Count(raw, []byte("\n")) + 1, Want: "a complete last line (a write was cut short; what it charged counts as spent: complete or mend it by hand)"}
	}
	lines := bytes.Split(raw[:len(raw)-1], []byte("\n"))
	var h ledgerHeader
	if err := strictJSON(lines[0], &h); err != nil {
		return nil, &LedgerError{l.path, 1, "a ledger header", err}
	}
	if h != l.header {
		return nil, &LedgerError{Path: l.path, Line: 1, Want: fmt.Sprintf("format %s, data set %s, limit %s, %s; the file has format %s, data set %s, limit %s, %s",
			l.header.Format, label.Quote(l.header.Dataset), l.header.Limit, l.header.Adjacency, label.Word(h.Format), label.Short(h.Dataset), h.Limit, h.Adjacency)}
	}
	var out []Charge
	for i, line := range lines[1:] {
		var c Charge
		if err := strictJSON(line, &c); err != nil {
			return nil, &LedgerError{l.path, i + 2, "a charge", err}
		}
		if err := c.Level.Valid(); err != nil || c.Level.Notion == None || c.ID == "" {
			return nil, &LedgerError{l.path, i + 2, "a charge with an id and a privacy level", err}
		}
		if err := c.validTexts(); err != nil {
			return nil, &LedgerError{l.path, i + 2, "a charge whose texts can be shown", err}
		}
		out = append(out, c)
	}
	return out, nil
}

// strictJSON decodes one value, refusing unknown fields and anything after it.
func strictJSON(b []byte, v any) error {
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
