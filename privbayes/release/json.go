package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog" // files of every kind of the library load
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Format is the version of the release file that this library writes and reads. Files of formats 1 and 2 are refused:
// no version that wrote them was published.
const Format = "privbayes-release-3"

// file is the JSON form. Everything below plan and draw follows from these two, and is there for readers without the
// library.
type file struct {
	Format      string            `json:"format"`
	Library     string            `json:"library"`
	Guarantee   dp.Guarantee      `json:"guarantee"`
	Plan        json.RawMessage   `json:"plan"`
	Draw        *mechanism.Drawn  `json:"draw"`
	Artifact    artifact          `json:"artifact"`
	Certificate *cert.Certificate `json:"certificate"`
}

// artifact is the post-processed counts and the posterior made of them.
type artifact struct {
	// Kind is "tables", "draws" of a posterior sample, "parameters", a learned "network", or "chains".
	Kind   string       `json:"kind"`
	Tables []tableJSON  `json:"tables,omitempty"`
	Draws  *model.Draws `json:"draws,omitempty"`
	Seed   string       `json:"seed,omitempty"` // of chains: a hash of the draw
	Class  []float64    `json:"class,omitempty"`
	// Conditionals are parameters released as such: every conditional distribution of the model times the records it
	// stands for.
	Conditionals [][]float64 `json:"conditionals,omitempty"`
	// Families are the nodes of a learned network with their parents, whose Conditionals stand above.
	Families []model.Family `json:"families,omitempty"`
	// Potentials are where a fit ended, for each set of columns that was measured: Conditionals follow from them.
	Potentials [][]float64 `json:"potentials,omitempty"`
	// Within is where in the bins of a column of numbers the means lie, by the fit and the sums of the draw.
	Within any `json:"within,omitempty"`
}

type tableJSON struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Labels  [][]string `json:"labels"`
	Counts  []float64  `json:"counts"` // estimated; the last column's labels run fastest
}

// FileError is a release file that cannot be used. Nothing of the file is in its text but escaped and cut.
type FileError struct {
	Path, Field string
	Want        string
	Err         error
}

func (e *FileError) Error() string {
	s := "release"
	if e.Path != "" {
		s += " " + safetext.File(e.Path)
	}
	if e.Field != "" {
		s += ": " + safetext.Line(e.Field)
	}
	s += ": want " + safetext.Line(e.Want)
	if e.Err != nil {
		s += ": " + safetext.Cause(e.Err, maxShown)
	}
	return s
}

// maxShown bounds what an error says of the content of a file, in characters.
const maxShown = 4000

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// JSON is the release file: the same bytes for the same plan and draw. Error: *FileError for a release that was chosen
// among others, whose file is that of the selection.
func (r *Release) JSON() ([]byte, error) {
	if r.chosen {
		return nil, &FileError{Field: "guarantee", Want: "the file of the selection: a release that was chosen by the rows " +
			"has not the guarantee that a file of its own would state"}
	}
	return r.json(Version, r.artifact())
}

func (r *Release) json(library string, filed artifact) ([]byte, error) {
	plan, err := json.Marshal(r.plan)
	if err != nil {
		return nil, err
	}
	return Encode(file{Format, library, r.Guarantee(), plan, r.drawn, filed, r.Certificate()})
}

// Encode is how files of releases, and of what holds some, are written.
func Encode(file any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(file)
	return b.Bytes(), err
}

// HasFormat reports whether bytes are of a file that names this format.
func HasFormat(b []byte, format string) bool {
	var head struct {
		Format string `json:"format"`
	}
	return json.Unmarshal(b, &head) == nil && head.Format == format
}

// chains is the artifact of an estimate that Markov chains make of the draw: where they end depends on the machine, so
// that a file has their seed alone.
const chains = "chains"

func (r *Release) artifact() artifact {
	a := artifact{Kind: "tables", Class: r.filed.Class}
	if r.filed.Draws != nil {
		a.Kind, a.Draws = "draws", r.filed.Draws
	}
	if r.filed.Sampling != nil {
		return artifact{Kind: chains, Seed: r.filed.Sampling.Seed}
	}
	if a.Conditionals = r.filed.Conditionals; a.Conditionals != nil {
		if a.Draws == nil {
			a.Kind = "parameters"
		}
		if a.Families = r.filed.Families; a.Families != nil {
			a.Kind, a.Potentials = "network", r.filed.Potentials
			if len(r.filed.Within) > 0 {
				a.Within = r.filed.Within
			}
		}
		return a
	}
	for i, t := range r.plan.Shape().Tables() {
		a.Tables = append(a.Tables, tableJSON{t.Name, t.Columns, t.Labels, r.filed.Tables[i]})
	}
	return a
}

