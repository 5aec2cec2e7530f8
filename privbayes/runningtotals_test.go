package privbayes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// quarters is the schema of arrivals over four quarters.
func quarters() *frame.Schema {
	return &frame.Schema{Dataset: "arrivals", Columns: []frame.Column{
		frame.Categorical("quarter", "Q1", "Q2", "Q3", "Q4"), frame.Categorical("region", "n", "s")}}
}

// arrivals are 30 rows for each quarter so far, 20 of them in the north.
func arrivals(until int) *privbayes.Frame {
	var b strings.Builder
	b.WriteString("quarter,region\n")
	for q := range until {
		for i := range 30 {
			fmt.Fprintf(&b, "Q%d,%c\n", q+1, "nns"[i%3])
		}
	}
	return privbayes.ReadFrame(strings.NewReader(b.String()), quarters())
}

// A sequence is charged once, at its first period. Later periods add nothing, are noted in the ledger, are released
// once, and are loaded afterwards; files verify.
func TestRunningTotalsQuarterByQuarter(t *testing.T) {
	folder := t.TempDir()
	at := func(q int) string { return filepath.Join(folder, fmt.Sprintf("%d.totals.json", q)) }
	open := func() *budget.Budget {
		return must.Get(privbayes.OpenBudget(filepath.Join(folder, "ledger"), quarters(), privbayes.ApproxDP(3, 1e-6)))(t)
	}
	target := privbayes.ZCDP(.1)
	begin := func() (*totals.Totals, error) {
		return arrivals(1).WithBudget(open()).RunningTotals("quarter", "region").Privatize("Q1", target,
			privbayes.KeepIn(at(1)))
	}
	now := must.Get(begin())(t)
	spent := open().Spent()
	if again := must.Get(begin())(t); !again.Loaded() || again.ID() != now.ID() || now.Loaded() {
		t.Error(again)
	}
	for q := 2; q <= 4; q++ {
		before := must.Get(privbayes.LoadTotals(at(q - 1)))(t)
		now = must.Get(arrivals(q).WithBudget(open()).NextTotals(before, privbayes.KeepIn(at(q))))(t)
		if again := must.Get(arrivals(q).WithBudget(open()).NextTotals(before, privbayes.KeepIn(at(q))))(t); !again.Loaded() {
			t.Error(again)
		}
		_, err := arrivals(q).WithBudget(open()).NextTotals(before)
		var used *dp.SlotError
		if !errors.As(err, &used) || used.Field != "use" {
			t.Errorf("a second draw of Q%d: %v", q, err)
		}
		if b := open(); b.Spent() != spent || len(b.Charges()) != q {
			t.Errorf("after Q%d: %v", q, b)
		}
		v := must.Get(totals.Verify(t.Context(), must.Get(os.ReadFile(at(q)))(t)))(t)
		if !v.OK() || len(v.Results) != 2 || now.Through() != fmt.Sprintf("Q%d", q) {
			t.Error(v)
		}
	}
	var e *dp.ParameterError
	if _, err := arrivals(4).WithBudget(open()).NextTotals(now); !errors.As(err, &e) || e.Parameter != "period" {
		t.Error(err)
	}
	all := must.Get(now.After("Q4", .999999))(t)
	for i, truth := range []float64{80, 40, 120} {
		if all[i].Low > truth || all[i].High < truth {
			t.Error(all[i], truth)
		}
	}
	if text := now.String(); !strings.Contains(text, "Period 4 of 4") || !strings.Contains(text, "ρ = 0.1") {
		t.Error(text)
	}
	if text := open().String(); !strings.Contains(text, "of which 3 used") {
		t.Error(text)
	}
}

