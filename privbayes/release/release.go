// Package release holds releases: the results that may be published, with the guarantee, the plan and the certificate
// behind them.
//
// A release is a function of a plan, which is public, and a draw, which is private by the plan's guarantee. Its JSON
// form contains no data. It loads without any data, predicts, summarises and synthesises. [Verify] derives every number
// of a file's certificate again.
package release

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Version is the version of the library that writes releases.
const Version = "0.2.0"

// Release is a published draw. It is immutable.
type Release struct {
	plan   *mechanism.Plan
	drawn  *mechanism.Drawn
	est    model.Estimate
	filed  model.Estimate // as it stands in the file
	fitted *model.Fitted
	from   *origin       // of a release that was loaded
	whole  *dp.Guarantee // of the publication that it is an item of, or of the selection in which it was chosen
	agreed Agreed        // nil: the intervals are from its own numbers
	chosen bool
}

// New makes the release of a draw: post-processing and prior only, so it costs nothing. The context ends it: that is
// for draws that are read from files.
func New(ctx context.Context, p *mechanism.Plan, d *mechanism.Drawn) (*Release, error) {
	est, err := p.Estimate(ctx, d)
	if err != nil {
		return nil, err
	}
	return of(ctx, p, d, est)
}

// of is the release of a draw and what was estimated of it.
func of(ctx context.Context, p *mechanism.Plan, d *mechanism.Drawn, est model.Estimate) (*Release, error) {
	if err := slotHolds(p, d.Slot); err != nil {
		return nil, err
	}
	f, err := model.Fit(p.Shape(), est)
	if err != nil {
		return nil, err
	}
	return &Release{plan: p, drawn: d, est: est, filed: p.Filed(ctx, d, est), fitted: f.OfNoisyCounts()}, ctx.Err()
}

// slotHolds refuses a release from a slot that its plan is too large for: *dp.SlotError.
func slotHolds(p *mechanism.Plan, s *dp.Slot) error {
	if s == nil {
		return nil
	}
	if err := s.Valid(); err != nil {
		return err
	}
	level := p.Certified().Parameters
	if s.Publication == "" || p.Target().NominalScale || !level.Satisfies(s.Level) {
		return &dp.SlotError{Slot: *s, Field: "level of the release", Have: level.Apart(s.Level), Want: "at most " +
			s.Level.Apart(level) + ", of a publication"}
	}
	return nil
}

// ID is the release's name in ledgers.
func (r *Release) ID() string { return r.drawn.ID }

// Plan is the public plan.
func (r *Release) Plan() *mechanism.Plan { return r.plan }

// Guarantee is what the release promises: the plan's certified guarantee, or none, with the reason, if it was drawn
// from a seed or under a schema inferred from data.
func (r *Release) Guarantee() dp.Guarantee {
	g := r.plan.Guarantee(r.drawn)
	if r.chosen {
		return r.whole.Unless(g)
	}
	return g
}

// Agreed are the estimates with intervals at a level of a release from all items of its publication, in the order of
// its own, and how they were found; ok is false where no other item measures what it does.
type Agreed func(own []Interval, how string, level float64) (list []Interval, from string, ok bool)

// PartOf is the release as an item of a publication: its tables and figures state the guarantee that was planned for
// all items together, or none where this draw has none, and its estimates and intervals, wherever they are shown, are
// those from all items.
func (r *Release) PartOf(whole dp.Guarantee, agreed Agreed) *Release {
	item := *r
	item.whole, item.agreed = &whole, agreed
	return &item
}

// intervals are Intervals, and where other items are in them those from its own numbers, else nil.
func (r *Release) intervals(ctx context.Context, level float64) (list, own []Interval, how string, err error) {
	list, how, err = r.alone(ctx, level)
	list = r.dated(list)
	if err != nil || len(list) == 0 || r.agreed == nil || r.fitted.Draws() != nil || r.Structure() != nil {
		return list, nil, how, err
	}
	if all, from, ok := r.agreed(list, how, level); ok {
		return all, list, from, nil
	}
	return list, nil, how, nil
}

// Chosen is the release as one that a selection chose among several by the rows. Its guarantee is that planned for the
// whole selection, or none where this draw has none: the plan's holds for a release that is published whatever it is.
// It has no file of its own.
func (r *Release) Chosen(whole dp.Guarantee) *Release {
	one := r.PartOf(whole, nil)
	one.chosen = true
	return one
}

