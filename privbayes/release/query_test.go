package release_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// republicans is the probability of the second class in draws of a model of the votes' class.
func republicans(params []float64) float64 { return params[1] }

func queries(t testing.TB, r *release.Release) *release.Queries {
	t.Helper()
	return must.Get(r.Query())(t)
}

func TestQueries(t *testing.T) {
	r := votes(t, posteriorsample.New(2000), model.Binary("Class"), dp.ApproxDP(20, 1e-6), dp.Seeded(4))
	q := queries(t, r)
	draws := r.Draws()
	if q.Len() != 2000 || fmt.Sprint(q.Names()) != "[Class = democrat Class = republican]" {
		t.Error(q.Len(), q.Names())
	}
	mean, err := q.Mean(republicans)
	if err != nil || math.Abs(mean.Value-draws.Mean()[1]) > 1e-12 || !(mean.Error > 0 && mean.Error < .01) ||
		mean.Basis != "standard error" {
		t.Error(mean, err)
	}
	for i, name := range q.Names() {
		f, err := q.Parameter(name)
		if err != nil || f([]float64{5, 7}) != float64(5+2*i) {
			t.Errorf("%s: %v", name, err)
		}
	}
	within, err := q.MeanWithin(0, 1, republicans)
	if err != nil || within.Value != mean.Value || math.Abs(within.Error-math.Sqrt(math.Log(2/.05)/4000)) > 1e-12 {
		t.Error(within, err)
	}
	event, err := q.Probability(func(p []float64) bool { return p[1] < .4 })
	count := 0.0
	for _, v := range draws.Values {
		if v[1] < .4 {
			count++
		}
	}
	if err != nil || math.Abs(event.Value-count/2000) > 1e-12 {
		t.Error(event, err)
	}
	// guess the share of republicans to the nearest tenth
	best, err := q.Argmax(11, func(p []float64, r int) float64 { return 1 - math.Abs(p[1]-float64(r)/10) })
	if err != nil || best.Response != int(math.Round(10*mean.Value)) || best.Utility != best.Utilities[best.Response] {
		t.Error(best, err)
	}
	if want := math.Sqrt(2 * math.Log(10/.05) / 2000); math.Abs(best.Regret-want) > 1e-12 {
		t.Errorf("regret %v, want %v", best.Regret, want)
	}
	if !strings.Contains(best.Basis, "Lemma 11") {
		t.Error(best.Basis)
	}
	adaptive := must.Get(q.Adaptive(30))(t)
	best, err = adaptive.Argmax(11, func(p []float64, r int) float64 { return .5 })
	if want := math.Sqrt(2 * math.Log(30*10/.05) / 2000); err != nil || math.Abs(best.Regret-want) > 1e-12 ||
		best.Response != 0 {
		t.Errorf("adaptive %v, %v, want %v", best, err, want)
	}
	strict := must.Get(q.WithConfidence(1e-3))(t)
	if a, _ := strict.Probability(func([]float64) bool { return true }); a.Value != 1 ||
		math.Abs(a.Error-math.Sqrt(math.Log(2/1e-3)/4000)) > 1e-12 {
		t.Error(a)
	}
	for _, s := range []string{q.String(), table.HTML(q)} {
		if !strings.Contains(s, "none: every answer is computed from the released draws") ||
			!strings.Contains(s, "never draw again") {
			t.Error("does not say what queries cost:", s)
		}
	}
	// a query cannot change the draws
	_, _ = q.Mean(func(p []float64) float64 { p[0] = 7; return 0 })
	if again, _ := q.Mean(republicans); again != mean {
		t.Error("a query changed the draws")
	}
}

// The list keeps order and repetitions.
func TestQueriesCountEqualDraws(t *testing.T) {
	r := votes(t, posteriorsample.New(50), model.Binary("Class"), dp.PureDP(50), dp.Seeded(4))
	q := queries(t, r)
	var seen []float64
	must.Get(q.Mean(func(p []float64) float64 { seen = append(seen, p[1]); return p[1] }))(t)
	list, _ := r.Draws().Parameter("Class = republican")
	if !reflect.DeepEqual(seen, list) || len(seen) != 50 {
		t.Error("not the list of draws in its order")
	}
}