// Save writes the release file atomically: a reader sees the old file or the whole new one, and so does one after a
// crash.
func (r *Release) Save(path string) error {
	b, err := r.JSON()
	if err != nil {
		return err
	}
	if err := journal.Write(journal.OS, path, b, 0o644); err != nil {
		return &FileError{Path: path, Want: "a folder that exists and can be written, and a complete write", Err: err}
	}
	return nil
}

// Load reads a release file. The plan is certified again and the artifact made again from the draw; a file whose
// numbers disagree with what follows from its plan and draw is refused with *FileError, which names the file.
//
// The context ends it and sets its limits (cert.WithMemoryLimit, cert.WithWorkLimit). A file longer than the memory
// limit is refused before it is read: *FileError around a *cert.LimitError. What is then held is in proportion to the
// file's length.
func Load(ctx context.Context, path string) (*Release, error) {
	r, err := LoadAs(ctx, path, Parse)
	if err == nil {
		r.from = originOf(path)
	}
	return r, err
}

// DecodeAs reads the fields of a file of a format, in which no object has a key twice. Errors: *FileError, which of
// bytes that are no JSON says what it is wanted of.
func DecodeAs(b []byte, format, want string, into any) error {
	if err := strictjson.Unique(b); err != nil {
		return &FileError{Want: want, Err: err}
	}
	if !HasFormat(b, format) {
		return &FileError{Field: "format", Want: fmt.Sprintf("%q", format)}
	}
	if err := cert.Decode(b, into); err != nil {
		return &FileError{Want: "the fields of " + format, Err: err}
	}
	return nil
}

// LoadAs reads a file and parses it: the errors of parse are then of the file. Errors: *FileError.
func LoadAs[T any](ctx context.Context, path string, parse func(ctx context.Context, b []byte) (*T, error)) (*T, error) {
	b, err := ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	out, err := parse(ctx, b)
	if err != nil {
		return nil, InFile(path, err)
	}
	return out, nil
}

// lookedFor says where a file was looked for, and what to do: a relative path is one from the program's own folder.
func lookedFor(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil || filepath.IsAbs(path) {
		return "of that name; give the path of the file that keeps it"
	}
	return "in " + safetext.File(filepath.Dir(whole)) +
		", where this program runs; give the path of the file that keeps it, or run in its folder"
}

// ReadFile reads the bytes of a release file, at most the memory limit of ctx: *FileError.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &FileError{Path: path, Want: "a release file: there is none " + lookedFor(path), Err: err}
	}
	if err != nil {
		return nil, &FileError{Path: path, Want: "a release file", Err: err}
	}
	defer func() { _ = f.Close() }()
	limit := cert.MemoryLimit(ctx)
	tooLong := func(bytes float64) error {
		return &FileError{Path: path, Want: "a file that fits the memory limit",
			Err: cert.Within("reading it", bytes, "bytes", float64(limit), "raise it with cert.WithMemoryLimit")}
	}
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		return nil, tooLong(float64(info.Size()))
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1)) // a pipe has no size
	switch {
	case err != nil:
		return nil, &FileError{Path: path, Want: "a release file", Err: err}
	case int64(len(b)) > limit:
		return nil, tooLong(float64(len(b)))
	}
	return b, ctx.Err()
}

// InFile names the file of an error that Parse or VerifyBytes found in its bytes: *FileError.
func InFile(path string, err error) error {
	var fe *FileError
	if errors.As(err, &fe) && fe.Path == "" {
		named := *fe
		named.Path = path
		return &named
	}
	return &FileError{Path: path, Want: "a release that can be read", Err: err}
}

