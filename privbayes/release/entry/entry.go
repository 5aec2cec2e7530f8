// Package entry drafts the record of a release for a public registry of deployments of differential privacy, and
// matches such a record with a release.
//
// The form is that of the registry of the OpenDP project, github.com/opendp/deployments-registry-data, at commit
// 057e5d8 of its schema: three tiers of fields about product, variant, privacy loss, deployment model and
// implementation. What follows from the release is filled in; what only people know is a text that begins with
// [Question]. A field that must be a date, a number or one of a list holds such a text, too, so that the registry's
// check refuses a draft by the questions that are open, and by nothing else.
//
// A record carries the SHA-256 digest of the release file. [Match] derives the filled fields from the file again.
package entry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// Entry is the draft of a record.
type Entry struct {
	Digest  string // SHA-256 of the release file, hexadecimal
	Library string // the version of privbayes that wrote it
	fields  record
	release *release.Release
	chosen  *selection.Selection
	totals  *totals.Totals
}

// Release is the release that the draft is of, as its file was read; nil for running totals.
func (e *Entry) Release() *release.Release { return e.release }

// Selection is the one that accepted the release; nil for a release by itself.
func (e *Entry) Selection() *selection.Selection { return e.chosen }

// Totals are the running totals that the draft is of; nil for a release.
func (e *Entry) Totals() *totals.Totals { return e.totals }

// Plan is what a record and a page say of the plan of a release, or of running totals.
type Plan interface {
	Title() string
	Shape() *model.Shape
	Target() dp.Request
	Certificate() *cert.Certificate
	Settings() []mechanism.Setting
	Expected() []mechanism.Expectation
}

// NotPrivateError refuses the draft of a release that has no guarantee: one drawn from a seed, or under a schema
// inferred from data.
type NotPrivateError struct{ Level dp.Parameters }

func (e *NotPrivateError) Error() string {
	return "entry: the release is " + e.Level.String() + "; records and privacy reports are of private releases alone"
}

// UnchargedError says that a ledger does not know the release.
type UnchargedError struct{ ID, Dataset string }

func (e *UnchargedError) Error() string {
	return fmt.Sprintf("entry: the ledger of %s has no charge for release %s; want the ledger that paid for it",
		safetext.Quote(e.Dataset), safetext.Word(e.ID))
}

// Option refines a draft.
type Option func(*draft)

// Tier drafts the fields of a lower tier, 1 or 2; the default is all of them, 3.
func Tier(tier int) Option { return func(d *draft) { d.tier = tier } }

// Ledger says how the release composes with the others on its data set: the ledger must have a charge for it.
func Ledger(b *budget.Budget) Option { return func(d *draft) { d.ledger = b } }

// draft is what a record is made from.
type draft struct {
	release *release.Release     // nil for running totals
	chosen  *selection.Selection // that accepted it; nil for a release by itself
	totals  *totals.Totals       // nil for a release
	digest  string
	library string // the version that wrote the file
	tier    int
	ledger  *budget.Budget
}

func (d *draft) plan() Plan {
	if d.totals != nil {
		return d.totals.Plan()
	}
	return d.release.Plan()
}

func (d *draft) guarantee() dp.Guarantee {
	if d.totals != nil {
		return d.totals.Guarantee()
	}
	return d.release.Guarantee()
}

// Draft drafts the record of the release or of the running totals whose file has these bytes, or of a selection with
// the release that it accepted. Errors: those of release.Parse, totals.Parse and selection.Parse;
// *selection.NoneAcceptedError; *NotPrivateError for a release without a guarantee; *dp.ParameterError for a tier that
// there is not; *budget.MismatchError, *budget.UnitError and *UnchargedError for a ledger that did not pay for the
// release.
func Draft(ctx context.Context, file []byte, options ...Option) (*Entry, error) {
	d := draft{digest: digest(file), tier: 3}
	var err error
	switch {
	case totals.IsFile(file):
		d.totals, err = totals.Parse(ctx, file)
	case selection.IsFile(file):
		if d.chosen, err = selection.Parse(ctx, file); err == nil {
			d.release, err = d.chosen.Release()
		}
	default:
		d.release, err = release.Parse(ctx, file)
	}
	if err != nil {
		return nil, err
	}
	var head struct {
		Library string `json:"library"`
	}
	_ = json.Unmarshal(file, &head) // Parse has read it, and found it fit to be shown
	d.library = head.Library
	for _, o := range options {
		o(&d)
	}
	if d.tier < 1 || d.tier > 3 {
		return nil, domain.Refuse("entry", "tier", d.tier, "1, 2 or 3")
	}
	if g := d.guarantee(); g.Notion == dp.None {
		return nil, &NotPrivateError{g.Parameters}
	}
	if d.ledger != nil {
		if err := Charged(d.ledger, d.plan().Shape().Schema(), d.id()); err != nil {
			return nil, err
		}
	}
	return &Entry{d.digest, d.library, d.record().upTo(d.tier), d.release, d.chosen, d.totals}, nil
}

