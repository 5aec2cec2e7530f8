package privacyreport_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// several are three items of the votes.
func several(f *privbayes.Frame, target privbayes.Target) *privbayes.Publication {
	return f.Publish("votes of 1984", target, privbayes.Item(privbayes.Binary("Class")),
		privbayes.Item(privbayes.Table("V3", "V4")).Named("bills <b>"),
		privbayes.Item(privbayes.NaiveBayes("Class", "V3", "V5")))
}

// published is a publication with its file.
func published(t testing.TB, p *privbayes.Publication, o ...privbayes.Option) (*publication.Publication, []byte) {
	t.Helper()
	made := must.Get(p.Privatize(o...))(t)
	return made, must.Get(made.JSON())(t)
}

// The page of a publication states the guarantee of all items together and none of an item, with every table.
func TestPublication(t *testing.T) {
	for name, target := range map[string]privbayes.Target{"pure": privbayes.PureDP(1),
		"(ε, δ)": privbayes.ApproxDP(1, 1e-6),
		"ρ":      privbayes.ZCDP(.05), "replace-value": privbayes.PureDP(1).Under(privbayes.ReplaceValue)} {
		of := several(privbayes.ReadFrame(data.Votes()), target)
		if name == "replace-value" { // the class is protected in no item, or in all
			of = privbayes.ReadFrame(data.Votes()).Publish("votes of 1984", target,
				privbayes.Item(privbayes.Categorical("V9")), privbayes.Item(privbayes.Categorical("V6")).Named("bills <b>"),
				privbayes.Item(privbayes.NaiveBayes("Class", "V3", "V5")))
		}
		p, file := published(t, of)
		r := drafted(t, file, privacyreport.Options{File: "votes.publication.json"})
		page, html, g := r.Markdown(), string(r.Page()), p.Guarantee()
		if n := r.Numbers; n.Guarantee != g || n.AttackPower > loss.AttackPower(g.Parameters, .05) ||
			n.AttackPower <= .05 || len(r.Record) > 0 {
			t.Errorf("%s: %+v", name, n)
		}
		wants := []string{"Privacy report: votes of 1984", "for 3 items", "privbayes verify votes.publication.json",
			"What was done to the table before", "charged once", "3 items of the publication read"}
		for i, part := range p.Parts() {
			if have := r.Published.Tables[i]; have.Rows == nil || !strings.Contains(part.Title, strings.SplitN(have.Title, ": ",
				2)[1]) {
				t.Errorf("%s: item %d: %q", name, i, have.Title)
			}
		}
		if name == "replace-value" {
			wants = append(wants, "does not cover")
		}
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", name, want, page)
			}
		}
		if strings.Contains(html, "<b>") || strings.Count(html, "<svg") < 3 {
			t.Errorf("%s: %d figures", name, strings.Count(html, "<svg"))
		}
		for i, l := range p.Plan().Lines() { // a page with an item's own level is refused by this
			own := l.Plan.Certified().Parameters
			if shown := table.Number(max(float64(own.Epsilon), own.Rho)); strings.Contains(page+html, "= "+shown+",") ||
				strings.Contains(page+html, shown+" (") {
				t.Errorf("%s: item %d: the page states %s", name, i, own)
			}
			item := must.Get(p.Item(l.Name))(t)
			if caption := item.Caption(); !strings.Contains(caption, g.Parameters.String()+" for the whole publication") ||
				item.Stated() != g || item.Guarantee() == g {
				t.Errorf("%s: %s", name, caption)
			}
		}
	}
}

