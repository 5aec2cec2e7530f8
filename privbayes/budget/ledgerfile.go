package budget

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// ledger is a ledger file in use: an append-only file of which this process knows a beginning. Every update holds an
// exclusive lock, reads the file anew, checks that it is the same file and still begins like that, appends, and syncs
// before it returns. Two processes may append to one file in turn.
type ledger struct {
	path   string
	asked  bool        // options were given for the conversion
	live   bool        // the file was read before
	info   os.FileInfo // which file it is, where the system can tell
	size   int         // bytes known
	text   *ledgerText // what they say; nil if it is to be read again
	broken error       // a write failed and could not be taken back
	sum    [sha256.Size]byte
	sync   func(dir string) error // journal.SyncDir
}

// LedgerChangedError says that the file of a live budget is not the one it charged in. Nothing was charged: what the
// missing charges spent is spent. Restore the file, or open the budget anew where the change is meant.
type LedgerChangedError struct {
	Path string
	What string // "is gone", "is another file", …
	Err  error
}

func (e *LedgerChangedError) Error() string {
	return fmt.Sprintf("budget file %s %s; want the file that this budget charged in, with everything in it; "+
		"nothing was charged", safetext.File(e.Path), e.What)
}

// Unwrap returns the cause.
func (e *LedgerChangedError) Unwrap() error { return e.Err }

// Open opens the ledger file at path, or creates it for a data set and a unit with the given limit. An existing ledger
// must be of the same data set, unit, limit and adjacency, and of the same conversion if options are given, else
// *LedgerError, around a *UnitError where it is of another unit; without options its own conversion stands. A last line
// that a crash cut short is taken out with a note, as its charge never completed: see [Budget.Warnings]. A ledger whose
// charges are above its limit opens for reading: see [OverspentError].
//
// The budget looks at its file at every charge, and refuses one that is gone, was cut or replaced, or whose beginning
// was rewritten: *LedgerChangedError.
func Open(path, dataset string, unit Unit, limit dp.Request, options ...Option) (*Budget, error) {
	b, err := New(dataset, unit, limit, options...)
	if err != nil {
		return nil, err
	}
	b.ledger = &ledger{path: path, asked: len(options) > 0, sync: journal.SyncDir}
	if err := b.ledger.update(b, func(have []Charge) ([]Charge, error) { return have, nil }); err != nil {
		return nil, err
	}
	return b, nil
}

// update reads the ledger under the lock, mends its end, and appends what change adds.
func (l *ledger) update(b *Budget, change func([]Charge) ([]Charge, error)) error {
	if l.broken != nil {
		return &LedgerError{Path: l.path, Want: "a budget opened anew, as a write could not be taken back",
			Err: l.broken}
	}
	f, err := l.open()
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(journal.Unlock(f), f.Close()) }()
	raw, err := readLedger(f)
	if err != nil {
		return &LedgerError{Path: l.path, Want: "a readable file", Err: err}
	}
	if err := l.same(f, raw); err != nil {
		return err
	}
	head, err := encodeLine(headOf(b))
	if err != nil {
		return err
	}
	text := ledgerText{account: b.account, mend: head}
	if !l.live && len(raw) < len(head) && bytes.HasPrefix(head, raw) {
		// A new file, or one whose maker died before the head was there: nothing can have been charged. Its name comes
		// first.
		if err := l.sync(filepath.Dir(l.path)); err != nil {
			return &LedgerError{Path: l.path, Want: "a folder that can be synced", Err: err}
		}
	} else if text, err = l.parse(raw, b); err != nil {
		return err
	}
	if err := l.write(f, raw, text.whole, text.mend); err != nil {
		return err
	}
	raw = append(raw[:text.whole:text.whole], text.mend...)
	text.add(text.mend, text.charges)
	b.account, b.charges, b.notes = text.account, text.charges, text.notes
	if err := l.remember(f, raw, &text); err != nil {
		return err
	}
	next, err := change(text.charges)
	if err != nil {
		return err
	}
	var add []byte
	for _, c := range next[len(text.charges):] {
		line, err := encodeLine(c)
		if err != nil {
			return err
		}
		if len(line) > maxLine {
			return &dp.ParameterError{Of: "budget", Parameter: "charge", Value: fmt.Sprint(len(line), " bytes"),
				Want: fmt.Sprintf("at most %d in the ledger", maxLine)}
		}
		add = append(add, line...)
	}
	if err := l.write(f, raw, len(raw), add); err != nil {
		return err
	}
	// also for a charge that is there already: who wrote it may have died before its sync
	if err := f.Sync(); err != nil {
		return &LedgerError{Path: l.path, Want: "a durable file", Err: err}
	}
	text.add(add, next)
	b.charges = next
	return l.remember(f, append(raw, add...), &text)
}