// What would measure a period twice, or something else in its place, is refused before anything is charged.
func TestRunningTotalsRefuse(t *testing.T) {
	memory := func() *budget.Budget {
		return must.Get(budget.New("arrivals", budget.UnitOf(quarters()), privbayes.ZCDP(1)))(t)
	}
	b := memory()
	q := arrivals(2).WithBudget(b).RunningTotals("quarter", "region")
	first := must.Get(q.Privatize("Q1", privbayes.ZCDP(.1)))(t)
	slot := func(err error) string {
		var e *dp.SlotError
		if errors.As(err, &e) {
			return e.Field
		}
		return fmt.Sprint(err)
	}
	for want, err := range map[string]error{
		"budget":      errorOf(arrivals(2).NextTotals(first)),
		"publication": errorOf(arrivals(2).WithBudget(memory()).NextTotals(first)),
		"randomness":  errorOf(arrivals(2).WithBudget(b).NextTotals(first, privbayes.Seeded(1))),
		"step":        errorOf(q.Privatize("Q1", privbayes.ZCDP(.1), privbayes.FromSlot(new(publication.Slot)))),
		"use":         otherUse(t, b, first.ID()),
	} {
		if have := slot(err); have != want || len(b.Charges()) != 1 {
			t.Errorf("%s: %s", want, have)
		}
	}
	var e *dp.ParameterError
	keyed, missing := quarters(), quarters()
	keyed.UnitKey, keyed.RowsPerUnit = "who", 1
	missing.Columns[0].Missing, missing.Columns[0].OnMissing = []string{""}, frame.MissingAsCategory
	imputed, long := quarters(), quarters()
	imputed.Columns[0] = frame.Integer("quarter", 1, 2, 3).ImputedAs(1)
	imputed.Columns[0].Missing = []string{""}
	long.Columns[0] = days("quarter", 401)
	for name, c := range map[string]struct {
		schema *frame.Schema
		target privbayes.Target
		want   string
	}{"pure": {quarters(), privbayes.PureDP(1), "level"}, "key": {keyed, privbayes.ZCDP(.1), "unit_key"},
		"missing": {missing, privbayes.ZCDP(.1), "period"}, "tiny": {quarters(), privbayes.ZCDP(1e-12), "ρ"},
		"imputed": {imputed, privbayes.ZCDP(.1), "period"}, "long": {long, privbayes.ZCDP(.1), "periods"},
		"value": {quarters(), privbayes.ZCDP(.1).Under(dp.ReplaceValue), "adjacency"}} {
		csv := "quarter,region\nQ1,n\n"
		if c.schema == imputed || c.schema == long {
			csv = "quarter,region\n1,n\n"
		}
		if c.schema.UnitKey != "" {
			csv = "quarter,region,who\nQ1,n,a\n"
		}
		_, err := privbayes.ReadFrame(strings.NewReader(csv), c.schema).RunningTotals("quarter", "region").Plan(c.target)
		if !errors.As(err, &e) || e.Parameter != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, err := range []error{errorOf(q.Privatize("Q9", privbayes.ZCDP(.1))), errorOf(first.After("Q2", .95)),
		errorOf(first.After("Q1", 1)), errorOf(first.Between("Q1", "Q1", .95)),
		errorOf(arrivals(1).NextTotals(nil)), errorOf(arrivals(1).NextTotals(new(totals.Totals)))} {
		if !errors.As(err, &e) {
			t.Error(err)
		}
	}
	other := quarters()
	other.Columns[1] = frame.Categorical("region", "n", "s", "w")
	f := privbayes.ReadFrame(strings.NewReader("quarter,region\nQ1,w\n"), other).WithBudget(b)
	if _, err := f.NextTotals(first); !errors.As(err, new(*mechanism.StatisticsError)) || len(b.Charges()) != 1 {
		t.Error(err)
	}
}

// A row whose period could change with what is not known yet, or with the rows, would be counted too little.
func TestPeriodsThatCouldChangeAreRefused(t *testing.T) {
	part, _ := arrivals(2).Split(.5, 1)
	other := quarters()
	other.Columns[0].Other, other.Columns[0].OnOutOfDomain = "Q3", frame.DomainOther
	made := arrivals(2).Derive("area", []string{"region"}, func([]string) string { return "all" })
	for want, f := range map[string]*privbayes.Frame{"rows": part, "step": made,
		"period": privbayes.ReadFrame(strings.NewReader("quarter,region\nQ1,n\n"), other)} {
		_, err := f.RunningTotals("quarter", "region").Plan(privbayes.ZCDP(.1))
		var e *dp.ParameterError
		if !errors.As(err, &e) || e.Parameter != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Rows that are chosen in another way than those of the sequence would be mixed with them, and a file of them under
// replace-one could not be read. Rows of a new period may be appended.
func TestRunningTotalsOfOtherRows(t *testing.T) {
	north := func(l string) bool { return l == "n" }
	for _, target := range []privbayes.Target{privbayes.ZCDP(.1), privbayes.ZCDP(.1).Under(dp.AddRemove)} {
		b := must.Get(budget.New("arrivals", budget.UnitOf(quarters()), privbayes.ZCDP(1).Under(target.Adjacency)))(t)
		first := must.Get(arrivals(1).WithBudget(b).RunningTotals("quarter", "region").Privatize("Q1", target))(t)
		_, half := arrivals(2).Split(.5, 1)
		for _, other := range []*privbayes.Frame{arrivals(2).Where("region", north), half,
			arrivals(1).AppendDisjoint(arrivals(2).Where("region", north))} {
			_, err := other.WithBudget(b).NextTotals(first)
			if !errors.As(err, new(*mechanism.StatisticsError)) || len(b.Charges()) != 1 {
				t.Errorf("%v, %v: %v", target, other, err)
			}
		}
		second := must.Get(arrivals(1).AppendDisjoint(arrivals(1)).WithBudget(b).NextTotals(first))(t)
		must.Get(totals.Parse(t.Context(), must.Get(second.JSON())(t)))(t)
	}
}

// days is a column of a number of periods.
func days(name string, n int) frame.Column {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprint(i + 1)
	}
	return frame.Categorical(name, labels...)
}

// The longest sequence fits the line of a ledger.
func TestTheLongestRunningTotals(t *testing.T) {
	s := &frame.Schema{Dataset: "arrivals", Columns: []frame.Column{days("day", 400)}}
	b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "ledger"), s, privbayes.ZCDP(1)))(t)
	f := privbayes.ReadFrame(strings.NewReader("day\n1\n2\n"), s).WithBudget(b)
	first := must.Get(f.RunningTotals("day").Privatize("1", privbayes.ZCDP(.1)))(t)
	must.Get(f.NextTotals(first))(t)
}

