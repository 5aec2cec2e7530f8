package privbayes_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// ruled is a table in which no man is pregnant but for that many rows, and no child is married.
func ruled(t testing.TB, wrong int) *privbayes.Frame {
	t.Helper()
	const rows = 4000
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{
		frame.Categorical("sex", "female", "male"), frame.Categorical("pregnant", "no", "yes"),
		frame.Integer("age", 0, 16, 40, 100), frame.Categorical("married", "no", "yes"),
		frame.Categorical("smokes", "no", "yes")}}
	columns := map[string]any{}
	var sex, pregnant, married, smokes []string
	var age []int
	for r := range rows {
		a := (r * 7) % 90
		w := map[bool]string{true: "yes", false: "no"}
		man := r%2 == 1
		sex = append(sex, map[bool]string{true: "male", false: "female"}[man])
		pregnant = append(pregnant, w[!man && r%10 == 0 && a >= 16 || man && r < 2*wrong])
		married = append(married, w[a >= 16 && r%3 > 0])
		smokes = append(smokes, w[a >= 16 && r%4 == 0])
		age = append(age, a)
	}
	columns["sex"], columns["pregnant"], columns["age"] = sex, pregnant, age
	columns["married"], columns["smokes"] = married, smokes
	f, err := frame.FromColumns(s, columns)
	return privbayes.WrapFrame(f, err)
}

var rules = []map[string]string{
	{"sex": "male", "pregnant": "yes"}, {"age": "[0, 16)", "married": "yes"},
	{"age": "[0, 16)", "smokes": "yes", "pregnant": "yes"},
}

// breaking counts the records with a structural zero.
func breaking(t testing.TB, f *frame.Frame) (n int64) {
	t.Helper()
	c := must.Get(f.Counts("sex", "pregnant", "age", "married", "smokes"))(t)
	for i, v := range c {
		sex, pregnant, age, married, smokes := i/24, i/12%2, i/4%3, i/2%2, i%2
		if sex == 1 && pregnant == 1 || age == 0 && married == 1 || age == 0 && smokes == 1 && pregnant == 1 {
			n += v
		}
	}
	return n
}

// No synthetic record has a structural zero, whatever the algorithm and the noise, and whatever the rows have; file,
// plan and tables carry them, and a network that was learned answers accordingly. Without the zeros some records do.
func TestStructuralZeros(t *testing.T) {
	f, without := ruled(t, 0), int64(0)
	for i, spec := range []model.LearnedModel{privbayes.MaxEntropy(), privbayes.Tree(), privbayes.Cliques(3),
		privbayes.Tree().Star("sex")} {
		if testing.Short() && i > 0 {
			continue
		}
		for _, m := range []privbayes.Mechanism{privbayes.LearnedGeometric(), privbayes.LearnedGaussian()} {
			target := privbayes.ZCDP(.02)
			r, err := f.Learn(spec.Always().StructuralZeros(rules[0]).StructuralZeros(rules[1:]...)).
				Privatize(m, target, privbayes.Seeded(3)).Release()
			if err != nil {
				t.Fatal(spec, err)
			}
			free, err := f.Learn(spec.Always()).Privatize(m, target, privbayes.Seeded(3)).Release()
			if err != nil {
				t.Fatal(spec, err)
			}
			file := must.Get(r.JSON())(t)
			again, err := release.Parse(t.Context(), file)
			if err != nil {
				t.Fatal(spec, err)
			}
			if v, err := release.VerifyBytes(t.Context(), file); err != nil || !v.OK() {
				t.Errorf("%s: %v, %v", spec, v, err)
			}
			for _, r := range []*release.Release{r, again} {
				drawn, err := r.Synthesize(20_000, dp.Seeded(1))
				if err != nil || breaking(t, drawn) > 0 {
					t.Errorf("%s: %v", spec, err)
				}
				dealt, err := r.SynthesizeExact(20_000, dp.Seeded(1))
				if err != nil || breaking(t, dealt) > 0 {
					t.Errorf("%s: %v", spec, err)
				}
				p, err := r.Model().Network().Given("smokes", map[string]string{"sex": "male", "pregnant": "yes"})
				var impossible *bayesnet.ImpossibleError
				if !errors.As(err, &impossible) {
					t.Errorf("%s: %v, %v", spec, p, err)
				}
			}
			loose := must.Get(free.Synthesize(20_000, dp.Seeded(1)))(t)
			without += breaking(t, loose)
			text := fmt.Sprint(r, r.Plan().Setting("structural zeros"), r.Structure())
			for _, want := range []string{"pregnant = yes and sex = male", "3 structural zeros",
				"sex × pregnant: 1 structural zero"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q is missing in\n%s", spec, want, text)
				}
			}
		}
	}
	if without < 100 {
		t.Errorf("%d records are impossible without zeros", without)
	}
}