// Stated is the guarantee to quote with the release: that of the publication it is an item of, or else its own.
func (r *Release) Stated() dp.Guarantee {
	if r.whole != nil {
		return r.whole.Unless(r.plan.Guarantee(r.drawn))
	}
	return r.Guarantee()
}

// Certificate holds the checks behind the plan's guarantee.
func (r *Release) Certificate() *cert.Certificate { return r.plan.Certificate() }

// Slot is the reserved slot of the publication that was charged for the release; nil if it has a charge of its own.
func (r *Release) Slot() *dp.Slot { return r.drawn.Slot }

// Randomness is "secure" or "seeded: not private".
func (r *Release) Randomness() string {
	if r.drawn.Seed != nil {
		return "seeded: not private"
	}
	return "secure"
}

// Seed is the seed of a seeded release; ok is false for a secure one.
func (r *Release) Seed() (seed uint64, ok bool) {
	if r.drawn.Seed == nil {
		return 0, false
	}
	return *r.drawn.Seed, true
}

// Raw is the artifact as drawn: the noisy integer of every measured cell of each table, before any post-processing.
func (r *Release) Raw() [][]int64 {
	out := make([][]int64, len(r.drawn.Raw))
	for i, t := range r.drawn.Raw {
		out[i] = append([]int64(nil), t...)
	}
	return out
}

// Real is the artifact of a mechanism that draws real numbers, as drawn; nil for others.
func (r *Release) Real() [][]float64 {
	var out [][]float64
	for _, t := range r.drawn.Real {
		out = append(out, append([]float64(nil), t...))
	}
	return out
}

// Estimate is the post-processed artifact: estimated counts ≥ 0.
func (r *Release) Estimate() model.Estimate { return r.est }

// Structure is the structure that was learned, with the rounds in which it was; nil for models whose structure is
// given.
func (r *Release) Structure() *model.Structure { return r.est.Structure }

// StructureGraph draws the network that was learned; nil for models whose structure is given. It is public, as the
// release is.
func (r *Release) StructureGraph() *figure.Graph {
	if r.Structure() == nil || r.fitted.Network() == nil {
		return nil
	}
	net := r.fitted.Network()
	g := net.Graph()
	g.Title = "Learned network of " + table.Count(len(g.Vertices), "column")
	g.Caption = r.Caption() + ". An edge is no cause, and a missing edge is not independence: either may be the noise"
	if g.Indented() {
		strengths(g, net)
	}
	return g
}

// strengths gives every edge of a tree its strength in the released network, and says between which columns it is
// largest; none where the network is too wide to be queried.
func strengths(g *figure.Graph, net *bayesnet.Net) {
	most, title := 0.0, ""
	for i := range g.Vertices {
		for _, p := range g.Vertices[i].Parents {
			w, err := net.Strength(p, i)
			if err != nil {
				return
			}
			g.Vertices[i].Weights = []figure.Mark{{At: w, From: w, To: w}}
			if w > most {
				most, title = w, fmt.Sprintf("Strongest edge: %s and %s", g.Vertices[p].Name, g.Vertices[i].Name)
			}
		}
	}
	g.Weight, g.Subtitle = "total variation from independence", "Each column stands below the one it was measured with."
	if title != "" && len([]rune(title)) <= mostTitle {
		g.Title = title
	}
}

// mostTitle is the most characters of a title that says a finding.
const mostTitle = 62

// Model is the fitted model, made of released numbers only.
func (r *Release) Model() *model.Fitted { return r.fitted }

// Draws are the released draws of the parameters; nil for a mechanism that releases none. Any function of them costs
// nothing more.
func (r *Release) Draws() *model.Draws { return r.fitted.Draws() }

// Predict gives class probabilities for every row of x.
func (r *Release) Predict(x *frame.Frame) ([][]float64, error) { return r.fitted.Predict(x) }

// Synthesize draws n records from the released model. It reads no data and costs no budget, however often it is called.
// Analysed as if it were the table, one such set finds effects that are not there: the frame warns of it
// (warning.SingleSet); SyntheticSets of a learned structure, and noiseaware.NetworkPosterior.SyntheticSets of other
// networks, are sets that can be analysed.
func (r *Release) Synthesize(n int, src rand.Source) (*frame.Frame, error) {
	return r.synthetic(r.fitted.Synthesize(n, src))
}

