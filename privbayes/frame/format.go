package frame

import (
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
)

// Format says how a file writes a table: what separates fields, the decimal mark, the encoding of the text. It is
// public and chosen without looking at the rows; the zero value is plain CSV.
type Format struct {
	Separator string   `json:"separator,omitempty"` // "," if empty; such as ";", "\t" or "|"
	Decimal   string   `json:"decimal,omitempty"`   // "." if empty, or ","
	Encoding  Encoding `json:"encoding,omitempty"`  // UTF8 if empty
	// Thousands is the mark between groups of three digits, as in "2,590": ",", ".", "'" or a space, which stands for
	// spaces that do not break a line, too. Empty for none. A number has all its marks or none of them.
	Thousands string `json:"thousands,omitempty"`
	// Trim leaves out the blanks at both ends of every field and of the names in the header.
	Trim bool `json:"trim,omitempty"`
}

// Encoding is how a file writes characters as bytes.
type Encoding string

// The encodings.
const (
	UTF8        Encoding = "utf-8"
	Latin1      Encoding = "latin-1"      // ISO 8859-1
	Windows1252 Encoding = "windows-1252" // what Windows programs mean by Latin-1
	UTF16       Encoding = "utf-16"       // of either byte order, with a byte-order mark or without
)

// WithFormat reads a file that is written in another form than the schema's Format says. The schema stays as it is.
func WithFormat(f Format) ReadOption { return func(c *readConfig) { c.format = &f } }

// plain drops spellings of the default; nil is plain CSV.
func (f *Format) plain() *Format {
	if f == nil {
		return nil
	}
	g := *f
	if g.Separator == "," {
		g.Separator = ""
	}
	if g.Decimal == "." {
		g.Decimal = ""
	}
	if g.Encoding == UTF8 {
		g.Encoding = ""
	}
	switch g.Thousands {
	case "\u00a0", "\u202f", "\u2009":
		g.Thousands = " "
	case "\u2019":
		g.Thousands = "'"
	}
	if g == (Format{}) {
		return nil
	}
	return &g
}

// separator is the byte between fields.
func (f *Format) separator() byte {
	if f == nil || f.Separator == "" {
		return ','
	}
	return f.Separator[0]
}

// trims reports whether fields have blanks at their ends that are left out.
func (f *Format) trims() bool { return f != nil && f.Trim }

// comma reports whether numbers have a decimal comma.
func (f *Format) comma() bool { return f != nil && f.Decimal == "," }

// grouping is the mark between groups of digits, 0 if there is none.
func (f *Format) grouping() byte {
	if f == nil || f.Thousands == "" {
		return 0
	}
	return f.Thousands[0]
}

// encoding is how the bytes are read.
func (f *Format) encoding() Encoding {
	if f == nil || f.Encoding == "" {
		return UTF8
	}
	return f.Encoding
}

// check refuses what no file can mean.
func (f *Format) check() *SchemaError {
	if f = f.plain(); f == nil {
		return nil
	}
	if s := f.Separator; s != "" && (len(s) > 1 || !strings.Contains(";\t|:~^ ", s)) {
		return bad("format.separator", label.Short(s), `one of ",", ";", a tab "\t", "|", ":", "~", "^", or a space`)
	}
	if f.Decimal != "" && f.Decimal != "," {
		return bad("format.decimal", label.Short(f.Decimal), `"." or ","`)
	}
	switch mark := f.Thousands; {
	case mark != "" && (len(mark) > 1 || !strings.Contains(",.' ", mark)):
		return bad("format.thousands", label.Short(mark), `",", ".", "'" or a space`)
	case mark != "" && (mark == "," && f.Decimal == "," || mark == "." && f.Decimal == ""):
		return bad("format.thousands", label.Short(mark)+", which is the decimal mark", `two marks, such as "decimal": "," `+
			`with "thousands": "."`)
	}
	switch f.Encoding {
	case "", Latin1, Windows1252, UTF16:
		return nil
	}
	return bad("format.encoding", label.Short(string(f.Encoding)), `"utf-8", "latin-1", "windows-1252" or "utf-16"`)
}
