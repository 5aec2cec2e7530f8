package publication

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// survey is a schema of a sex, ten regions, an income and a vote with eight questions.
func survey() *frame.Schema {
	regions := make([]string, 10)
	for i := range regions {
		regions[i] = fmt.Sprint("region ", i)
	}
	columns := []frame.Column{frame.Categorical("sex", "male", "female"), frame.Categorical("region", regions...),
		frame.Real("income", 0, 100), frame.Categorical("vote", "no", "yes")}
	for i := range 8 {
		columns = append(columns, frame.Categorical(fmt.Sprint("question ", i), "no", "perhaps", "yes"))
	}
	return &frame.Schema{Dataset: "survey", Columns: columns}
}

// questions are the features of naive Bayes.
func questions() (list []string) {
	for i := range 8 {
		list = append(list, fmt.Sprint("question ", i))
	}
	return list
}

// shapes are those of models of so many rows.
func shapes(n int) func(model.Model) (*model.Shape, error) {
	s := survey()
	return func(m model.Model) (*model.Shape, error) { return model.NewShape(s, m, n, true, "") }
}

// seven are the items of the note's example.
func seven() []Item {
	return []Item{Of(model.Categorical("sex")).Within(.01), Of(model.Categorical("region")).Within(.01),
		Of(model.ContingencyTable("sex", "region")).Within(.01), Of(model.Mean("income")).WithinOfRange(.01),
		Of(model.GroupMeans("income", "region")).WithinOfRange(.02), Of(model.Quantiles("income", .5)).Within(.01),
		Of(model.NaiveBayes("vote", questions()...)).Within(.03)}
}

// Golden cases of the least largest error: curves c/ε and c/√ρ.
func TestLeastLargestErrorGolden(t *testing.T) {
	for _, c := range []struct {
		name         string
		prices       []float64
		slope, total float64
		factor       float64
		rates        []float64
	}{
		{"pure", []float64{0.0599146454711, 0.119829290942, 0.119829290942, 0.0599146454711, 0.42366052105, 0.397088163166,
			0.639089551692}, -1, 1, 1.81932610873, []float64{0.0329323287252, 0.0658646574503, 0.0658646574503,
			0.0329323287252, 0.232866729618, 0.218261124963, 0.351278173068}},
		{"zCDP", []float64{0.027718076487, 0.0391992796908, 0.0391992796908, 0.027718076487, 0.138590382435,
			0.140391866452, 0.073914870632}, -.5, 0.0489903289547, 1, []float64{0.0156825189896, 0.0313650379792,
			0.0313650379792, 0.0156825189896, 0.39206297474, 0.402321776285, 0.111520135037}},
	} {
		var list []wished
		for _, price := range c.prices {
			w := wished{&curve{slope: c.slope}, 1}
			w.learn(1, price)
			list = append(list, w)
		}
		rates, factors := divide([][]wished{list}, c.total)
		if math.Abs(factors[0]/c.factor-1) > 1e-9 {
			t.Errorf("%s: %.12g", c.name, factors[0])
		}
		for i, r := range rates[0] {
			if math.Abs(r/c.total/c.rates[i]-1) > 1e-9 {
				t.Errorf("%s: rate %d = %.12g", c.name, i, r/c.total)
			}
		}
	}
}