// Rules keep synthetic records to a dependency and an order without a combination being listed, in a release and in its
// file; without them some records break both.
func TestRulesOfRecords(t *testing.T) {
	countries := map[string]string{"Lyon": "France", "Paris": "France", "Ulm": "Germany", "Bonn": "Germany"}
	bins := []float64{0, 10, 20, 30, 40}
	s := &frame.Schema{Dataset: "stays", Columns: []frame.Column{frame.Categorical("city", "Bonn", "Lyon", "Paris", "Ulm"),
		frame.Categorical("country", "France", "Germany"), frame.Integer("start", bins...), frame.Integer("end", bins...)}}
	var city, country []string
	var start, end []int
	for r := range 3000 {
		where := s.Columns[0].Categories[r*r%4]
		city, country = append(city, where), append(country, countries[where])
		start = append(start, r*7%39)
		end = append(end, start[r]+r*r%(41-start[r]))
	}
	f, err := frame.FromColumns(s, map[string]any{"city": city, "country": country, "start": start, "end": end})
	must.Do(t, err)
	breaking := func(f *frame.Frame) (n int64) {
		for i, v := range must.Get(f.Counts("city", "country", "start", "end"))(t) {
			if from, to := i/4%4, i%4; countries[s.Columns[0].Categories[i/32]] != s.Columns[1].Categories[i/16%2] || from > to {
				n += v
			}
		}
		return n
	}
	for _, rules := range []bool{false, true} {
		m := privbayes.MaxEntropy().Always()
		if rules {
			m = m.Determines("city", "country", countries).Ordered("start", "end")
		}
		r, err := privbayes.WrapFrame(f, nil).Learn(m).
			Privatize(privbayes.LearnedGaussian(), privbayes.ZCDP(.02), privbayes.Seeded(3)).Release()
		must.Do(t, err)
		again := must.Get(release.Parse(t.Context(), must.Get(r.JSON())(t)))(t)
		for _, r := range []*release.Release{r, again} {
			drawn := must.Get(r.Synthesize(20_000, dp.Seeded(1)))(t)
			if broken := breaking(drawn); (broken > 0) == rules {
				t.Errorf("rules: %t; %d records break them", rules, broken)
			}
			from, to := must.Get(drawn.Values("start"))(t), must.Get(drawn.Values("end"))(t)
			crossed := 0
			for i, v := range from {
				if v > to[i] {
					crossed++
				}
			}
			if (crossed > 0) == rules {
				t.Errorf("rules: %t; %d values are out of order", rules, crossed)
			}
		}
		if got := r.Plan().Setting("structural zeros"); rules && got != "city determines country (4 levels); start ≤ end" {
			t.Error(got)
		}
	}
}