// otherUse tries to use a period of a sequence for a release of another kind.
func otherUse(t *testing.T, b *budget.Budget, sequence string) error {
	m := arrivals(2).Model(privbayes.Binary("region"))
	plan := must.Get(m.Plan(privbayes.DiscreteGaussian(), privbayes.ZCDP(.01)))(t)
	charged := b.Charges()[0].Slots[0]
	charged.Publication = sequence
	st := must.Get(model.Count(plan.Shape(), arrivals(2).Data()))(t)
	_, _, err := keep.Request{Plan: plan, Statistics: st, Budget: b, Slot: &charged}.Draw(t.Context())
	charged.Joint = false
	_, _, other := keep.Request{Plan: plan, Statistics: st, Budget: b, Slot: &charged}.Draw(t.Context())
	if !errors.As(other, new(*dp.SlotError)) {
		t.Error(other)
	}
	return err
}

// errorOf is the error of a call.
func errorOf[T any](_ T, err error) error { return err }

// A file that states more than follows from its measurements is no file of running totals, and one with less noise has
// not the guarantee, nor a place in the ledger of the sequence.
func TestForgedTotals(t *testing.T) {
	b := must.Get(budget.New("arrivals", budget.UnitOf(quarters()), privbayes.ZCDP(1)))(t)
	first := must.Get(arrivals(1).WithBudget(b).RunningTotals("quarter", "region").Privatize("Q1", privbayes.ZCDP(.1)))(t)
	file := must.Get(first.JSON())(t)
	read := func(from, to string) error {
		edited := bytes.Replace(file, []byte(from), []byte(to), 1)
		if bytes.Equal(edited, file) {
			t.Fatalf("%s is not in the file", from)
		}
		_, err := totals.Parse(t.Context(), edited)
		return err
	}
	sigma := string(file[bytes.Index(file, []byte(`"sigma2": `)):])
	sigma = sigma[:strings.IndexAny(sigma, "\n")]
	for from, to := range map[string]string{sigma: `"sigma2": 1000`, `"rho": 0.`: `"rho": 0.00`, `"value"`: `"valu"`,
		`"period": "Q1"`: `"period": "Q2"`, `"low": `: `"low": 1`, `"secure"`: `"x"`, `"y": [`: `"y": [1,`} {
		if from == `"secure"` {
			continue
		}
		if err := read(from, to); !errors.As(err, new(*release.FileError)) {
			t.Errorf("%s: %v", from, err)
		}
	}
	var unmet *release.FileError
	if err := read(sigma, `"sigma2": 1000`); !errors.As(err, &unmet) || unmet.Field != "plan" {
		t.Error(err)
	}
	src := dp.Seeded(1)
	for range 500 { // whatever stands there, it is read or refused
		edited := bytes.Clone(file)
		for range 1 + src.Uint64()%3 {
			edited[src.Uint64()%uint64(len(edited))] = "0129-\"{}[],:xe."[src.Uint64()%15]
		}
		if _, err := totals.Parse(t.Context(), edited); err != nil && !errors.As(err, new(*release.FileError)) {
			t.Errorf("%v: %s", err, edited)
		}
	}
	// more noise than planned meets the target, and is another plan than the ledger knows
	var n uint64
	must.Get(fmt.Sscanf(sigma, `"sigma2": %d`, &n))(t)
	noisier := bytes.Replace(file, []byte(sigma), fmt.Appendf(nil, `"sigma2": %d`, n+1), 1)
	forged, err := totals.Parse(t.Context(), noisier)
	if err != nil {
		return // the stated guarantee differs: refused already
	}
	if _, err := arrivals(2).WithBudget(b).NextTotals(forged); !errors.As(err, new(*dp.SlotError)) {
		t.Error(err)
	}
}