// Charged says whether a ledger paid for a release, a selection or a publication of data under a schema:
// *budget.MismatchError, *budget.UnitError, *UnchargedError.
func Charged(b *budget.Budget, s *frame.Schema, id string) error {
	if err := b.For(s.Dataset, budget.UnitOf(s)); err != nil {
		return err
	}
	for _, c := range b.Charges() {
		if c.ID == id {
			return nil
		}
	}
	return &UnchargedError{id, b.Dataset()}
}

// Held are the words that what a budget has together needs and a guarantee goes without: that others' weights are held
// as given, where a release that sets such weights aside is charged to a budget of releases that use them; else "".
func Held(b *budget.Budget, g dp.Guarantee) string {
	if words := ", with " + frame.HeldAsGiven; b != nil && strings.HasSuffix(b.Unit().Name, frame.HeldAsGiven) &&
		!strings.HasSuffix(g.Unit, frame.HeldAsGiven) {
		return words
	}
	return ""
}

// digest is SHA-256 in hexadecimal.
func digest(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}

// Questions are the paths of the fields that people answer, in the order of the draft.
func (e *Entry) Questions() []string {
	var out []string
	e.fields.visit("", func(path string, value any) {
		if text, ok := value.(string); ok && isQuestion(text) {
			out = append(out, path)
		}
	})
	return out
}

// JSON is the draft as JSON, which is YAML, too.
func (e *Entry) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(plain(e.fields))
	return b.Bytes(), err
}

// YAML is the draft as the registry wants it: blocks, quoted texts of one line, and literal texts of several.
func (e *Entry) YAML() []byte {
	var b bytes.Buffer
	b.WriteString("# A draft for a registry of deployments: answer or remove what begins with " + strings.TrimSpace(Question) +
		"\n# Then match it with its release: privbayes verify RELEASE --entry FILE\n")
	writeRecord(&b, e.fields, "")
	return b.Bytes()
}

// matched are the fields that a record must have from its release: those of the first kind as they are, a text of the
// second within whatever people wrote around it.
var matched = []struct {
	path  string
	whole bool
	what  string
}{
	{"/deployment/dp_variant/variant_name", true, "the variant of differential privacy"},
	{"/deployment/privacy_loss/privacy_parameters/epsilon", true, "ε"},
	{"/deployment/privacy_loss/privacy_parameters/delta", true, "δ"},
	{"/deployment/privacy_loss/privacy_parameters/rho", true, "ρ"},
	{"/deployment/privacy_loss/number_of_privacy_units", true, "the number of units"},
	{"/deployment/privacy_loss/privacy_unit", false, "the unit"},
	{"/deployment/privacy_loss/privacy_unit_details", false, "which tables are adjacent"},
	{"/deployment/privacy_loss/privacy_parameters_details", false, "the guarantee, and how noise is sampled"},
	{"/deployment/dp_variant/data_domain", false, "the domain"},
	{"/deployment/dp_variant/unprotected_quantities", false, "what is unprotected"},
	{"/deployment/implementation/mechanisms", false, "mechanism and certificate"},
	{"/deployment/deployment_model/model_name", true, "who adds the noise"},
	{"/deployment/deployment_model/access_type", true, "how the product is used"},
}

// at is the path of the text that names the release.
const at = "/deployment/implementation/additional_information"

// Matching says whether a record and a release belong together.
type Matching struct {
	Checks []Checked
	Open   int // questions of the record that nobody has answered
}

