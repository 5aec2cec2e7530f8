package privbayes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// opinions is a schema of two answers and a size.
func opinions(about int) *privbayes.Schema {
	return &privbayes.Schema{Dataset: "survey", ApproximateRows: about, Columns: []privbayes.Column{
		frame.Categorical("vote", "yes", "no"), frame.Categorical("region", "a", "b", "c"),
		{Name: "x", Kind: frame.KindReal, Edges: []float64{0, 1}},
		{Name: "y", Kind: frame.KindReal, Edges: []float64{0, 1}},
	}}
}

// answers is a frame of the survey: rows n, and every value moved by shift, so that two shifts are two data sets.
func answers(t testing.TB, about, n, shift int) *privbayes.Frame {
	t.Helper()
	var vote, region []string
	var x, y []float64
	for i := range n {
		vote, region = append(vote, []string{"yes", "no"}[(i+shift)%2]),
			append(region, []string{"a", "b", "c"}[(i*i+shift)%3])
		x, y = append(x, float64(i%7)/7), append(y, float64((i+3*shift)%5)/5)
	}
	f := privbayes.WrapFrame(frame.FromColumns(opinions(about),
		map[string]any{"vote": vote, "region": region, "x": x, "y": y}))
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	return f
}

// kinds lists the kinds of warnings.
func kinds(l warning.List) (out []warning.Kind) {
	for _, w := range l {
		out = append(out, w.Kind)
	}
	return out
}

