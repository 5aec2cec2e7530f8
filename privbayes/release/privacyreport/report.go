// Package privacyreport writes the page about a release, a publication or running totals that a data-protection officer
// reads and signs: what is published, who is protected, how strongly, what budget is left, what is not protected, and
// how to check it.
//
// Everything on it follows from the release file, the budget file and answers of people. [Draft] takes no table and no
// statistics, so nothing that read raw data can enter, and the page may be published. The sentences stand in one table
// by privacy definition and adjacency. Bounds are rounded against the release.
//
// Sources: NIST SP 800-226 (2025); Article 29 Working Party, Opinion 05/2014 (WP 216); Dong, Roth, Su 2022 (the power
// of an attack). What is said about law is a proposal, and needs a lawyer's reading.
package privacyreport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// format is the version of the report's JSON form.
const format = "privbayes-privacy-report-1"

// Report is the page: one field for every row of the template. Its JSON is the machine-readable twin.
type Report struct {
	Format     string   `json:"format"`
	Title      string   `json:"title"`
	Alerts     []string `json:"alerts,omitempty"` // red lines above everything else
	Open       []string `json:"to_answer"`        // the keys of the open questions
	Release    Identity `json:"release"`
	Numbers    Numbers  `json:"numbers"`
	Who        Section  `json:"who"`
	Purpose    Section  `json:"purpose"`
	Data       Section  `json:"data"`
	Protected  Section  `json:"protected"`
	Strength   Section  `json:"strength"`
	Attack     Section  `json:"attack"`
	Budget     Section  `json:"budget"`
	Published  Section  `json:"published"`
	Before     Section  `json:"before"`
	Choices    Section  `json:"choices"`
	NotCovered Section  `json:"not_protected"`
	Usefulness Section  `json:"usefulness"`
	Check      Section  `json:"check"`
	Standards  Section  `json:"standards"`
	Custody    Section  `json:"custody"`
	// Record is the release's record for a registry of deployments, of package entry. A publication has none.
	Record json.RawMessage `json:"record,omitempty"`
}

// Identity says which release the page is about.
type Identity struct {
	Kind    string `json:"kind,omitempty"` // "publication", "selection", "sequence" of totals; else a release
	ID      string `json:"id"`
	File    string `json:"file,omitempty"`
	SHA256  string `json:"sha256"`
	Date    string `json:"date,omitempty"` // as the budget file or an answer says, YYYY-MM-DD
	Library string `json:"library"`
}

// Numbers are the bounds that the sentences state, unrounded. Probabilities are between 0 and 1.
type Numbers struct {
	Guarantee   dp.Guarantee `json:"guarantee"`
	N           *int         `json:"n,omitempty"` // rows, where that is public
	Epsilon     cert.Number  `json:"epsilon"`     // of the (ε, δ) guarantee that the sentences state
	Delta       float64      `json:"delta"`
	Factor      cert.Number  `json:"factor"`                // e^ε
	Suspicion   float64      `json:"suspicion_of_tenth"`    // what a suspicion of 10 % may become
	Exception   float64      `json:"suspicion_except"`      // except with this probability
	AttackPower float64      `json:"attack_power"`          // at FalseAlarms
	LimitPower  *float64     `json:"limit_power,omitempty"` // at the budget's limit
	FalseAlarms float64      `json:"false_alarms"`
}

// Section is one row of the template. Text and List are the program's own sentences; Answers are people's.
type Section struct {
	Heading  string         `json:"heading"`
	Text     []string       `json:"text,omitempty"`
	List     []string       `json:"list,omitempty"`
	Answers  []Answer       `json:"answers,omitempty"`
	Tables   []*table.Table `json:"tables,omitempty"`
	Commands []string       `json:"commands,omitempty"`

	figures []*figure.Forest // each below the table of its place
}

// Answer is what people say. The program does not check it. Text of an open one is the question.
type Answer struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Open  bool   `json:"open,omitempty"`
}

// Options are what a page may know besides the release.
type Options struct {
	File    string         // the name of the release file, for the commands; the page shows the last part of the path
	Budget  *budget.Budget // that paid for the release; nil leaves the question about other releases open
	Answers Answers        // see [ParseAnswers]; what is missing is an open question
	Sets    string         // a folder of synthetic sets made from the release, by synthetic.Sets.Write
}

// RefusedError is a release that no page is made for.
type RefusedError struct {
	Reason string // in words
	Err    error  // *entry.NotPrivateError, or nil
}

func (e *RefusedError) Error() string { return "privacy report: " + e.Reason }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// draft is what a page is made from.
type draft struct {
	*subject
	Options
	charge   budget.Charge // of this release
	charges  []budget.Charge
	sets     *synthetic.Folder
	words    words
	numbers  Numbers
	answered Answers
}

// Draft makes the page about the release, selection, publication or running totals whose file has these bytes. The
// context ends reading and the computation of the attack's power. Errors: those of entry.Draft and publication.Parse;
// *RefusedError for a release without a guarantee (drawn from a seed, or under an inferred schema) or with structural
// zeros that its own numbers contradict; *budget.MismatchError, *budget.UnitError and *entry.UnchargedError for a
// budget that did not pay for it; *dp.ParameterError for an unfit answer, and for a folder of another release;
// *synthetic.FolderError.
func Draft(ctx context.Context, file []byte, o Options) (*Report, error) {
	about, err := read(ctx, file, o.Budget)
	if none, ok := err.(*entry.NotPrivateError); ok {
		return nil, &RefusedError{"the release is " + none.Level.String() + "; want a release with a guarantee", err}
	}
	if err != nil {
		return nil, err
	}
	if err := o.Answers.valid(); err != nil {
		return nil, err
	}
	d := &draft{subject: about, Options: o, answered: Answers{}}
	for _, w := range d.Warnings() {
		if w.Kind == warning.KindZerosContradicted {
			return nil, &RefusedError{Reason: "the release contradicts itself: " + w.Text}
		}
	}
	if err := d.readSets(); err != nil {
		return nil, err
	}
	d.words = wordsOf(d.plans(), d.Guarantee())
	d.readBudget()
	d.numbers = d.measure(ctx)
	return d.report(), nil
}

