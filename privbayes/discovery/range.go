package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/partition"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// RangePlan is a release of a range, certified before any row is read. It is public and immutable.
type RangePlan struct {
	asked
	rule partition.Octaves
}

// fewest is how many cuts of units a range needs: with fewer, most of the data may lie outside of what is found.
const fewest = 15

// NewRange plans the release of a range of a column without known bounds. A unit counts once: of the rows of a unit
// with several, those in one octave, which is chosen by a hash. The target is a pure ε under replace-one or add-remove,
// about a quarter of what the column's releases have together. It reads no data. Errors: *dp.ParameterError, also where
// the schema declares fewer rows than 15 cuts; *frame.SchemaError, *frame.ColumnError.
func NewRange(ctx context.Context, target dp.Request, s *frame.Schema, column string) (*RangePlan, error) {
	p, err := rangeHead(target, s, column)
	if err != nil {
		return nil, err
	}
	if p.rule, err = partition.CalibrateOctaves(float64(target.Epsilon), target.Adjacency); err != nil {
		return nil, err
	}
	return p, p.certify(ctx)
}

// rangeHead refuses what no release of a range can be.
func rangeHead(target dp.Request, s *frame.Schema, column string) (*RangePlan, error) {
	if err := target.Valid(); err != nil {
		return nil, err
	}
	if target.Notion != dp.Pure {
		return nil, domain.Refuse("discovery", "level", target.Parameters, "a pure ε: noisy counts of public octaves need "+
			"no δ, and budgets of other definitions take it")
	}
	a, err := ask(target, s, "ranges", func(s *frame.Schema) (*frame.Column, error) { return s.UnboundedColumn(column) })
	if err != nil {
		return nil, err
	}
	return &RangePlan{asked: a}, nil
}

// certify certifies the rule, and refuses it where the schema declares too few rows.
func (p *RangePlan) certify(ctx context.Context) error {
	c, err := partition.CertifyOctaves(ctx, p.rule, float64(p.target.Epsilon), p.target.Adjacency)
	if err != nil {
		return err
	}
	if rows := p.schema.ApproximateRows; rows > 0 && int64(rows) < p.Needs() {
		return domain.Refuse("discovery", "rows", fmt.Sprintf("%d, which the schema declares", rows), fmt.Sprintf("at least "+
			"%d, which are 15 times the cut at ε = %.6g, or bounds in the schema: of fewer rows most may lie beyond what is "+
			"found", p.Needs(), float64(p.target.Epsilon)))
	}
	return p.certified(c, dp.PureDP(float64(c.Checks[0].Value)))
}

// Cut is the least noisy count of an octave that belongs to the range.
func (p *RangePlan) Cut() int64 { return p.rule.Cut }

// Needs is how many units a table should have.
func (p *RangePlan) Needs() int64 { return fewest * p.rule.Cut }

// FalseEnd bounds the probability that an end of the range is far from every value.
func (p *RangePlan) FalseEnd() float64 { return p.rule.FalseEnd() }

// SD is the standard deviation of the noise of a count.
func (p *RangePlan) SD() float64 { return p.rule.SD() }

// rangePlanFile is the JSON form of a plan.
type rangePlanFile struct {
	Target dp.Request        `json:"target"`
	Schema json.RawMessage   `json:"schema"`
	Column string            `json:"column"`
	Rule   partition.Octaves `json:"rule"`
}

// MarshalJSON writes what defines the plan.
func (p *RangePlan) MarshalJSON() ([]byte, error) {
	return json.Marshal(rangePlanFile{p.target, p.schema.JSON(), p.column.Name, p.rule})
}

// parseRangePlan reads what MarshalJSON wrote and certifies it again.
func parseRangePlan(ctx context.Context, b []byte) (*RangePlan, error) {
	var f rangePlanFile
	if err := cert.Decode(b, &f); err != nil {
		return nil, err
	}
	s, err := frame.ParseSchema(f.Schema)
	if err != nil {
		return nil, err
	}
	p, err := rangeHead(f.Target, s, f.Column)
	if err != nil {
		return nil, err
	}
	p.rule = f.Rule
	if err := p.certify(ctx); err != nil {
		return nil, err
	}
	if least := p.rule.LeastCut(); p.rule.Cut != least {
		return nil, domain.Refuse("discovery", "cut", p.rule.Cut, fmt.Sprintf("%d, the least at this rate", least))
	}
	return p, nil
}

