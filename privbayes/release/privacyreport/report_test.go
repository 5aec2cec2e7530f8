package privacyreport_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

func file(t testing.TB, p *privbayes.Privatized) []byte {
	t.Helper()
	r := must.Get(p.Release())(t)
	return must.Get(r.JSON())(t)
}

func drafted(t testing.TB, b []byte, o privacyreport.Options) *privacyreport.Report {
	t.Helper()
	return must.Get(privacyreport.Draft(t.Context(), b, o))(t)
}

// votes is a release of naive Bayes of the votes, whose n is public.
func votes(t testing.TB, target privbayes.Target, options ...privbayes.Option) []byte {
	t.Helper()
	return file(t, privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(privbayes.Geometric(), target, options...))
}

// clinic is a table of made records, two rows a unit by a key.
func clinic(t testing.TB, more string) *privbayes.Frame {
	t.Helper()
	schema := must.Get(privbayes.ParseSchema([]byte(`{"dataset":"clinic","unit":"patient",` + more + `"columns":[
		{"name":"smoker","kind":"categorical","categories":["yes","no"],"missing":["?"],"on_missing":"category"},
		{"name":"age","kind":"integer","edges":[18,40,65,120],"on_out_of_domain":"clamp"},
		{"name":"ill","kind":"categorical","categories":["yes","no"]}]}`)))(t)
	var csv strings.Builder
	csv.WriteString("id,smoker,age,ill\n")
	for i := range 900 {
		fmt.Fprintf(&csv, "%d,%s,%d,%s\n", i/2, []string{"yes", "no", "?"}[i%3], 15+i%70, []string{"yes", "no"}[i*7%5/3])
	}
	return privbayes.ReadFrame(strings.NewReader(csv.String()), schema)
}

const keyed = `"rows_per_unit":2,"unit_key":"id","extra_columns":true,"about_rows":900,`

// answered has an answer to every question.
func answered() privacyreport.Answers {
	out := privacyreport.Answers{}
	for _, q := range privacyreport.Questions() {
		out[q.Key] = "The answer to " + q.Key + "."
	}
	out["data_looked_at"] = "no"
	return out
}

