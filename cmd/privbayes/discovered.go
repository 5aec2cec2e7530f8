//go:build !browser

package main

import (
	"context"
	"io"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// foundColumn is what was found of a column: categories, or a range.
type foundColumn interface {
	ID() string
	Guarantee() dp.Guarantee
	Randomness() string
	Loaded() bool
	Warnings() warning.List
	Table() *table.Table
	AddTo(s *frame.Schema) (*frame.Schema, error)
}

// findsKind is what may be found of a column.
type findsKind interface {
	noun() string
	plan(ctx context.Context, target dp.Request, s *frame.Schema, column string) (plannedColumn, error)
	draw(target dp.Request, s *frame.Schema, in frame.Input, d *discoverFlags, opts []privbayes.Option) (foundColumn,
		error)
	json(found foundColumn, d *discoverFlags) any
}

// plannedColumn is how a plan is shown.
type plannedColumn struct {
	json     any
	table    *table.Table
	warnings warning.List
}

type categoriesKind struct{ atMost int }

func (categoriesKind) noun() string { return "categories" }

// discoverPlanJSON is what discover --plan writes with --json.
type discoverPlanJSON struct {
	Plan      *discovery.Plan `json:"plan"`
	Certified dp.Guarantee    `json:"certified"`
	Cut       int64           `json:"cut"` // listed are categories with a noisy count above it
	SD        float64         `json:"sd"`  // of the noise
	Warnings  warning.List    `json:"warnings,omitempty"`
}

func (k categoriesKind) plan(ctx context.Context, target dp.Request, s *frame.Schema, column string) (plannedColumn,
	error) {
	p, err := discovery.New(ctx, target, s, column, k.atMost)
	if err != nil {
		return plannedColumn{}, err
	}
	w := worded(p.Warnings())
	return plannedColumn{discoverPlanJSON{p, p.Certified(), p.Cut(), p.SD(), w}, p.Table(), w}, nil
}

func (k categoriesKind) draw(target dp.Request, s *frame.Schema, in frame.Input, d *discoverFlags,
	opts []privbayes.Option) (foundColumn, error) {
	found := privbayes.Discover(s, d.column, k.atMost, in.Paths...)
	if len(in.Readers) > 0 {
		found = found.Reading(in.Readers...)
	}
	return found.WithBudget(d.ledger).Privatize(target, opts...)
}

// discoverJSON is what discover writes with --json.
type discoverJSON struct {
	releaseJSON
	Column     string            `json:"column"`
	Cuts       []int64           `json:"cuts,omitempty"` // of each level, where there are several
	Categories []discovery.Count `json:"categories"`     // with intervals at 95 %
	Into       string            `json:"into,omitempty"`
}

func (categoriesKind) json(found foundColumn, d *discoverFlags) any {
	j := discoverJSON{releaseJSON: d.output(found, "categories", found.Loaded(), found.Warnings()), Column: d.column,
		Into: d.into}
	f := found.(*discovery.Found)
	j.Cuts = f.Cuts()
	j.Categories, _ = f.Counts(.95)
	return j
}

type rangeKind struct{}

func (rangeKind) noun() string { return "bounds" }

// rangePlanJSON is what discover --plan writes of a range with --json.
type rangePlanJSON struct {
	Plan      *discovery.RangePlan `json:"plan"`
	Certified dp.Guarantee         `json:"certified"`
	Cut       int64                `json:"cut"`       // the least noisy count of an octave of the range
	Needs     int64                `json:"needs"`     // units, at least
	FalseEnd  float64              `json:"false_end"` // probability that an end is far from every value, at most
	SD        float64              `json:"sd"`        // of the noise
	Warnings  warning.List         `json:"warnings,omitempty"`
}

func (rangeKind) plan(ctx context.Context, target dp.Request, s *frame.Schema, column string) (plannedColumn, error) {
	p, err := discovery.NewRange(ctx, target, s, column)
	if err != nil {
		return plannedColumn{}, err
	}
	w := worded(p.Warnings())
	return plannedColumn{rangePlanJSON{p, p.Certified(), p.Cut(), p.Needs(), p.FalseEnd(), p.SD(), w}, p.Table(), w}, nil
}

func (rangeKind) draw(target dp.Request, s *frame.Schema, in frame.Input, d *discoverFlags,
	opts []privbayes.Option) (foundColumn, error) {
	found := privbayes.FindRange(s, d.column, in.Paths...)
	if len(in.Readers) > 0 {
		found = found.Reading(in.Readers...)
	}
	return found.WithBudget(d.ledger).Privatize(target, opts...)
}

// rangeValues are the range and its octaves: no ends where none was found.
type rangeValues struct {
	Low     *float64           `json:"low"`
	High    *float64           `json:"high"`
	Octaves []discovery.Octave `json:"octaves"` // with intervals at 95 %
	// Outside is the sum of the noisy counts outside of the range, and the standard deviation of its noise.
	Outside   int64   `json:"outside"`
	OutsideSD float64 `json:"outside_sd"`
}

func rangeValuesOf(r *discovery.Range) (v rangeValues) {
	if low, high, err := r.Bounds(); err == nil {
		v.Low, v.High = &low, &high
	}
	v.Octaves, _ = r.Octaves(.95)
	v.Outside, v.OutsideSD = r.Outside()
	return v
}

// rangeJSON is what discover writes of a range with --json.
type rangeJSON struct {
	releaseJSON
	Column string `json:"column"`
	rangeValues
	Into string `json:"into,omitempty"`
}

func (rangeKind) json(found foundColumn, d *discoverFlags) any {
	return rangeJSON{d.output(found, "range", found.Loaded(), found.Warnings()), d.column,
		rangeValuesOf(found.(*discovery.Range)), d.into}
}

// shownColumnJSON is what was found of a column for programs: all of it public.
type shownColumnJSON struct {
	ID         string         `json:"id"`
	Guarantee  dp.Guarantee   `json:"guarantee"`
	Randomness string         `json:"randomness"`
	Column     string         `json:"column"`
	Tables     []*table.Table `json:"tables"`
	Warnings   warning.List   `json:"warnings,omitempty"`
	HTML       string         `json:"html"`
}

func shownColumn(f foundColumn, column string) shownColumnJSON {
	return shownColumnJSON{f.ID(), f.Guarantee(), f.Randomness(), column, []*table.Table{f.Table()}, worded(f.Warnings()),
		table.HTML(f)}
}

// shownCategoriesJSON are categories of a file.
type shownCategoriesJSON struct {
	shownColumnJSON
	AtMost     int               `json:"at_most"`
	Cut        int64             `json:"cut"`
	Cuts       []int64           `json:"cuts,omitempty"` // of each level, where there are several
	Categories []discovery.Count `json:"categories"`     // with intervals at 95 %
}

// shownRangeJSON is the range of a file.
type shownRangeJSON struct {
	shownColumnJSON
	Cut      int64   `json:"cut"`
	FalseEnd float64 `json:"false_end"`
	rangeValues
}

// foundText shows what was found, and its guarantee.
func foundText(f foundColumn, details bool, text func(*table.Table) string) string {
	all := text(f.Table()) + "\n"
	if details {
		plan, certificate := detailsOf(f)
		all += text(plan) + "\n" + text(certificate) + "\n"
	}
	return all + stated(f.Guarantee(), nil) + fresh(f.Warnings()).String()
}

// detailsOf are the plan and the certificate.
func detailsOf(f foundColumn) (plan, certificate *table.Table) {
	if r, ok := f.(*discovery.Range); ok {
		return r.Plan().Table(), r.Plan().Certificate().Table()
	}
	p := f.(*discovery.Found).Plan()
	return p.Table(), p.Certificate().Table()
}

// foundJSON is what was found for programs.
func foundJSON(f foundColumn) any {
	if r, ok := f.(*discovery.Range); ok {
		p := r.Plan()
		return shownRangeJSON{shownColumn(f, p.Column()), p.Cut(), p.FalseEnd(), rangeValuesOf(r)}
	}
	c := f.(*discovery.Found)
	counts, _ := c.Counts(.95)
	return shownCategoriesJSON{shownColumn(f, c.Plan().Column()), c.Plan().AtMost(), c.Plan().Cut(), c.Cuts(),
		counts}
}

// openFound reads a file of what was found of a column, and returns what shows it; nil for other files.
func openFound(ctx context.Context, b []byte) (show shower, err error) {
	var f foundColumn
	switch {
	case discovery.IsFile(b):
		f, err = discovery.Parse(ctx, b)
	case discovery.IsRange(b):
		f, err = discovery.ParseRange(ctx, b)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func(asJSON, details bool, out io.Writer) error {
		if asJSON {
			return writeJSON(out, foundJSON(f))
		}
		return tell(out, foundText(f, details, fitted(out)))
	}, nil
}

// verifierOf verifies a file of what was found of a column; nil for other files.
func verifierOf(b []byte) func(ctx context.Context, b []byte) (*cert.Verification, error) {
	switch {
	case discovery.IsFile(b):
		return discovery.Verify
	case discovery.IsRange(b):
		return discovery.VerifyRange
	}
	return nil
}

// nothingFound reports whether an error is that of a range which was not found.
func nothingFound(err error) bool { return has[*discovery.NoRangeError](err) }