// Parse reads a release file's bytes, as Load does.
func Parse(ctx context.Context, b []byte) (*Release, error) {
	f, err := decode(b)
	if err != nil {
		return nil, err
	}
	r, err := f.rebuild(ctx)
	if err != nil {
		return nil, err
	}
	if have, want := f.Guarantee, r.Guarantee(); !SameGuarantee(have, want) {
		return nil, &FileError{Field: "guarantee", Want: want.Apart(have.Parameters) + ", which follows from its plan and draw; it " +
			"states " + stated(have, want.Parameters)}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.sameFile(b, f); err != nil {
		return nil, err
	}
	return r, nil
}

// sameFile compares a release file with r's own, as a version of the library states it. Equal bytes, the usual case,
// need no trees of values, which take many times the file's length. Draws of a posterior that is now made by chains, as
// files of version 0.2.0 hold them, are not read and not compared.
func (r *Release) sameFile(b []byte, f *file) error {
	filed := r.artifact()
	if s := r.filed.Sampling; s != nil && s.Filed && f.Artifact.Kind == "draws" {
		filed = f.Artifact
	}
	own, err := r.json(f.Library, filed)
	if err != nil || bytes.Equal(b, own) {
		return err
	}
	return SameDocument(b, own)
}

// stated shows the guarantee that a file states, which nothing vouches for: cut, and in its own words only between
// quotes. It has the digits that tell its level from the real one.
func stated(g dp.Guarantee, real dp.Parameters) string {
	if g.Notion == dp.None && g.Reason != "" {
		return "not private, because " + safetext.Short(g.Reason)
	}
	return safetext.Clip(g.Apart(real), 500)
}

// decode checks format and required fields.
func decode(b []byte) (*file, error) {
	var head struct {
		Format string `json:"format"`
	}
	err := strictjson.Shallow(b)
	if err == nil {
		err = json.Unmarshal(b, &head)
	}
	if err != nil || head.Format != Format {
		return nil, otherFile(b, err)
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, &FileError{Want: "the fields of " + Format, Err: err}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &FileError{Want: "one JSON object and nothing after it"}
	}
	switch {
	case f.Draw == nil:
		return nil, &FileError{Field: "draw", Want: "the raw numbers of the release"}
	case f.Draw.ID == "":
		return nil, &FileError{Field: "draw.id", Want: "the release's identifier"}
	case !safetext.IsWord(f.Draw.ID):
		return nil, &FileError{Field: "draw.id", Want: "an identifier of letters a to z, digits and _ . : -",
			Err: errors.New(safetext.Short(f.Draw.ID))}
	case !safetext.IsWord(strings.ReplaceAll(f.Library, "+", "-")):
		return nil, &FileError{Field: "library", Want: "a version of letters a to z, digits and . - +",
			Err: errors.New(safetext.Short(f.Library))}
	case len(f.Plan) == 0:
		return nil, &FileError{Field: "plan", Want: "mechanism, shape, target and parameters"}
	case f.Certificate == nil:
		return nil, &FileError{Field: "certificate", Want: "the checks of the plan"}
	}
	return &f, nil
}

func (f *file) rebuild(ctx context.Context) (*Release, error) {
	p, err := mechanism.ParsePlan(ctx, f.Plan)
	if err != nil {
		return nil, &FileError{Field: "plan", Want: "a plan that certifies", Err: err}
	}
	est, err := p.EstimateAt(ctx, f.Draw, f.Artifact.Potentials)
	if err == nil {
		var r *Release
		if r, err = of(ctx, p, f.Draw, est); err == nil {
			return r, nil
		}
	}
	var refused *dp.ParameterError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &refused) && refused.Parameter == "potentials":
		return nil, &FileError{Field: "artifact.potentials", Want: "potentials at which a fit to the draw ends", Err: err}
	}
	return nil, &FileError{Field: "draw", Want: "the measured cells of the plan", Err: err}
}