// The bounds of the page: those of the template, and of every definition, adjacency and unit.
func TestNumbers(t *testing.T) {
	wages := func(eps float64) []byte {
		return file(t, privbayes.ReadFrame(data.CPS1988()).Model(privbayes.GroupMeans("wage", "region")).
			Privatize(privbayes.NoisySums(), privbayes.PureDP(eps)))
	}
	count := func(f *privbayes.Frame, m privbayes.Mechanism, target privbayes.Target) []byte {
		return file(t, f.Model(privbayes.Categorical("ill")).Privatize(m, target))
	}
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"ε = 1": {wages(1), []string{"at most 13.6 of 100", "at most 23.2 % sure.", "at most 2.72 times as likely",
			"This holds without exception.", "The table has 28 155 rows.", "pure differential privacy with 1 (ε)",
			"replaced by any other row", "Numbers were rounded to a public grid."}},
		"ε = 0.1": {wages(.1), []string{"at most 5.6 of 100", "at most 1.11 times as likely", "at most 11.0 % sure."}},
		"ε = 2":   {wages(2), []string{"at most 37.0 of 100", "at most 7.39 times as likely", "at most 45.1 % sure."}},
		"32 counts": {file(t, privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).
			Privatize(privbayes.Geometric(), privbayes.PureDP(1))), []string{"at most 7.1 of 100", "at most 2.72 times"}},
		"(ε, δ)": {votes(t, privbayes.ApproxDP(1, 1e-6)), []string{"at most 2.72 times as likely",
			"A probability of at most 1 in 1 000 000 is added", "at most 37.7 % sure, except with a probability of at most " +
				"1 in 500 000",
			"approximate differential privacy"}},
		"zCDP, add-remove, two rows": {count(clinic(t, keyed), privbayes.DiscreteGaussian(),
			privbayes.ZCDP(.01).Under(dp.AddRemove)), []string{"One patient is protected: being in the table at all, and " +
			"everything in all rows (at most 2).",
			"all rows (at most 2) of one patient are added", "The program told them apart by \"id\"",
			"The number of rows is not published. From public knowledge it is about 900.", "If it is known that the patient",
			"zero-concentrated differential privacy with 0.01 (ρ)", "The guarantee itself is stronger."}},
		"pure, add-remove": {count(clinic(t, keyed), privbayes.Geometric(), privbayes.PureDP(1).Under(dp.AddRemove)),
			[]string{"at most 23.2 % sure.", "They can then be at most 45.1 % sure.", "is right in at most 37.0 of 100.",
				"About one patient: at most the factor 7.39."}},
		"tCDP": {count(clinic(t, `"extra_columns":true,`), privbayes.DiscreteGaussian(), privbayes.TCDP(.01, 50)),
			[]string{"truncated concentrated differential privacy", "(ρ, up to order ω = 50)"}},
		"Rényi": {count(clinic(t, `"extra_columns":true,`), privbayes.DiscreteGaussian(), privbayes.RenyiDP(8, .1)),
			[]string{"Rényi differential privacy", "(ε, at order λ = 8)"}},
		"replace-value": {votes(t, privbayes.PureDP(1).Under(dp.ReplaceValue)), []string{
			`is protected in a column other than the class "Class". The guarantee does not cover the class`,
			`nor several values together.`, `the class "Class" of every row`}},
		"two rows, no key": {count(clinic(t, `"rows_per_unit":2,"extra_columns":true,`), privbayes.Geometric(),
			privbayes.PureDP(1)), []string{"Cap: at most 2 rows of one patient", "The program checked no key.",
			"had all rows (at most 2) of any one patient been any other", "Rows of one patient beyond 2"}},
	} {
		page := text(drafted(t, c.file, privacyreport.Options{}))
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", name, want, page)
			}
		}
		if strings.ContainsAny(page, "{}") {
			t.Errorf("%s: a place that was not filled in\n%s", name, page)
		}
	}
}

// text is the page as its sentences, a section a line, headings first.
func text(r *privacyreport.Report) string {
	var b strings.Builder
	b.WriteString(r.Title + "\n" + strings.Join(r.Alerts, "\n") + "\n")
	v := reflect.ValueOf(*r)
	for i := range v.NumField() {
		s, ok := v.Field(i).Interface().(privacyreport.Section)
		if !ok {
			continue
		}
		b.WriteString(s.Heading + ": " + strings.Join(append(slices.Clone(s.Text), s.List...), " "))
		for _, a := range s.Answers {
			b.WriteString(" " + a.Label + ": " + a.Text)
		}
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				b.WriteString(" " + strings.Join(row, " | "))
			}
		}
		b.WriteString("\n")
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

