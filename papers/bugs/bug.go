// Package bugs holds defects that have been found in published differential-privacy code, each rebuilt as a small
// mechanism of our own: what it claims, what it really spends, and the checker of this library that tells them apart.
//
// Every entry is one function with a switch: the defective and the right version go through the same checker, so an
// entry whose mutant is rejected while its right version is accepted shows that the checker sees the defect and nothing
// else.
//
//	for _, b := range bugs.All() {
//		f, err := b.Run(ctx) // recomputes: f.Spent, f.Rejected, f.Accepted, f.Counterexample
//	}
//	t, figure, err := bugs.Run(ctx)
//
// The entries concern mechanisms, not data: nothing here reads private records, and everything may be published.
package bugs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Bug is one defect: a mechanism that spends more than it claims. The fields are what Run finds, kept for reading
// without running; a test compares them.
type Bug struct {
	ID             string
	Mechanism      string
	Symptom        string        // what the code does, and what it should do
	Claimed        dp.Parameters // natural logarithms
	Spent          dp.Parameters // in the notion of the claim, at its δ or order; ε may be +Inf
	Adjacency      dp.Adjacency
	How            string // the checker
	Counterexample string // neighbouring data sets, and the event, that show it
	Remedy         string // the right version

	check func(ctx context.Context, defect bool) (verdict, error)
}

// verdict is what a checker says about one version.
type verdict struct {
	spent          dp.Parameters
	holds          bool
	counterexample string
	evidence       []*table.Table
}

// Finding is what the checker of a bug says about both of its versions.
type Finding struct {
	Claimed        dp.Parameters
	Spent          dp.Parameters // by the defective version
	Rejected       bool          // the checker refuses the claim of the defective version
	RightSpent     dp.Parameters // by the right version
	Accepted       bool          // the checker accepts the same claim of the right version
	Counterexample string
	Evidence       []*table.Table // the checker's own tables: of the defective version, then of the right one
}

// Run recomputes everything: the defective version and the right one go through the same checker, which is told the
// same claim. Errors: *UnknownError for a Bug that is not from All, the checker's, and the context's.
func (b Bug) Run(ctx context.Context) (Finding, error) {
	if b.check == nil {
		return Finding{}, &UnknownError{b.ID}
	}
	bad, err := b.check(ctx, true)
	if err != nil {
		return Finding{}, fmt.Errorf("gallery: %s, defective version: %w", b.ID, err)
	}
	good, err := b.check(ctx, false)
	if err != nil {
		return Finding{}, fmt.Errorf("gallery: %s, right version: %w", b.ID, err)
	}
	for _, t := range bad.evidence {
		t.Title = "Defective version: " + t.Title
	}
	for _, t := range good.evidence {
		t.Title = "Right version: " + t.Title
	}
	return Finding{
		Claimed: b.Claimed, Spent: bad.spent, Rejected: !bad.holds, RightSpent: good.spent, Accepted: good.holds,
		Counterexample: bad.counterexample, Evidence: append(bad.evidence, good.evidence...),
	}, nil
}

// Table shows the finding: one row per version.
func (f Finding) Table() *table.Table {
	t := table.New("Claimed and true privacy loss", "version", "claims", "has", "the checker says")
	t.Add("defective", f.Claimed, amount(f.Spent), word(!f.Rejected))
	t.Add("right", f.Claimed, amount(f.RightSpent), word(f.Accepted))
	if f.Counterexample != "" {
		t.Note("counterexample: " + f.Counterexample)
	}
	return t
}

func word(holds bool) string {
	if holds {
		return "holds"
	}
	return "REJECTED"
}

// UnknownError is a bug, or the name of one, that is not in the gallery.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("gallery: no bug %q; want one of All()", e.ID)
}

// All lists the bugs: wrong formulas, wrong sensitivities and scales, learners of a structure, wrong accounting, and
// wrong use of randomness and of the ledger.
func All() []Bug {
	return []Bug{
		withoutExp(), bitsAndNats(), permuteAndFlip(), dirichletShape(), classCounts(), classSum(), shrunkNoise(),
		conditionalFloor(),
		normalisedScore(), oneDirection(), zeroSensitivity(), freeEdges(), keptRefusal(), untilPositive(),
		oneSeed(), spentTwice(), redrawn(),
	}
}

// Find is the bug with this ID: *UnknownError if there is none.
func Find(id string) (Bug, error) {
	for _, b := range All() {
		if b.ID == id {
			return b, nil
		}
	}
	return Bug{}, &UnknownError{id}
}

// Run runs every bug of the gallery and gives the table of claimed and spent with its figure. It takes about a second.
// Errors: those of Bug.Run.
func Run(ctx context.Context) (*table.Table, *figure.Figure, error) {
	t := table.New("Claimed and true privacy loss", "bug", "mechanism", "claims", "has", "checker", "right version has",
		"checker")
	var found []Finding
	bugs := All()
	for _, b := range bugs {
		f, err := b.Run(ctx)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, f)
		t.Add(b.ID, b.Mechanism, f.Claimed, amount(f.Spent), word(!f.Rejected), amount(f.RightSpent), word(f.Accepted))
	}
	t.Note("The loss is that of a small setting that shows the defect; at larger ones it may be more. ρ is read " +
		"on a grid of Rényi orders")
	return t, multiples(bugs, found), nil
}

// beyond is where the figure shows ∞, the loss of a mechanism that is not private at all, as a multiple of the claim.
const beyond = 3000

