package privacyreport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// subject is what a page is about: a release, by itself or accepted by a selection, or a publication of several under
// one guarantee.
type subject struct {
	items       []item                   // the release, the items of the publication, or the totals
	publication *publication.Publication // nil for a release
	selection   *selection.Selection     // that accepted the release; nil without one
	totals      *totals.Totals           // nil for others
	identity    Identity
	record      json.RawMessage // of a release, for a registry
}

// item is one release of a page; only those of a publication have names. Running totals have a plan, and no release.
type item struct {
	*release.Release
	name string
	plan entry.Plan
}

func (i item) Plan() entry.Plan { return i.plan }

// says is a text about an item.
func (i item) says(text string) string {
	if i.name == "" {
		return text
	}
	return safetext.Quote(i.name) + ": " + text
}

// read reads the file of a release or of a publication that has a guarantee and that the budget, if there is one, paid
// for.
func read(ctx context.Context, file []byte, b *budget.Budget) (*subject, error) {
	if publication.IsFile(file) {
		return readPublication(ctx, file, b)
	}
	var ledger []entry.Option
	if b != nil {
		ledger = append(ledger, entry.Ledger(b))
	}
	drafted, err := entry.Draft(ctx, file, ledger...)
	if err != nil {
		return nil, err
	}
	s := &subject{selection: drafted.Selection(), totals: drafted.Totals()}
	if s.totals != nil {
		s.items = []item{{plan: s.totals.Plan()}}
	} else {
		s.items = []item{{Release: drafted.Release(), plan: drafted.Release().Plan()}}
	}
	s.identity = Identity{ID: s.ID(), SHA256: drafted.Digest, Library: drafted.Library}
	if s.kind() != "release" {
		s.identity.Kind = s.kind()
	}
	record, err := drafted.JSON()
	s.record = record
	return s, err
}

func readPublication(ctx context.Context, file []byte, b *budget.Budget) (*subject, error) {
	p, err := publication.Parse(ctx, file)
	if err != nil {
		return nil, err
	}
	if g := p.Guarantee(); g.Notion == dp.None {
		return nil, &entry.NotPrivateError{Level: g.Parameters}
	}
	s := &subject{publication: p}
	for _, l := range p.Plan().Lines() {
		r, err := p.Item(l.Name)
		if err != nil {
			return nil, err
		}
		s.items = append(s.items, item{r, l.Name, r.Plan()})
	}
	if b != nil {
		if err := entry.Charged(b, s.schema(), p.ID()); err != nil {
			return nil, err
		}
	}
	var head struct {
		Library string `json:"library"`
	}
	sum := sha256.Sum256(file)
	s.identity = Identity{Kind: "publication", ID: p.ID(), SHA256: hex.EncodeToString(sum[:])}
	err = json.Unmarshal(file, &head)
	s.identity.Library = head.Library
	return s, err
}

// ID is the name of the whole in ledgers.
func (s *subject) ID() string {
	switch {
	case s.publication != nil:
		return s.publication.ID()
	case s.selection != nil:
		return s.selection.ID()
	case s.totals != nil:
		return s.totals.ID()
	}
	return s.items[0].ID()
}

// Guarantee is that of the whole.
func (s *subject) Guarantee() dp.Guarantee {
	if s.totals != nil {
		return s.totals.Guarantee()
	}
	return s.items[0].Stated()
}

// Warnings are about the whole.
func (s *subject) Warnings() warning.List {
	switch {
	case s.publication != nil:
		return s.publication.Warnings()
	case s.selection != nil:
		return s.selection.Warnings()
	case s.totals != nil:
		return s.totals.Warnings()
	}
	return s.items[0].Warnings()
}

// certificate is that of the whole.
func (s *subject) certificate() *cert.Certificate {
	switch {
	case s.publication != nil:
		return s.publication.Plan().Certificate()
	case s.selection != nil:
		return s.selection.Plan().Certificate()
	}
	return s.first().Certificate()
}

// power is that of the best attack on the whole.
func (s *subject) power(ctx context.Context) float64 {
	switch {
	case s.publication != nil:
		return s.publication.Plan().AttackPower(ctx, falseAlarms)
	case s.totals != nil:
		return loss.AttackPower(s.Guarantee().Parameters, falseAlarms)
	}
	return powerOf(s.items[0].Release.Plan(), s.Guarantee())(ctx, falseAlarms)
}

// kind is what the page calls its file.
func (s *subject) kind() string {
	switch {
	case s.publication != nil:
		return "publication"
	case s.selection != nil:
		return "selection"
	case s.totals != nil:
		return "sequence"
	}
	return "release"
}

// title names the whole.
func (s *subject) title() string {
	if s.publication != nil {
		return safetext.Prose(s.publication.Plan().Name())
	}
	if s.totals != nil {
		return s.first().Title()
	}
	return s.first().Shape().Model().String()
}

// first is the plan of the first item. Schema, rows and unit of all are the same.
func (s *subject) first() entry.Plan { return s.items[0].Plan() }

func (s *subject) schema() *frame.Schema { return s.first().Shape().Schema() }

// plans are those of the items.
func (s *subject) plans() (out []entry.Plan) {
	for _, i := range s.items {
		out = append(out, i.Plan())
	}
	return out
}

// columns are those that an item reads, each once.
func (s *subject) columns() (out []frame.Column) {
	for _, i := range s.items {
		for _, c := range i.Plan().Shape().Columns() {
			if !slices.ContainsFunc(out, func(o frame.Column) bool { return o.Name == c.Name }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// mechanisms are their titles, each once.
func (s *subject) mechanisms() string {
	var titles []string
	for _, p := range s.plans() {
		if !slices.Contains(titles, p.Title()) {
			titles = append(titles, p.Title())
		}
	}
	return strings.Join(titles, "; ")
}

// count is how many numbers with noise the file holds.
func (s *subject) count() (n int) {
	if s.totals != nil {
		return s.totals.Measured()
	}
	for _, i := range s.items {
		for _, t := range i.Raw() {
			n += len(t)
		}
		for _, t := range i.Real() {
			n += len(t)
		}
	}
	return n
}

// summary is the table of an item's estimates.
func (i item) summary() *table.Table {
	t := i.Summary()
	t.Title = i.says(t.Title)
	return t
}