// Five questions of a reader without statistics, each with the line of the page that answers it, on three releases.
func TestFiveQuestions(t *testing.T) {
	spent := must.Get(budget.New("cps1988", budget.Unit{Name: "person"}, privbayes.PureDP(2)))(t)
	wages := privbayes.ReadFrame(data.CPS1988())
	wages = wages.WithBudget(spent)
	learned := clinic(t, keyed).Learn(privbayes.MaxEntropy()).Privatize(privbayes.DiscreteGaussian(),
		privbayes.ZCDP(.5).Under(dp.AddRemove))
	for name, c := range map[string]struct {
		file    []byte
		options privacyreport.Options
		lines   map[string]string
	}{
		"means": {file(t, wages.Model(privbayes.GroupMeans("wage", "region")).Privatize(privbayes.NoisySums(),
			privbayes.PureDP(1))), privacyreport.Options{Budget: spent}, map[string]string{
			"who":    "Who is protected: One person is protected, with everything in the row.",
			"strong": "wrongly in at most 5 of 100 cases is right in at most 13.6 of 100. Guessing is right in 5.",
			"rows": "The results are about these rows. They are about a larger population only if the rows are an " +
				"independent " +
				"sample of it.",
			"left": "Left: 1 (ε).",
		}},
		"naive Bayes": {votes(t, privbayes.ApproxDP(1, 1e-6)), privacyreport.Options{}, map[string]string{
			"who":    `Who is protected: One "member of Congress" is protected, with everything in the row.`,
			"strong": "at most 37.7 % sure, except with a probability of at most 1 in 500 000.",
			"rows":   "The results are about these rows.",
			"left":   "this page does not know of other releases, nor of what is left.",
		}},
		"learned network": {file(t, learned), privacyreport.Options{}, map[string]string{
			"who":    "One patient is protected: being in the table at all, and everything in all rows (at most 2).",
			"strong": "The guarantee is zero-concentrated differential privacy with 0.5 (ρ).",
			"rows":   "The results are about these rows.",
			"left":   "Other releases: TO ANSWER",
		}},
	} {
		page := text(drafted(t, c.file, c.options))
		c.lines["published"] = "This page, the release file and everything computed from the file alone may be " +
			"published. " +
			"The raw table may not."
		for question, line := range c.lines {
			if strings.Count(page, line) != 1 {
				t.Errorf("%s: %s: want one line %q in\n%s", name, question, line, page)
			}
		}
	}
}

// Sentences are short, and Greek letters stand in brackets in the first half of the page.
func TestSentences(t *testing.T) {
	r := drafted(t, votes(t, privbayes.ApproxDP(1, 1e-6)), privacyreport.Options{})
	first := []privacyreport.Section{r.Who, r.Purpose, r.Data, r.Protected, r.Strength, r.Attack, r.Budget}
	brackets := regexp.MustCompile(`\([^)]*\)|"[^"]*"`)
	for _, s := range first {
		for _, line := range append(s.Text, s.List...) {
			for _, letter := range brackets.ReplaceAllString(line, "") {
				if unicode.Is(unicode.Greek, letter) {
					t.Errorf("%s: %q", s.Heading, line)
				}
			}
		}
	}
	for _, s := range append(first, r.Published, r.Choices, r.NotCovered, r.Check) {
		for _, sentence := range strings.Split(strings.Join(append(s.Text, s.List...), " "), ". ") {
			if n := len(strings.Fields(sentence)); n > 28 {
				t.Errorf("%d words: %s", n, sentence)
			}
		}
	}
}

