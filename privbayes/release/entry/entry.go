package entry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Entry is the draft of a record.
type Entry struct {
	Digest string // SHA-256 of the release file, hexadecimal
	fields record
}

// NotPrivateError refuses the draft of a release that has no guarantee: one drawn from a seed, or under a schema
// inferred from data.
type NotPrivateError struct{ Level dp.Parameters }

func (e *NotPrivateError) Error() string {
	return "entry: the release is " + e.Level.String() + "; a registry lists private releases"
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
	release *release.Release
	digest  string
	library string // the version that wrote the file
	tier    int
	ledger  *budget.Budget
}

// Draft drafts the record of the release whose file has these bytes. Errors: those of release.Parse;
// *NotPrivateError for a release without a guarantee; *dp.ParameterError for a tier that there is not;
// *budget.MismatchError, *budget.UnitError and *UnchargedError for a ledger that did not pay for the release.
func Draft(ctx context.Context, file []byte, options ...Option) (*Entry, error) {
	r, err := release.Parse(ctx, file)
	if err != nil {
		return nil, err
	}
	d := draft{release: r, digest: digest(file), tier: 3}
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
	if g := r.Guarantee(); g.Notion == dp.None {
		return nil, &NotPrivateError{g.Parameters}
	}
	if d.ledger != nil {
		if err := d.charged(); err != nil {
			return nil, err
		}
	}
	return &Entry{Digest: d.digest, fields: d.record().upTo(d.tier)}, nil
}

// charged says whether the ledger paid for the release.
func (d *draft) charged() error {
	s := d.release.Plan().Shape().Schema()
	if err := d.ledger.For(s.Dataset, budget.UnitOf(s)); err != nil {
		return err
	}
	for _, c := range d.ledger.Charges() {
		if c.ID == d.release.ID() {
			return nil
		}
	}
	return &UnchargedError{d.release.ID(), d.ledger.Dataset()}
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