// Every warning of a plan begins at its limit: a case on each side of it.
func TestPlansWarnFromTheirLimitOn(t *testing.T) {
	vote, bayes := privbayes.Binary("vote"), privbayes.NaiveBayes("vote", "region")
	sample := func(power float64) privbayes.Mechanism { return privbayes.PosteriorSample(1).WithPower(power) }
	all := privbayes.PureDP(9)
	type want []warning.Kind
	for name, c := range map[string]struct {
		m     privbayes.ModelSpec
		n     int
		about int
		mech  privbayes.Mechanism
		t     privbayes.Target
		want  want
	}{
		"usual":  {bayes, 400, 0, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6), nil},
		"ε = 10": {bayes, 400, 0, privbayes.Geometric(), privbayes.PureDP(9.99), nil},
		"ε > 10": {bayes, 400, 0, privbayes.Geometric(), privbayes.PureDP(10.5),
			want{warning.KindEpsilon}},
		"ρ": {bayes, 400, 0, privbayes.DiscreteGaussian(), privbayes.ZCDP(1.5), nil},
		"ρ over": {bayes, 400, 0, privbayes.DiscreteGaussian(), privbayes.ZCDP(1.6),
			want{warning.KindEpsilon}},
		"δ < 1/n": {bayes, 400, 0, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, .0024), nil},
		"δ ≥ 1/n": {bayes, 400, 0, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, .0027),
			want{warning.KindDelta}},
		"δ, n private": {bayes, 400, 0, privbayes.DiscreteGaussian(),
			privbayes.ApproxDP(1, .1).Under(privbayes.AddRemove), nil},
		"δ, size declared": {bayes, 400, 1000, privbayes.DiscreteGaussian(),
			privbayes.ApproxDP(1, .002).Under(privbayes.AddRemove), want{warning.KindDelta}},
		"δ below a declared size": {bayes, 400, 300, privbayes.DiscreteGaussian(),
			privbayes.ApproxDP(1, .002).Under(privbayes.AddRemove), nil},
		"a public n counts, not the declared one": {bayes, 400, 10, privbayes.DiscreteGaussian(),
			privbayes.ApproxDP(1, .01), want{warning.KindDelta}},
		"half weight": {vote, 400, 0, sample(.5), all, nil},
		"under half":  {vote, 400, 0, sample(.499), all, want{warning.KindTempered}},
		"wide box": {vote, 400, 0, privbayes.PosteriorSample(1).WithPower(.6).WithBounds(.25), all,
			nil},
		"narrow box": {vote, 400, 0, privbayes.PosteriorSample(1).WithPower(.6).WithBounds(.26), all,
			want{warning.KindBounds}},
		"prior = n": {vote.WithPrior(150, 250), 400, 0, privbayes.Geometric(), all, nil},
		"prior > n": {vote.WithPrior(150, 251), 400, 0, privbayes.Geometric(), all,
			want{warning.KindPrior}},
		"prior = n, in a row of a table": {bayes.WithPrior(66), 400, 0, privbayes.Geometric(), all, nil},
		"prior > n, in a row of a table": {bayes.WithPrior(67), 400, 0, privbayes.Geometric(), all,
			want{warning.KindPrior}},
		"prior, n private": {vote.WithPrior(500), 400, 0, privbayes.Geometric(),
			all.Under(privbayes.AddRemove), nil},
		"prior, size declared": {vote.WithPrior(500), 400, 400, privbayes.Geometric(),
			all.Under(privbayes.AddRemove), want{warning.KindPrior}},
		"prior > tempered data": {vote.WithPrior(161), 400, 0, sample(.8), all, want{warning.KindPrior}},
		"prior < tempered data": {vote.WithPrior(159), 400, 0, sample(.8), all, nil},
		"Dirichlet draw": {vote, 400, 0,
			privbayes.Dirichlet().Raw().WithCalibration(dirichlet.AtRate(.499)), privbayes.ApproxDP(1, 1e-6),
			want{warning.KindTempered}},
		"Dirichlet draw at half weight": {vote, 400, 0,
			privbayes.Dirichlet().Raw().WithCalibration(dirichlet.AtRate(.5)), privbayes.ApproxDP(1, 1e-6), nil},
		"Dirichlet draw of few": {vote, 40, 0,
			privbayes.Dirichlet().Raw().WithCalibration(dirichlet.AtRate(1)), privbayes.ApproxDP(.5, 1e-6),
			want{warning.KindPrior}},
		"Dirichlet mean": {vote, 400, 0, privbayes.Dirichlet(), privbayes.ApproxDP(.5, 1e-6), nil},
		"urn in records": {vote, 400, 0, privbayes.SyntheticRecords(300), privbayes.PureDP(.5),
			want{warning.KindPrior}},
		"linear sampler": {privbayes.LinearRegression("y", "x"), 400, 0, regression.Sampler(1),
			privbayes.PureDP(1), want{warning.KindTempered}},
		"linear sampler at a high level": {privbayes.LinearRegression("y", "x"), 400, 0, regression.Sampler(1),
			privbayes.PureDP(9), nil},
		"a mean": {privbayes.Mean("x"), 400, 0, privbayes.NoisySums(), privbayes.PureDP(.026), nil},
		"noise on a mean": {privbayes.Mean("x"), 400, 0, privbayes.NoisySums(), privbayes.PureDP(.024),
			want{warning.KindNoise}},
		"noise on a mean of a declared number": {privbayes.Mean("x"), 9, 400, privbayes.NoisySums(),
			privbayes.PureDP(.01).Under(privbayes.AddRemove), want{warning.KindNoise}},
		"moments": {privbayes.LinearRegression("y", "x"), 400, 0, regression.SufficientStatistics(),
			privbayes.ApproxDP(1, 1e-6), nil},
		"a square": {privbayes.Linear("y ~ poly(x, 2)"), 400, 0, regression.SufficientStatistics(),
			privbayes.ApproxDP(1, 1e-6), nil},
		"a cube": {privbayes.Linear("y ~ poly(x, 3)"), 400, 0, regression.SufficientStatistics(),
			privbayes.ApproxDP(1, 1e-6), want{warning.KindCoarseLattice}},
		"a cube, n private": {privbayes.Linear("y ~ I(x^3)"), 400, 0, regression.SufficientStatistics(),
			privbayes.ApproxDP(1, 1e-6).Under(privbayes.AddRemove), want{warning.KindCoarseLattice}},
		"of counts": {privbayes.PoissonRegression("y ~ poly(x, 4)"), 400, 0, privbayes.FisherScoring().Anyway(),
			privbayes.ApproxDP(1, 1e-6), want{warning.KindCoarseLattice}},
	} {
		p, err := answers(t, c.about, c.n, 0).Model(c.m).Plan(c.mech, c.t)
		if err != nil {
			t.Error(name, err)
			continue
		}
		w := p.Warnings()
		if !slices.Equal(kinds(w), []warning.Kind(c.want)) {
			t.Errorf("%s: %v, want %v", name, w, c.want)
		}
		if name == "a cube" && !strings.Contains(w[0].Text, "x to steps of 0.003906") { // 2^−7 of a half-range of ½
			t.Error(w)
		}
		shownOnce(t, name, w, p)
	}
}