// Queries answer from one sample: however often the same question is asked, one sample's worth of randomness is seen,
// and the transcript's loss is the certified one. The same test refutes an answerer that draws for every query.
func TestQueriesDoNotDrawAgain(t *testing.T) {
	const asked = 40
	r := votes(t, posteriorsample.New(3), model.Binary("Class"), dp.PureDP(1), dp.Seeded(9))
	// transcript is the pure ε of all answers: N draws for every different sample that they show
	transcript := func(ask func(i int) float64) float64 {
		samples := map[float64]bool{}
		for i := range asked {
			samples[ask(i)] = true
		}
		return float64(len(samples)) * r.Plan().Pair().PureEpsilon()
	}
	certified := float64(r.Plan().Certified().Epsilon)
	loss := transcript(func(int) float64 {
		a := must.Get(queries(t, r).Mean(republicans))(t)
		return a.Value
	})
	if loss > certified*(1+1e-9) {
		t.Errorf("%d queries lose %v of a certified %v", asked, loss, certified)
	}
	redraw := transcript(func(i int) float64 {
		again := votes(t, posteriorsample.New(3), model.Binary("Class"), dp.PureDP(1), dp.Seeded(uint64(i)))
		a, _ := queries(t, again).Mean(republicans)
		return a.Value
	})
	if redraw <= certified*(1+1e-9) {
		t.Error("an answerer that draws for every query passes")
	}
}

func TestQueryPredict(t *testing.T) {
	r := votes(t, posteriorsample.New(25), model.NaiveBayes("Class", "V3", "V4", "V5"), dp.ApproxDP(60, 1e-6),
		dp.Seeded(4))
	rd, s := data.Votes()
	f := must.Get(frame.Read(t.Context(), rd, "votes", s))(t)
	got := must.Get(queries(t, r).Predict(f))(t)
	plug := must.Get(r.Predict(f))(t)
	labels := must.Get(r.Model().Labels(f))(t)
	right := 0
	for i, p := range got {
		if math.Abs(p[0]+p[1]-1) > 1e-9 || math.Abs(p[0]-plug[i][0]) > .3 {
			t.Fatalf("row %d: %v, plug-in %v", i, p, plug[i])
		}
		if (p[1] > .5) == (labels[i] == 1) {
			right++
		}
	}
	if right < 380 {
		t.Errorf("%d of %d rows right", right, len(got))
	}
}

func TestQueryErrors(t *testing.T) {
	var bad *dp.ParameterError
	if _, err := votes(t, counts.Geometric(), model.Binary("Class"), dp.PureDP(1),
		dp.Seeded(1)).Query(); !errors.As(err, &bad) {
		t.Error("a release without draws:", err)
	}
	q := queries(t, votes(t, posteriorsample.New(1), model.Binary("Class"), dp.PureDP(1), dp.Seeded(1)))
	_, nan := q.Mean(func([]float64) float64 { return math.NaN() })
	_, outside := q.MeanWithin(0, .1, func([]float64) float64 { return .2 })
	_, bounds := q.MeanWithin(1, 0, republicans)
	_, none := q.Argmax(0, func([]float64, int) float64 { return 0 })
	_, utility := q.Argmax(2, func([]float64, int) float64 { return 2 })
	_, undefined := q.Argmax(2, func([]float64, int) float64 { return math.NaN() })
	_, delta := q.WithConfidence(1)
	_, adaptive := q.Adaptive(0)
	for i, err := range []error{nan, outside, bounds, none, utility, undefined, delta, adaptive} {
		if !errors.As(err, &bad) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if a, err := q.Mean(republicans); err != nil || !math.IsInf(a.Error, 1) {
		t.Error("one draw has a standard error:", a, err)
	}
	if b, err := q.Argmax(1, func([]float64, int) float64 { return 1 }); err != nil || b.Regret != 0 {
		t.Error(b, err)
	}
}

// Files of posterior samples load, verify, and are refused when edited.
func TestPosteriorSampleRoundTrip(t *testing.T) {
	for _, c := range []struct {
		m      mechanism.Mechanism
		model  model.Model
		target dp.Request
	}{
		{posteriorsample.New(3), model.Binary("Class"), dp.PureDP(1)},
		{posteriorsample.New(2).WithBounds(0), model.Binary("Class"), dp.ApproxDP(1, 1e-6)},
		{posteriorsample.New(2), model.Categorical("V1"), dp.ZCDP(.1)},
		{posteriorsample.New(2).ByBounds(), model.NaiveBayes("Class", "V3", "V4"), dp.TCDP(.5, 10)},
		{posteriorsample.New(1).ByDraws(), model.Binary("Class"), dp.PureDP(20)},
		{posteriorsample.New(2), model.Network("Class", model.Node("Class"), model.Node("V3", "Class"),
			model.Node("V4", "V3")), dp.ApproxDP(2, 1e-6)},
		{posteriorsample.New(2), model.Network("Class", model.Node("Class"), model.Node("V3", "Class")),
			dp.AsPublished(20)},
	} {
		r := votes(t, c.m, c.model, c.target, dp.Seeded(2))
		b := must.Get(r.JSON())(t)
		again, err := release.Parse(t.Context(), b)
		if err != nil {
			t.Fatalf("%s: %v", r.Plan().Title(), err)
		}
		if !reflect.DeepEqual(again.Draws(), r.Draws()) || again.Plan().Certified() != r.Plan().Certified() ||
			again.Plan().Title() != r.Plan().Title() {
			t.Errorf("%s changed in the file", r.Plan().Title())
		}
		v, err := release.VerifyBytes(t.Context(), b)
		if err != nil || !v.OK() {
			t.Errorf("%s: %v\n%v", r.Plan().Title(), err, v)
		}
		if c.target.Notion != dp.Pure || c.target.NominalScale {
			continue
		}
		i := bytes.Index(b, []byte(`"draws":`))
		j := i + bytes.IndexByte(b[i:], ',')
		edited := append(append(append([]byte(nil), b[:i]...), `"draws":900`...), b[j:]...)
		if _, err := release.Parse(t.Context(), edited); err == nil {
			t.Error("a file that claims its target for more draws passes")
		}
	}
}

// The answers of a release are those of its network, with its caption; other models are refused.
func TestAnswer(t *testing.T) {
	network := model.Network("Class", model.Node("Class"), model.Node("V3", "Class"))
	r := votes(t, counts.Geometric().WithPostProcess(counts.Consistent), network, dp.PureDP(1), dp.Seeded(2))
	given := []map[string]string{nil, {"V3": "y"}}
	a := must.Get(r.Answer("Class", "democrat", given...))(t)
	plain, err := r.Model().Network().Answer("Class", "democrat", given...)
	if err != nil || !slices.Equal(a.Values, plain.Values) || plain.Caption != "" {
		t.Errorf("%v, the network alone %v %v", a, plain, err)
	}
	if c := a.Figure().Caption; c != r.Caption() || !strings.Contains(c, "ε = 1") || !strings.Contains(a.String(), c) {
		t.Errorf("the caption is %q", c)
	}
	var state *bayesnet.Error
	if _, err = r.Answer("Class", "Democrat", nil); !errors.As(err, &state) {
		t.Error(err)
	}
	var refused *dp.ParameterError
	b := votes(t, counts.Geometric(), model.Binary("Class"), dp.PureDP(1), dp.Seeded(2))
	if _, err := b.Answer("Class", "democrat", nil); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "a network") {
		t.Error(err)
	}
}