// A publication has a page only if all of it is private, if its ledger paid for it, and with the sets of its items.
func TestPublicationRefused(t *testing.T) {
	rows := privbayes.ReadFrame(data.Votes())
	_, seeded := published(t, several(rows, privbayes.PureDP(1)), privbayes.Seeded(1))
	var refused *privacyreport.RefusedError
	var none *entry.NotPrivateError
	if _, err := privacyreport.Draft(t.Context(), seeded, privacyreport.Options{}); !errors.As(err, &refused) ||
		!errors.As(err, &none) {
		t.Error(err)
	}
	s := rows.Data().Schema()
	ledger := must.Get(budget.New(s.Dataset, budget.UnitOf(s), privbayes.PureDP(2)))(t)
	paid, file := published(t, several(rows.WithBudget(ledger), privbayes.PureDP(1)))
	r := drafted(t, file, privacyreport.Options{Budget: ledger})
	if page := r.Markdown(); !strings.Contains(page, "Releases so far: 1.") || !strings.Contains(page, "of 3 items") {
		t.Error(page)
	}
	var uncharged *entry.UnchargedError
	_, other := published(t, several(rows, privbayes.PureDP(1)))
	if _, err := privacyreport.Draft(t.Context(), other, privacyreport.Options{Budget: ledger}); !errors.As(err,
		&uncharged) {
		t.Error(err)
	}
	broken := bytes.Replace(file, []byte(`"epsilon": 1,`), []byte(`"epsilon": 0.5,`), 1)
	if _, err := privacyreport.Draft(t.Context(), broken, privacyreport.Options{}); !errors.As(err,
		new(*release.FileError)) {
		t.Error(err)
	}
	item := must.Get(paid.Item("naive Bayes of Class"))(t)
	dir := filepath.Join(t.TempDir(), "sets")
	p := must.Get(privbayes.NoiseAware(item))(t)
	sets := must.Get(must.Get(p.Network(t.Context()))(t).SyntheticSets(2, 50))(t)
	must.Do(t, sets.Write(t.Context(), dir))
	if page := drafted(t, file, privacyreport.Options{Sets: dir}).Markdown(); !strings.Contains(page, "2 synthetic sets") {
		t.Error(page)
	}
	var parameter *dp.ParameterError
	if _, err := privacyreport.Draft(t.Context(), other, privacyreport.Options{Sets: dir}); !errors.As(err, &parameter) {
		t.Error(err)
	}
	path := filepath.Join(dir, "p.json")
	must.Do(t, os.WriteFile(path, file, 0o600))
	if r := must.Get(privbayes.PrivacyReport(path, privacyreport.Options{}))(t); r.Release.Kind != "publication" ||
		r.Release.File != "p.json" || r.Release.ID != paid.ID() {
		t.Error(r.Release)
	}
}

// A publication with a weak guarantee has a red line, also where every item by itself has a strong one.
func TestPublicationAlerts(t *testing.T) {
	for eps, want := range map[float64]int{9: 0, 12: 1} {
		p, file := published(t, several(privbayes.ReadFrame(data.Votes()), privbayes.PureDP(eps)))
		weak := func(list warning.List) (n int) {
			return len(slices.DeleteFunc(slices.Clone(list), func(w warning.Warning) bool {
				return w.Kind != warning.KindEpsilon
			}))
		}
		r := drafted(t, file, privacyreport.Options{})
		if len(r.Alerts) != want || weak(p.Warnings()) != want || weak(p.Plan().Warnings()) != want {
			t.Errorf("ε = %v: %q, %v", eps, r.Alerts, p.Warnings())
		}
		for _, l := range p.Plan().Lines() {
			if weak(l.Plan.Warnings()) > 0 {
				t.Errorf("ε = %v: an item by itself has %v", eps, l.Plan.Warnings())
			}
		}
	}
}

// The words for one person are those of the whole.
func TestPublicationInWords(t *testing.T) {
	plan := must.Get(several(privbayes.ReadFrame(data.Votes()), privbayes.PureDP(1)).Plan())(t)
	said := strings.Join(privacyreport.PublicationInWords(t.Context(), plan, plan.Certified()), " ")
	if !strings.Contains(said, "at most 2.72 times") || plan.AttackPower(t.Context(), .05) > .1360 {
		t.Error(said, plan.AttackPower(t.Context(), .05))
	}
	one := must.Get(privbayes.ReadFrame(data.Votes()).Publish("one", privbayes.ApproxDP(1, 1e-6),
		privbayes.Item(privbayes.Table("V3", "V4"))).Plan())(t)
	own := one.Lines()[0].Plan
	if a, b := one.AttackPower(t.Context(), .05), own.AttackPower(t.Context(), .05); a != b {
		t.Errorf("of one item %v, of its plan %v", a, b)
	}
}

