package frame

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/privbayes/privbayes-go/internal/safetext"
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
		return bad("format.separator", safetext.Short(s), `one of ",", ";", a tab "\t", "|", ":", "~", "^", or a space`)
	}
	if f.Decimal != "" && f.Decimal != "," {
		return bad("format.decimal", safetext.Short(f.Decimal), `"." or ","`)
	}
	switch mark := f.Thousands; {
	case mark != "" && (len(mark) > 1 || !strings.Contains(",.' ", mark)):
		return bad("format.thousands", safetext.Short(mark), `",", ".", "'" or a space`)
	case mark != "" && (mark == "," && f.Decimal == "," || mark == "." && f.Decimal == ""):
		return bad("format.thousands", safetext.Short(mark)+", which is the decimal mark",
			`two marks, such as "decimal": "," with "thousands": "."`)
	}
	switch f.Encoding {
	case "", Latin1, Windows1252, UTF16:
		return nil
	}
	return bad("format.encoding", safetext.Short(string(f.Encoding)), `"utf-8", "latin-1", "windows-1252" or "utf-16"`)
}

// plainText undoes gzip, refuses files that hold no text, and turns the declared encoding into UTF-8 without a
// byte-order mark.
func plainText(r io.Reader, name string, enc Encoding) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	within := ""
	if head, _ := b.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &FileError{File: name, Want: "whole gzip data", Err: err}
		}
		b, within = bufio.NewReaderSize(z, 1<<16), "gzip of "
	}
	head, _ := b.Peek(1024)
	refuse := func(found, want string) (io.Reader, error) {
		return nil, &FileError{File: name, Found: within + found, Want: want}
	}
	if k := otherKind(head); k.name != "" {
		return refuse(k.name, cmp.Or(k.want, exportCSV))
	}
	wide := wideText(head)
	switch {
	case enc == UTF16:
		if wide == "" {
			return refuse("text that is not UTF-16", `UTF-16, as declared; leave out "encoding" for UTF-8`)
		}
		return lines(wideDecoder(wide).Reader(b)), nil
	case wide != "":
		return refuse("UTF-16 text", `UTF-8, or "format": {"encoding": "utf-16"} in the schema`)
	case bytes.IndexByte(head, 0) >= 0:
		return refuse("binary data, or text with zero bytes", "CSV text, or gzip of it")
	case !strings.HasPrefix(string(head), "\xef\xbb\xbf"):
	case enc != UTF8:
		return refuse("UTF-8 text, by its byte-order mark", "the declared encoding, "+string(enc))
	default:
		_, _ = b.Discard(3)
	}
	if bytewise := bytewise(enc); bytewise != nil {
		return lines(bytewise.NewDecoder().Reader(b)), nil
	}
	return lines(b), nil
}

// lines undoes line ends of CR alone, where the first line outside quotes ends so: CR and LF change places outside
// quotes, so that a line with another end is found as one in a file of LF would be.
func lines(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 1<<16) // the same where it is one already
	head, _ := b.Peek(1 << 16)
	quoted := false
	for i, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted || c != '\r' && c != '\n':
		case c == '\n', bytes.HasPrefix(head[i+1:], []byte("\n")), bytes.HasPrefix(head[i+1:], []byte("\r\n")):
			return b
		default:
			return &crLines{r: b}
		}
	}
	return b
}

type crLines struct {
	r      io.Reader
	quoted bool
}

func (l *crLines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case c == '"':
			l.quoted = !l.quoted
		case l.quoted:
		case c == '\r':
			p[i] = '\n'
		case c == '\n':
			p[i] = '\r'
		}
	}
	return n, err
}

// The byte orders of UTF-16.
const (
	littleEndian = "little-endian"
	bigEndian    = "big-endian"
)