// Answers fill the page, what a ledger says of a release fills what people leave open, and the title counts the rest.
func TestAnswers(t *testing.T) {
	b := votes(t, privbayes.PureDP(1))
	r := drafted(t, b, privacyreport.Options{})
	if len(r.Open) != len(privacyreport.Questions()) || !strings.Contains(r.Title, "(15 answers open)") {
		t.Error(r.Title, r.Open)
	}
	r = drafted(t, b, privacyreport.Options{Answers: answered()})
	if len(r.Open) != 0 || strings.Contains(r.Title, "open") || strings.Contains(r.Markdown(), "TO ANSWER") ||
		!strings.Contains(text(r), "Legal basis: The answer to legal_basis.") {
		t.Error(r.Title, r.Open)
	}
	looked := answered()
	looked["data_looked_at"] = "yes"
	if r = drafted(t, b, privacyreport.Options{Answers: looked}); len(r.Alerts) != 1 ||
		!strings.Contains(r.Alerts[0], "The guarantee is void.") {
		t.Error(r.Alerts)
	}
	open := must.Get(privacyreport.ParseAnswers(privacyreport.Template()))(t)
	if again := drafted(t, b, privacyreport.Options{Answers: open}); len(again.Open) != len(privacyreport.Questions()) {
		t.Error("the template answers:", again.Open)
	}
	for text, want := range map[string]string{
		`{"purpse": "x"}`:                  `did you mean "purpose"?`,
		`{"purpose": "x", "purpose": "y"}`: "one JSON object",
		`{"purpose": 1}`:                   "a text between quotes",
		`[]`:                               "one JSON object",
		`{"purpose": "x"} 1`:               "one JSON object",
		`{"data_looked_at": "perhaps"}`:    "no or yes",
		"{\"purpose\": \"\u202e\"}":        "bidirectional",
		`{"purpose": "` + strings.Repeat("x", 4001) + `"}`: "at most 4 000",
		strings.Repeat(" ", 1<<17+1):                       "at most 128 KiB",
	} {
		var refused *dp.ParameterError
		if _, err := privacyreport.ParseAnswers([]byte(text)); !errors.As(err, &refused) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
	if _, err := privacyreport.Draft(t.Context(), b,
		privacyreport.Options{Answers: privacyreport.Answers{"x": "y"}}); err == nil {
		t.Error("an unknown answer is taken")
	}
}

// How rows were sampled stands in a line of its own, with the guarantee of record; or why nothing follows of it.
func TestBudgetOfASample(t *testing.T) {
	for adjacency, want := range map[dp.Adjacency]string{
		privbayes.ReplaceOne: "For one who does not know who was sampled: ln(1+q(e^Σε −1)), q = 3/10: ε = 0.4158 for the " +
			"ε = 1 used, and ε = 1.071 for the limit ε = 2. All charges of the budget are of rows drawn by the design",
		privbayes.AddRemove: "The schema says how rows were sampled, and nothing follows of that: ",
	} {
		s := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "drawn", "population": 100, "design": {"method": "srs",
			"rate": "1/2", "secret": true}, "columns": [{"name": "a", "kind": "categorical", "categories": ["x", "y"]}]}`)))(t)
		b := must.Get(budget.New(s.Dataset, budget.UnitOf(s), privbayes.PureDP(2).Under(adjacency)))(t)
		rows := privbayes.ReadFrame(strings.NewReader("a\n"+strings.Repeat("x\n", 30)), s).WithBudget(b)
		r := drafted(t, file(t, rows.Model(privbayes.Categorical("a")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1).Under(adjacency))), privacyreport.Options{Budget: b})
		if page := text(r); !strings.Contains(page, want) || !strings.Contains(page, "This release uses 1 (ε).") {
			t.Errorf("%s: no %q in\n%s", adjacency, want, page)
		}
	}
}

// The budget's releases stand with dates, people and reasons where the ledger has them, and without where it does not.
func TestBudget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.budget")
	rows := privbayes.ReadFrame(data.Votes())
	s := rows.Data().Schema()
	b := must.Get(budget.Open(path, s.Dataset, budget.UnitOf(s), privbayes.ApproxDP(3, 1e-5)))(t)
	release := file(t, rows.WithBudget(b).Model(privbayes.Categorical("Class")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1), privbayes.KeepIn(filepath.Join(filepath.Dir(path), "r.json"))))
	other := budget.Charge{ID: "other", What: "a count", Level: privbayes.PureDP(.5).Parameters, Unit: budget.UnitOf(s),
		Info: budget.Info{"time": "2026-02-03T04:05:00Z", "who": "a statistician", "why": "the yearly count"}}
	must.Do(t, b.Charge(s.Dataset, other))
	r := drafted(t, release, privacyreport.Options{Budget: b})
	if len(r.Alerts) != 0 {
		t.Error(r.Alerts)
	}
	page := text(r)
	for _, want := range []string{"together: 3 (ε) and 1e-5 (δ).", "This release uses 1 (ε).",
		"Releases so far: 2. Together they use 1.5 (ε) and 0 (δ).", "Left: 1.5 (ε) and 1e-5 (δ)",
		"2026-02-03 | other | a count | 0.5 (ε) | a statistician | the yearly count", "If the whole budget is used",
		"the factor at the limit of the budget, 20.1"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	open := must.Get(privacyreport.ParseAnswers(privacyreport.Template()))(t)
	if again := drafted(t, release, privacyreport.Options{Budget: b, Answers: open}); again.Release != r.Release ||
		!slices.Equal(again.Open, r.Open) {
		t.Error("open answers hide what the ledger says:", again.Release, again.Open)
	}
	if r.Release.Date == "" || slices.Contains(r.Open, "published") || slices.Contains(r.Open, "other_releases") {
		t.Error(r.Release.Date, r.Open)
	}
	seeded := budget.Charge{ID: "seeded", What: "a count", Level: privbayes.PureDP(.5).Parameters,
		Unit: budget.UnitOf(s), Seeded: true}
	must.Do(t, b.Charge(s.Dataset, seeded))
	if r := drafted(t, release, privacyreport.Options{Budget: b}); len(r.Alerts) != 1 ||
		!strings.Contains(r.Alerts[0], "fixed seed") {
		t.Error(r.Alerts)
	}
	var uncharged *entry.UnchargedError
	if _, err := privacyreport.Draft(t.Context(), votes(t, privbayes.PureDP(1)),
		privacyreport.Options{Budget: b}); !errors.As(err,
		&uncharged) {
		t.Error(err)
	}
	foreign := must.Get(budget.New("other", budget.UnitOf(s), privbayes.PureDP(1)))(t)
	var mismatch *budget.MismatchError
	if _, err := privacyreport.Draft(t.Context(), release, privacyreport.Options{Budget: foreign}); !errors.As(err,
		&mismatch) {
		t.Error(err)
	}
}

// A seeded release, one under an inferred schema and what is no release have no page; weak guarantees have a red line.
func TestRefusalsAndAlerts(t *testing.T) {
	const csv = "a,b\nx,1\ny,2\nx,2\n"
	schema := must.Get(frame.InferSchema(strings.NewReader(csv), "t"))(t)
	inferred := privbayes.ReadFrame(strings.NewReader(csv), schema)
	for name, b := range map[string][]byte{"seeded": votes(t, privbayes.PureDP(1), privbayes.Seeded(1)),
		"inferred": file(t, inferred.Model(privbayes.Categorical("a")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1)))} {
		var refused *privacyreport.RefusedError
		var none *entry.NotPrivateError
		if r, err := privacyreport.Draft(t.Context(), b, privacyreport.Options{}); !errors.As(err, &refused) ||
			!errors.As(err, &none) || r != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	zeros := privbayes.MaxEntropy().StructuralZeros(map[string]string{"smoker": "yes", "ill": "yes"})
	learned := file(t, clinic(t, `"extra_columns":true,`).Learn(zeros).Privatize(privbayes.Geometric(),
		privbayes.PureDP(9)))
	var refused *privacyreport.RefusedError
	if _, err := privacyreport.Draft(t.Context(), learned, privacyreport.Options{}); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "contradicts itself") {
		t.Error(err)
	}
	if _, err := privacyreport.Draft(t.Context(), []byte("{}"), privacyreport.Options{}); err == nil {
		t.Error("no release has a page")
	}
	for _, c := range []struct {
		target privbayes.Target
		alerts int
	}{{privbayes.PureDP(10), 0}, {privbayes.PureDP(10.5), 1}, {privbayes.ApproxDP(1, .001), 0},
		{privbayes.ApproxDP(1, .01), 1}, {privbayes.ApproxDP(11, .01), 2}} {
		r := drafted(t, votes(t, c.target), privacyreport.Options{})
		if len(r.Alerts) != c.alerts {
			t.Errorf("%s: %q", c.target.Parameters, r.Alerts)
		}
		for _, a := range r.Alerts {
			if i, j := strings.Index(string(r.Page()), `class="alert"`), strings.Index(string(r.Page()), "<h2>"); i < 0 ||
				i > j ||
				!strings.HasPrefix(a, "This guarantee gives little protection. ") {
				t.Errorf("%s: %q", c.target.Parameters, a)
			}
		}
	}
}

// A folder of synthetic sets stands on the page of its release, and of no other.
func TestSyntheticSets(t *testing.T) {
	network := func(eps float64) []byte {
		return file(t, privbayes.ReadFrame(data.Votes()).Model(privbayes.Network("Class", privbayes.Node("Class"),
			privbayes.Node("V3", "Class"))).Privatize(privbayes.Geometric(), privbayes.PureDP(eps)))
	}
	one, other := network(1), network(2)
	dir := t.TempDir()
	sets := filepath.Join(dir, "sets")
	path := filepath.Join(dir, "r.json")
	must.Do(t, os.WriteFile(path, one, 0o600))
	r := must.Get(privbayes.LoadRelease(path))(t)
	p := must.Get(privbayes.NoiseAware(r))(t)
	net := must.Get(p.Network(t.Context()))(t)
	drawn, err := net.SyntheticSets(2, 50)
	if err == nil {
		err = drawn.Write(t.Context(), sets)
	}
	if err != nil {
		t.Fatal(err)
	}
	page := text(drafted(t, one, privacyreport.Options{Sets: sets}))
	if want := "A folder of 2 synthetic sets of 50 rows each was made from the release."; !strings.Contains(page, want) {
		t.Errorf("no %q in\n%s", want, page)
	}
	var refused *dp.ParameterError
	if _, err := privacyreport.Draft(t.Context(), other, privacyreport.Options{Sets: sets}); !errors.As(err, &refused) {
		t.Error(err)
	}
	var none *synthetic.FolderError
	if _, err := privacyreport.Draft(t.Context(), one, privacyreport.Options{Sets: dir}); !errors.As(err, &none) {
		t.Error(err)
	}
	again := file(t, privbayes.ReadFrame(data.Votes()).Model(r.Plan().Shape().Model()).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1)))
	if _, err := privacyreport.Draft(t.Context(), again, privacyreport.Options{Sets: sets}); !errors.As(err, &refused) {
		t.Error("sets of another release by the same plan: ", err)
	}
}

// A folder of synthetic sets that names its release in words alone, as it was before, is told by them, however captions
// were worded then; that of a learned structure has more words.
func TestEarlierSyntheticSets(t *testing.T) {
	raw := file(t, privbayes.ReadFrame(data.Votes()).Model(privbayes.MaxEntropy().Of("Class", "V3", "V4")).Privatize(
		privbayes.LearnedGeometric(), privbayes.ApproxDP(2, 1e-6)))
	r := must.Get(release.Parse(t.Context(), raw))(t)
	level := r.Plan().Certified().Parameters.String()
	earlier := strings.ReplaceAll(r.Plan().Certified().Parameters.String(), "e-6", "e-06")
	dir := t.TempDir()
	for name, c := range map[string]struct {
		level, n, end string
		ok            bool
	}{
		"now":     {level, "435", "", true},
		"before":  {earlier, "435", "", true},
		"learned": {earlier, "435", ". The structure was learned from the same rows", true},
		"other ε": {"ε = 1, δ = 1e-06", "435", "", false},
		"other n": {earlier, "434", "", false},
		"more":    {earlier, "4351", "", false},
		"noise":   {earlier, "435", " by a seed", false},
	} {
		caption := strings.Replace(r.Caption(), level+", replace-one", c.level+", replace-one", 1)
		caption = strings.Replace(caption, "n = 435", "n = "+c.n, 1) + c.end
		b := must.Get(json.Marshal(synthetic.Folder{Format: "privbayes-synthetic-sets-1", Rows: 50, Release: caption,
			Files: []string{"set_01.csv"}}))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, "sets.json"), b, 0o600))
		if _, err := privacyreport.Draft(t.Context(), raw, privacyreport.Options{Sets: dir}); (err == nil) != c.ok {
			t.Errorf("%s: %q: %v", name, caption, err)
		}
	}
}

// Names, answers and files make no markup, and cannot fill a place of a sentence.
func TestNoMarkup(t *testing.T) {
	for _, name := range []string{"<img src=x onerror=alert(1)>", "![x](http://a.eu)", "**exact**", "`rm`", "{rows}",
		`$\kern-9em\text{0.1-DP}$`, "</style><b>"} {
		schema := must.Get(privbayes.ParseSchema([]byte(`{"dataset":` + quoted(name) + `,"unit":` + quoted(name) +
			`,"columns":[{"name":` + quoted(name) + `,"kind":"categorical","categories":[` + quoted(name) + `,"b"]}]}`)))(t)
		f := privbayes.ReadFrame(strings.NewReader("\""+name+"\"\n"+strings.Repeat("b\n", 30)), schema)
		answers := privacyreport.Answers{"controller": name, "purpose": name}
		r := drafted(t, file(t, f.Model(privbayes.Categorical(name)).Privatize(privbayes.Geometric(), privbayes.PureDP(1))),
			privacyreport.Options{Answers: answers, File: name + ".json"})
		title := regexp.MustCompile(`<title>.*?</title>`)
		for form, text := range map[string]string{"html": title.ReplaceAllString(string(r.Page()), ""),
			"md": r.Markdown()} {
			plain := form == "html" && !strings.ContainsAny(name, `<$\`) || name == "{rows}"
			if have := strings.Contains(text, name); have != plain {
				i := max(0, strings.Index(text, name))
				t.Errorf("%s: %q stands as it is: %v: %.200s", form, name, have, text[i:])
			}
		}
		if page := text(r); strings.Contains(name, "{") && strings.Contains(page, "One \"the row") {
			t.Errorf("%q filled a place: %s", name, page)
		}
		if got := r.Check.Commands[0]; got != "privbayes verify FILE" {
			t.Errorf("%q stands in a command: %s", name, got)
		}
	}
}

func quoted(text string) string { b, _ := json.Marshal(text); return string(b) }

// A page replaces an older page and no other file, and is the same bytes each time.
func TestSave(t *testing.T) {
	r := drafted(t, votes(t, privbayes.PureDP(1)), privacyreport.Options{File: "some/votes.release.json"})
	dir := t.TempDir()
	for _, ending := range []string{".html", ".md", ".json"} {
		path := filepath.Join(dir, "page"+ending)
		var first []byte
		for range 2 {
			must.Do(t, r.Save(path))
			b, err := os.ReadFile(path)
			if err != nil || first != nil && string(b) != string(first) {
				t.Error(ending, err, "other bytes")
			}
			first = b
		}
		mine := filepath.Join(dir, "mine"+ending)
		must.Do(t, os.WriteFile(mine, []byte("# Privacy report: notes"), 0o600))
		var refused *dp.ParameterError
		if err := r.Save(mine); !errors.As(err, &refused) {
			t.Error(mine, err)
		}
	}
	var refused *dp.ParameterError
	if err := r.Save(filepath.Join(dir, "page.pdf")); !errors.As(err, &refused) {
		t.Error(err)
	}
	twin, err := r.JSON()
	var back privacyreport.Report
	if err = errors.Join(err, json.Unmarshal(twin, &back)); err != nil || back.Title != r.Title ||
		back.Release.File != "votes.release.json" || back.Numbers.AttackPower != r.Numbers.AttackPower ||
		len(back.Record) < 100 {
		t.Error(err, back.Release)
	}
}

// Nothing that reads rows is within reach: the package imports neither sources, nor scores, nor the key to statistics.
func TestImportsReadNoData(t *testing.T) {
	p := must.Get(build.ImportDir(".", 0))(t)
	for _, path := range p.Imports {
		for _, word := range []string{"/access", "/eval", "/source", "/model", "html/template", "text/template"} {
			if strings.HasSuffix(path, word) {
				t.Errorf("it imports %s", path)
			}
		}
	}
}