// No other rates of the same sum have a smaller largest error, whatever the curves.
func TestNoOtherRatesAreBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []wished
		for i := range rapid.IntRange(1, 6).Draw(t, "items") {
			w := wished{&curve{slope: -.5}, rapid.Float64Range(.01, 10).Draw(t, fmt.Sprint("wish ", i))}
			e := rapid.Float64Range(.01, 10).Draw(t, fmt.Sprint("error ", i))
			for k := range rapid.IntRange(1, 4).Draw(t, fmt.Sprint("points ", i)) {
				w.learn(math.Pow(2, float64(k)), e)
				e *= rapid.Float64Range(.2, .9).Draw(t, "fall")
			}
			list = append(list, w)
		}
		rates, factors := divide([][]wished{list}, 1)
		sum, worst := 0., 0.
		for _, r := range rates[0] {
			sum += r
		}
		if sum > 1+1e-9 || sum < 1-1e-6 {
			t.Fatalf("rates add up to %v", sum)
		}
		// others: each a random share
		other, all := make([]float64, len(list)), 0.
		for i := range list {
			other[i] = rapid.Float64Range(.01, 1).Draw(t, "share")
			all += other[i]
		}
		for i, w := range list { // its error is at most λ·wish only where it has the rate for it
			factor := factors[0] * (1 - 1e-6)
			if other[i]/all < w.rate(factor*w.wish) {
				worst = math.Inf(1)
			}
		}
		if worst == 0 {
			t.Fatalf("shares %v have errors below %v of the wishes", other, factors[0])
		}
	})
}

// The first class gets what it needs, the last the rest; a class that does not fit takes all.
func TestClassesComeOneAfterTheOther(t *testing.T) {
	of := func(price, wish float64) wished {
		w := wished{&curve{slope: -1}, wish}
		w.learn(1, price)
		return w
	}
	rates, factors := divide([][]wished{{of(1, 10)}, {of(1, 1), of(2, 1)}}, 1)
	if math.Abs(rates[0][0]-.1) > 1e-9 || factors[0] != 1 || math.Abs(rates[1][0]-.3) > 1e-9 ||
		math.Abs(factors[1]-3/.9) > 1e-9 {
		t.Error(rates, factors)
	}
	if rates, factors = divide([][]wished{{of(2, 1)}, {of(1, 1)}}, 1); len(rates) != 1 || math.Abs(factors[0]-2) > 1e-9 {
		t.Error(rates, factors)
	}
}

// Every target is spent, and not more; the errors of all items are the same multiple of their wishes.
func TestTargetsAreSpent(t *testing.T) {
	for _, c := range []struct {
		target dp.Request
		most   float64 // of the errors in units of the wishes
	}{{dp.PureDP(1), 2}, {dp.ZCDP(.02), 1.61}, {dp.ApproxDP(1, 1e-6), 1.375}, {dp.PureDP(1).Under(dp.AddRemove), 6.2}} {
		p, err := New(t.Context(), "survey 2026", c.target, seven(), shapes(5000))
		if err != nil {
			t.Errorf("%v: %v", c.target, err)
			continue
		}
		g := p.Certified()
		if !g.Satisfies(c.target.Parameters) || g.Adjacency != c.target.Adjacency || g.Arithmetic != dp.Exact {
			t.Errorf("%v: %v", c.target, g)
		}
		var spent float64
		switch c.target.Notion {
		case dp.Pure:
			spent = float64(g.Epsilon / c.target.Epsilon)
		case dp.Concentrated:
			spent = g.Rho / c.target.Rho
		default:
			spent = g.Delta / c.target.Delta
		}
		sum := 0.
		for _, l := range p.Lines() { // by hand: of (ε, δ) the test of twenty tables has the noise
			sum += float64(l.Plan.Certified().Epsilon) + l.Plan.Certified().Rho
		}
		if own := float64(g.Epsilon) + g.Rho; g.Delta == 0 && math.Abs(sum/own-1) > 1e-9 {
			t.Errorf("%v: the items have %v", c.target, sum)
		}
		if spent < .96 || spent > 1 {
			t.Errorf("%v: %v of the target is spent", c.target, spent)
		}
		if f := p.Factor(); f > c.most {
			t.Errorf("%v: errors %.3g times the wishes, want %v", c.target, f, c.most)
		}
		together := 0. // of the tables that share columns the largest counts
		for k, l := range p.Lines() {
			r := l.Predicted.Rows / l.wanted() / p.Factor()
			if together = math.Max(together, r); k < 3 && r <= 1 && (k < 2 || together > .97) {
				continue
			}
			if r < .97 || r > 1 {
				t.Errorf("%v: %s has %.3f of the largest error", c.target, l.Name, r)
			}
		}
		if !p.Certificate().OK() || len(p.Certificate().Parts) != 7 || !strings.Contains(p.String(), "asked ±") {
			t.Errorf("%v: %v", c.target, p)
		}
	}
}