// wideDecoder reads UTF-16 of a byte order, or of the one that its mark says.
func wideDecoder(order string) *encoding.Decoder {
	if order == bigEndian {
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
}

// wideText recognises UTF-16: by its byte-order mark, or by zeros in every other byte, which Latin letters, commas and
// line ends have. It is empty for anything else.
func wideText(head []byte) string {
	if len(head) < 2 {
		return ""
	}
	switch string(head[:2]) {
	case "\xff\xfe":
		return littleEndian
	case "\xfe\xff":
		return bigEndian
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch few := len(head) / 8; {
	case zeros[0] == 0 && zeros[1] > few:
		return littleEndian
	case zeros[1] == 0 && zeros[0] > few:
		return bigEndian
	}
	return ""
}

// exportCSV is what to do about most files that are no text tables.
const exportCSV = "CSV text, or gzip of it: export the table as CSV"

// What else to do.
const (
	unpack  = "CSV text, or gzip of it: unpack it, and give the table in it"
	inExcel = "CSV text, or gzip of it: in the spreadsheet's program, save the sheet with the table as CSV (UTF-8)"
	inR     = "CSV text, or gzip of it: in R, write.csv(table, \"table.csv\", row.names = FALSE)"
	inStats = "CSV text, or gzip of it: export the table as CSV from its program, or by R's package haven or Python's " +
		"pyreadstat"
	byRows  = `CSV text, or gzip of it: in Python, pandas.read_json("file").to_csv("table.csv", index=False)`
	byDB    = "CSV text, or gzip of it; packages sqlsource and duckdb read tables of a database in place"
	inPlace = "CSV text, or gzip of it; it is read in place by package sources/"
	page    = "CSV text, or gzip of it: a page was saved in the place of the table, such as a notice or a login"
	decrypt = "CSV text, or gzip of it: decrypt it"
)

// fileKind is a kind of file that is taken for a table.
type fileKind struct{ start, name, want string }

// fileKinds are known by their first bytes.
var fileKinds = []fileKind{
	{"PK\x03\x04", "a zip archive", unpack},
	{"PK\x05\x06", "an empty zip archive", unpack},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", unpack},
	{"Rar!\x1a\x07", "a rar archive", unpack},
	{"SQLite format 3\x00", "a SQLite database", byDB},
	{"\x00\x01\x00\x00Standard Jet DB", "an Access database (mdb)", exportCSV},
	{"\x00\x01\x00\x00Standard ACE DB", "an Access database (accdb)", exportCSV},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (xls), or another old Office document", inExcel},
	{"ARROW1\x00\x00", "an Arrow or Feather file", inPlace + "arrow"},
	{"FEA1", "a Feather file of version 1", "CSV text, or gzip of it, or Feather version 2, which package sources/arrow " +
		"reads in place: read it with pyarrow.feather, and write it again"},
	{"\xff\xff\xff\xff", "an Arrow stream", inPlace + "arrow"},
	{"ORC", "an ORC file", exportCSV},
	{"Obj\x01", "an Avro file", exportCSV},
	{"RDX2\n", "an R data file", inR},
	{"RDX3\n", "an R data file", inR},
	{"RDA2\n", "an R data file", inR},
	{"RDA3\n", "an R data file", inR},
	{"X\n\x00\x00", "an R object (rds)", inR},
	{"A\n2\n", "an R object (rds)", inR},
	{"A\n3\n", "an R object (rds)", inR},
	{"<stata_dta>", "a Stata file (dta)", inStats},
	{"$FL2@(#)", "an SPSS file (sav)", inStats},
	{"$FL3@(#)", "an SPSS file (zsav)", inStats},
	{sasStart, "a SAS file (sas7bdat)", inStats},
	{"HEADER RECORD*******LIB", "a SAS transport file (xpt)", inStats},
	{"MATLAB 5.0 MAT-file", "a MATLAB file", exportCSV},
	{"\x93NUMPY", "a NumPy file", exportCSV},
	{"\x89HDF\r\n", "an HDF5 file", exportCSV},
	{"CDF\x01", "a NetCDF file", exportCSV},
	{"CDF\x02", "a NetCDF file", exportCSV},
	{"%PDF-", "a PDF document", exportCSV},
	{"{\\rtf", "an RTF document", exportCSV},
	{"\x89PNG", "a picture (PNG)", exportCSV},
	{"\xff\xd8\xff", "a picture (JPEG)", exportCSV},
	{"\x1f\x8b", "gzip", "one layer of gzip: unpack it once"},
	{"\x1f\x9d", "compress data (Z)", unpack},
	{"\xfd7zXZ\x00", "xz data", unpack},
	{"\x28\xb5\x2f\xfd", "zstd data", unpack},
	{"\x04\x22\x4d\x18", "lz4 data", unpack},
	{"\xff\x06\x00\x00sNaPpY", "snappy data", unpack},
	{"\xff\xfe\x00\x00", "UTF-32 text", "UTF-8: save the table as CSV in UTF-8"},
	{"\x00\x00\xfe\xff", "UTF-32 text", "UTF-8: save the table as CSV in UTF-8"},
	{"version https://git-lfs", "a pointer of Git LFS, and not the file", "the file itself: git lfs pull"},
	{"-----BEGIN PGP", "an encrypted or signed message", decrypt},
	{"Salted__", "an encrypted file", decrypt},
	{"age-encryption.org/", "an encrypted file", decrypt},
}

// sasStart is what a SAS file begins with.
const sasStart = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60\xb3\x14\x11\xcf" +
	"\xbd\x92\x08\x00\x09\xc7\x31\x8c"

// textKinds are known by their first characters, behind blanks, in any case.
var textKinds = []fileKind{
	{"<!doctype html", "an HTML page", page},
	{"<html", "an HTML page", page},
	{"<table", "an HTML table", page},
	{"<?xml", "XML", exportCSV},
	{"@relation", "an ARFF file", "CSV text: the lines behind @data, under a header with the names of its " +
		"@attribute lines"},
}

// otherKind names a file that is no text table by its first bytes; no name if it may be one.
func otherKind(head []byte) fileKind {
	s := string(head)
	old := len(s) > 4 && strings.IndexByte("\x69\x6c\x6e\x6f\x71\x72\x73", s[0]) >= 0 && (s[1] == 1 || s[1] == 2) &&
		s[2] == 1 && s[3] == 0
	switch {
	case strings.HasPrefix(s, "PAR1") && len(s) > 4 && s[4] < ' ' && !strings.ContainsAny(s[4:5], "\t\r\n"):
		// and not a header that begins with the column PAR1
		return fileKind{name: "a Parquet file", want: inPlace + "parquet"}
	case strings.HasPrefix(s, "PARE") && len(s) > 4 && s[4] < ' ' && !strings.ContainsAny(s[4:5], "\t\r\n"):
		return fileKind{name: "an encrypted Parquet file", want: decrypt}
	case len(s) > 10 && s[:3] == "BZh" && s[4:10] == "1AY&SY":
		return fileKind{name: "bzip2 data", want: unpack}
	case len(s) > 262 && s[257:262] == "ustar":
		return fileKind{name: "a tar archive", want: unpack}
	case strings.Contains(s[:min(len(s), 400)], "ASCII SPSS PORT FILE"):
		return fileKind{name: "an SPSS file (por)", want: inStats}
	case len(s) > 11 && s[8:12] == "DUCK":
		return fileKind{name: "a DuckDB database", want: byDB}
	case old:
		return fileKind{name: "a Stata file (dta)", want: inStats}
	case len(s) > 4 && s[0] == 0x80 && s[1] >= 2 && s[1] <= 5 && s[2] > 0x7f:
		return fileKind{name: "a pickle of Python", want: exportCSV}
	}
	for _, k := range fileKinds {
		// A header may begin with a name such as ORC or FEA1: then no control character follows.
		if !strings.HasPrefix(s, k.start) || len(k.start) < 5 && k.start == strings.ToUpper(k.start) &&
			strings.Trim(k.start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ1") == "" && bytes.IndexByte(head, 0) < 0 {
			continue
		}
		if strings.HasPrefix(k.start, "PK") {
			return ofZip(s, k)
		}
		return k
	}
	text := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(s, "\ufeff"), " \t\r\n"))
	for _, k := range textKinds {
		if strings.HasPrefix(text, k.start) {
			if k.name == "XML" && strings.Contains(text, "excel.sheet") {
				return fileKind{name: "an Excel workbook in XML", want: inExcel}
			}
			return k
		}
	}
	if isJSON(text) {
		return fileKind{name: "JSON", want: byRows}
	}
	return fileKind{}
}

// isJSON reports whether a text begins as an object or list of JSON does, which no header does.
func isJSON(text string) bool {
	open := strings.TrimLeft(text, "[ \t\r\n")
	if strings.HasPrefix(open, "{") {
		rest := strings.TrimLeft(open[1:], " \t\r\n")
		return strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "}")
	}
	return false
}

// ofZip says what a zip archive holds.
func ofZip(s string, k fileKind) fileKind {
	switch {
	case strings.Contains(s, "opendocument.spreadsheet"):
		return fileKind{name: "an OpenDocument spreadsheet (ods)", want: inExcel}
	case strings.Contains(s, "[Content_Types].xml"), strings.Contains(s, "xl/"):
		return fileKind{name: "an Excel workbook (xlsx)", want: inExcel}
	case strings.Contains(s, "Index/Document.iwa"), strings.Contains(s, "Index/"):
		return fileKind{name: "a Numbers spreadsheet, or another archive", want: inExcel}
	}
	return k
}