// SynthesizeExact is Synthesize with counts of columns and pairs near to the released network's, for releases of
// networks: the table of n records has almost none of the error that independent draws add. Its records are not
// independent, and small counts are some per cent low: sets that are analysed as samples are those of SyntheticSets.
// Errors: those of model.Fitted.SynthesizeExact. Source: theory/structure.md §14.
func (r *Release) SynthesizeExact(n int, src rand.Source) (*frame.Frame, error) {
	return r.synthetic(r.fitted.SynthesizeExact(n, src))
}

// SyntheticReason is why records that are made of the release are public; it says so of one that is not private.
func (r *Release) SyntheticReason() string {
	why := "synthetic records of a release"
	if g := r.Guarantee(); g.Notion == dp.None {
		why += " that is " + g.Parameters.String()
	}
	return why
}

// synthetic marks records that were made of the release.
func (r *Release) synthetic(f *frame.Frame, err error) (*frame.Frame, error) {
	if err != nil {
		return nil, err
	}
	if f, err = f.AsPublic(r.SyntheticReason()); err != nil {
		return nil, err
	}
	f = f.Warned(warning.SingleSet())
	if evenly := r.fitted.EvenlyDrawn(); len(evenly) > 0 {
		f = f.Warned(warning.BinnedNumbers(evenly))
	}
	return f, nil
}

// Table shows the estimates with their intervals, as Summary; of a learned structure the structure.
func (r *Release) Table() *table.Table {
	if s := r.Structure(); s != nil {
		return s.Table()
	}
	return r.Summary()
}

// Parts are the other numbers that were learned, the conditional distributions, draws or coefficients, and Details.
func (r *Release) Parts() []*table.Table {
	var out []*table.Table
	if r.Structure() != nil {
		out = append(out, r.Summary())
	}
	if cell, ok := r.cells(); ok {
		parts := r.fitted.PartsWith(cell)
		if _, binned := r.plan.Shape().Model().(model.HistogramModel); len(parts) > 0 && !binned {
			parts[0].Note("In brackets: the 95 % interval of the " + r.subject() + ".")
		}
		rates, more := r.rates()
		if out = append(append(out, parts...), rates...); more {
			out[len(out)-1].Note("Areas(ctx, feature, level) estimates further rates of these classes together.")
		}
	} else if s := r.Structure(); s != nil && len(s.Measured) > 0 {
		out = append(append(append(out, r.columnShares()...), r.means()...), r.distanceTable()...)
	} else {
		out = append(out, r.fitted.Parts()...)
	}
	return append(out, r.Details())
}

// Details shows model, data set, mechanism, guarantee, and how many checks of the certificate hold.
func (r *Release) Details() *table.Table {
	sh := r.plan.Shape()
	n := "private"
	if v, ok := sh.N(); ok {
		n = fmt.Sprint(v)
	}
	t := table.New("Release", "item", "value")
	t.Add("model", sh.Model().String()).Add("data set", safetext.Quote(sh.Schema().Dataset)).Add("n", n)
	t.Add("mechanism", r.plan.Title())
	switch t.Add("guarantee", r.Stated().String()); {
	case r.chosen:
		t.Add("guarantee of a candidate", r.plan.Certified().String())
	case r.whole != nil:
		t.Add("guarantee of this item alone", r.Guarantee().String())
	}
	if r.Guarantee().Notion == dp.None {
		t.Add("guarantee of the plan", r.plan.Certified().String())
	}
	if s := r.Slot(); s != nil {
		t.Add("from", s.String()+", whose charge contains this one")
	}
	checks, hold := r.Certificate().All(), 0
	for _, c := range checks {
		if c.OK() {
			hold++
		}
	}
	t.Add("checks", fmt.Sprintf("%d of %d hold", hold, len(checks)))
	return t.Add("randomness", r.Randomness()).Add("id", safetext.Word(r.ID()))
}

// String shows the release, its numbers and its warnings as text.
func (r *Release) String() string { return table.Text(r) }

// Terms labels figures of releases at several levels or of several data sets: mechanism, the target's δ, adjacency and
// randomness.
func (r *Release) Terms() string {
	delta := ""
	if d := r.plan.Target().Delta; d > 0 {
		delta = ", δ = " + table.Number(d)
	}
	return fmt.Sprintf("%s%s, %s; %s", r.plan.Title(), delta, r.plan.Certified().Adjacency, r.Randomness())
}

