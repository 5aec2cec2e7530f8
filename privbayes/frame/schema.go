package frame

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
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
	ApproximateRows int      `json:"about_rows,omitempty"`
	Columns         []Column `json:"columns"`
	ExtraColumns    bool     `json:"extra_columns,omitempty"` // allow and ignore file columns that the schema does not name
	Inferred        bool     `json:"inferred,omitempty"`      // by InferSchema or QuantileSchema: what follows is not private
	Format          *Format  `json:"format,omitempty"`        // how files write the table; plain CSV if nil
	// Steps says how columns were made from those that were read: Derive, Recode, Cut, Rename and Lookup write them.
	Steps []string `json:"steps,omitempty"`
}

// Column returns the named column and its index: *ColumnError if there is none.
func (s *Schema) Column(name string) (*Column, int, error) {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return &s.Columns[i], i, nil
		}
	}
	return nil, -1, &ColumnError{Column: name, Have: s.Names()}
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

// Clone returns a deep copy.
func (s *Schema) Clone() *Schema {
	c := *s
	if s.Format != nil {
		format := *s.Format
		c.Format = &format
	}
	c.Steps = slices.Clone(s.Steps)
	c.Columns = make([]Column, len(s.Columns))
	for i, col := range s.Columns {
		c.Columns[i] = col.clone()
	}
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
	for i := range c.Columns {
		c.Columns[i].fill()
	}
	return c
}