// Twenty tables at (1, 1e-6) have noise of 26.7 records a cell, where ε's that add up have 56.6.
func TestTwentyTables(t *testing.T) {
	many := 20
	limits := map[int][2]float64{20: {26.6, 26.8}, 100: {59.6, 59.8}} // with a table left out of the list 26.0, and 59.4
	if !testing.Short() {
		many = 100
	}
	var items []Item
	for i := range many {
		items = append(items, Of(model.Categorical("region")).Named(fmt.Sprint("table ", i)))
	}
	p := must.Get(New(t.Context(), "tables", dp.ApproxDP(1, 1e-6), items, shapes(5000)))(t)
	for _, l := range p.Lines() {
		sd, ok := l.Plan.ExpectedValue("standard deviation of a count")
		if !ok || sd < limits[many][0] || sd > limits[many][1] {
			t.Errorf("%s: %v", l.Name, sd)
		}
	}
}

// exactly is the exact ε of a publication of a table and a sum of few rows: the largest log-ratio of the geometric
// noise of both, over all data sets and neighbours of n rows of three values.
func exactly(t *testing.T, plans []*mechanism.Plan, n int) (worst float64) {
	t.Helper()
	rateOf := func(p *mechanism.Plan) float64 { // P(1)/P(0) of the noise
		z, ok := p.Noise()
		if !ok {
			t.Fatal("no noise")
		}
		return z.LogProb(0) - z.LogProb(1)
	}
	table, crossed := rateOf(plans[0]), rateOf(plans[1])
	tables := [][]int64{{0, 0, 0}}
	for range n {
		var more [][]int64
		for _, x := range tables {
			for k := range x {
				y := append([]int64(nil), x...)
				y[k]++
				more = append(more, y)
			}
		}
		tables = more
	}
	for _, x := range tables {
		for _, y := range tables {
			moved := int64(0)
			for k := range x {
				moved += max(x[k]-y[k], y[k]-x[k])
			}
			if moved <= 2 {
				worst = math.Max(worst, float64(moved)*(table+crossed))
			}
		}
	}
	return worst
}

// The exact privacy of a tiny publication is what is certified; with an item left out of the list, less is stated than
// is true.
func TestTinyPublicationByEnumeration(t *testing.T) {
	s := &frame.Schema{Dataset: "tiny", Columns: []frame.Column{frame.Categorical("a", "x", "y", "z")}}
	shape := func(m model.Model) (*model.Shape, error) { return model.NewShape(s, m, 2, true, "") }
	items := []Item{Of(model.Categorical("a")).Named("one").Share(.6), Of(model.Categorical("a")).Named("two")}
	p := must.Get(New(t.Context(), "tiny", dp.PureDP(1), items, shape))(t)
	plans := []*mechanism.Plan{p.lines[0].Plan, p.lines[1].Plan}
	exact, stated := exactly(t, plans, 2), float64(p.Certified().Epsilon)
	if math.Abs(exact/stated-1) > 1e-9 || stated > 1 || stated < .9999 {
		t.Errorf("exact ε = %v, certified %v", exact, stated)
	}
	left, _, err := certify(t.Context(), dp.PureDP(1), plans[:1], nil)
	if err != nil || float64(left.Epsilon) > .99*exact {
		t.Errorf("a list without an item has ε = %v of %v: %v", left.Epsilon, exact, err)
	}
}

// rows draws a survey of n rows.
func rows(t testing.TB, n int, seed uint64) *frame.Frame {
	t.Helper()
	return rowsUnder(t, survey(), n, seed)
}