// Caption labels figures: guarantee, adjacency, n and randomness.
func (r *Release) Caption() string {
	sh := r.plan.Shape()
	n := "n private"
	if v, ok := sh.N(); ok {
		n = "n = " + figure.Number(float64(v))
	}
	level := r.plan.Certified().Parameters.String()
	switch {
	case r.whole == nil:
	case r.chosen:
		level = r.whole.Parameters.String() + " for the whole selection"
	default:
		level = r.whole.Parameters.String() + " for the whole publication"
	}
	return fmt.Sprintf("%s, %s, %s, %s, %s; %s", r.plan.Title(), level, r.plan.Certified().Adjacency,
		safetext.Quote(sh.Schema().Dataset), n, r.Randomness())
}

// verifyRows checks what a file says about how its rows were chosen, as far as that follows from the file: the forms of
// the steps, and what they say about n and about the rows of a unit. note says what was checked and what cannot be,
// and is empty for a release of all rows that were read; a step that contradicts the rest is a failed result.
func verifyRows(sh *model.Shape) (note string, failed []cert.Result) {
	steps := sh.Rows()
	if len(steps) == 0 {
		return "", nil
	}
	unseen := "That these rows were taken, and that they did not depend on more than this, the file cannot show."
	if slices.ContainsFunc(steps, func(s frame.RowStep) bool { return !s.Known() }) {
		return "Rows: " + sh.RowsText() + ". A step is in no form that this version knows: nothing about it was checked. " +
			unseen, nil
	}
	n, public := sh.N()
	_, unit := sh.Unit()
	refuse := func(i int, why string) {
		failed = append(failed, cert.Result{Check: cert.Check{Statement: fmt.Sprintf("step %d of the rows: %s", i+1,
			steps[i].Shown())}, Derived: math.NaN(), Status: cert.Failed, Reason: why})
	}
	declared := ""
	for i, s := range steps {
		if most, ok := s.Most(); ok && public && n > most {
			refuse(i, fmt.Sprintf("it leaves at most %d rows, and n = %d", most, n))
		}
		if s.HidesN() && public {
			declared = "n is public though a step chose rows by their values: somebody declared the rows public. "
		}
	}
	if least := frame.UnitRows(steps); unit < least {
		refuse(0, fmt.Sprintf("a unit may have %d rows after it, and the schema says %d", least, unit))
	}
	return "Rows: " + sh.RowsText() + ". Checked: the steps have known forms and agree with n and with the rows of a " +
		"unit. " + declared + unseen, failed
}

// origin is the file that a release was loaded from.
type origin struct {
	path    string
	written time.Time
}

// originOf notes path and date; a file that has gone since it was read has none.
func originOf(path string) *origin {
	if st, err := os.Stat(path); err == nil {
		return &origin{path, st.ModTime()}
	}
	return &origin{path: path}
}

// Warnings lists what is dangerous about the release: what its plan and its draw warn of, and that it was loaded and
// not drawn now. A seeded release says in its guarantee that it is not for publication, and gives the same numbers
// whenever it is drawn; it is not warned of as loaded. The list stands in no file and is derived again on loading.
func (r *Release) Warnings() warning.List {
	out := r.plan.Warnings().And(r.plan.DrawnWarnings(r.drawn))
	if _, seeded := r.Seed(); r.from != nil && !seeded {
		out = append(out, warning.Loaded(r.from.path, r.from.written))
	}
	return out
}

// Warnings says what error bars leave out: where the posterior that was drawn from was flattened, cut or scaled, they
// hold the Monte Carlo error of the draws, which shrinks with their number, and not the distance to the posterior of
// the data, which does not.
func (q *Queries) Warnings() warning.List {
	s, ok := q.release.plan.Sampled()
	if !ok || s.Power == 1 && !s.AtMost && s.Box >= 1 && s.Prior == 0 {
		return nil
	}
	of := "flattened to a power of " + fmt.Sprintf("%.4g", s.Power)
	switch {
	case s.AtMost:
		of = fmt.Sprintf("flattened to a power of at most %.4g", s.Power)
	case s.Power >= 1 && s.Box < 1:
		of = fmt.Sprintf("cut to %.4g of the range of a probability", s.Box)
	case s.Box < 1:
		of += fmt.Sprintf(" and cut to %.4g of the range of a probability", s.Box)
	}
	return warning.List{warning.MonteCarlo(q.Len(), of)}
}