// votesByClass are two columns of all votes: a part by place is refused.
var votesByClass = sync.OnceValue(func() *privbayes.Frame {
	return privbayes.ReadFrame(data.Votes()).Select("Class", "V3")
})

// begun is a sequence with its charge, of the votes of the crash suite.
var begun = sync.OnceValues(func() (*totals.Totals, budget.Charge) {
	train := votesByClass()
	ledger, err := budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.ApproxDP(10, 1e-6))
	if err != nil {
		panic(err)
	}
	r, err := train.WithBudget(ledger).RunningTotals("Class", "V3").Privatize("democrat", privbayes.ZCDP(1e-6))
	if err != nil {
		panic(err)
	}
	return r, ledger.Charges()[0]
})

// nextPeriod keeps the next period of a sequence in place of a release.
func (h *history) nextPeriod() {
	train := votesByClass()
	before, charge := begun()
	h.budget = must.Get(budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.ApproxDP(10, 1e-6)))(h.t)
	must.Do(h.t, h.budget.Charge("votes", charge))
	owned := train.WithBudget(h.budget)
	h.before = 1
	h.keep = func(opts ...privbayes.Option) (keep.Artifact, error) {
		r, err := owned.NextTotals(before, opts...)
		return artifact(r, r != nil), err
	}
	h.read = func(ctx context.Context, b []byte) (keep.Artifact, error) { return totals.Parse(ctx, b) }
	h.elsewhere = func() (keep.Artifact, error) { return h.keep() }
}

// firstPeriod keeps the first period of a sequence, with the charge of all, in place of a release.
func (h *history) firstPeriod() {
	h.nextPeriod()
	train := votesByClass()
	h.budget = must.Get(budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.ApproxDP(10, 1e-6)))(h.t)
	h.before, h.elsewhere = 0, nil
	q := train.WithBudget(h.budget).RunningTotals("Class", "V3")
	h.keep = func(opts ...privbayes.Option) (keep.Artifact, error) {
		r, err := q.Privatize("democrat", privbayes.ZCDP(1e-6), opts...)
		return artifact(r, r != nil), err
	}
}

// Whatever step of a period fails, or is the program's last: one measurement of it is seen, or none, also where it is
// tried elsewhere in between.
func TestEveryFailureOfAPeriod(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds; the slots of publications have the same steps")
	}
	for name, begin := range map[string]func(h *history){"first": (*history).firstPeriod, "next": func(h *history) {
		h.nextPeriod()
		h.between = true
	}} {
		runs, faults := everyFault(t, true, begin)
		if runs < 350 {
			t.Errorf("%s: only %d runs", name, runs)
		}
		for _, f := range faults {
			t.Errorf("%s: %s", name, f)
		}
	}
	_, faults := everyFault(t, false, func(h *history) {
		h.nextPeriod()
		h.between, h.late = true, true
	})
	if !strings.Contains(strings.Join(faults, " "), "nobody paid for") {
		t.Error("a period that is noted after the draw passes: ", faults)
	}
	_, faults = everyFault(t, false, func(h *history) {
		h.nextPeriod()
		h.elsewhere = func() (keep.Artifact, error) { // by a ledger that does not know of the use
			forgetful := newHistory(t)
			forgetful.nextPeriod()
			return forgetful.keep()
		}
	})
	if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, "two draws were seen") }) {
		t.Error("a period that is not noted passes: ", faults)
	}
}