// shownOnce checks that a value shows each warning of a list once, as text and as HTML, and no other.
func shownOnce(t testing.TB, name string, l warning.List, v fmt.Stringer) {
	t.Helper()
	html := ""
	switch h := v.(type) {
	case interface{ HTML() string }: // reports bring their own
		html = h.HTML()
	case table.Shown:
		html = table.HTML(h)
	}
	if n := strings.Count(v.String(), "warning: "); n != len(l) {
		t.Errorf("%s: %d warnings in text, want %d:\n%s", name, n, len(l), v)
	}
	if n := strings.Count(html, `class="alert alert-block alert-warning"`); n != len(l) {
		t.Errorf("%s: %d warnings in HTML, want %d", name, n, len(l))
	}
	for _, w := range l {
		if !strings.Contains(v.String(), w.Text) || !strings.Contains(html, warning.List{w}.HTML()) {
			t.Errorf("%s does not show %q", name, w)
		}
	}
}

// The weight that a warning names is the power of the shipped sampler: it follows the plan through its file.
func TestTemperedPlansSayTheirWeight(t *testing.T) {
	p := must.Get(answers(t, 0, 532, 0).Model(privbayes.NaiveBayes("vote", "region")).Plan(privbayes.PosteriorSample(1000),
		privbayes.PureDP(.1)))(t)
	s, ok := p.Sampled()
	w := p.Warnings()
	var params struct{ Power float64 }
	if err := json.Unmarshal(p.Params(), &params); err != nil || !ok || len(w) != 1 || w[0].Value != s.Power ||
		s.Power != params.Power {
		t.Fatal(err, s, w, params)
	}
	want := fmt.Sprintf("the posterior weighs %.4g of 532 records: what you see is mostly the prior.", s.Power*532)
	if w[0].Text != want {
		t.Errorf("%q, want %q", w[0].Text, want)
	}
	b, err := json.Marshal(p)
	if err != nil || strings.Contains(string(b), "warning") {
		t.Error(err, string(b))
	}
	again, err := mechanism.ParsePlan(t.Context(), b)
	if err != nil || !slices.Equal(again.Warnings(), w) {
		t.Error(err, again)
	}
}

// A usual chain, kept and counted, says nothing; every omission says its own.
func TestChainsWarnOfTheirRun(t *testing.T) {
	dir := t.TempDir()
	f := answers(t, 0, 400, 0)
	budget := must.Get(privbayes.OpenBudget(filepath.Join(dir, "b"), f.Data().Schema(), privbayes.ApproxDP(3, 1e-5)))(t)
	train, test := f.WithBudget(budget).Split(.7, 1)
	m, target, path := privbayes.NaiveBayes("vote", "region"), privbayes.ApproxDP(1, 1e-6), filepath.Join(dir, "r.json")
	p := train.Model(m).Privatize(privbayes.DiscreteGaussian(), target, privbayes.KeepIn(path))
	rep, err := p.Evaluate(test)
	if err != nil || len(p.Warnings()) != 0 || len(rep.Warnings()) != 0 {
		t.Fatal(err, p.Warnings(), rep)
	}
	before := must.Get(os.ReadFile(path))(t)
	loaded := train.Model(m).Privatize(privbayes.DiscreteGaussian(), target, privbayes.KeepIn(path))
	if w := loaded.Warnings(); !slices.Equal(kinds(w), []warning.Kind{warning.KindLoaded}) ||
		!strings.Contains(w[0].Text, path) {
		t.Error(w)
	}
	shownOnce(t, "loaded", loaded.Warnings(), loaded)
	r, err := privbayes.LoadRelease(path)
	if err != nil || !slices.Equal(kinds(r.Warnings()), []warning.Kind{warning.KindLoaded}) {
		t.Fatal(err, r)
	}
	shownOnce(t, "release", r.Warnings(), r)
	if b, err := r.JSON(); err != nil || string(b) != string(before) {
		t.Error("loading changed the file's bytes", err)
	}
	if v, err := release.Verify(t.Context(), path); err != nil || len(v.Warnings()) != 0 {
		t.Error(err, v)
	}
	seeded := filepath.Join(dir, "s.json")
	for range 2 { // seeded: as private loaded as drawn
		if p := f.Model(m).Privatize(privbayes.DiscreteGaussian(), target, privbayes.KeepIn(seeded),
			privbayes.Seeded(1)); p.Err() != nil || len(p.Warnings()) != 0 {
			t.Error(p)
		}
	}
	t.Setenv("GONB_PIPE", "x")
	bare := f.Model(m).Privatize(privbayes.DiscreteGaussian(), target)
	if w := bare.Warnings(); !slices.Equal(w, warning.List{warning.NotKept(), warning.NoBudget()}) {
		t.Error(bare.Err(), w)
	}
	shownOnce(t, "bare", bare.Warnings(), bare)
	if w := f.Model(m).Privatize(nil, target).Warnings(); w != nil {
		t.Error("a failed chain warns:", w)
	}
}