// of says what is released.
func (p *RangePlan) of() string { return "range of " + safetext.Quote(p.column.Name) }

// Table shows how many units an octave needs.
func (p *RangePlan) Table() *table.Table {
	t := chances("Plan: "+p.of(), "an octave", "in the range", 1, p.rule.Cut, p.rule.SD(), p.rule.Kept)
	t.Note(fmt.Sprintf("The range reaches from the first octave with a noisy count of at least %d to the last one. "+
		"Octaves are the numbers from 2^j to 2^(j+1), j from -20 to 39, of both signs, and those around 0: %d in all.",
		p.rule.Cut, partition.OctaveCount))
	t.Note(fmt.Sprintf("Noise of a count: two-sided geometric, standard deviation %.3g. With probability %.1e at most an "+
		"end is far from every value, and results under the range are then of no use.", p.rule.SD(), p.FalseEnd()))
	if p.schema.UnitKey != "" {
		t.Note("A unit counts once, in one octave of its rows. So units matter, and not rows.")
	}
	if p.schema.ApproximateRows == 0 {
		t.Note(fmt.Sprintf("The table should have %d units or more; \"about_rows\" in the schema has it checked.", p.Needs()))
	}
	p.aboutSchema(t)
	return t.Note("Guarantee: " + p.guarantee.String() + ".")
}

// String shows the plan as text.
func (p *RangePlan) String() string { return table.Text(p) }

// Range is a range that was released. It is immutable.
type Range struct {
	drawn
	plan  *RangePlan
	noisy []int64 // of every octave
}

// Draw counts the units of every octave in one pass, charges the budget and releases the noisy counts, from which the
// range follows. Errors: those of [frame.CountNumbers] before the charge, and those of [keep.Request.Draw]. A release
// that finds no range is none: see [Range.Bounds].
func (p *RangePlan) Draw(ctx context.Context, r Request) (*Range, error) {
	units, err := frame.CountNumbers(ctx, access.Mine(), r.Input, p.schema, p.column.Name, partition.OctaveCount,
		partition.OctaveOf)
	if err != nil {
		return nil, err
	}
	out, loaded, err := work(p, &p.asked, p.of(), r, keep.Work[*Range]{
		Parse: ParseRange, Load: LoadRange, Same: p.same,
		Draw: func(_ context.Context, id string, src *dp.Stream) (*Range, error) {
			return p.draw(units, id, src), nil
		},
	}).Do(ctx)
	if err != nil {
		return nil, err
	}
	out.loaded = loaded // it is not shared yet
	return out, nil
}

// draw adds noise to the count of every octave, also of those that nobody holds.
func (p *RangePlan) draw(units []int64, id string, src *dp.Stream) *Range {
	out := &Range{plan: p, drawn: drawnBy(&p.asked, id, src)}
	for _, n := range units {
		out.noisy = append(out.noisy, n+p.rule.Draw(src))
	}
	return out
}

// same says where what is kept is not what would be drawn: *keep.Error.
func (p *RangePlan) same(path string, have *Range) error {
	h := have.plan
	return cmp.Or(p.differs(path, &h.asked), differentRule(path, h, p, fmt.Sprint(h.rule), fmt.Sprint(p.rule)))
}

// Plan is the public plan.
func (r *Range) Plan() *RangePlan { return r.plan }

// NoRangeError says that a release found no range: no noisy count reached the cut. It was charged, and it is kept.
type NoRangeError struct {
	Column string
	Cut    int64
}

func (e *NoRangeError) Error() string {
	return fmt.Sprintf("discovery: no range of column %s was found: no octave has a noisy count of %d. The release was "+
		"charged; want bounds in the schema, more rows or a larger ε", safetext.Short(e.Column), e.Cut)
}

// Bounds is the range, of whole numbers in a column of whole numbers: *NoRangeError where none was found.
func (r *Range) Bounds() (low, high float64, err error) {
	low, high, found := r.plan.rule.Ends(r.noisy)
	if !found {
		return 0, 0, &NoRangeError{r.plan.column.Name, r.plan.rule.Cut}
	}
	if r.plan.column.Kind == frame.KindInteger {
		low, high = math.Floor(low), math.Ceil(high)
	}
	return low, high, nil
}

