package frame

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Schema is what is public about a table. It must be chosen without looking at the data: from a code book, a
// questionnaire, a law of nature. Choosing it by looking at private rows voids every guarantee made under it.
type Schema struct {
	Dataset     string `json:"dataset,omitempty"`       // the name budgets are kept under
	Unit        string `json:"unit,omitempty"`          // what one record is; "person" if empty
	RowsPerUnit int    `json:"rows_per_unit,omitempty"` // the most rows one unit contributes; 1 if zero
	// UnitKey is the column that says whose row a row is, such as a person's number. It stands in the table, and need
	// not be among Columns. With it RowsPerUnit is enforced while the table is read: of a unit with more rows, that
	// many are kept (see UnitCap), and how many rows there are in all is then private. Without it RowsPerUnit is only
	// declared.
	UnitKey string `json:"unit_key,omitempty"`
	// PadUnits fills every unit up to RowsPerUnit rows, with each column's Pad: the number of rows is then public,
	// since it is RowsPerUnit times the number of units.
	PadUnits bool `json:"pad_units,omitempty"`
	// ApproximateRows is about how many rows there are, from public knowledge and never counted; 0 if nobody says. It is
	// read only where n is not public: by warnings, such as whether δ is small enough, and by noisy sums, for the errors
	// to expect and the steps of a lattice. No noise is calibrated with it.
	ApproximateRows int `json:"about_rows,omitempty"`
	// Sampling says what the rows are of the population, and so what intervals are about: of a [Census] the rows
	// themselves, of a [Sample] the population. Where nobody says, both are shown.
	Sampling Sampling `json:"sampling,omitempty"`
	// Weight is the survey weight of rows, which stand for the population then: see [Weight]. Population is how many
	// there are in it, a public number; 0 if nobody says. It is read by predicted errors, and with a Design.
	Weight     *Weight `json:"weight,omitempty"`
	Population int64   `json:"population,omitempty"`
	Design     *Design `json:"design,omitempty"` // how the rows were drawn, if readers do not know who was
	// Strata are parts that the rows were drawn from, each by itself: see [Strata].
	Strata *Strata `json:"strata,omitempty"`
	// Tables are two linked tables, of parents and of their children. A row is then a parent, and Columns are those of the
	// parents and those that are made of the children: they follow, and are given only where they were changed since.
	// UnitKey is the parents' key. See LoadTables.
	Tables       []Linked `json:"tables,omitempty"`
	Columns      []Column `json:"columns"`
	ExtraColumns bool     `json:"extra_columns,omitempty"` // file columns that the schema does not name are ignored
	Inferred     bool     `json:"inferred,omitempty"`      // by InferSchema or QuantileSchema: not private
	Format       *Format  `json:"format,omitempty"`        // how files write the table; plain CSV if nil
	// Steps says how columns were made from those that were read: Derive, Recode, Cut, Rename and Lookup write them.
	Steps []string `json:"steps,omitempty"`
}

// Sampling is what the rows of a table are of its population.
type Sampling string

// The rows are the whole population, or an independent sample of it.
const (
	Census Sampling = "census"
	Sample Sampling = "sample"
)

// Column returns the named column and its index: *ColumnError if there is none.
func (s *Schema) Column(name string) (*Column, int, error) {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return &s.Columns[i], i, nil
		}
	}
	return nil, -1, &ColumnError{Column: name, Have: s.Names()}
}

// Binned lists the columns of numbers that have bins: synthetic records draw them evenly within a bin.
func (s *Schema) Binned() (names []string) {
	for _, c := range s.Columns {
		if c.Numeric() && len(c.Edges) > 1 {
			names = append(names, c.Name)
		}
	}
	return names
}

// Present is the schema of the rows that have a value in a column: no value of it is missing, so that every model takes
// it. The schema's Steps say so. Errors: those of Validate; *ColumnError, also where missing values have no code of
// their own.
func (s *Schema) Present(column string) (*Schema, error) {
	c, i, err := s.Column(column)
	if err != nil {
		return nil, err
	}
	if !c.HasMissing() {
		return nil, &ColumnError{Step: stepPresent, Column: column, Have: s.Names(), Want: `a column with ` +
			`"on_missing": "category" or "omit": of this one every row has a value`}
	}
	out := s.Clone()
	out.Columns[i].OnMissing, out.Columns[i].MissingCategory = "", ""
	out.Steps = append(out.Steps, fmt.Sprintf("WithoutMissing(%s)", safetext.Quote(column)))
	if err := out.Validate(); err != nil {
		return nil, err
	}
	return out.filled(), nil
}

// Names lists the column names in order.
func (s *Schema) Names() []string {
	names := make([]string, len(s.Columns))
	for i := range s.Columns {
		names[i] = s.Columns[i].Name
	}
	return names
}

// Equal reports whether two schemas say the same: their canonical JSON agrees.
func (s *Schema) Equal(other *Schema) bool {
	if s == nil || other == nil {
		return s == other
	}
	return bytes.Equal(s.JSON(), other.JSON())
}