// Rows that break the declaration: they are counted, the promise is as ever, and predictions of such rows are finite.
// The noisy tables show it, and a warning says so; where the rows keep to it there is none.
func TestContradictedZeros(t *testing.T) {
	for _, wrong := range []int{0, 900} {
		f := ruled(t, wrong)
		p := f.Learn(privbayes.MaxEntropy().StructuralZeros(rules...).Classifying("smokes").Always()).
			Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(2), privbayes.Seeded(4))
		r := must.Get(p.Release())(t)
		drawn, err := r.SynthesizeExact(4000, dp.Seeded(1))
		if err != nil || breaking(t, drawn) > 0 {
			t.Error(err)
		}
		warned := false
		for _, w := range r.Warnings() {
			warned = warned || w.Kind == warning.KindZerosContradicted && strings.Contains(w.Text, "sex × pregnant") &&
				math.Abs(w.Value-float64(wrong)) < 6.5*w.Limit
		}
		if warned != (wrong > 0) {
			t.Errorf("%d such rows: %v", wrong, r.Warnings())
		}
		probs := must.Get(r.Predict(f.Data()))(t)
		for _, q := range probs {
			if math.Abs(q[0]+q[1]-1) > 1e-9 {
				t.Fatal(q)
			}
		}
		if _, err := p.Evaluate(f); err != nil {
			t.Error(err)
		}
	}
}

// Zeros that are none, are too wide or leave nothing are refused before anything is planned.
func TestBadStructuralZeros(t *testing.T) {
	f := ruled(t, 0)
	zero := func(words ...string) map[string]string {
		out := map[string]string{}
		for i := 0; i < len(words); i += 2 {
			out[words[i]] = words[i+1]
		}
		return out
	}
	for name, c := range map[string]struct {
		spec model.LearnedModel
		says string
	}{
		"an unknown column": {privbayes.Tree().StructuralZeros(zero("sexx", "male")), `"sexx"`},
		"an unknown level": {privbayes.Tree().StructuralZeros(zero("sex", "mal")),
			`level "mal"; want one of "female", "male"`},
		"a column left out": {privbayes.Tree().Of("sex", "age").StructuralZeros(zero("smokes", "yes")), `"smokes"`},
		"nothing":           {privbayes.Tree().StructuralZeros(zero()), "without columns"},
		"nothing at all":    {privbayes.Tree().StructuralZeros(nil), "without columns"},
		"every record": {privbayes.Tree().StructuralZeros(zero("sex", "male"), zero("sex", "female")),
			"rule out every record"},
		"every record, by 2": {privbayes.MaxEntropy().StructuralZeros(zero("sex", "male"),
			zero("sex", "female", "married", "no"), zero("married", "yes")), "rule out every record"},
		"a wide table": {privbayes.MaxEntropy().MaxCells(6).
			StructuralZeros(zero("sex", "male", "pregnant", "yes", "age", "[0, 16)")), "12 cells; want at most 6"},
		"a wide clique": {privbayes.MaxEntropy().MaxCells(6).StructuralZeros(zero("sex", "male", "pregnant", "yes"),
			zero("sex", "male", "smokes", "yes"), zero("smokes", "yes", "pregnant", "yes")), "clique of 8 cells"},
	} {
		m := f.Learn(c.spec)
		var e *model.Error
		if !errors.As(m.Err(), &e) || !strings.Contains(fmt.Sprint(m.Err()), c.says) {
			t.Errorf("%s: %v", name, m.Err())
		}
	}
	many := f.Learn(privbayes.Tree().StructuralZeros(make([]map[string]string, 10_001)...)).Err()
	if !strings.Contains(fmt.Sprint(many), "10001") {
		t.Error(many)
	}
	// Caps that zeros fill leave nothing to choose: publicly, the rounds measure columns.
	r, err := f.Learn(privbayes.MaxEntropy().MaxCells(8).Always().StructuralZeros(
		zero("sex", "male", "pregnant", "yes"), zero("pregnant", "yes", "smokes", "yes"), zero("smokes", "yes", "married", "yes"),
		zero("married", "yes", "sex", "male"))).
		Privatize(privbayes.Geometric(), privbayes.PureDP(5), privbayes.Seeded(1)).Release()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Structure().Cliques {
		if len(c) > 3 {
			t.Errorf("a clique of %v", c)
		}
	}
}
