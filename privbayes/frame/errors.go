package frame

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

var (
	// ErrPrivateN is matched by *PrivateNError.
	ErrPrivateN = errors.New("the number of rows is private")
	// ErrSealed is returned when private rows would be marshalled.
	ErrSealed = errors.New("private rows do not marshal; publish a release instead")
)

// SchemaError says which field of a schema is not valid. It depends on public inputs only.
type SchemaError struct {
	Column string // "" for the schema itself
	Field  string // JSON name of the field: "edges", "categories", …
	Value  string
	Want   string
}

func (e *SchemaError) Error() string {
	where := "schema"
	if e.Column != "" {
		where = "schema column " + safetext.Short(e.Column)
	}
	return fmt.Sprintf("%s: %s is %s; want %s", where, e.Field, e.Value, e.Want)
}

// ValueError says which value of the data does not fit the schema. It is the one refusal that depends on private data,
// and its text quotes the value: show it to the data holder only.
type ValueError struct {
	File   string // "" for columns made in code
	Line   int    // line where the record starts, from 1; the row, from 1, for columns made in code
	Column string // "" when the record as a whole is malformed
	Value  string
	Want   string
	Hint   string // what the value may mean and how to declare it; it is nearly the value, or quotes it
}

func (e *ValueError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s line %d", safetext.File(e.File), e.Line)
	} else {
		fmt.Fprintf(&b, "row %d", e.Line)
	}
	if e.Column != "" {
		b.WriteString(", column " + safetext.Short(e.Column))
	}
	b.WriteString(": found " + safetext.Short(e.Value) + "; want " + e.Want + e.Hint)
	return b.String()
}

// ColumnError says that a column does not exist, or, when Want is set, that it is not what a step needs.
type ColumnError struct {
	Step   string // "Select", "Codes", …; "" in Schema.Column
	Column string
	Have   []string // the columns there are
	Want   string
}

func (e *ColumnError) Error() string {
	prefix := ""
	if e.Step != "" {
		prefix = e.Step + ": "
	}
	if e.Want != "" {
		return fmt.Sprintf("%scolumn %s: want %s", prefix, safetext.Short(e.Column), e.Want)
	}
	s := fmt.Sprintf("%sno column %s; have %s", prefix, safetext.Short(e.Column), safetext.List(e.Have, 12))
	if near := safetext.Closest(e.Column, e.Have); near != "" {
		s += fmt.Sprintf("; did you mean %s?", safetext.Quote(near))
	}
	return s
}

// FileError says that a file is missing, empty, damaged, or not a table.
type FileError struct {
	File  string
	Found string // what the file is instead, "" if nothing that has a name
	Want  string
	Err   error // the cause, if another package found it
}