// open opens and locks the file; the first time it may make it.
func (l *ledger) open() (*os.File, error) {
	flags := os.O_RDWR
	if !l.live {
		flags |= os.O_CREATE
	}
	for range 10 {
		f, err := os.OpenFile(l.path, flags, 0o600)
		switch {
		case l.live && errors.Is(err, fs.ErrNotExist):
			return nil, &LedgerChangedError{l.path, "is gone", err}
		case err != nil:
			return nil, &LedgerError{Path: l.path, Want: "a file that can be read and written", Err: err}
		}
		info, err := f.Stat()
		if err == nil && !info.Mode().IsRegular() {
			return nil, errors.Join(&LedgerError{Path: l.path, Want: "a regular file"}, f.Close())
		}
		if err == nil {
			err = journal.Lock(f)
		}
		if err != nil {
			return nil, errors.Join(&LedgerError{Path: l.path, Want: "an exclusive lock", Err: err}, f.Close())
		}
		// Whoever held the lock before may have taken the file away under this name.
		if now, err := os.Stat(l.path); err == nil && os.SameFile(now, info) {
			return f, nil
		}
		if err := errors.Join(journal.Unlock(f), f.Close()); err != nil {
			return nil, &LedgerError{Path: l.path, Want: "an exclusive lock", Err: err}
		}
	}
	return nil, &LedgerError{Path: l.path, Want: "a file that stays where it is"}
}

// same checks that a live file is the one known, and begins with what is known of it.
func (l *ledger) same(f *os.File, raw []byte) error {
	if !l.live {
		return nil
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		return &LedgerError{Path: l.path, Want: "a file that can be looked at", Err: err}
	case len(raw) < l.size:
		return &LedgerChangedError{Path: l.path,
			What: fmt.Sprintf("was cut from at least %d to %d bytes", l.size, len(raw))}
	case sha256.Sum256(raw[:l.size]) != l.sum:
		return &LedgerChangedError{Path: l.path, What: "was rewritten"}
	case !os.SameFile(info, l.info):
		return &LedgerChangedError{Path: l.path, What: "is another file under the same name"}
	}
	return nil
}

// parse reads the file. What this process knows of it, by its bytes, is not parsed again: a charge costs reading the
// file, not a parse that grows with the charges before it.
func (l *ledger) parse(raw []byte, b *Budget) (ledgerText, error) {
	if !l.live || l.text == nil {
		return parseLedger(l.path, raw, b, l.asked)
	}
	text := *l.text
	l.text = nil // its ids are text's now
	return text, text.parseRest(l.path, raw, b)
}

// remember takes note of the file, its bytes and what they say.
func (l *ledger) remember(f *os.File, raw []byte, text *ledgerText) error {
	info, err := f.Stat()
	if err != nil {
		return &LedgerError{Path: l.path, Want: "a file that can be looked at", Err: err}
	}
	l.live, l.info, l.size, l.sum, l.text = true, info, len(raw), sha256.Sum256(raw), text
	return nil
}