// An evaluation on rows that the release was made from says so, wherever it is shown or saved; on others it does not.
func TestEvaluationOnTrainingRows(t *testing.T) {
	f := answers(t, 0, 400, 0)
	train, test := f.Split(.7, 1)
	_, other := f.Split(.7, 2)
	m := privbayes.NaiveBayes("vote", "region")
	hidden := privbayes.PureDP(1).Under(privbayes.AddRemove)
	in := func(f *privbayes.Frame, label string) *privbayes.Frame {
		return f.Where("region", func(l string) bool { return l == label })
	}
	half, rest := in(f, "a").Split(.5, 3)
	hashed, left := f.WithoutN().Split(.7, 1)
	_, elsewhere := f.WithoutN().Split(.7, 2)
	narrow, _ := f.Select("vote", "region").WithoutN().Split(.7, 1)
	files := filesOfAnswers(t)
	for name, c := range map[string]struct {
		train, test *privbayes.Frame
		target      privbayes.Target
		want        string // empty: no warning
	}{
		"held out":             {train, test, privbayes.PureDP(1), ""},
		"the same":             {train, train, privbayes.PureDP(1), "280 of the 280 test rows"},
		"all rows":             {train, f, privbayes.PureDP(1), "280 of the 400 test rows"},
		"part":                 {train, train.Head(5), privbayes.PureDP(1), "5 of the 5 test rows"},
		"another split":        {train, other, privbayes.PureDP(1), " of the 120 test rows"},
		"other data":           {train, answers(t, 0, 400, 1), privbayes.PureDP(1), ""},
		"n hidden, held out":   {hashed, left, hidden, ""},
		"n hidden, the same":   {hashed, hashed, hidden, "the test rows are the rows"},
		"n hidden, part":       {hashed, in(hashed, "a"), hidden, "chosen from each other"},
		"n hidden, not known":  {hashed, elsewhere, hidden, ""},
		"n hidden, as read":    {f, left, hidden, "chosen from each other"},
		"by other contents":    {narrow, left, hidden, ""},
		"private n, held out":  {half, rest, hidden, ""},
		"private n, the same":  {half, half, hidden, "the test rows are the rows"},
		"private n, part":      {in(f, "a"), half, hidden, "chosen from each other"},
		"private n, not known": {in(f, "a"), in(f, "b"), hidden, ""},
		"a file of the table":  {files("a", "b"), files("b"), privbayes.PureDP(1), "90 of the 90 test rows"},
		"the table of a file":  {files("b"), files("a", "b"), privbayes.PureDP(1), "90 of the 150 test rows"},
		"n hidden, a file":     {files("a", "b"), files("b"), hidden, "chosen from each other"},
		"other files":          {files("a", "b"), files("c"), privbayes.PureDP(1), ""},
	} {
		p := c.train.Model(m).Privatize(privbayes.Geometric(), c.target, privbayes.Seeded(1))
		r, err := p.Evaluate(c.test)
		if err != nil {
			t.Error(name, err)
			continue
		}
		w := r.Warnings()
		if (c.want == "") != (len(w) == 0) || c.want != "" &&
			(w[0].Kind != warning.KindTrainingRows || !strings.Contains(w[0].Text, c.want)) {
			t.Errorf("%s: %v, want %q", name, w, c.want)
		}
		shownOnce(t, name, r.Warnings(), r)
	}
}