// Checked is one statement of a record that was held against the release.
type Checked struct {
	Statement string `json:"statement"`
	OK        bool   `json:"ok"`
	Reason    string `json:"reason,omitempty"` // why not
}

// OK reports that every check holds.
func (m *Matching) OK() bool {
	for _, c := range m.Checks {
		if !c.OK {
			return false
		}
	}
	return len(m.Checks) > 0
}

// Table lists the checks.
func (m *Matching) Table() *table.Table {
	t := table.New("The entry and its release", "the entry", "", "reason")
	for _, c := range m.Checks {
		says := "as the release"
		if !c.OK {
			says = "FAILED"
		}
		t.Add(c.Statement, says, c.Reason)
	}
	if m.Open > 0 {
		t.Note(fmt.Sprintf("questions that are open: %d", m.Open))
	}
	return t
}

// String shows the checks as text.
func (m *Matching) String() string { return table.Text(m) }

// Match says, line by line, whether a record and the release whose file has these bytes belong together: the record
// names the file's digest, and states of the release what follows from it. Fields that the record leaves out, as those
// of a higher tier, are not looked at. The release itself is verified by release.Verify, not here.
//
// Errors: *FileError for a record that cannot be read, and those of [Draft] for the release.
func Match(ctx context.Context, file, entry []byte) (*Matching, error) {
	have, err := Read(entry)
	if err != nil {
		return nil, err
	}
	own, err := Draft(ctx, file)
	if err != nil {
		return nil, err
	}
	m := &Matching{}
	add := func(statement, reason string, ok bool) {
		if ok {
			reason = ""
		}
		m.Checks = append(m.Checks, Checked{statement, ok, reason})
	}
	said, want := leaves(have), map[string]any{}
	own.fields.visit("", func(path string, value any) { want[path] = value })
	add("names the file by its digest", "it does not name SHA-256 "+own.Digest+" alone", named(said[at], own.Digest))
	for _, k := range matched {
		values, stated := said[k.path]
		due := want[k.path]
		if text, question := due.(string); !stated || len(values) == 1 && isOpen(values[0]) || question && isQuestion(text) {
			continue // it says nothing, or only people can
		}
		same := len(values) == 1 && agrees(values[0], due, k.whole)
		follows := "nothing of it"
		if due != nil {
			follows = safetext.Short(fmt.Sprint(due))
		}
		add("states "+k.what, fmt.Sprintf("it says %s; from the release follows %s", safetext.Short(fmt.Sprint(values...)),
			follows), same)
	}
	for _, have := range slices.Sorted(maps.Keys(said)) {
		if k := misplaced(have); k != "" {
			add("states everything in its place", fmt.Sprintf("it has %s, and the registry %s", safetext.Line(have), k), false)
		}
	}
	for _, values := range said {
		for _, value := range values {
			if isOpen(value) {
				m.Open++
			}
		}
	}
	return m, nil
}

// misplaced is the path that the registry has for the name at the end of a path, where it is another one.
func misplaced(have string) string {
	at := ""
	for _, k := range matched {
		if have == k.path {
			return ""
		}
		if path.Base(strings.ReplaceAll(have, "[]", "")) == path.Base(k.path) {
			at = k.path
		}
	}
	return at
}

// named says whether a digest, and no other, stands among texts.
func named(values []any, digest string) bool {
	found := false
	for _, value := range values {
		text, _ := value.(string)
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
			if len(word) == len(digest) {
				if word != digest {
					return false
				}
				found = true
			}
		}
	}
	return found
}

func isOpen(value any) bool {
	text, ok := value.(string)
	return ok && isQuestion(text)
}

// agrees compares what a record says with what follows.
func agrees(have, want any, whole bool) bool {
	switch w := want.(type) {
	case string:
		h, ok := have.(string)
		if !ok {
			return false
		}
		if whole {
			return h == w
		}
		return strings.Contains(words(h), words(w))
	case int:
		h, ok := have.(float64)
		return ok && h == float64(w)
	case float64:
		h, ok := have.(float64)
		return ok && math.Abs(h-w) <= 1e-9*math.Abs(w)
	}
	return false
}