// Octave is an octave with its noisy count. Low and High are the ends of an interval of its units.
type Octave struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Value int64   `json:"value"`
	Low   int64   `json:"low"`
	High  int64   `json:"high"`
}

// Octaves are those whose noisy count reaches the cut, with intervals that cover each count with the given probability.
// Errors: *dp.ParameterError.
func (r *Range) Octaves(level float64) ([]Octave, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("discovery", "level of an interval", level, "a number above 0 and below 1")
	}
	out, reach := []Octave{}, r.plan.rule.Reach(level)
	for i, y := range r.noisy {
		if y >= r.plan.rule.Cut {
			low, high := partition.OctaveEnds(i)
			out = append(out, Octave{low, high, y, max(y-reach, 0), max(y+reach, 0)})
		}
	}
	return out, nil
}

// Outside is the sum of the noisy counts outside of the range, and the standard deviation of its noise. It says what is
// known of values that a schema with the range moves to its bounds; their number itself is private. Numbers beyond
// ±2^40 count as inside where the outermost octave is.
func (r *Range) Outside() (noisy int64, sd float64) {
	first, last := len(r.noisy), -1
	for i, y := range r.noisy {
		if y >= r.plan.rule.Cut {
			first, last = min(first, i), i
		}
	}
	octaves := 0
	for i, y := range r.noisy {
		if i < first || i > last {
			noisy, octaves = noisy+y, octaves+1
		}
	}
	return noisy, r.plan.rule.SD() * math.Sqrt(float64(octaves))
}

// AddTo is a schema whose column has the range as its bounds, to which values beyond are moved. It says by which
// release, so that plans under it do. Errors: *NoRangeError; *dp.ParameterError for another data set or unit,
// *frame.ColumnError for a column with bounds.
func (r *Range) AddTo(s *frame.Schema) (*frame.Schema, error) {
	c, err := s.UnboundedColumn(r.plan.column.Name)
	if err != nil {
		return nil, err
	}
	if err := r.plan.fits(s, c); err != nil {
		return nil, err
	}
	if c.Kind != r.plan.column.Kind {
		return nil, domain.Refuse("discovery", "kind", string(c.Kind), string(r.plan.column.Kind)+
			", for which the release was made")
	}
	low, high, err := r.Bounds()
	if err != nil {
		return nil, err
	}
	return r.into(s, c.BoundedAs(low, high, r.by(frame.FoundBounds, 1)))
}

// Warned is the release with further warnings, about how it was made. They stand in no file.
func (r *Range) Warned(list ...warning.Warning) *Range {
	with := *r
	with.about = append(with.about.And(nil), list...)
	return &with
}

// Table shows the range and its octaves.
func (r *Range) Table() *table.Table {
	p := r.plan
	t := table.New(fmt.Sprintf("Range of %s in %s", safetext.Quote(p.column.Name), safetext.Quote(p.schema.Dataset)),
		"numbers from", "to", "units, noisy", "95 % from", "to")
	octaves, _ := r.Octaves(.95)
	for _, o := range octaves {
		t.Add(o.From, o.To, o.Value, o.Low, o.High)
	}
	low, high, err := r.Bounds()
	if err != nil {
		t.Note(fmt.Sprintf("No range: no octave has a noisy count of %d or more. The release was charged.", p.rule.Cut))
		return r.guaranteed(t)
	}
	outside, sd := r.Outside()
	t.Note(fmt.Sprintf("The range is from %s to %s. Listed are octaves with a noisy count of at least %d.",
		number(low), number(high), p.rule.Cut))
	t.Note(fmt.Sprintf("Values outside are moved to the ends. The noisy counts of units there add up to %d, with a "+
		"standard deviation of %.3g. No interval of a mean includes that.", outside, sd))
	if p.schema.UnitKey != "" {
		t.Note("A unit counts once, in one octave of its rows: more values may be outside than units that count there.")
	}
	t.Note(fmt.Sprintf("With probability %.1e at most an end is far from every value.", p.FalseEnd()))
	if end := math.Ldexp(1, 40); low <= -end || high >= end {
		t.Note("The outermost octaves also have all numbers beyond 2^40 in size.")
	}
	return r.guaranteed(t)
}

// String shows the range as text.
func (r *Range) String() string { return table.Text(r) }
