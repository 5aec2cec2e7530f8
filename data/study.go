package data

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

//go:embed study
var studySchemas embed.FS

//go:embed originals.json
var originalsJSON []byte

// Original is one of the eight public tables of the study of the Dirichlet mechanism (Table 1 of the paper): what it
// holds, where the publisher keeps it, and the checksums that a copy must have. All are in the UCI Machine Learning
// Repository under CC BY 4.0.
type Original struct {
	Name        string           `json:"name"`       // "adult"
	PaperName   string           `json:"paper_name"` // "Adult", as in Table 1
	File        string           `json:"file"`       // "adult.csv.gz", the table as converted here
	Rows        int              `json:"rows"`
	Features    int              `json:"features"` // columns of the schema but the target
	Classes     int              `json:"classes"`
	ClassCounts map[string]int64 `json:"class_counts"` // rows by label of the target
	Target      string           `json:"target"`
	Positive    string           `json:"positive,omitempty"`     // the label Table 1 counts, of two
	MissingMark string           `json:"missing_mark,omitempty"` // "" when nothing is missing
	CSVBytes    int64            `json:"csv_bytes"`              // of the uncompressed table
	CSVSHA256   string           `json:"csv_sha256"`             // of the uncompressed table
	// Changes are those against the publisher's file: no value was changed, no row dropped or moved.
	Changes string `json:"changes"`
	Shipped bool   `json:"shipped,omitempty"` // the converted table is embedded and needs no network
	Notes   string `json:"notes,omitempty"`

	ID            int      `json:"uci_id"`
	Page          string   `json:"page"`
	DOI           string   `json:"doi"`
	Licence       string   `json:"licence"`
	Citation      string   `json:"citation"`
	URL           string   `json:"url"`            // of the archive
	ArchiveSHA256 string   `json:"archive_sha256"` // as several projects publish it; the members decide
	Members       []Member `json:"members"`        // the publisher's files, in the order of the rows
	Nested        *Member  `json:"nested,omitempty"`
}

// Member is a file of an archive.
type Member struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

var originals = sync.OnceValues(func() ([]Original, error) {
	var o []Original
	d := json.NewDecoder(bytes.NewReader(originalsJSON))
	d.DisallowUnknownFields()
	return o, d.Decode(&o)
})

// Study lists the eight data sets of the study in the order of Table 1.
func Study() []Original {
	o, err := originals()
	if err != nil {
		return nil // the embedded file is broken: the tests fail
	}
	return slices.Clone(o)
}

// StudyNames lists the names of the data sets of the study.
func StudyNames() []string {
	var names []string
	for _, o := range Study() {
		names = append(names, o.Name)
	}
	return names
}

// StudyInfo tells about one data set of the study: *NameError if there is none of that name.
func StudyInfo(name string) (Original, error) {
	for _, o := range Study() {
		if o.Name == name {
			return o, nil
		}
	}
	return Original{}, &NameError{name, StudyNames()}
}

// StudySchema is the public schema of a data set of the study, fresh: categories from the code book; about ten bins per
// number, with edges that are round numbers or come from the code book, never quantiles of the data. Adult leaves
// fnlwgt out, as the paper does. Error: *NameError.
func StudySchema(name string) (*frame.Schema, error) {
	if _, err := StudyInfo(name); err != nil {
		return nil, err
	}
	b, err := studySchemas.ReadFile("study/" + name + ".json")
	if err != nil {
		return nil, err
	}
	return frame.ParseSchema(b)
}

// NotFetchedError says that a public table is not on this machine, and how to get it.
type NotFetchedError struct {
	Name   string
	File   string
	URL    string
	Looked []string // the folders
}

func (e *NotFetchedError) Error() string {
	where := "nowhere"
	if len(e.Looked) > 0 {
		where = "in " + strings.Join(e.Looked, ", ")
	}
	return fmt.Sprintf("data set %q is public but not here (looked for %s %s); get it with: privbayes data fetch %s",
		e.Name, e.File, where, e.Name)
}

// Is reports whether target is a NotFoundError: a table that is not here is a file not found.
func (e *NotFetchedError) Is(target error) bool {
	_, ok := target.(*NotFoundError)
	return ok
}

// FindStudy says where the table of a data set of the study is: in the folder that PRIVBAYES_DATA names, or in the
// cache ([CacheDir]). Errors: *NameError, *NotFetchedError.
func FindStudy(name string) (path string, err error) {
	o, err := StudyInfo(name)
	if err != nil {
		return "", err
	}
	e := &NotFetchedError{Name: name, File: o.File, URL: o.URL, Looked: externalDirs()}
	if path, err := External(o.File); err == nil {
		return path, nil
	}
	return "", e
}