// readBudget finds the charge of the release, and what its people said then.
func (d *draft) readBudget() {
	for k := range d.Answers {
		d.answered[k], _ = d.Answers.to(k)
	}
	if d.Budget == nil {
		return
	}
	d.charges = d.Budget.Charges()
	for _, c := range d.charges {
		if c.ID != d.ID() {
			continue
		}
		d.charge = c
		for info, key := range map[string]string{"who": keyRunBy, "why": keyPurpose} {
			if d.answered[key] == "" {
				d.answered[key] = c.Info[info]
			}
		}
		if day := c.Info["time"]; d.answered[keyPublished] == "" && len(day) >= len("2006-01-02") {
			d.answered[keyPublished] = day[:len("2006-01-02")]
		}
	}
}

// readSets reads the folder of synthetic sets, which must be the release's.
func (d *draft) readSets() error {
	if d.Sets == "" {
		return nil
	}
	sets, err := synthetic.Describe(d.Sets)
	if err != nil {
		return err
	}
	if d.totals != nil {
		return domain.Refuse("privacyreport", "folder of synthetic sets", "of "+safetext.Short(sets.Release),
			"none: running totals have no rows")
	}
	for _, i := range d.items {
		if sets.ReleaseID == i.ID() || sets.ReleaseID == "" && i.captioned(sets.Release) {
			d.sets = &sets
			return nil
		}
	}
	return domain.Refuse("privacyreport", "folder of synthetic sets", "of "+safetext.Short(sets.Release),
		"sets of this release: "+safetext.Short(d.items[0].Caption()))
}

// captioned reports whether a folder that does not name the release by its identifier has its caption, of now or as it
// was worded before; that of a learned structure goes on.
func (i item) captioned(text string) bool {
	sh, n := i.Plan().Shape(), "n private"
	if v, public := sh.N(); public {
		n = fmt.Sprintf("n = %d", v)
	}
	before := fmt.Sprintf("%s, %s, %s, %s, %s; %s", i.Plan().Title(), i.Release.Plan().Certified().Parameters,
		i.Release.Plan().Certified().Adjacency, safetext.Quote(sh.Schema().Dataset), n, i.Randomness())
	same := func(caption string) bool { // 1e-06 is 1e-6
		short := strings.NewReplacer("e-0", "e-").Replace
		return strings.HasPrefix(short(text)+".", short(caption)+".")
	}
	return same(i.Caption()) || same(before)
}

// report puts the sections together.
func (d *draft) report() *Report {
	r := &Report{Format: format, Open: []string{}, Record: bytes.TrimSpace(d.record), Alerts: d.alerts(),
		Numbers: d.numbers, Who: d.who(), Purpose: d.purpose(), Data: d.data(), Protected: d.protected(),
		Strength: d.strength(), Attack: d.attack(), Budget: d.spent(), Published: d.published(), Before: d.before(),
		Choices: d.choices(), NotCovered: d.notCovered(), Usefulness: d.usefulness(), Check: d.check(),
		Standards: d.standards(), Custody: d.custody()}
	if r.Release = d.identity; d.answered[keyPublished] != "" {
		r.Release.Date = d.answered[keyPublished]
	}
	if d.File != "" {
		r.Release.File = filepath.Base(d.File)
	}
	for _, s := range r.sections() {
		for _, a := range s.Answers {
			if a.Open {
				r.Open = append(r.Open, a.Key)
			}
		}
	}
	r.Title = "Privacy report: " + d.title()
	switch n := len(r.Open); {
	case n == 1:
		r.Title += " (1 answer open)"
	case n > 1:
		r.Title += " (" + number(float64(n)) + " answers open)"
	}
	return r
}

// sections are the rows in the order of the page.
func (r *Report) sections() []*Section {
	return []*Section{&r.Who, &r.Purpose, &r.Data, &r.Protected, &r.Strength, &r.Attack, &r.Budget, &r.Published,
		&r.Before, &r.Choices, &r.NotCovered, &r.Usefulness, &r.Check, &r.Standards, &r.Custody}
}

// JSON is the machine-readable twin.
func (r *Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// Save writes the page as one self-contained .html, .md or .json file, the same bytes for the same inputs. It replaces
// an older page, and no other file. Errors: *dp.ParameterError for another ending, or a file that is there and is no
// page; or the file system's.
func (r *Report) Save(path string) error {
	var text []byte
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html":
		text = r.Page()
	case ".md":
		text = []byte(r.Markdown())
	case ".json":
		var err error
		if text, err = r.JSON(); err != nil {
			return err
		}
	default:
		return domain.Refuse("privacyreport", "file", safetext.File(path), "an ending of .html, .md or .json")
	}
	return journal.ReplaceOwn("privacyreport", "privacy report", path, text, 0o644, htmlMark, markdownMark,
		"{\n \"format\": \""+format+"\"")
}