// close compares numbers that two machines may compute differently in the last places.
func close(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// SameGuarantee compares guarantees, numbers to a relative 1e-9 as two machines may compute them.
func SameGuarantee(a, b dp.Guarantee) bool {
	x, y := a, b
	x.Epsilon, y.Epsilon, x.Delta, y.Delta, x.Rho, y.Rho = 0, 0, 0, 0, 0, 0
	return x == y && close(float64(a.Epsilon), float64(b.Epsilon)) && close(a.Delta, b.Delta) && close(a.Rho, b.Rho)
}

// SaveNew writes the release file like Save, but only if path does not exist yet; the error is fs.ErrExist if it does.
// Two programs that save at the same time cannot both do so, also where the file system has no hard links.
func (r *Release) SaveNew(path string) error {
	b, err := r.JSON()
	if err != nil {
		return err
	}
	if err := journal.WriteNew(journal.OS, path, b, 0o644); err != nil {
		return &FileError{Path: path, Want: "a new file in a folder that can be written, and a complete write",
			Err: err}
	}
	return nil
}

// sameParams reports whether two texts state the same parameters: one JSON value, the order of keys and the spelling of
// numbers apart, no key twice. Whole numbers are compared digit by digit, as a float64 cannot tell 2^53 from the next;
// others to a relative 1e-9, as two machines may compute them.
func sameParams(a, b json.RawMessage) bool {
	x, err := readDocument(a)
	if err != nil {
		return false
	}
	y, err := readDocument(b)
	return err == nil && sameJSON(x, y)
}

func sameJSON(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			if w, in := y[k]; !in || !sameJSON(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameJSON(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && sameNumber(x.String(), y.String())
	}
	return a == b // strings, truth values, null
}

func sameNumber(a, b string) bool {
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	switch {
	case !okX || !okY:
		return a == b
	case x == y:
		return true
	case x.exponent >= 0 && y.exponent >= 0: // whole numbers
		return false
	}
	v, errX := strconv.ParseFloat(a, 64)
	w, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && close(v, w)
}

// decimal is a number as ±digits·10^exponent, without zeros at either end of the digits; none at all for 0.
type decimal struct {
	minus    bool
	digits   string
	exponent int
}

// decimalOf takes a JSON number apart. It fails where the exponent is no int.
func decimalOf(s string) (decimal, bool) {
	d := decimal{minus: strings.HasPrefix(s, "-")}
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(strings.TrimPrefix(s, "-")), "e")
	if scientific {
		e, err := strconv.Atoi(exponent)
		if err != nil {
			return d, false
		}
		d.exponent = e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(short)
	if d.digits = short; short == "" {
		return decimal{}, true
	}
	return d, true
}

// otherFiles says of other files of the library what they are, and which commands read them.
var otherFiles = map[string]string{
	"privbayes-publication-1": "the file is a publication, whose items are releases: show --item NAME --out FILE takes " +
		"one out of it; show, verify, export and report --public read it",
	"privbayes-selection-1": "the file is a selection, whose guarantee is of all candidates: show, verify, export, " +
		"synthesize, report --public and entry read it by the name of its file",
	"privbayes-categories-1": "the file has categories of a column: show and verify read it, and AddTo or " +
		"discover --into puts them into a schema",
	"privbayes-range-1": "the file has a range of a column: show and verify read it, and AddTo or discover --into puts " +
		"it into a schema",
	"privbayes-totals-1": "the file has running totals, whose guarantee is of all periods: show, verify, " +
		"report --public and entry read it, and it holds all intervals",
	"privbayes-privacy-report-1": "the file is a privacy report, which report --public wrote of a release: no command " +
		"reads it, and report reads the release",
	"privbayes-synthetic-sets-1": "the file describes a folder of synthetic sets, which sets wrote of a release: " +
		"combine reads estimates of the sets",
	"privbayes-ledger-3": "the file is a budget: the command budget reads it",
}

// recordOf says so of a record for a registry.
const recordOf = "the file is a record for a registry, which entry drafted of a release: verify RELEASE --entry FILE " +
	"reads both"

// otherFile is the error for a file that is no release, by its format; reason is why its JSON cannot be read, or nil.
func otherFile(b []byte, reason error) *FileError {
	var head struct {
		Format     string          `json:"format"`
		Deployment json.RawMessage `json:"deployment"`
	}
	_ = json.NewDecoder(bytes.NewReader(b)).Decode(&head) // of a budget the first line
	other := otherFiles[head.Format]
	if head.Deployment != nil || bytes.HasPrefix(b, []byte("# A draft for a registry")) {
		other = recordOf
	}
	switch {
	case other != "":
		return &FileError{Field: "format", Want: fmt.Sprintf("%q; %s", Format, other)}
	case reason != nil:
		return &FileError{Want: "a JSON release", Err: reason}
	case head.Format == "":
		return &FileError{Field: "format", Want: fmt.Sprintf("%q; the file names no format, so it is no release file",
			Format)}
	case head.Format == "privbayes-release-1" || head.Format == "privbayes-release-2":
		return &FileError{Field: "format", Want: fmt.Sprintf("%q, have %s: it was "+
			"written before any version was published, and cannot be read; a new release of the same table is charged "+
			"as a further one", Format, safetext.Short(head.Format))}
	}
	return &FileError{Field: "format", Want: fmt.Sprintf("%q, have %s: written by another version of the library", Format,
		safetext.Short(head.Format))}
}