// filesOfAnswers writes three files of one data set, a, b and c, and reads those that are named as one table.
func filesOfAnswers(t *testing.T) func(names ...string) *privbayes.Frame {
	t.Helper()
	dir := t.TempDir()
	for name, n := range map[string]int{"a": 20, "b": 30, "c": 10} {
		text := "region,vote,x,y\n" + strings.Repeat("a,yes,0,0\nb,no,0.5,1\na,no,1,0\n", n)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return func(names ...string) *privbayes.Frame {
		var paths []string
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		f := privbayes.LoadShards(paths, opinions(0))
		must.Do(t, f.Err())
		return f
	}
}

// A saved report has the warnings of the release in its public part, without the paths of the owner's machine, and the
// rest in the private.
func TestSavedReportsWarn(t *testing.T) {
	dir := t.TempDir()
	f := answers(t, 0, 400, 0)
	kept := filepath.Join(dir, "kept.json")
	var rep *privbayes.Report
	for range 2 { // drawn, then loaded
		var err error
		if rep, err = f.Model(privbayes.NaiveBayes("vote", "region")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(11), privbayes.KeepIn(kept)).Evaluate(f); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := kinds(rep.Warnings()),
		[]warning.Kind{warning.KindEpsilon, warning.KindLoaded, warning.KindTrainingRows}; !slices.Equal(got, want) {
		t.Fatal(got)
	}
	shownOnce(t, "report", rep.Warnings(), rep)
	for _, ending := range []string{".html", ".md", ".json"} {
		whole, public := filepath.Join(dir, "whole"+ending), filepath.Join(dir, "public"+ending)
		must.Do(t, rep.Save(whole))
		must.Do(t, rep.SavePublic(public))
		w, p := read(t, whole), read(t, public)
		for _, text := range []string{"ε = 11 is above ε = 10", "and not made now", "the rows that the release was made " +
			"from"} {
			owner := text != "ε = 11 is above ε = 10"
			if strings.Count(w, text) != 1 || strings.Count(p, text) != 1 == !owner && !owner || owner &&
				strings.Contains(p, text) {
				t.Errorf("%s: %q is %d times in the whole report, %d times in the public part", ending, text,
					strings.Count(w, text), strings.Count(p, text))
			}
		}
		if strings.Contains(p, dir) {
			t.Errorf("%s: the public part names a folder of its owner", ending)
		}
		if ending == ".html" && !strings.Contains(p, ".alert-warning{") {
			t.Error("the saved page does not style its warnings")
		}
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	return string(b)
}

// A charged accuracy warns of its level for the test rows, of training rows, and of the n that it tells beside a
// release that hides it.
func TestPrivateAccuracyWarns(t *testing.T) {
	f := answers(t, 0, 400, 0)
	train, test := f.Split(.7, 1)
	m, hidden := privbayes.NaiveBayes("vote", "region"), privbayes.PureDP(1).Under(privbayes.AddRemove)
	for name, c := range map[string]struct {
		of, paid privbayes.Target
		test     *privbayes.Frame
		want     []warning.Kind
	}{
		"usual":         {privbayes.PureDP(1), privbayes.PureDP(1), test, nil},
		"training rows": {privbayes.PureDP(1), privbayes.PureDP(1), train, []warning.Kind{warning.KindTrainingRows}},
		"ε":             {privbayes.PureDP(1), privbayes.PureDP(11), test, []warning.Kind{warning.KindEpsilon}},
		"n told":        {hidden, privbayes.PureDP(1), test, []warning.Kind{warning.KindTrainingRows, warning.KindNNotPublic}},
		"n of others":   {hidden, privbayes.PureDP(1), answers(t, 0, 50, 0), nil},
	} {
		rows := train
		if !c.of.Adjacency.PublicN() {
			rows = f // no step used n
		}
		a, err := rows.Model(m).Privatize(privbayes.Geometric(), c.of, privbayes.Seeded(1)).PrivateAccuracy(c.test,
			c.paid, privbayes.Seeded(2))
		if err != nil {
			t.Error(name, err)
			continue
		}
		if !slices.Equal(kinds(a.Warnings()), c.want) {
			t.Errorf("%s: %v", name, a.Warnings())
		}
		shownOnce(t, name, a.Warnings(), a)
	}
}

// Answers from a flattened or cut posterior say that ± is not their whole error; from the posterior itself it is.
func TestQueriesWarnOfWhatErrorBarsLeaveOut(t *testing.T) {
	f := answers(t, 0, 400, 0).Model(privbayes.Binary("vote"))
	for name, c := range map[string]struct {
		mech privbayes.Mechanism
		want bool
	}{
		"whole":     {privbayes.PosteriorSample(2).WithBounds(0).WithPower(1), false},
		"cut":       {privbayes.PosteriorSample(2).WithBounds(.01).WithPower(1), true},
		"flattened": {privbayes.PosteriorSample(2).WithBounds(0).WithPower(.99), true},
	} {
		r, err := f.Privatize(c.mech, privbayes.ApproxDP(20, .001), privbayes.Seeded(1)).Release()
		if err != nil {
			t.Error(name, err)
			continue
		}
		q := must.Get(r.Query())(t)
		w := q.Warnings()
		if c.want != (len(w) == 1 && w[0].Kind == warning.KindMonteCarlo) || !c.want && len(w) != 0 {
			t.Errorf("%s: %v", name, w)
		}
		shownOnce(t, name, w, q)
		a, err := q.Mean(func(p []float64) float64 { return p[0] })
		if err != nil || !strings.Contains(a.String(), "Monte Carlo only") {
			t.Error(err, a)
		}
	}
}

// Advice warns of its targets and of the plan that it recommends, once, and of a size that should be private.
func TestAdviceWarns(t *testing.T) {
	advice := func(about int, targets ...privbayes.Target) *privbayes.Advice {
		sh := must.Get(privbayes.NewShape(opinions(about), privbayes.Binary("vote"), 50))(t)
		return must.Get(advise.For(t.Context(), sh, targets,
			advise.Options{Mechanisms: []privbayes.Mechanism{privbayes.Geometric()}, Data: 2}))(t)
	}
	for name, c := range map[string]struct {
		a    *privbayes.Advice
		want []warning.Kind
	}{
		"usual": {advice(0, privbayes.PureDP(1)), nil},
		"ε":     {advice(0, privbayes.PureDP(1), privbayes.PureDP(11)), []warning.Kind{warning.KindEpsilon}},
		"δ, two levels": {advice(0, privbayes.ApproxDP(1, .02), privbayes.ApproxDP(2, .02)),
			[]warning.Kind{warning.KindDelta}},
		"n shown": {advice(0, privbayes.PureDP(1).Under(privbayes.AddRemove)),
			[]warning.Kind{warning.KindNNotPublic}},
		"a declared size": {advice(50, privbayes.PureDP(1).Under(privbayes.AddRemove)), nil},
		"another declared": {advice(60, privbayes.PureDP(1).Under(privbayes.AddRemove)),
			[]warning.Kind{warning.KindNNotPublic}},
	} {
		if w := c.a.Warnings(); !slices.Equal(kinds(w), c.want) {
			t.Errorf("%s: %v", name, w)
		}
		shownOnce(t, name, c.a.Warnings(), c.a)
	}
	if w := advice(0, privbayes.PureDP(11)).Rows(0)[0].Warnings(); !slices.Equal(kinds(w),
		[]warning.Kind{warning.KindEpsilon}) {
		t.Error("of a row:", w)
	}
}

// A plan that would publish the n that its adjacency hides is not made.
func TestPlansDoNotPublishAPrivateN(t *testing.T) {
	sh := must.Get(privbayes.NewShape(opinions(0), privbayes.Binary("vote"), 300))(t)
	good, err := privbayes.Geometric().Plan(context.Background(), sh, privbayes.PureDP(1).Under(privbayes.AddRemove))
	if err != nil {
		t.Fatal(err)
	}
	spec := mechanism.Spec{Mechanism: "mutant", Title: "mutant", Shape: good.Shape(), Target: good.Target(),
		Level:      good.Certified().Parameters,
		Arithmetic: dp.Exact, Certificate: good.Certificate(), Sampler: sampler{}}
	if _, err := mechanism.New(spec); err != nil {
		t.Fatal("the shape without n was refused:", err)
	}
	spec.Shape = sh // a mechanism that forgets to hide n
	if p, err := mechanism.New(spec); err == nil {
		t.Errorf("a plan under add-remove says n:\n%s", p)
	}
}

// sampler is never asked to draw.
type sampler struct{ mechanism.Sampler }

// Before a draw and after it, warnings are the same for neighbouring data, also where these differ in n and n is
// hidden. A warning that reads the private n or a count is seen.
func TestWarningsDoNotReadRows(t *testing.T) {
	hidden := privbayes.ApproxDP(1, .003).Under(privbayes.AddRemove)
	public := privbayes.ApproxDP(1, .003)
	rows := func(p *privbayes.Privatized, f *privbayes.Frame) warning.List { return p.Warnings() }
	mutants := map[string]func(*privbayes.Privatized, *privbayes.Frame) warning.List{
		"private n": func(p *privbayes.Privatized, f *privbayes.Frame) warning.List {
			r, _ := p.Release()
			return r.Plan().Certified().Warnings(warning.Size{Rows: f.Data().Len()})
		},
		"a count": func(p *privbayes.Privatized, f *privbayes.Frame) warning.List {
			counts, _ := f.Data().CountPrivate("vote")
			return warning.List{warning.Prior("the prior", 2, warning.Size{Rows: int(counts[0])}, 1, 1)}
		},
	}
	caught := map[string]bool{}
	for _, about := range []int{0, 400} {
		for name, c := range map[string]struct {
			a, b   *privbayes.Frame
			target privbayes.Target
			mech   privbayes.Mechanism
		}{
			"n hidden": {answers(t, about, 301, 0), answers(t, about, 401, 0), hidden,
				privbayes.DiscreteGaussian()},
			"n, one less": {answers(t, about, 334, 0), answers(t, about, 333, 0), hidden,
				privbayes.DiscreteGaussian()},
			"values": {answers(t, about, 401, 0), answers(t, about, 401, 1), public,
				privbayes.DiscreteGaussian()},
			"values, sample": {answers(t, about, 400, 0), answers(t, about, 400, 1), public,
				privbayes.PosteriorSample(1)},
		} {
			warn := func(f *privbayes.Frame, list func(*privbayes.Privatized, *privbayes.Frame) warning.List) (string,
				*privbayes.Privatized) {
				if c.target.Adjacency == privbayes.AddRemove {
					f = f.WithoutN()
				}
				train, _ := f.Split(.99, 5)
				p := train.Model(privbayes.NaiveBayes("vote", "region")).Privatize(c.mech, c.target,
					privbayes.Seeded(3))
				if p.Err() != nil {
					t.Fatal(name, p.Err())
				}
				return list(p, train).String(), p
			}
			a, p := warn(c.a, rows)
			b, q := warn(c.b, rows)
			if a != b {
				t.Errorf("%s:\n%s\n%s", name, a, b)
			}
			for _, half := range [][2]*privbayes.Frame{{c.a, c.b}} {
				r, err := p.Evaluate(half[0])
				s, errs := q.Evaluate(half[1])
				if err != nil || errs != nil || c.target == hidden && r.Warnings().String() != s.Warnings().String() {
					t.Errorf("%s: %v, %v\n%v\n%v", name, err, errs, r.Warnings(), s.Warnings())
				}
			}
			for mutant, list := range mutants {
				if a, _ := warn(c.a, list); true {
					b, _ := warn(c.b, list)
					caught[mutant] = caught[mutant] || a != b
				}
			}
		}
	}
	for mutant := range mutants {
		if !caught[mutant] {
			t.Errorf("a warning that reads %s is not seen", mutant)
		}
	}
}