// write replaces what follows the first keep bytes of raw, the file, and syncs it. If that fails it takes back what it
// appended; if that fails, too, a line may stand there that is not on disk, and the budget takes no more charges.
func (l *ledger) write(f interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
}, raw []byte, keep int, add []byte) error {
	if keep == len(raw) && len(add) == 0 {
		return nil
	}
	_, err := f.WriteAt(add, int64(keep))
	if err == nil {
		err = f.Truncate(int64(keep + len(add)))
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	if keep == len(raw) {
		l.broken = errors.Join(f.Truncate(int64(keep)), f.Sync())
	}
	return &LedgerError{Path: l.path, Want: "room to append, and a durable write", Err: errors.Join(err, l.broken)}
}

// uniqueKeys refuses a text that is not UTF-8, and objects with a key twice or spelt other than in small letters, as
// ledgers write them.
func uniqueKeys(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("bytes that are not UTF-8")
	}
	if strictjson.Shallow(b) != nil {
		return fmt.Errorf("no JSON value with at most %d brackets in each other", strictjson.MaxDepth)
	}
	if !json.Valid(b) {
		return errors.New("no JSON value")
	}
	v, err := strictjson.Read(b, false)
	var twice *strictjson.KeyError
	switch {
	case errors.As(err, &twice):
		return fmt.Errorf("field %.40q twice", twice.Key)
	case err != nil:
		return err
	}
	return smallKeys(v)
}

// smallWord reports whether a key is of small letters and underscores.
func smallWord(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// smallKeys refuses keys that are not of small letters: encoding/json would take "ID" for "id".
func smallKeys(v any) error {
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			if !smallWord(key) {
				return fmt.Errorf("unknown field %.40q", key)
			}
			if err := smallKeys(value); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range x {
			if err := smallKeys(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unit is whom a budget protects: the rows that change together between two neighbouring data sets. Guarantees about
// different units do not add up. Values are comparable; the zero value is one "person" of one row, as in a schema that
// says nothing.
type Unit struct {
	Name string `json:"name"`          // what one unit is: "patient"
	Key  string `json:"key,omitempty"` // the column that says whose row a row is; none where nothing enforces Rows
	Rows int    `json:"rows"`          // the most rows of one unit
}

// UnitOf is the unit of a schema.
func UnitOf(s *frame.Schema) Unit {
	return Unit{Name: s.UnitName(), Key: s.UnitKey, Rows: s.RowsPerUnit}.filled()
}

// counts reports whether what is charged for a unit counts in a budget of this one: it is the same, or this one's
// guarantees have others' weights held as given and the charge's hold without that, too.
func (u Unit) counts(of Unit) bool {
	held := of
	held.Name += "; " + safetext.HeldAsGiven
	return u == of || u == held
}

// filled is the unit with its defaults written out.
func (u Unit) filled() Unit {
	u.Name, u.Rows = cmp.Or(u.Name, "person"), cmp.Or(u.Rows, 1)
	return u
}

// valid returns a *ParameterError for a name or a key that cannot be shown, and for rows that are no number ≥ 1.
func (u Unit) valid() error {
	if err := validText("unit", u.Name, safetext.CheckTitle); err != nil {
		return err
	}
	if u.Rows < 1 {
		return &dp.ParameterError{Of: "budget", Parameter: "rows of a unit", Value: u.Rows, Want: "a number ≥ 1"}
	}
	if u.Key == "" {
		return nil
	}
	return validText("key of a unit", u.Key, safetext.Check)
}

// String shows the unit, such as
//
//	"patient" of up to 4 rows, told apart by "patient_id"
//
// Names stand in quotes that nothing in them can close.
func (u Unit) String() string {
	u = u.filled()
	s := safetext.Quote(u.Name)
	if u.Rows > 1 {
		s += fmt.Sprintf(" of up to %d rows", u.Rows)
	}
	if u.Key != "" {
		s += ", told apart by " + safetext.Quote(u.Key)
	}
	return s
}

// UnitError refuses a guarantee about another unit than the budget's. Nothing was charged. A budget converts nothing
// between units, as what holds for one unit need not hold for another: of ε about one row follows k·ε about a unit of
// at most k rows, and no bound at all where the number of rows is not limited.
type UnitError struct {
	Dataset    string
	Have, Want Unit // the budget's, and the one asked for
}

func (e *UnitError) Error() string {
	return fmt.Sprintf("the budget of %s is about the unit %s; asked for is the unit %s. Guarantees about "+
		"different units do not add up: ε for one row is k·ε for a unit of at most k rows. For that unit, open another "+
		"budget file with the schema that names it: OpenBudget(file, schema, limit), or \"privbayes budget BUDGET "+
		"--schema FILE --epsilon NUMBER\"; nothing was charged", safetext.Quote(e.Dataset), e.Have, e.Want)
}