// rowsUnder are such rows under another schema.
func rowsUnder(t testing.TB, s *frame.Schema, n int, seed uint64) *frame.Frame {
	t.Helper()
	src := dp.Seeded(seed)
	columns := map[string]any{}
	for _, c := range s.Columns {
		numbers, words := make([]float64, n), make([]string, n)
		for i := range n {
			if u := float64(src.Uint64()>>11) / (1 << 53); c.Numeric() {
				numbers[i] = c.Min + u*u*(c.Max-c.Min)
			} else {
				words[i] = c.Categories[int(u*u*float64(len(c.Categories)))]
			}
		}
		if columns[c.Name] = words; c.Numeric() {
			columns[c.Name] = numbers
		}
	}
	return must.Get(frame.FromColumns(s, columns))(t)
}

// counting counts the rows of a frame.
func counting(f *frame.Frame) func(context.Context, ...*model.Shape) ([]*model.Statistics, error) {
	return func(_ context.Context, shapes ...*model.Shape) (out []*model.Statistics, err error) {
		for _, sh := range shapes {
			st, failed := model.Count(sh, f)
			out, err = append(out, st), cmp.Or(err, failed)
		}
		return out, err
	}
}

func few() []Item {
	return []Item{Of(model.Categorical("sex")), Of(model.ContingencyTable("sex", "region")).Weight(2),
		Of(model.Mean("income")).WithinOfRange(.05), Of(model.Quantiles("income", .25, .75)).Within(.02)}
}