// Digest is the SHA-256 of the canonical JSON, in hexadecimal.
func (s *Schema) Digest() string {
	h := sha256.Sum256(s.JSON())
	return hex.EncodeToString(h[:])
}

// Clone returns a deep copy, in which the weight, if there is one, is among the columns.
func (s *Schema) Clone() *Schema {
	c := *s
	if s.Format != nil {
		format := *s.Format
		c.Format = &format
	}
	if s.Weight != nil {
		w := *s.Weight
		c.Weight = &w
	}
	if s.Design != nil {
		d := *s.Design
		c.Design = &d
	}
	c.Steps, c.Tables, c.Strata = slices.Clone(s.Steps), cloneTables(s.Tables), s.Strata.clone()
	c.Columns = make([]Column, len(s.Columns))
	for i, col := range s.Columns {
		c.Columns[i] = col.clone()
	}
	c.fillWeight()
	return &c
}

// filled returns a deep copy with all defaults written out, so that equal schemas have equal JSON.
func (s *Schema) filled() *Schema {
	c := s.Clone()
	if c.Unit == "" {
		c.Unit = "person"
	}
	if c.RowsPerUnit == 0 {
		c.RowsPerUnit = 1
	}
	c.Format = c.Format.plain()
	if len(c.Steps) == 0 {
		c.Steps = nil
	}
	if len(c.Tables) == 0 {
		c.Tables = nil
	}
	c.fillTables()
	for i := range c.Columns {
		c.Columns[i].fill()
	}
	return c
}