// What a sequence says before it draws is of what neighbours share: the plan, the words of the charge, an error of a
// budget that cannot pay. Under replace-one they have as many rows; under add-remove one has a row more.
func TestRunningTotalsTellNoNeighboursApart(t *testing.T) {
	says := func(rows string, target privbayes.Target) string {
		f := privbayes.ReadFrame(strings.NewReader("quarter,region\n"+rows), quarters())
		b := must.Get(budget.New("arrivals", budget.UnitOf(quarters()), privbayes.ZCDP(1).Under(target.Adjacency)))(t)
		q := f.WithBudget(b).RunningTotals("quarter", "region")
		plan := must.Get(q.Plan(target))(t)
		dear := target
		dear.Rho = 2
		_, refused := q.Privatize("Q1", dear)
		r := must.Get(q.Privatize("Q1", target, privbayes.Seeded(1)))(t)
		charge := b.Charges()[0]
		charge.ID, charge.Info = "", nil
		return fmt.Sprint(plan, plan.Certificate(), plan.Warnings(), refused, charge, r.Warnings(), r.Plan(), r.Guarantee(),
			string(must.Get(r.Plan().MarshalJSON())(t)))
	}
	for _, c := range []struct {
		target privbayes.Target
		a, b   string
	}{{privbayes.ZCDP(.1), "Q1,n\nQ1,n\nQ2,s\n", "Q1,n\nQ1,n\nQ1,n\n"},
		{privbayes.ZCDP(.1).Under(dp.AddRemove), "Q1,n\nQ2,s\n", "Q1,n\nQ2,s\nQ1,s\n"}} {
		if a, b := says(c.a, c.target), says(c.b, c.target); a != b {
			t.Errorf("%v: neighbours differ before the draw:\n%s\n%s", c.target, a, b)
		}
	}
	if says("Q1,n\n", privbayes.ZCDP(.1)) == says("Q1,n\nQ1,n\n", privbayes.ZCDP(.1)) {
		t.Error("the test does not see that another n is public under replace-one")
	}
}

// goldenTotals are kept files of running totals.
const goldenTotals = "testdata/releases_of_totals.jsonl.gz"

// Running totals are those that are kept, byte for byte: at their first period and after another one. Kept files load,
// verify, and are written again as they were.
func TestRunningTotalsStayAsTheyWere(t *testing.T) {
	var lines []goldenLine
	for _, target := range []privbayes.Target{privbayes.ZCDP(.1), privbayes.ZCDP(.5).Under(privbayes.AddRemove)} {
		for _, columns := range [][]string{nil, {"region"}} {
			b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), quarters(), target))(t)
			now := must.Get(arrivals(1).WithBudget(b).RunningTotals("quarter", columns...).Privatize("Q1", target,
				privbayes.Seeded(1)))(t)
			for q := 1; ; q++ {
				lines = append(lines, goldenLine{fmt.Sprintf("totals / %v, %v, period %d", target, columns, q),
					compactJSON(t, must.Get(now.JSON())(t))})
				if q == 3 {
					break
				}
				now = must.Get(arrivals(q+1).WithBudget(b).NextTotals(now, privbayes.Seeded(1)))(t)
			}
		}
	}
	if *updateGolden {
		keepGolden(t, goldenTotals, lines)
	}
	kept := readGolden(t, goldenTotals)
	for _, l := range lines {
		if want := kept[l.Name]; !bytes.Equal(l.Release, want) {
			t.Errorf("%s: other totals than the kept ones:\n%s", l.Name, firstDifference(string(want), string(l.Release)))
			continue
		}
		again := must.Get(totals.Parse(t.Context(), kept[l.Name]))(t)
		if file := compactJSON(t, must.Get(again.JSON())(t)); !bytes.Equal(file, kept[l.Name]) {
			t.Errorf("%s: written again:\n%s", l.Name, firstDifference(string(kept[l.Name]), string(file)))
		}
		if v, err := totals.Verify(t.Context(), kept[l.Name]); err != nil || !v.OK() {
			t.Errorf("%s: %v\n%v", l.Name, err, v)
		}
	}
	if len(kept) != len(lines) {
		t.Errorf("%d files are kept, want %d", len(kept), len(lines))
	}
}
