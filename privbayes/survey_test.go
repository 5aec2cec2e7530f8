package privbayes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// surveySchema is of rows with weights.
func surveySchema(t testing.TB, change func(s *privbayes.Schema)) *privbayes.Schema {
	s := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "survey", "about_rows": 2000, "sampling": "sample",
		"population": 20000,
		"weight": {"column": "w", "min": "0.5", "max": "40", "step": "0.25", "computed": "design"},
		"columns": [{"name": "region", "kind": "categorical", "categories": ["north", "south", "west"]},
			{"name": "ill", "kind": "categorical", "categories": ["no", "yes"]},
			{"name": "income", "kind": "real", "min": 0, "max": 100}]}`)))(t)
	if change != nil {
		change(s)
	}
	return s
}

func surveyRows(t testing.TB, s *privbayes.Schema, n int) *privbayes.Frame {
	src, b := rand.New(rand.NewPCG(3, 4)), strings.Builder{}
	b.WriteString("region,ill,income,w\n")
	for range n {
		w := 1 + .25*float64(src.IntN(76))
		fmt.Fprintf(&b, "%s,%s,%.1f,%v\n", []string{"north", "south", "west"}[src.IntN(3)],
			[]string{"no", "no", "yes"}[src.IntN(3)], math.Min(100, 20+w+10*src.ExpFloat64()), w)
	}
	return privbayes.ReadFrame(strings.NewReader(b.String()), s)
}

// Weighted releases of every kind: drawn, written, read, verified, shown.
func TestWeightedReleases(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 2000)
	for _, m := range []privbayes.ModelSpec{privbayes.Mean("income"), privbayes.GroupMeans("income", "region"),
		privbayes.Table("region", "ill"), privbayes.Total("income"), privbayes.Total("income", "region"),
		privbayes.Quantiles("income").WithResolution(9)} {
		for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.ZCDP(.5),
			privbayes.ApproxDP(1, 1e-6).Under(privbayes.AddRemove), privbayes.PureDP(.3).Under(privbayes.AddRemove)} {
			path := filepath.Join(t.TempDir(), "r.json")
			r, err := rows.Model(m).Privatize(privbayes.NoisySums(), target, privbayes.Seeded(1),
				privbayes.KeepIn(path)).Release()
			if err != nil {
				t.Fatalf("%v, %v: %v", m, target, err)
			}
			list, how, err := r.Intervals(t.Context(), .95)
			if err != nil || len(list) == 0 || list[0].Population == nil || list[0].Rows != nil ||
				!strings.Contains(how, "at most 40") {
				t.Errorf("%v: %v, %q, %v", m, list, how, err)
			}
			again := must.Get(privbayes.LoadRelease(path))(t)
			if a, b := r.Summary().String(), again.Summary().String(); a != b {
				t.Errorf("read again:\n%s\n%s", a, b)
			}
		}
	}
}

// goldenWeighted are kept weighted releases.
const goldenWeighted = "testdata/releases_with_weights.jsonl.gz"

// Weighted releases are those that are kept, byte for byte, and kept files load and verify.
func TestReleasesWithWeightsStayAsTheyWere(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 200)
	var cases []goldenCase
	for i, m := range []privbayes.ModelSpec{privbayes.Mean("income"), privbayes.Table("region"),
		privbayes.Total("income"), privbayes.GroupMeans("income", "region"), privbayes.Total("income", "region"),
		privbayes.Quantiles("income").WithResolution(9)} {
		for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.ZCDP(.5).Under(privbayes.AddRemove)} {
			cases = append(cases, goldenCase{fmt.Sprintf("tokens / %d, %v", i, target), m, privbayes.Tokens(), target})
		}
	}
	stayAsTheyWere(t, goldenWeighted, rows, cases, nil)
}

// Weights computed from the respondents: the unit says that others' weights are held as given wherever a guarantee
// stands, and no interval is shown unless it is asked for by that name.
func TestRespondentsWeights(t *testing.T) {
	s := surveySchema(t, func(s *privbayes.Schema) { s.Weight.Computed = frame.FromRespondents })
	ledger := filepath.Join(t.TempDir(), "survey.budget")
	b := must.Get(privbayes.OpenBudget(ledger, s, privbayes.PureDP(3)))(t)
	rows := surveyRows(t, s, 500).WithBudget(b)
	const words = "others' weights held as given"
	p := rows.Model(privbayes.Mean("income")).Privatize(privbayes.Tokens(), privbayes.PureDP(1))
	r := must.Get(p.Release())(t)
	list, _, err := r.Intervals(t.Context(), .95)
	if err != nil || len(list) > 0 || !strings.Contains(r.Warnings().String(), "HeldAsGiven()") {
		t.Errorf("without the name: %v, %v, %v", list, err, r.Warnings())
	}
	text := string(must.Get(r.JSON())(t))
	for what, shown := range map[string]string{"release": r.String(), "guarantee": r.Guarantee().String(),
		"plan": r.Plan().String(), "ledger": string(must.Get(os.ReadFile(ledger))(t)), "file": text,
		"budget": b.String()} {
		if !strings.Contains(strings.ReplaceAll(shown, `\u0027`, "'"), words) {
			t.Errorf("%s is without the words: %s", what, shown)
		}
	}
	held := must.Get(rows.Model(privbayes.Mean("income")).Privatize(privbayes.Tokens().HeldAsGiven(),
		privbayes.PureDP(1)).Release())(t)
	list, how, err := held.Intervals(t.Context(), .95)
	if err != nil || len(list) != 1 || list[0].Population == nil || !strings.Contains(how, words) {
		t.Errorf("by its name: %v, %q, %v", list, how, err)
	}
	var no *mechanism.UnsupportedError
	if _, err := surveyRows(t, surveySchema(t, nil), 50).Model(privbayes.Mean("income")).Plan(
		privbayes.Tokens().HeldAsGiven(), privbayes.PureDP(1)); !errors.As(err, &no) {
		t.Errorf("weights of the design held as given: %v", err)
	}
	weightsSetAside(t, rows, ledger, b)
}

// weightsSetAside are what releases say of rows with weights of the respondents that do not use these.
func weightsSetAside(t *testing.T, rows *privbayes.Frame, ledger string, b *privbayes.Budget) {
	const words = "others' weights held as given"
	s := rows.Data().Schema()
	plain := must.Get(rows.Unweighted().Model(privbayes.Mean("income")).Privatize(privbayes.NoisySums(),
		privbayes.PureDP(1)).Release())(t)
	if m := plain.Plan().Shape().Model().String(); m != `mean of "income"` {
		t.Errorf("unweighted: %s", m)
	}
	if g := plain.Guarantee(); g.Unit != "person" {
		t.Errorf("no weight is used, and the guarantee is for %q", g.Unit)
	}
	if err := rows.Model(privbayes.Mean("income")).Privatize(privbayes.Tokens(), privbayes.PureDP(1)).Err(); err == nil {
		t.Error("weighted and unweighted releases do not add up")
	}
	unweightedPage(t, plain, b)
	if again := must.Get(privbayes.OpenBudget(ledger, s, privbayes.PureDP(3)))(t); len(again.Charges()) != 3 {
		t.Errorf("read again: %v", again)
	}
	own := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "own.budget"), s.Unweighted(),
		privbayes.PureDP(3)))(t)
	var other *budget.UnitError
	if err := rows.WithBudget(own).Err(); !errors.As(err, &other) {
		t.Errorf("a release with others' weights held as given counts in a budget without the words: %v", err)
	}
	north := func(label string) bool { return label == "north" }
	for name, f := range map[string]*privbayes.Frame{
		"person; " + words: rows.Where("region", north).Unweighted(), "person": rows.Unweighted().Where("region", north),
	} { // after the first a split by contents goes by the weights
		if plan, err := f.Model(privbayes.Mean("income")).Plan(privbayes.NoisySums(), privbayes.PureDP(.1).Under(
			privbayes.AddRemove)); err != nil || plan.Certified().Unit != name {
			t.Errorf("%q: %v, %v", name, plan, err)
		}
	}
}

// unweightedPage checks what a page and a record say of rows whose weight was set aside, and of the budget with others.
func unweightedPage(t *testing.T, plain *privbayes.Release, b *privbayes.Budget) {
	const words = frame.HeldAsGiven
	page := must.Get(privacyreport.Draft(t.Context(), must.Get(plain.JSON())(t), privacyreport.Options{Budget: b}))(t)
	record := must.Get(entry.Draft(t.Context(), must.Get(plain.JSON())(t), entry.Ledger(b)))(t).YAML()
	for _, text := range append(page.Budget.Text[:1:1], page.Attack.Text[len(page.Attack.Text)-1], string(record)) {
		if !strings.Contains(text, words) {
			t.Errorf("all releases together are said to hold without the words: %s", text)
		}
	}
	if text := plain.String(); !strings.Contains(text, "weights were set aside") {
		t.Errorf("intervals of rows that are no sample in which all count alike: %s", text)
	}
	if text := strings.Join(page.Published.Text, " "); !strings.Contains(text, "have weights, which were set aside") ||
		strings.Contains(text, "controller states") {
		t.Errorf("rows whose weight was set aside are an independent sample: %s", text)
	}
	if text := strings.Join(page.Protected.Text, " "); strings.Contains(text, words) {
		t.Errorf("the release by itself: %s", text)
	}
}

// Rows without a value are none of those that a design effect is of: their number is private, and it is not said.
func TestDesignEffectIsOfRowsWithValues(t *testing.T) {
	for omits, want := range map[bool]string{false: "design effect", true: "effective sample size"} {
		rows := surveyRows(t, surveySchema(t, func(s *privbayes.Schema) {
			if omits {
				s.Columns[2].Missing, s.Columns[2].OnMissing = []string{"NA"}, frame.MissingOmitted
			}
		}), 2000)
		for _, m := range []privbayes.ModelSpec{privbayes.Mean("income"), privbayes.Quantiles("income").WithResolution(9)} {
			r := must.Get(rows.Model(m).Privatize(privbayes.Tokens(), privbayes.PureDP(3)).Release())(t)
			_, how, err := r.Intervals(t.Context(), .95)
			if err != nil || !strings.Contains(how, want) || omits && strings.Contains(how, "design effect") {
				t.Errorf("%v, omitted %v: %q, %v", m, omits, how, err)
			}
		}
	}
}

// Units of several rows deal as many times T, and have no interval of the population.
func TestWeightedUnits(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, func(s *privbayes.Schema) { s.RowsPerUnit = 3 }), 500)
	for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.ZCDP(.5).Under(privbayes.AddRemove)} {
		one := must.Get(surveyRows(t, surveySchema(t, nil), 500).Model(privbayes.Mean("income")).Plan(privbayes.Tokens(),
			target))(t)
		p := rows.Model(privbayes.Mean("income")).Privatize(privbayes.Tokens(), target)
		r := must.Get(p.Release())(t)
		a, b := one.Expected()[0].Value, r.Plan().Expected()[0].Value
		if list, _, err := r.Intervals(t.Context(), .95); err != nil || len(list) > 0 || math.Abs(b/a-3) > .01 {
			t.Errorf("units of three rows: %v, %v, noise %v for %v", list, err, b, a)
		}
		if !strings.Contains(r.Warnings().String(), "rows of one unit") {
			t.Errorf("no warning: %v", r.Warnings())
		}
	}
}

// A plan predicts what §10 of the theory says, before any charge, and a file with a larger rate is refused.
func TestWeightedPlans(t *testing.T) {
	sh := must.Get(privbayes.NewShape(surveySchema(t, nil), privbayes.Mean("income"), 2000))(t)
	plan := must.Get(privbayes.Tokens().Plan(t.Context(), sh, privbayes.PureDP(1)))(t)
	want := 2 * math.Log(20) * 40 * 100 * math.Sqrt(.5) / 20000
	if got := plan.Expected()[0].Value; math.Abs(got/want-1) > 1e-3 {
		t.Errorf("expected %v, want %v", got, want)
	}
	text := string(must.Get(json.Marshal(plan))(t))
	for name, c := range map[string][2]string{
		"a larger rate": {`"num":1`, `"num":3`}, "more tokens": {`"tokens":268435456`, `"tokens":536870912`},
		"odd tokens": {`"tokens":268435456`, `"tokens":268435455`},
	} {
		if changed := strings.Replace(text, c[0], c[1], 1); changed == text {
			t.Errorf("%s: nothing to change in %s", name, text)
		} else if _, err := mechanism.ParsePlan(t.Context(), []byte(changed)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := mechanism.ParsePlan(t.Context(), []byte(text)); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]privbayes.Mechanism{"K-norm": privbayes.KNorm(),
		"by unit": privbayes.NoisySums().ByUnit(), "clamped": privbayes.Geometric().WithPostProcess(counts.Clamp)} {
		rows := surveyRows(t, surveySchema(t, nil), 50)
		if _, err := rows.Model(privbayes.Mean("income")).Plan(m, privbayes.PureDP(1)); err == nil {
			t.Errorf("%s plans for weights", name)
		}
	}
	few := must.Get(privbayes.NewShape(surveySchema(t, nil), privbayes.Mean("income"), 20))(t) // of 20,000 people
	of := must.Get(privbayes.Tokens().Plan(t.Context(), few, privbayes.PureDP(1)))(t)
	if all, one := fmt.Sprint(plan.Settings()), fmt.Sprint(of.Settings()); !strings.Contains(all,
		"over the mean weight 4") || strings.Contains(one, "over the mean weight") {
		t.Errorf("%s\n%s", all, one)
	}
	if _, err := privbayes.Tokens().Plan(t.Context(), sh, privbayes.PureDP(1e-7)); err == nil {
		t.Error("an ε below 2^-20 is planned")
	}
	if _, err := privbayes.Tokens().Plan(t.Context(), sh, privbayes.PureDP(1).Under(privbayes.ReplaceValue)); err == nil {
		t.Error("replace-value is planned")
	}
}

// Tokens are vectors. Under (ε, δ) discrete Gaussian noise on them is calibrated by their own loss, near that of a
// continuous Gaussian with μ² = m·T²/σ². By ρ = μ²/2, at the best order of a scan, it would not meet the level. The
// loss of one integer sum shifted by T, the mutant, is half of it.
func TestTokensHaveTheirOwnLoss(t *testing.T) {
	for _, m := range []privbayes.ModelSpec{privbayes.Mean("income"), privbayes.Total("income")} {
		sh := must.Get(privbayes.NewShape(surveySchema(t, nil), m, 2000))(t)
		plan := must.Get(privbayes.Tokens().Plan(t.Context(), sh, privbayes.ApproxDP(.1, .01)))(t)
		pair, ok := plan.Pair().(loss.LatticePair)
		if !ok || pair.Shift < 1<<10 || pair.ByRho || pair.Least != pair.Sigma2/11 {
			t.Fatalf("%v: %+v", m, plan.Pair())
		}
		rho := float64(pair.Cells) * float64(pair.Shift) * float64(pair.Shift) / (2 * pair.Sigma2)
		best := 1.
		for a := 1.01; a < 1e4; a *= 1.001 {
			best = min(best, math.Exp((a-1)*(a*rho-.1)+a*math.Log1p(-1/a)-math.Log(a-1)))
		}
		certified, continuous := pair.Delta(.1), loss.GaussianPair{Mu: math.Sqrt(2 * rho)}.Delta(.1)
		one := loss.IntegerSumPair{Sigma2: pair.Sigma2, Shift: pair.Shift}.Delta(.1)
		if best < .0125 || certified > .01 || certified < continuous || certified > continuous*(1+1e-9) ||
			pair.Cells > 1 && one > .006 {
			t.Errorf("%v: ρ = %v gives δ = %v, certified %v, continuous %v, of one sum %v", m, rho, best, certified,
				continuous, one)
		}
		byRho := pair
		byRho.ByRho, byRho.Sigma2 = true, pair.Sigma2*1.1
		if loss.Meets(byRho, plan.Target().Parameters) {
			t.Errorf("%v: a tenth more variance is enough for ρ", m)
		}
	}
}

// Categories that are found under weights of the respondents, and rows under another schema, keep the words.
func TestRespondentsWordsStay(t *testing.T) {
	s := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "survey", "weight": {"column": "w", "min": "0", "max": "40",
		"step": "0.25", "computed": "respondents"}, "columns": [{"name": "product", "kind": "open"}]}`)))(t)
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("product,w\n"+strings.Repeat("a,1\n", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	level := privbayes.ApproxDP(5, 1e-4).Under(privbayes.AddRemove)
	found := must.Get(privbayes.Discover(s, "product", 1, path).Privatize(level))(t)
	if g := found.Guarantee(); g.Unit != "person" ||
		!strings.Contains(found.String(), "weight of the schema is not used") {
		t.Errorf("categories, which are found without weights, are found for %q:\n%v", g.Unit, found)
	}
	closed := must.Get(found.AddTo(s))(t)
	r := must.Get(privbayes.LoadFrame(path, closed).Model(privbayes.Table("product")).Privatize(privbayes.Tokens(),
		level).Release())(t)
	if g := r.Guarantee(); g.Unit != s.UnitName() {
		t.Errorf("a table of found categories: %v", g)
	}
	plain := closed.Unweighted()
	if err := plain.Validate(); err != nil {
		t.Errorf("categories that are found without weights: %v", err)
	}
	for i := range plain.Columns {
		if f := plain.Columns[i].Found; f != nil {
			f.Unit = s.UnitName()
		}
	}
	if err := plain.Validate(); err == nil {
		t.Error("categories found with others' weights held as given serve a schema without the words")
	}
	var refused *frame.SchemaError
	rows := surveyRows(t, surveySchema(t, func(s *privbayes.Schema) { s.Weight.Computed = frame.FromRespondents }), 20)
	if _, err := rows.Data().Under(surveySchema(t, nil)); !errors.As(err, &refused) {
		t.Errorf("rows with weights of the respondents under a schema of the design: %v", err)
	}
	var column *frame.ColumnError
	if _, err := rows.Data().Drop("w"); !errors.As(err, &column) {
		t.Errorf("a weight that is dropped is there as before: %v", err)
	}
}

// What is true of all rows is not true of some: the population of the schema predicts nothing of Head, Where, Split and
// Append, and their cells may have other sizes.
func TestPopulationIsThatOfAllRows(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 300)
	north := func(label string) bool { return label == "north" }
	train, _ := rows.Split(.5, 1)
	one, hidden := privbayes.PureDP(50), privbayes.PureDP(50).Under(privbayes.AddRemove)
	for name, c := range map[string]struct {
		rows   *privbayes.Frame
		target privbayes.Target
		kept   bool
	}{
		"all": {rows, one, true}, "without n": {rows.WithoutN(), hidden, true}, "part": {rows.Part("wave", "1"), one, true},
		"head": {rows.Head(50), one, false}, "where": {rows.Where("region", north), hidden, false},
		"split": {train, one, false}, "disjoint": {rows.AppendDisjoint(surveyRows(t, surveySchema(t, nil), 5)), one, false},
	} {
		r, err := c.rows.Model(privbayes.Table("region", "ill")).Privatize(privbayes.Tokens(), c.target).Release()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text := r.Plan().String(); strings.Contains(text, "at the population of the schema") != c.kept {
			t.Errorf("%s: %s", name, text)
		}
		var refused *dp.ParameterError
		_, err = r.Calibrate("region", map[string]int64{"north + south + west": 9000})
		if (errors.As(err, &refused) && refused.Value == "9000 in all") != c.kept {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A weighted release is evaluated by weighted estimates of other rows, cell by cell; a total of other rows is none.
func TestWeightedEvaluation(t *testing.T) {
	train, test := surveyRows(t, surveySchema(t, nil), 400).Split(.5, 1)
	for _, m := range []privbayes.ModelSpec{privbayes.Mean("income"), privbayes.GroupMeans("income", "region"),
		privbayes.Table("region", "ill"), privbayes.Table("ill"), privbayes.Total("income", "region")} {
		report, err := train.Model(m).Privatize(privbayes.Tokens(), privbayes.PureDP(20)).Evaluate(test)
		var refused *model.Error
		switch {
		case errors.As(err, &refused) && fmt.Sprint(m) == fmt.Sprint(privbayes.Total("income", "region")):
		case err != nil:
			t.Errorf("%v: %v", m, err)
		case !(report.Lines[0].Release < .2):
			t.Errorf("%v: %v", m, report.Lines)
		}
	}
}

// The noise that is asked for by its name is that noise, or refused; where weights drown in noise a warning says so.
func TestNamedNoiseOfWeights(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 60)
	var refused *mechanism.UnsupportedError
	for _, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.ZCDP(.5)} {
		if _, err := rows.Model(privbayes.Table("ill")).Plan(privbayes.DiscreteGaussian(), target); !errors.As(err,
			&refused) {
			t.Errorf("discrete Gaussian noise of weights at %v: %v", target, err)
		}
	}
	r := must.Get(rows.Model(privbayes.GroupMeans("income", "region")).Privatize(privbayes.Tokens(),
		privbayes.PureDP(.001), privbayes.Seeded(1)).Release())(t)
	if !strings.Contains(r.String(), "There is no estimate of ") {
		t.Errorf("nothing but noise:\n%v", r)
	}
}

// Edits of several fields of a kept weighted release at once: what follows from others is derived again, and refused.
// What verifies is an input, says less, or is about other people than the rows.
func TestForgedWeightedReleases(t *testing.T) {
	s := surveySchema(t, func(s *privbayes.Schema) { s.Weight.Computed = frame.FromRespondents })
	rows := surveyRows(t, s, 100)
	noisy := rows.Model(privbayes.Table("region"))
	geometric := noisy.Privatize(privbayes.Tokens().HeldAsGiven(), privbayes.PureDP(1), privbayes.Seeded(1))
	gaussian := noisy.Privatize(privbayes.Tokens().HeldAsGiven(), privbayes.ZCDP(.5), privbayes.Seeded(1))
	plain := rows.Unweighted().Model(privbayes.Mean("income")).Privatize(privbayes.NoisySums(), privbayes.PureDP(1),
		privbayes.Seeded(1))
	const words = "; others' weights held as given"
	swapped := []string{`"weighted-tokens/tokens"`, `"weighted-tokens/squares"`, `"weighted-tokens/squares"`,
		`"weighted-tokens/tokens"`}
	for _, c := range []struct {
		name  string
		of    *privbayes.Privatized
		edits []string
		holds bool
	}{
		{"nothing", geometric, nil, true},
		{"half the tokens, twice the rate", geometric, []string{`"tokens":268435456`, `"tokens":134217728`, `"den":536870912`,
			`"den":268435456`}, false},
		{"half the tokens, a quarter of the variance", gaussian, []string{`"tokens":134217728`, `"tokens":67108864`,
			`"num":36028797019106552`, `"num":9007199254776638`}, false},
		{"no squares' share", gaussian, []string{`"gaussian":true`, `"gaussian":false`}, false},
		{"add-remove", geometric, []string{"replace-one", "add-remove"}, false},
		{"units of two rows", geometric, []string{`"rows_per_unit":1`, `"rows_per_unit":2`}, false},
		{"checks swapped", geometric, swapped, false},
		{"no words", geometric, []string{words, ""}, false},
		{"a design with words", geometric, []string{`"respondents"`, `"design"`}, false},
		{"set aside", geometric, []string{`"computed":"respondents"`, `"computed":"respondents","unused":true`}, false},
		{"another step", geometric, []string{`"step":"0.25"`, `"step":"0.3"`}, false},
		{"another largest weight", geometric, []string{`"max":"40"`, `"max":"20"`}, false},
		{"weights as integers beyond 2^63", geometric, []string{`"raw":[[`, `"raw":[[99`}, false},
		{"negative sums", geometric, []string{`"raw":[[`, `"raw":[[-`}, false},
		{"used after all", plain, []string{`,"unused":true`, ``}, false},
		{"chosen by weights", plain, []string{`"unused":true`, `"unused":true,"chose":true`}, false},
		{"words that are not its own", plain, []string{`"unit":"person","rows_per_unit":1}`,
			`"unit":"person` + words + `","rows_per_unit":1}`}, false},
		{"without intervals", geometric, []string{`,"held_as_given":true`, ``}, true},
		{"another population", geometric, []string{`"population":20000`, `"population":20001`}, true},
	} {
		text := string(compactJSON(t, must.Get(must.Get(c.of.Release())(t).JSON())(t)))
		edited := strings.NewReplacer(c.edits...).Replace(text)
		got, err := release.VerifyBytes(t.Context(), []byte(edited))
		if holds := err == nil && got.OK(); holds != c.holds || edited == text && c.edits != nil {
			t.Errorf("%s: verifies: %v, changed: %v, %v", c.name, holds, edited != text, err)
		}
	}
}