// From one seed two data sets get the same noise on their own numbers: what is drawn, and in which order, does not
// depend on the rows. With the noise of another plan they would not.
func TestNoiseDoesNotDependOnTheRows(t *testing.T) {
	seed := uint64(7)
	p := must.Get(New(t.Context(), "survey", dp.ApproxDP(1, 1e-6), few(), shapes(500)))(t)
	var noise [2][][]int64
	for i := range noise {
		f := rows(t, 500, uint64(i))
		out, _, err := p.Draw(t.Context(), Request{Statistics: counting(f), Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range out.items[:2] { // of tables the exact counts are at hand
			st := must.Get(model.Count(p.lines[k].Plan.Shape(), f))(t)
			raw := r.Raw()[0]
			for c := range raw {
				raw[c] -= st.Open(access.Mine())[0][c]
			}
			noise[i] = append(noise[i], raw)
		}
	}
	if fmt.Sprint(noise[0]) != fmt.Sprint(noise[1]) {
		t.Error(noise)
	}
}

// Of a private number of rows nothing depends on it: one row more or less gives the same plan, byte for byte. With the
// number public it is another one.
func TestPlansDoNotReadPrivateSizes(t *testing.T) {
	for _, adjacency := range []dp.Adjacency{dp.AddRemove, dp.ReplaceOne} {
		var plans []string
		for _, n := range []int{12, 13} {
			target := dp.ApproxDP(1, 1e-6).Under(adjacency)
			p := must.Get(New(t.Context(), "survey", target, few(), shapes(n)))(t)
			plans = append(plans, string(must.Get(json.Marshal(p))(t))+p.String())
		}
		if (plans[0] == plans[1]) != (adjacency == dp.AddRemove) {
			t.Errorf("%v: %s\n%s", adjacency, plans[0], plans[1])
		}
	}
}

// One charge pays for all items; the second draw loads the file; what is asked for otherwise is refused by item and
// field.
func TestKeptOnceUnderOneCharge(t *testing.T) {
	s, path := survey(), t.TempDir()+"/survey.json"
	ledger := must.Get(budget.New("survey", budget.UnitOf(s), dp.ApproxDP(2, 1e-5)))(t)
	p := must.Get(New(t.Context(), "survey", dp.ApproxDP(1, 1e-6), few(), shapes(500)))(t)
	request := Request{Statistics: counting(rows(t, 500, 1)), Budget: ledger, Path: path}
	first, loaded, err := p.Draw(t.Context(), request)
	if err != nil || loaded {
		t.Fatal(loaded, err)
	}
	again, loaded, err := p.Draw(t.Context(), request)
	if err != nil || !loaded || again.ID() != first.ID() {
		t.Fatal(loaded, err)
	}
	charges := ledger.Charges()
	if len(charges) != 1 || charges[0].State != budget.ListDeclared || charges[0].Level != p.Certified().Parameters ||
		charges[0].ID != first.ID() {
		t.Error(charges)
	}
	other := must.Get(New(t.Context(), "survey", dp.ApproxDP(1, 1e-6), append(few()[:3],
		Of(model.Quantiles("income", .25, .75)).Within(.04)), shapes(500)))(t)
	if _, _, err = other.Draw(t.Context(), request); err == nil || !strings.Contains(err.Error(), `"sex"`) {
		t.Error(err)
	}
	item := must.Get(first.Item(few()[2].Wish().Name))(t)
	if list, _, err := item.Intervals(t.Context(), .95); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
	if _, err := first.Item("mean of nothing"); !errors.As(err, new(*dp.ParameterError)) {
		t.Error(err)
	}
	// a file from before a closer bound states a larger δ, and keeps it
	least := first.Guarantee().Delta
	for delta, good := range map[float64]bool{least: true, (least + 1e-6) / 2: true, .99 * least: false, 1.01e-6: false} {
		read, err := Parse(t.Context(), edited(t, must.Get(first.JSON())(t), func(f map[string]any) {
			f["guarantee"].(map[string]any)["delta"] = delta
		}))
		if (err == nil) != good || good && read.Guarantee().Delta != delta {
			t.Errorf("δ = %v stated where %v is proved: %v", delta, least, err)
		}
	}
	if text := first.String(); !strings.Contains(text, "Publication: survey") || !strings.Contains(text, "Shares of sex") {
		t.Error(text)
	}
}

// edited is a file with one value changed.
func edited(t *testing.T, b []byte, change func(f map[string]any)) []byte {
	t.Helper()
	var f map[string]any
	must.Do(t, json.Unmarshal(b, &f))
	change(f)
	return must.Get(json.Marshal(f))(t)
}

// A file is read and verified; one that was edited is refused.
func TestFilesAreVerified(t *testing.T) {
	p := must.Get(New(t.Context(), "survey", dp.ZCDP(.1), few(), shapes(500)))(t)
	draw := func(seed uint64) []byte {
		out, _, err := p.Draw(t.Context(), Request{Statistics: counting(rows(t, 500, 1)), Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		return must.Get(out.JSON())(t)
	}
	b, other := draw(1), draw(2)
	read := must.Get(Parse(t.Context(), b))(t)
	if again := must.Get(read.JSON())(t); string(again) != string(b) || read.Guarantee().Notion != dp.None {
		t.Error("another file, or a seeded one with a guarantee")
	}
	v := must.Get(VerifyBytes(t.Context(), b))(t)
	if !v.OK() || v.Unchecked() > 0 || len(v.Results) < 5 || v.Draw == "" {
		t.Error(v)
	}
	items := func(f map[string]any) []any { return f["items"].([]any) }
	for name, change := range map[string]func(f map[string]any){
		"left out":        func(f map[string]any) { f["items"] = items(f)[:3] },
		"twice":           func(f map[string]any) { f["items"] = append(items(f)[:3], items(f)[2]) },
		"in other order":  func(f map[string]any) { items(f)[0], items(f)[1] = items(f)[1], items(f)[0] },
		"a larger target": func(f map[string]any) { f["target"].(map[string]any)["rho"] = .01 },
		"another level":   func(f map[string]any) { f["guarantee"].(map[string]any)["notion"] = "pure" },
		"another format":  func(f map[string]any) { f["format"] = "privbayes-publication-9" },
		"one more field":  func(f map[string]any) { f["extra"] = 1 },
		"another name":    func(f map[string]any) { items(f)[0].(map[string]any)["wish"] = map[string]any{} },
		"no rows' guess": func(f map[string]any) {
			items(f)[0].(map[string]any)["wish"].(map[string]any)["guess"] = -2
		},
		"of another draw": func(f map[string]any) {
			var g map[string]any
			must.Do(t, json.Unmarshal(other, &g))
			items(f)[1] = items(g)[1]
		},
	} {
		if _, err := Parse(t.Context(), edited(t, b, change)); !errors.As(err, new(*release.FileError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What cannot be planned is refused before anything is charged, by item and field.
func TestBadInputs(t *testing.T) {
	table := Of(model.Categorical("sex"))
	for name, c := range map[string]struct {
		target dp.Request
		items  []Item
		want   string
	}{
		"no item":           {dp.PureDP(1), nil, "items = 0"},
		"two of a name":     {dp.PureDP(1), []Item{table, table}, "Named(…)"},
		"no model":          {dp.PureDP(1), []Item{Of(nil)}, "model of an item"},
		"a wish of 0":       {dp.PureDP(1), []Item{table.Within(-1)}, "within = -1"},
		"NaN":               {dp.PureDP(1), []Item{table.Within(math.NaN())}, "within = NaN"},
		"a weight below 0":  {dp.PureDP(1), []Item{table.Weight(-2)}, "weight = -2"},
		"a class below 1":   {dp.PureDP(1), []Item{table.Priority(-1)}, "priority = -1"},
		"a share of 2":      {dp.PureDP(1), []Item{table.Share(2)}, "share = 2"},
		"a share and more":  {dp.PureDP(1), []Item{table.Share(.1).Within(.1)}, "no other wish"},
		"all shared":        {dp.PureDP(1), []Item{table.Share(.6), table.Named("b").Share(.6)}, "sum of shares"},
		"no name":           {dp.PureDP(1), []Item{table.Named("")}, "name of an item"},
		"another notion":    {dp.RenyiDP(2, 1), []Item{table}, "which the items share"},
		"a paper's own":     {dp.AsPublished(1), []Item{table}, "which the items share"},
		"no such column":    {dp.PureDP(1), []Item{Of(model.Mean("age"))}, `"age"`},
		"Gaussian and pure": {dp.PureDP(1), []Item{table.By(counts.DiscreteGaussian())}, `item "sex"`},
		"range of a share":  {dp.PureDP(1), []Item{table.WithinOfRange(.1)}, "percentage points"},
		"nothing left": {dp.PureDP(.01), []Item{table.Within(.001).Priority(1),
			Of(model.Mean("income")).Priority(2)}, "first class that leaves something"},
		"nothing predicted": {dp.ApproxDP(1, 1e-6), []Item{table, Of(model.LinearRegression("income", "sex")).By(
			regression.SufficientStatistics()).Within(1)}, "Share(…)"},
		"a guess of ranks":  {dp.PureDP(1), []Item{Of(model.Quantiles("income", .5)).Guess(40, 0)}, "guess"},
		"a guess outside":   {dp.PureDP(1), []Item{Of(model.Mean("income")).Guess(120, 5)}, "mean = 120"},
		"not its mechanism": {dp.PureDP(1), []Item{table.By(quantiles.EM())}, `item "sex"`},
	} {
		_, err := New(t.Context(), "survey", c.target, c.items, shapes(1000))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := New(t.Context(), "two\nlines", dp.PureDP(1), []Item{table}, shapes(10)); err == nil {
		t.Error("a name of two lines")
	}
	for text, want := range map[string]Margin{`.01`: {}, `0.01`: {Value: .01}, `"1pp"`: {Value: .01},
		`"2%"`: {Value: .02, OfRange: true}, `"1 percent point"`: {}, `"pp"`: {}, `"nan%"`: {}, `[]`: {}} {
		var m Margin
		if err := json.Unmarshal([]byte(text), &m); m != want || (err == nil) != (want.Value > 0) {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
}

// A guess moves what is predicted of the population, and of the rows of a mean nothing; a wish below 1.96 s/√n is named
// as one that no level meets, at any level alike.
func TestUnreachableWishes(t *testing.T) {
	const n, sd = 2500, 5.
	mean := Of(model.Mean("income")).Within(.1)
	items := []Item{mean.Guess(40, sd), mean.Named("without"), Of(model.Categorical("sex")).Within(.03)}
	var rows float64
	for _, epsilon := range []float64{1, 100} {
		p := must.Get(New(t.Context(), "survey", dp.PureDP(epsilon), items, shapes(n)))(t)
		lines, list := p.Lines(), p.Unreachable()
		if len(list) != 2 || list[0].Name != lines[0].Name || list[0].Asked != .1 || list[0].Unit != mechanism.InValues ||
			math.Abs(list[0].Sampling/(1.959964*sd/50)-1) > 1e-6 || list[0].Rows != lines[0].Predicted.Rows ||
			math.Abs(list[1].Sampling/(1.959964*100/math.Sqrt(12)/50)-1) > 1e-6 {
			t.Errorf("ε = %v: %+v", epsilon, list)
		}
		if text := p.String(); !strings.Contains(text, "further off: \"mean of income\" ± 0.196, \"without\"") ||
			!strings.Contains(text, "at the guesses") {
			t.Error(text)
		}
		a, b := lines[0].Predicted, lines[1].Predicted
		if math.Abs(a.Rows/b.Rows-1) > .02 || !(a.Population < b.Population) || !(a.Population > a.Sampling) {
			t.Errorf("ε = %v: %+v, without a guess %+v", epsilon, a, b)
		}
		rows = a.Rows
	}
	if rows >= .1 {
		t.Errorf("rows ±%v", rows)
	}
	census := survey()
	census.Sampling = frame.Census
	p := must.Get(New(t.Context(), "survey", dp.PureDP(1), items, func(m model.Model) (*model.Shape, error) {
		return model.NewShape(census, m, n, true, "")
	}))(t)
	if list := p.Unreachable(); list != nil {
		t.Errorf("of a census: %v", list)
	}
}

// Where no interval is predicted an item has a share; the others divide the rest.
func TestSharesAreKept(t *testing.T) {
	p := must.Get(New(t.Context(), "survey", dp.ApproxDP(1, 1e-6), []Item{Of(model.Categorical("sex")).Within(.01),
		Of(model.Categorical("region")).Within(.01), Of(model.Linear("income ~ sex")).By(
			regression.SufficientStatistics()).Share(.5)}, shapes(5000)))(t)
	if part := p.Lines()[2].Part; math.Abs(part-.5) > 1e-4 {
		t.Error(part)
	}
}

// What the wishes need is what they get: planned at that level, every error is as asked. A level below is refused.
func TestNeeds(t *testing.T) {
	items := seven()[:4]
	for _, target := range []dp.Request{dp.PureDP(1), dp.ZCDP(.1), dp.ApproxDP(1, 1e-6)} {
		n := must.Get(NeedsOf(t.Context(), target, items, shapes(5000)))(t)
		at := target
		at.Parameters = n.Level
		p := must.Get(New(t.Context(), "survey", at, items, shapes(5000)))(t)
		if f := p.Factor(); f > 1.01 || f < .98 {
			t.Errorf("%v: at %v the errors are %v of the wishes", target, n.Level, f)
		}
		if len(n.Prices) != 4 || n.Prices[3].Without.Epsilon > n.Level.Epsilon || n.Prices[3].Without.Rho > n.Level.Rho ||
			!strings.Contains(n.String(), "smallest level") {
			t.Errorf("%v: %+v", target, n)
		}
	}
	if _, err := NeedsOf(t.Context(), dp.PureDP(1), few()[:1], shapes(5000)); err == nil {
		t.Error("no wishes")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"format":"privbayes-publication-1","id":"a","items":[{"wish":{"name":"x"},"release":{}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := Parse(t.Context(), b); err == nil && len(p.items) == 0 {
			t.Error("a publication of nothing")
		}
	})
}