// OpenStudy opens a data set of the study, with a fresh reader and schema: the table that [FindStudy] finds, else the
// embedded copy (creditcard, spam and shopper have one). Its bytes must have the SHA-256 that [StudyInfo] tells.
// Errors: *NameError, *NotFetchedError, *ChecksumError, *ArchiveError (not readable as gzip).
func OpenStudy(name string) (io.Reader, *frame.Schema, error) {
	o, err := StudyInfo(name)
	if err != nil {
		return nil, nil, err
	}
	s, err := StudySchema(name)
	if err != nil {
		return nil, nil, err
	}
	path, err := FindStudy(name)
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(path)
	} else if b, missing := o.Embedded(); missing == nil {
		path, raw, err = "embedded "+o.File, b, nil
	}
	if err != nil {
		return nil, nil, err
	}
	csv, err := o.Table(path, raw)
	if err != nil {
		return nil, nil, err
	}
	return &Table{bytes.NewReader(csv), strings.TrimSuffix(o.File, ".gz")}, s, nil
}

// ChecksumError says that bytes are not those of the file they should be.
type ChecksumError struct {
	File      string
	Got, Want string // SHA-256, hexadecimal
	GotBytes  int64
	WantBytes int64
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s has SHA-256 %s and %d bytes, want %s and %d bytes: it is damaged, or another version",
		e.File, e.Got, e.GotBytes, e.Want, e.WantBytes)
}

// Verify says whether these are the member's bytes. Error: *ChecksumError, which names the file Path.
func (m Member) Verify(b []byte) error {
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != m.SHA256 || int64(len(b)) != m.Bytes {
		return &ChecksumError{m.Path, got, m.SHA256, int64(len(b)), m.Bytes}
	}
	return nil
}

// Embedded is the file of the table, if it is embedded: creditcard, spam and shopper are. Error: fs.ErrNotExist.
func (o Original) Embedded() ([]byte, error) { return embedded.ReadFile("files/" + o.File) }

// Table is the table in the bytes of a file, which are uncompressed where they start as gzip does; it must have the
// SHA-256 of this one. The file's name is for errors: *ChecksumError, *ArchiveError (not readable as gzip).
func (o Original) Table(file string, raw []byte) ([]byte, error) {
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, &ArchiveError{File: file, Want: "a gzip file", Err: err}
		}
		if raw, err = io.ReadAll(io.LimitReader(z, o.CSVBytes+1)); err != nil {
			return nil, &ArchiveError{File: file, Want: "a whole gzip file", Err: err}
		}
	}
	return raw, Member{file, o.CSVBytes, o.CSVSHA256}.Verify(raw)
}

// ArchiveError says that an archive, or a file in it, is not as expected.
type ArchiveError struct {
	File string // the archive, or the file in it
	Want string
	Err  error // the cause, if another package found it
}

func (e *ArchiveError) Error() string {
	s := fmt.Sprintf("%s: want %s", e.File, e.Want)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *ArchiveError) Unwrap() error { return e.Err }

// acsGov2018 is the large table of the regression study: neither embedded nor an [Original].
var acsGov2018 = struct {
	Dataset
	bytes int64 // of the uncompressed table, whose checksum is SHA256
}{Dataset{
	Name: "acs_gov2018", File: "acs_gov2018.csv.gz", Title: "American Community Survey 2018, government employees",
	Rows: 204309, Columns: 17,
	Source: "US Census Bureau, American Community Survey 2018, public-use microdata; selection by Plecko, Bennett " +
		"and Meinshausen",
	Package: "R fairadapt 1.0.0, data set gov_census",
	Licence: "US Census Bureau public-use microdata (public domain); the package that carries it is GPL-3 or later",
	Citation: "Plecko, D., Bennett, N. and Meinshausen, N. (2024), fairadapt: Causal Reasoning for Fair Data " +
		"Preprocessing, Journal of Statistical Software 110(4), doi:10.18637/jss.v110.i04.",
	Changes: "R data frame written as CSV; compressed",
	SHA256:  "09b247ceac49f945171dcc0d232c3bce9e25660a117a0ba548e9581eb7da95bd",
}, 16739637}

// ACSGov2018Info tells about the table that [ACSGov2018] opens; SHA256 is of the uncompressed table.
func ACSGov2018Info() Dataset { return acsGov2018.Dataset }

// ACSGov2018 opens the yearly salaries of 204309 government employees with their public schema, the large run of the
// regression study. The table is not embedded: it is found as [External] finds it, and its bytes must have the SHA-256
// that [ACSGov2018Info] tells. The schema leaves out occupation and industry, which have hundreds of codes, and
// citizenship and children. Errors: *NotFoundError, *ChecksumError, *ArchiveError (not readable as gzip).
func ACSGov2018() (io.Reader, *frame.Schema, error) {
	b, err := studySchemas.ReadFile("study/" + acsGov2018.Name + ".json")
	if err != nil {
		return nil, nil, err
	}
	s, err := frame.ParseSchema(b)
	if err != nil {
		return nil, nil, err
	}
	path, err := External(acsGov2018.File)
	if err != nil {
		return nil, nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	csv, err := Original{CSVBytes: acsGov2018.bytes, CSVSHA256: acsGov2018.SHA256}.Table(path, raw)
	if err != nil {
		return nil, nil, err
	}
	return &Table{bytes.NewReader(csv), strings.TrimSuffix(acsGov2018.File, ".gz")}, s, nil
}