// The numbers of an item are one: those of the publication, of the item, of exports as CSV and JSON, and, rounded, of
// the page and of what is printed. Its own counts have others, and stand in the column that says so.
func TestPublicationNumbersAreOne(t *testing.T) {
	p, file := published(t, several(privbayes.ReadFrame(data.Votes()), privbayes.PureDP(1)))
	r := drafted(t, file, privacyreport.Options{})
	var kept struct {
		Items []struct{ Release json.RawMessage }
	}
	must.Do(t, json.Unmarshal(file, &kept))
	if names := p.Agreeing(); len(names) != 3 || !strings.Contains(r.Markdown(), `made to agree`) {
		t.Errorf("%q", names)
	}
	for k, l := range p.Plan().Lines() {
		list, how := must.Get2(p.Intervals(t.Context(), l.Name, .95))(t)
		item := must.Get(p.Item(l.Name))(t)
		e := must.Get(export.EstimatesOf(t.Context(), item, .95))(t)
		var back export.Estimates
		must.Do(t, json.Unmarshal(must.Get(json.Marshal(e))(t), &back))
		lines := must.Get(csv.NewReader(strings.NewReader(e.CSV())).ReadAll())(t)
		own, _ := must.Get2(must.Get(release.Parse(t.Context(), kept.Items[k].Release))(t).Intervals(t.Context(), .95))(t)
		lower := slices.Index(e.Columns, "rows_lower")
		if len(e.Rows) != len(list) || len(lines) != len(list)+1 || lower < 0 || e.How != how || own[0].Estimate ==
			list[0].Estimate {
			t.Fatalf("%s: %s; %+v", l.Name, how, e)
		}
		for i, want := range list {
			csvNumber := must.Get(strconv.ParseFloat(lines[i+1][2], 64))(t)
			if e.Rows[i][2] != want.Estimate || back.Rows[i][2] != want.Estimate || csvNumber != want.Estimate {
				t.Errorf("%s, %d: %v, %v, want %v", l.Name, i, e.Rows[i], lines[i+1], want)
			}
			if want.Rows != nil && (e.Rows[i][lower] != want.Rows.Lower || e.Rows[i][lower+1] != want.Rows.Upper) {
				t.Errorf("%s, %d: %v, want %v", l.Name, i, e.Rows[i], want.Rows)
			}
		}
		printed, page, decimals := p.Parts()[k], r.Published.Tables[k], item.Decimals(list)
		if !slices.EqualFunc(printed.Rows, page.Rows, slices.Equal) || !slices.Equal(printed.Columns, page.Columns) {
			t.Errorf("%s: printed\n%s\non the page\n%s", l.Name, printed, page)
		}
		last := slices.Index(printed.Columns, "its own counts")
		for i, row := range printed.Rows {
			if row[1] != table.Fixed(list[i].Estimate, decimals[i]) || row[last] != table.Fixed(own[i].Estimate, decimals[i]) {
				t.Errorf("%s, %d: %q, want %v, own %v", l.Name, i, row, list[i], own[i])
			}
		}
		if drawn := must.Get(item.Figure())(t); drawn.Rows[0].Marks[0].At != list[0].Estimate {
			t.Errorf("%s: drawn %v, want %v", l.Name, drawn.Rows[0], list[0])
		}
	}
}