// multiples shows what is spent as a multiple of what is claimed, so that ε, Rényi ε and ρ fit on one axis.
func multiples(bugs []Bug, found []Finding) *figure.Figure {
	f := &figure.Figure{
		Title: "Every defective version has more privacy loss than it claims", XLabel: "bug",
		YLabel: "privacy loss, in multiples of the claim", LogY: true,
		Caption: "Exact, no data. The line at 3000 stands for ∞.",
		HLines:  []figure.Reference{{Name: "claimed", Y: 1}, {Name: "∞", Y: beyond}},
	}
	bad := figure.Series{Name: "defective", Kind: figure.Points}
	none := figure.Series{Name: "defective, not private at all", Kind: figure.Points}
	good := figure.Series{Name: "right version, same checker", Kind: figure.Points}
	order := make([]int, len(bugs))
	for i := range order {
		order[i] = i
	}
	multiple := func(i int) float64 { return value(found[i].Spent) / value(found[i].Claimed) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(multiple(j), multiple(i)) })
	for at, i := range order {
		f.XTicks = append(f.XTicks, bugs[i].ID)
		of := &bad
		if math.IsInf(value(found[i].Spent), 1) {
			of = &none
		}
		of.X, of.Y = append(of.X, float64(at)), append(of.Y, math.Min(multiple(i), beyond))
		good.X, good.Y = append(good.X, float64(at)), append(good.Y, value(found[i].RightSpent)/value(found[i].Claimed))
	}
	f.Series = []figure.Series{bad, none, good}
	return f
}

// Table lists the bugs with what is known about them, without running anything.
func Table() *table.Table {
	t := table.New("Caught bugs", "bug", "mechanism", "symptom", "right version", "how it is caught")
	for _, b := range All() {
		t.Add(b.ID, b.Mechanism, b.Symptom, b.Remedy, b.How)
	}
	return t
}

// byEnumeration is how the enumerated bugs are checked.
const byEnumeration = "audit.Run: every pair of neighbours, every output"

// joint writes the number of an output that is k values from 0 to base−1, the last one fastest, as these values.
func joint(output, base, k int) string {
	values := make([]string, k)
	for i := k - 1; i >= 0; i-- {
		values[i] = fmt.Sprint(output % base)
		output /= base
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// enumerated audits a law on a space against a claim. What is spent is the audit's exact value of what is claimed: pure
// ε, or the least ρ that covers the Rényi divergences of its grid of orders.
func enumerated(ctx context.Context, s audit.Subject) (verdict, error) {
	return enumeratedJoint(ctx, s, s.Mechanism.Outputs(), 1)
}

// audited is the audit of all enumerated bugs. A test has them audited as programs instead.
var audited = func(ctx context.Context, s audit.Subject) (*audit.Verdict, error) { return audit.Run(ctx, s) }

// enumeratedJoint is enumerated for outputs of k values from 0 to base−1.
func enumeratedJoint(ctx context.Context, s audit.Subject, base, k int) (verdict, error) {
	v, err := audited(ctx, s)
	if err != nil {
		return verdict{}, err
	}
	out := verdict{spent: s.Claim, holds: v.Holds(), evidence: []*table.Table{v.Table()}}
	for _, f := range v.Findings {
		if !f.Claimed {
			continue
		}
		out.spent = level(s.Claim, f.Value)
		out.counterexample = fmt.Sprintf("counts %v and %v", f.At.X, f.At.Y)
		if f.At.Output >= 0 {
			shown := fmt.Sprint(f.At.Output)
			if k > 1 {
				shown = joint(f.At.Output, base, k)
			}
			out.counterexample += ", output " + shown
		}
	}
	return out, nil
}

// level is l with another ε, or another ρ where l is concentrated.
func level(l dp.Parameters, spent float64) dp.Parameters {
	if l.Notion == dp.Concentrated {
		l.Rho = spent
		return l
	}
	l.Epsilon = cert.Number(spent)
	return l
}

// value is the number that level sets.
func value(l dp.Parameters) float64 {
	if l.Notion == dp.Concentrated {
		return l.Rho
	}
	return float64(l.Epsilon)
}

// amount shows a level that was spent, which may be infinite and so not private at all.
func amount(l dp.Parameters) string {
	if math.IsInf(value(l), 1) {
		return "∞ (not private)"
	}
	return l.String()
}

// softmax is the law ∝ exp(rate·score).
func softmax(score []float64, rate float64) []float64 {
	top := math.Inf(-1)
	for _, u := range score {
		top = math.Max(top, u)
	}
	p := make([]float64, len(score))
	for i, u := range score {
		p[i] = math.Exp(rate * (u - top))
	}
	return normalised(p)
}

// normalised divides weights by their sum.
func normalised(p []float64) []float64 {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// geometric is the law of count + Z clamped to 0 … top, P(Z = z) ∝ e^{−rate·|z|}: what falls outside is added to the
// ends.
func geometric(count, top int, rate float64) []float64 {
	q := math.Exp(-rate)
	p := make([]float64, top+1)
	for y := range p {
		p[y] = (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(y-count)))
	}
	p[0] = math.Pow(q, float64(count)) / (1 + q)
	p[top] = math.Pow(q, float64(top-count)) / (1 + q)
	return p
}

// product is the joint law of k independent draws from p.
func product(p []float64, k int) []float64 {
	law := []float64{1}
	for range k {
		next := make([]float64, 0, len(law)*len(p))
		for _, a := range law {
			for _, b := range p {
				next = append(next, a*b)
			}
		}
		law = next
	}
	return law
}

// space is counts of n records over cells kinds.
func space(cells, n int, a dp.Adjacency) finite.Space {
	return finite.Space{Cells: cells, N: n, Adjacency: a}
}