// ParseSchema reads a schema from JSON, written from the code book of a table, and validates it:
//
//	{"dataset": "survey", "unit": "person", "columns": [
//	  {"name": "answer", "kind": "categorical", "categories": ["yes", "no"], "missing": ["", "NA"],
//	   "on_missing": "category"},
//	  {"name": "age", "kind": "integer", "edges": [18, 40, 65, 120], "on_out_of_domain": "clamp"}]}
//
// See Column for all fields. Unknown fields, fields that stand twice, also in another case, and trailing data are
// refused. Defaults are written out in the result: unit, rows per unit, edges of a single bin, bounds from edges.
// Columns may be open here, and nowhere else: see [KindOpen].
// The text may begin with a byte-order mark, and may be UTF-16. Errors: *SchemaError.
func ParseSchema(b []byte) (*Schema, error) {
	b, kind := schemaText(b)
	if kind != "" {
		return nil, &SchemaError{Field: "file", Value: kind, Want: "JSON in UTF-8 or UTF-16"}
	}
	if err := strictjson.Shallow(b); err != nil {
		return nil, notSchema(b, err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var s *Schema
	if err := d.Decode(&s); err != nil {
		return nil, notSchema(b, err)
	}
	if s == nil {
		return nil, &SchemaError{Field: "JSON", Value: "null", Want: "an object"}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &SchemaError{Field: "JSON", Value: "followed by more data", Want: "one object and nothing after it"}
	}
	if err := strictjson.Unique(b); err != nil {
		return nil, twice(err)
	}
	if err := explicitZero(b); err != nil {
		return nil, err
	}
	if err := s.validate(true); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// schemaText undoes a byte-order mark and UTF-16, and names what is no JSON.
func schemaText(b []byte) (text []byte, kind string) {
	if k := otherKind(b); k.name != "" && k.name != "JSON" {
		return nil, k.name
	}
	if wide := wideText(b[:min(len(b), 1024)]); wide != "" {
		text, err := wideDecoder(wide).Bytes(b)
		if err != nil {
			return nil, "broken UTF-16"
		}
		b = text
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), ""
}

// twice is a key that stands twice in one object as an error of the schema.
func twice(err error) *SchemaError {
	e := &SchemaError{Field: "JSON", Value: err.Error(), Want: "every field once"}
	var key *strictjson.KeyError
	if errors.As(err, &key) {
		e.Field, e.Value = "field "+key.Field(), "there twice"
		if key.Key != key.First {
			e.Value += ", as " + safetext.Word(key.First) + " and as " + safetext.Word(key.Key)
		}
	}
	return e
}

// notSchema says where a text stops being a schema and, for a field that does not exist, which one may be meant.
func notSchema(b []byte, err error) *SchemaError {
	e := &SchemaError{Field: "JSON", Value: "not a schema (" + safetext.Clip(safetext.Line(err.Error()), 200) + ")",
		Want: `an object like {"dataset": …, "columns": [{"name": …, "kind": …}]}`}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = unquoted(name)
		e.Field, e.Value, e.Want = "field "+safetext.Short(name), "unknown", "one of "+strings.Join(schemaFields, ", ")
		near := otherNames[strings.ToLower(name)]
		if near == "" {
			near = safetext.Closest(name, schemaFields)
		}
		if near == name { // the name of a field that is at another place
			e.Want = `each field at its place: those of a column stand in "columns", those of the schema outside of it`
		} else if near != "" {
			e.Want = fmt.Sprintf("a field of a schema; did you mean %q?", near)
		}
		return e
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e.Value = fmt.Sprintf("broken in line %d (%s)", lineAt(b, syntax.Offset), safetext.Line(err.Error()))
	case errors.As(err, &kind):
		e.Value = fmt.Sprintf("not a schema in line %d (%s is a %s)", lineAt(b, kind.Offset), safetext.Line(kind.Field),
			safetext.Clip(safetext.Line(kind.Value), 80))
		switch field, number := kind.Field, strings.HasPrefix(kind.Value, "number"); {
		case number && strings.HasPrefix(field, "weight"):
			e.Want = `decimals in quotes, as in "weight": {"min": "0.5", "max": "40", "step": "0.25"}`
		case number && strings.HasSuffix(field, "categories"):
			e.Want = `texts: categories that look like numbers stand in quotes, as in "categories": ["0", "1"]`
		case number && strings.HasSuffix(field, "missing"):
			e.Want = `texts: marks that look like numbers stand in quotes, as in "missing": ["-9", "999"]`
		case strings.HasSuffix(field, "bounds"):
			e.Want = `"min" and "max" for bounds that are known, as in "min": 0, "max": 10, or "bounds": "unknown"`
		case kind.Value == "string" && (strings.HasSuffix(field, "edges") || strings.HasSuffix(field, "min") ||
			strings.HasSuffix(field, "max")):
			e.Want = `numbers without quotes; dates stand in "date_edges", next to their layout "date": "2006-01-02"`
		}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Value = fmt.Sprintf("cut off in line %d", lineAt(b, int64(len(b))))
	}
	return e
}

// unquoted is the name in an error of encoding/json, which quotes it.
func unquoted(name string) string {
	if s, err := strconv.Unquote(name); err == nil {
		return s
	}
	return strings.Trim(name, `"`)
}

// lineAt is the line, from 1, of the byte before offset: the decoder's offsets are counts of bytes read.
func lineAt(b []byte, offset int64) int {
	return 1 + bytes.Count(b[:max(0, min(offset-1, int64(len(b))))], []byte("\n"))
}

// schemaFields are the JSON names of all fields of a schema and its columns.
var schemaFields = func() (names []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[Schema](), reflect.TypeFor[Column](), reflect.TypeFor[Format](),
		reflect.TypeFor[Alias](), reflect.TypeFor[Linked](), reflect.TypeFor[UnitColumn](),
		reflect.TypeFor[Weight](), reflect.TypeFor[Design](), reflect.TypeFor[Strata]()} {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}()

// otherNames are words that other programs use for our fields.
var otherNames = map[string]string{
	"levels": "categories", "values": "categories", "labels": "categories", "factors": "categories",
	"domain": "categories",
	"type":   "kind", "bins": "edges", "breaks": "edges", "cuts": "edges", "lower": "min", "upper": "max",
	"na": "missing", "id": "name",
	"layout": "date", "delimiter": "separator", "sep": "separator", "synonyms": "aliases", "charset": "encoding",
}

// JSON is the canonical form of the schema: one line, fields in fixed order, defaults written out, so that schemas that
// say the same have the same bytes. It is nil when the schema holds a number that is not finite; Validate says which.
func (s *Schema) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.filled()); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// LookAlike is the kind of a warning about two names of a schema that are easily taken for each other.
const LookAlike warning.Kind = "look-alike names"

// lookAlikes is how many pairs of one list are named one by one.
const lookAlikes = 5

// Warnings lists names that are easily taken for each other: columns, and categories of one column, that differ only in
// case, or by letters of Latin, Greek, Cyrillic and Armenian and figures that most fonts draw alike. They may be meant,
// so they are not refused; records may also have come to be counted under two spellings, and a reader of a release may
// take one for the other. It is a function of the schema alone.
func (s *Schema) Warnings() warning.List {
	var out warning.List
	out = append(out, alike("columns", s.Names())...)
	for _, c := range s.Columns {
		if c.Found != nil {
			out = append(out, c.foundWarning())
		}
		if len(c.Categories) > 0 {
			out = append(out, alike("categories of column "+safetext.Short(c.Name), c.Labels())...)
		}
	}
	return out
}

func alike(what string, names []string) (out warning.List) {
	pairs := safetext.Alike(names)
	for i, p := range pairs {
		if i == lookAlikes {
			return append(out, warning.Warning{Kind: LookAlike, Value: float64(len(pairs)),
				Text: fmt.Sprintf("%s: %d more pairs of names are easily taken for each other", what, len(pairs)-i)})
		}
		text := fmt.Sprintf("%s %s and %s %s", what, safetext.Short(names[p.First]), safetext.Short(names[p.Second]),
			p.Likeness)
		if p.Likeness == safetext.Letters {
			text += fmt.Sprintf(": they are %+q and %+q", safetext.Clip(names[p.First], 40),
				safetext.Clip(names[p.Second], 40))
		}
		out = append(out, warning.Warning{Kind: LookAlike, Text: text})
	}
	return out
}