// The page of a selection states the guarantee of the whole choice, and the best attack under it: a candidate's pair
// would promise more than the choice keeps.
func TestSelection(t *testing.T) {
	rules := selection.Rules{Criteria: selection.Criteria{}.CellsWithin(1, .9),
		Test: selection.Test{Epsilon: .2, Wrong: .1}, Stop: selection.Stop{OneIn: 10, Most: 3}, Report: .1}
	f := privbayes.ReadFrame(data.Votes()).Select("Class", "V3", "V4")
	ledger := must.Get(budget.New("votes", budget.UnitOf(f.Data().Schema()), privbayes.PureDP(3)))(t)
	s := must.Get(f.WithBudget(ledger).Model(privbayes.NaiveBayes("Class", "V3", "V4")).Accept(rules).
		Privatize(privbayes.Geometric(), privbayes.PureDP(2)))(t)
	r := drafted(t, must.Get(s.JSON())(t), privacyreport.Options{File: "votes.selection.json", Budget: ledger})
	own := s.Plan().Candidate().AttackPower(t.Context(), .05)
	if n := r.Numbers; n.Guarantee != s.Guarantee() || n.AttackPower < .3 || own > .2 ||
		n.AttackPower != loss.AttackPower(s.Guarantee().Parameters, .05) {
		t.Errorf("%+v, a candidate %v", n, own)
	}
	page := r.Markdown()
	for _, want := range []string{"Selection " + s.ID(), "This selection uses 2 (ε)", "How many were tried or refused",
		"cells of up to 1 columns", "Releases so far: 1."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if r.Release.Kind != "selection" || r.Release.ID != s.ID() || len(r.Record) == 0 {
		t.Errorf("%+v", r.Release)
	}
}

// The page of running totals, and the record of a registry, state the guarantee of all periods, those to come included,
// what one unit's rows are, and the totals; the budget must have paid for the last of them; one from a seed is refused.
func TestRunningTotals(t *testing.T) {
	const quarters = `{"dataset": "arrivals", "columns": [{"name": "quarter", "kind": "categorical", "categories":
		["Q1", "Q2", "Q3"]}, {"name": "region", "kind": "categorical", "categories": ["north", "south"]}]}`
	schema := must.Get(privbayes.ParseSchema([]byte(quarters)))(t)
	rows := func(quarters int) *privbayes.Frame {
		text := "quarter,region\n"
		for q := range quarters {
			text += strings.Repeat("Q"+strconv.Itoa(q+1)+",north\n", 30)
		}
		return privbayes.ReadFrame(strings.NewReader(text), schema)
	}
	for name, adjacency := range map[string]dp.Adjacency{"replace-one": privbayes.ReplaceOne,
		"add-remove": privbayes.AddRemove} {
		target, limit := privbayes.ZCDP(.1).Under(adjacency), privbayes.ZCDP(1).Under(adjacency)
		paid := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), schema, limit))(t)
		first := must.Get(rows(1).WithBudget(paid).RunningTotals("quarter", "region").Privatize("Q1", target))(t)
		made := must.Get(rows(2).WithBudget(paid).NextTotals(first))(t)
		file := must.Get(made.JSON())(t)
		r := drafted(t, file, privacyreport.Options{File: "a.totals.json", Budget: paid})
		page := r.Markdown()
		for _, want := range []string{"Sequence " + made.ID(), "charged once, for all its periods together, those to come " +
			"included", "in all periods together, those that were taken out or replaced included", "privbayes entry " +
			"a.totals.json", "Releases so far: 2. Together they use 0.1 (ρ)", "4 numbers with noise", `until "Q2"`,
			made.Table().Markdown(), made.Parts()[0].Markdown()} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: without %q:\n%s", name, want, page)
			}
		}
		if public := strings.Contains(page, "number of rows at every release is public. Tables that are compared have as "+
			"many rows in every period"); public != (name == "replace-one") {
			t.Errorf("%s: the number of rows: %v", name, public)
		}
		if n := r.Numbers; n.Guarantee != made.Guarantee() ||
			n.AttackPower != loss.AttackPower(n.Guarantee.Parameters, .05) ||
			(n.N != nil) != (name == "replace-one") || len(r.Record) == 0 {
			t.Errorf("%s: %+v", name, n)
		}
		record := must.Get(entry.Draft(t.Context(), file, entry.Ledger(paid)))(t)
		text := string(record.YAML())
		for _, want := range []string{"rho: 0.1", "Summary statistics", "Many releases", `"Dynamic"`,
			"of all periods together, those to come included"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: without %q:\n%s", name, want, text)
			}
		}
		if m := must.Get(entry.Match(t.Context(), file, record.YAML()))(t); !m.OK() {
			t.Error(m)
		}
		if m := must.Get(entry.Match(t.Context(), must.Get(first.JSON())(t), record.YAML()))(t); m.OK() {
			t.Error("the record of another period matches")
		}
		other := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), schema, limit))(t)
		var unpaid *entry.UnchargedError
		if _, err := privacyreport.Draft(t.Context(), file, privacyreport.Options{Budget: other}); !errors.As(err, &unpaid) {
			t.Errorf("another budget: %v", err)
		}
		seeded := must.Get(rows(1).WithBudget(other).RunningTotals("quarter").Privatize("Q1", target, privbayes.Seeded(1)))(t)
		var none *privacyreport.RefusedError
		if _, err := privacyreport.Draft(t.Context(), must.Get(seeded.JSON())(t), privacyreport.Options{}); !errors.As(err,
			&none) {
			t.Errorf("seeded: %v", err)
		}
	}
}