// Terms leave out the level and the data set, and name δ where there is one.
func TestTerms(t *testing.T) {
	for want, target := range map[string]dp.Request{
		"Geometric noise on counts, replace-one; seeded: not private":           dp.PureDP(1),
		"Geometric noise on counts, δ = 1e-6, replace-one; seeded: not private": dp.ApproxDP(1, 1e-6),
	} {
		r := votes(t, counts.Geometric(), model.Binary("Class"), target, dp.Seeded(2))
		if got := r.Terms(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func ExampleRelease_Query() {
	r := exampleVotes(posteriorsample.New(400), dp.ApproxDP(8, 1e-6))
	q, err := r.Query()
	if err != nil {
		panic(err)
	}
	a, err := q.Probability(func(params []float64) bool { return params[1] < .5 })
	if err != nil {
		panic(err)
	}
	fmt.Printf("republicans in the minority: %.1f ± %.1f\n", a.Value, a.Error)
	democrat, err := q.Parameter("Class = democrat")
	if err != nil {
		panic(err)
	}
	m, err := q.MeanWithin(0, 1, democrat)
	if err != nil {
		panic(err)
	}
	fmt.Printf("share of democrats: %.1f ± %.1f\n", m.Value, m.Error)
	_, err = q.Parameter("class = democrat")
	fmt.Println(err)
	b, err := q.Argmax(2, func(params []float64, r int) float64 { return params[r] })
	if err != nil {
		panic(err)
	}
	fmt.Printf("bet on response %d, regret at most %.2f\n", b.Response, b.Regret)
	// Output:
	// republicans in the minority: 1.0 ± 0.1
	// share of democrats: 0.6 ± 0.1
	// release: query: parameter = "class = democrat"; want one of "Class = democrat", "Class = republican"; did you mean "Class = democrat"?
	// bet on response 0, regret at most 0.12
}

// exampleVotes draws a release of the votes' class from a seed.
func exampleVotes(m mechanism.Mechanism, target dp.Request) *release.Release {
	return votes(&testing.B{}, m, model.Binary("Class"), target, dp.Seeded(1))
}