func (e *FileError) Error() string {
	if e.Found != "" {
		return fmt.Sprintf("%s: it is %s; want %s", safetext.File(e.File), e.Found, e.Want)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s; want %s", safetext.File(e.File), safetext.Cause(e.Err, 1000), e.Want)
	}
	return fmt.Sprintf("%s: want %s", safetext.File(e.File), e.Want)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// PrivateNError says that a step needs a public number of rows, and which earlier step made it private.
type PrivateNError struct{ Step, PrivateBy string }

func (e *PrivateNError) Error() string {
	return fmt.Sprintf("%s needs a public number of rows, and %s made it private; use Split, which needs none", e.Step,
		e.PrivateBy)
}

// Is reports whether target is ErrPrivateN.
func (e *PrivateNError) Is(target error) bool { return target == ErrPrivateN }

// PrivateRowsError says that a step would show or copy out private rows.
type PrivateRowsError struct{ Step string }

func (e *PrivateRowsError) Error() string {
	return e.Step + ": the rows are private; want synthetic records, or rows that are published elsewhere and " +
		"declared so by AsPublic"
}

// TogetherError says why two frames do not go together in a step. It depends on public inputs only.
type TogetherError struct{ Step, Why, Want string }

func (e *TogetherError) Error() string { return e.Step + ": " + e.Why + "; want " + e.Want }

// why tells what a refused text should have been, and a hint.
func (e *encoder) why(text string) (want, hint string) {
	c := e.col
	if c.weight {
		return fmt.Sprintf("a weight from %s to %s", number(c.Min), number(c.Max)), e.hintOfWeight(text)
	}
	if e.markAt([]byte(text), false) >= 0 {
		switch {
		case c.OnMissing != "": // between quotes
			hint = `; between quotes this mark is a value, by "quoted_missing": "value"`
		case c.Kind == KindSequence:
			return "items: it is a missing mark, and a sequence has no missing category", ""
		default:
			return `a value: it is missing, and the column has no "on_missing": "category"` + c.forNumbers(), ""
		}
	}
	if !utf8.ValidString(text) {
		return "text in " + notUTF8, ""
	}
	if hint == "" {
		hint = e.hint(text)
	}
	switch c.Kind {
	case KindCategorical:
		return "one of " + safetext.List(c.Categories, 12), hint
	case KindSequence:
		return fmt.Sprintf("at most %d items separated by %q, each one of %s", c.MaxLength, c.Separator,
			safetext.List(c.Categories, 12)), ""
	case KindInteger:
		if c.Date != "" {
			return fmt.Sprintf("a date like %q from %s to %s", c.Date, c.edge(c.Min), c.edge(c.Max)), hint
		}
		return "a whole number" + c.within(), hint
	}
	return "a number" + c.within(), hint
}

// within says which bounds a number keeps to.
func (c *Column) within() string {
	if c.Max == c.limit() {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", number(c.Min), number(c.Max))
}

// forNumbers are what else may be declared of missing numbers.
func (c *Column) forNumbers() string {
	if c.Numeric() {
		return `, "omit" or "impute"`
	}
	return ""
}

// refused is the error of a text in a line.
func (e *encoder) refused(file string, line int, text string) *ValueError {
	want, hint := e.why(text)
	return &ValueError{File: file, Line: line, Column: e.col.Name, Value: text, Want: want, Hint: hint}
}

// hint says what may be meant by a text that does not fit, and how to declare it; "" for no idea.
func (e *encoder) hint(text string) string {
	c, trimmed := e.col, strings.TrimSpace(text)
	asMissing := func() string {
		return fmt.Sprintf(`; to read %q as missing, declare "missing": [%q] and "on_missing": "category"`, text, text)
	}
	switch {
	case text == "":
		return `; to read empty fields as missing, declare "missing": [""] and "on_missing": "category"`
	case trimmed == "":
		return asMissing()
	case trimmed != text && !e.trim && e.fits(trimmed):
		return `; there are blanks around it, which "format": {"trim": true} leaves out`
	case trimmed != text:
		return "; there are blanks around it"
	}
	var odd *safetext.Error
	if errors.As(safetext.CheckLine(text), &odd) {
		return "; it has " + odd.What
	}
	if near := safetext.Closest(text, c.Categories); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if k := c.sameNumber(text); k != "" {
		return fmt.Sprintf(`; the file writes it as a number: "aliases": [{"category": %q, "texts": [%q]}]`, k, text)
	}
	if slices.Contains(usualMarks, text) {
		return asMissing()
	}
	if e.numeric && c.Date == "" {
		return e.marksOf(text)
	}
	return ""
}

// hintOfWeight is hint for the survey weight, whose bounds and missing values the schema declares in "weight".
func (e *encoder) hintOfWeight(text string) string {
	if text == "" || slices.Contains(usualMarks, text) {
		return `; "missing" in "weight" is the weight that an empty field, or NA, is read as`
	}
	if _, number := parseNumber([]byte(text)); number {
		return `; "clamp": true in "weight" moves weights to the bounds`
	}
	return e.hint(text)
}

// fits reports whether a text would be read. It leaves no trace.
func (e *encoder) fits(text string) bool {
	ok := e.add([]byte(text))
	if ok {
		e.out.dropLast()
	}
	return ok
}

// usualMarks are what other programs write for missing values.
var usualMarks = []string{"NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None", "?", ".", "-", "#N/A"}

// sameNumber is the category that is the same number as a text in other words, such as "1" for "1.0".
func (c *Column) sameNumber(text string) string {
	x, ok := parseNumber([]byte(text))
	if !ok {
		return ""
	}
	for _, k := range c.Categories {
		if y, ok := parseNumber([]byte(k)); ok && x == y {
			return k
		}
	}
	return ""
}

// marksOf says under which marks, for decimals and thousands, a text is a number. "2,590" may be two numbers.
func (e *encoder) marksOf(text string) string {
	own, other := byte('.'), byte(',')
	if e.comma {
		own, other = other, own
	}
	read := func(decimal, thousands byte) (string, bool) {
		p := encoder{numeric: true, comma: decimal == ',', thousands: thousands}
		x, ok := p.parse([]byte(text))
		return number(x), ok
	}
	decimal := fmt.Sprintf(`"format": {"decimal": %q}`, string(other))
	if e.comma {
		decimal = `leave out "decimal": ","`
	}
	as, isDecimal := read(other, 0)
	if _, ok := read(own, 0); ok {
		return "" // a number, but not of the domain
	}
	switch {
	case e.thousands != 0:
		if strings.ContainsRune(text, rune(e.thousands)) {
			return fmt.Sprintf("; %q stands between groups of three digits, before the decimal mark", string(e.thousands))
		}
	default:
		for _, mark := range []byte(",.' ") {
			x, ok := read(own, mark)
			hint := fmt.Sprintf(`"format": {"thousands": %q}`, string(mark))
			switch {
			case !ok || mark == own:
			case isDecimal:
				return fmt.Sprintf(`; if it means %s, declare %s; if it means %s, %s`, x, hint, as, decimal)
			default:
				return "; for numbers with a mark for thousands, declare " + hint
			}
		}
		for _, mark := range []byte(",.' ") {
			if _, ok := read(other, mark); ok && mark != other && !isDecimal {
				return fmt.Sprintf(`; for numbers like this, declare "format": {"decimal": %q, "thousands": %q}`, string(other),
					string(mark))
			}
		}
	}
	switch {
	case isDecimal && e.comma:
		return "; the format has a decimal comma, and this would be a number with a decimal point"
	case isDecimal:
		return `; for numbers with a decimal comma, declare ` + decimal
	}
	return ""
}

// ungrouped takes the marks for thousands out of a number, into scratch: they stand before the decimal mark, between
// groups of three digits, of which the first may be shorter and begins with no zero. A space is any that a number may
// have, an apostrophe also a typographic one. Without marks the text is given back; ok is false for marks elsewhere.
func ungrouped(scratch, b []byte, mark byte, comma bool) (number []byte, ok bool) {
	out, run, groups, i := scratch[:0], 0, 0, 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		out, i = append(out, b[0]), 1
	}
	first := i
	for ; i < len(b); i++ {
		if b[i]-'0' <= 9 {
			out = append(out, b[i])
			run++
			continue
		}
		n := markAt(b[i:], mark)
		if n == 0 {
			break
		}
		if run == 0 || run > 3 || groups > 0 && run < 3 {
			return nil, false
		}
		groups, run, i = groups+1, 0, i+n-1
	}
	if groups == 0 {
		return b, true
	}
	point := byte('.')
	if comma {
		point = ','
	}
	if run != 3 || b[first] == '0' || i < len(b) && b[i] != point {
		return nil, false
	}
	return append(out, b[i:]...), true
}

// markAt is the length of the mark that a text begins with, 0 if it does not.
func markAt(b []byte, mark byte) int {
	if b[0] == mark {
		return 1
	}
	var others []string
	switch mark {
	case ' ':
		others = []string{"\u00a0", "\u202f", "\u2009"}
	case '\'':
		others = []string{"\u2019"}
	}
	for _, o := range others {
		if bytes.HasPrefix(b, []byte(o)) {
			return len(o)
		}
	}
	return 0
}

// maxDistinct is how many different values of a column are listed one by one.
const maxDistinct = 50

// Violation is one kind of value that does not fit its column, with its number.
type Violation struct {
	File   string `json:"file"`   // of the first; "" for the table as a whole, or a reader without a name
	Line   int    `json:"line"`   // of the first; 0 for the header as a whole
	Column string `json:"column"` // "" where the record as a whole is malformed
	Value  string `json:"value"`  // "" for values beyond the fifty that are listed for a column
	Want   string `json:"want"`
	Count  int    `json:"count"`
}

// Violations is all of a table that does not fit its schema. It was counted in private rows and quotes them: it is for
// the data holder, and it is no release. Changing a schema because of it lets the data choose the domain; mend the
// table, or go back to the code book.
type Violations struct {
	Rows    int // read, with those that do not fit
	Stopped bool
	marks   []MarkCount
	list    []*Violation
	places  map[[2]string]*Violation
	listed  map[string]int // different values by column
	strata  []int64        // rows of every stratum of public sizes
	stratum string         // their column
}

// MarkCount is how many values of a column were one of its missing marks.
type MarkCount struct {
	Column string `json:"column"`
	Mark   string `json:"mark"` // as the schema writes it
	Count  int    `json:"count"`
}

// sawMarks counts the missing marks of a record.
func (v *Violations) sawMarks(h *header, sc *scanner) {
	for i, e := range h.cols {
		if e == nil || len(e.col.Missing) == 0 {
			continue
		}
		if at := e.markAt(sc.field(i), sc.marks && sc.quotes[i]); at >= 0 {
			k := slices.IndexFunc(v.marks, func(m MarkCount) bool {
				return m.Column == e.col.Name && m.Mark == e.col.Missing[at]
			})
			v.marks[k].Count++
		}
	}
}

// Marks lists the missing marks of the schema's columns in their order, each with how many values were it: as a value
// of the column's kind, so that 999 is also 999.0. The counts are private.
func (v *Violations) Marks() []MarkCount {
	if v == nil {
		return nil
	}
	return slices.Clone(v.marks)
}

func newViolations() *Violations {
	return &Violations{places: map[[2]string]*Violation{}, listed: map[string]int{}}
}

// CheckFiles reads a table, in one file or several, and lists every value that does not fit its schema, where Load
// stops at the first. Errors: those of Load that are not about a value, such as *FileError.
func CheckFiles(ctx context.Context, paths []string, s *Schema, opts ...ReadOption) (*Violations, error) {
	if err := eachOnce("CheckFiles", paths); err != nil {
		return nil, err
	}
	return checkAll(ctx, files(paths...), s, opts)
}

// Check is CheckFiles for a reader.
func Check(ctx context.Context, r io.Reader, name string, s *Schema, opts ...ReadOption) (*Violations, error) {
	if absent(r) {
		return nil, &FileError{File: name, Want: "a reader of a table; this one is nil"}
	}
	return checkAll(ctx, reader(r, name), s, opts)
}

func checkAll(ctx context.Context, shards []shard, s *Schema, opts []ReadOption) (*Violations, error) {
	r, err := newReading(s, opts)
	if err != nil {
		return nil, err
	}
	v := newViolations()
	return v, v.read(ctx, r, shards)
}

// read lists what does not fit in one table.
func (v *Violations) read(ctx context.Context, r *reading, shards []shard) error {
	for _, c := range r.schema.Columns {
		for _, mark := range c.Missing {
			v.marks = append(v.marks, MarkCount{Column: c.Name, Mark: mark})
		}
	}
	r.found = v
	v.ofStrata(r.schema)
	_, err := r.all(ctx, shards)
	var broken *ValueError
	if errors.As(err, &broken) { // quotes that do not close: nobody can tell where the next field begins
		v.add(broken)
		v.Stopped, err = true, nil
	}
	v.Rows += r.rows
	v.sizes(r.schema)
	return err
}

// add counts one value.
func (v *Violations) add(e *ValueError) {
	key := [2]string{e.Column, e.Value}
	if v.places[key] == nil && v.listed[e.Column] >= maxDistinct {
		key[1] = ""
		e = &ValueError{File: e.File, Line: e.Line, Column: e.Column, Want: "a value of the column's domain"}
	}
	at := v.places[key]
	if at == nil {
		at = &Violation{File: e.File, Line: e.Line, Column: e.Column, Value: e.Value, Want: e.Want + e.Hint}
		v.list, v.places[key] = append(v.list, at), at
		v.listed[e.Column]++
	}
	at.Count++
}

// lacks and extra count columns of a header.
func (v *Violations) lacks(file, column string) {
	v.list = append(v.list, &Violation{File: file, Column: column, Value: "no such column in the header",
		Want: "every column of the schema", Count: 1})
}

func (v *Violations) extra(file, column string) {
	v.list = append(v.list, &Violation{File: file, Column: column, Value: "a column that the schema has not",
		Want: `a column of the schema, or "extra_columns": true to ignore others`, Count: 1})
}

// List is what does not fit, the most frequent first.
func (v *Violations) List() []Violation {
	if v == nil {
		return nil
	}
	out := make([]Violation, len(v.list))
	for i, x := range v.list {
		out[i] = *x
	}
	slices.SortStableFunc(out, func(a, b Violation) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// Count is how many values, records and columns do not fit.
func (v *Violations) Count() int {
	if v == nil {
		return 0
	}
	n := 0
	for _, x := range v.list {
		n += x.Count
	}
	return n
}

// Table lists what does not fit. Private: do not publish.
func (v *Violations) Table() *table.Table {
	if v == nil {
		v = &Violations{}
	}
	t := table.New("What does not fit the schema (private: do not publish)", "column", "found", "times", "first in",
		"want")
	for _, x := range v.List() {
		found, column, file := safetext.Short(x.Value), safetext.Short(x.Column), safetext.File(filepath.Base(x.File))
		where := fmt.Sprintf("%s line %d", file, x.Line)
		switch {
		case x.Line == 0 && x.File == "":
			found, where = x.Value, "whole table"
		case x.Line == 0:
			found, where = x.Value, "header of "+file
		}
		if x.Value == "" && v.listed[x.Column] > maxDistinct {
			found = "other values"
		}
		if x.Column == "" {
			found, column = x.Value, "whole record"
		}
		t.Add(column, found, x.Count, where, x.Want)
	}
	if v.Stopped {
		t.Note("reading stopped at the last of these: behind it nobody can tell fields apart")
	}
	var marks []string
	for _, m := range v.marks {
		marks = append(marks, fmt.Sprintf("%s %s %s", safetext.Short(m.Column), safetext.Short(m.Mark),
			table.Count(m.Count, "time")))
	}
	if len(marks) > 0 {
		t.Note("missing marks: " + strings.Join(marks, ", "))
	}
	if v.Count() == 0 {
		t.Title, t.Columns = "", nil
		return t.Note(fmt.Sprintf("All %s fit the schema.", table.Count(v.Rows, "row")))
	}
	do := "do"
	if v.Count() == 1 {
		do = "does"
	}
	return t.Note(fmt.Sprintf("%s in %s %s not fit.", table.Count(v.Count(), "value"), table.Count(v.Rows, "row"), do))
}

// String is the table as text.
func (v *Violations) String() string { return table.Text(v) }

// MarshalJSON refuses with ErrSealed.
func (v *Violations) MarshalJSON() ([]byte, error) { return nil, ErrSealed }
