package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// ask is a question as a page asks it.
func ask(t *testing.T, question map[string]any, emit func(any)) (any, error) {
	t.Helper()
	b := must.Get(json.Marshal(question))(t)
	if emit == nil {
		emit = func(any) {}
	}
	v, err := Answer(t.Context(), b, nil, emit)
	if err != nil {
		return nil, err
	}
	if _, err := json.Marshal(v); err != nil {
		t.Fatalf("no JSON: %v", err)
	}
	return v, nil
}

func votes(t *testing.T) map[string]any {
	t.Helper()
	_, s := data.Votes()
	return map[string]any{"schema": json.RawMessage(s.JSON()), "preset": "votes", "model": "naive-bayes",
		"target": "Class",
		"n":      435, "notion": "pure", "level": 1.0, "adjacency": "replace-one"}
}

func with(q map[string]any, more ...any) map[string]any {
	out := map[string]any{}
	for k, v := range q {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// A point is what the library plans.
func TestPointIsThePlan(t *testing.T) {
	got := must.Get(ask(t, with(votes(t), "op", "point", "mechanism", privbayes.Geometric().Title()), nil))(t)
	p := got.(*Point)
	plan := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).
		Plan(privbayes.Geometric(), privbayes.PureDP(1)))(t)
	want, how := advise.Predict(plan)
	if p.Error == nil || *p.Error != want || p.How != how || p.Measure != plan.PredictUnit() ||
		p.Certified != plan.Certified().String() {
		t.Errorf("%+v; want error %v", p, want)
	}
	if len(p.Checks) != len(plan.Certificate().All()) {
		t.Errorf("%d checks", len(p.Checks))
	}
}

// Every row is emitted before the answer, which names the best of them.
func TestCompareEmitsRows(t *testing.T) {
	var rows []Row
	got := must.Get(ask(t, map[string]any{"op": "compare", "levels": 3, "model": "categorical", "n": 100, "level": 1.0,
		"seconds": 3000.}, func(v any) {
		if r, ok := v.(Row); ok {
			rows = append(rows, r)
		}
	}))(t)
	c := got.(*Comparison)
	if len(rows) < 5 || !slices.ContainsFunc(rows, func(r Row) bool { return r.Mechanism == c.Best && r.Error != nil }) {
		t.Errorf("%d rows, best %q", len(rows), c.Best)
	}
}

// What is found backwards reaches the error, and a little less does not.
func TestSolve(t *testing.T) {
	for what, less := range map[string]func(map[string]any, any) map[string]any{
		"level": func(q map[string]any, v any) map[string]any { return with(q, "level", v.(float64)*.99) },
		"n":     func(q map[string]any, v any) map[string]any { return with(q, "n", int(v.(float64)*.98)) },
	} {
		q := with(votes(t), "mechanism", privbayes.Geometric().Title())
		got := must.Get(ask(t, with(q, "op", "solve", "for", what, "error", .02), nil))(t)
		s := got.(*Solution)
		if *s.Point.Error > .02 {
			t.Errorf("%s = %v: error %v", what, s.Value, *s.Point.Error)
		}
		near := must.Get(ask(t, with(less(q, s.Value), "op", "point"), nil))(t)
		if p := near.(*Point); *p.Error <= .02 {
			t.Errorf("%s: below %v the error is %v", what, s.Value, *p.Error)
		}
	}
	if _, err := ask(t, with(votes(t), "op", "solve", "for", "n", "error", 1e-12, "mechanism",
		privbayes.Geometric().Title()), nil); err == nil {
		t.Error("an error that no n reaches is reached")
	}
}

// A predicted error says what it is the error of: of several distributions a count, as a share of all records, and not
// a probability, which is made of the records of its row alone. No estimate of a share is off by more than 1.
func TestAnErrorSaysWhatItIsOf(t *testing.T) {
	for _, c := range []struct {
		model, measure string
		n              int
		level          float64
	}{
		{"naive-bayes", "a count, as a share of all records", 304, 1}, {"categorical", "a probability", 304, 1},
		{"naive-bayes", "a count, as a share of all records", 2, .1}, {"categorical", "a probability", 2, .1},
	} {
		_, s := data.Votes()
		q := &Question{Schema: s.JSON(), Model: c.model, Target: "Class", N: c.n, Notion: "pure", Level: c.level,
			Mechanism: "Geometric noise on counts"}
		p := must.Get(q.Point(t.Context()))(t)
		if p.Measure != c.measure || p.Error == nil || !(*p.Error > 0 && *p.Error <= 1) {
			t.Errorf("%s, n = %d: %v of %s", c.model, c.n, p.Error, p.Measure)
		}
		sh := must.Get(q.shape())(t)
		plan, _ := must.Get2(q.planned(t.Context(), sh))(t)
		if v, ok := plan.ExpectedError(); !ok || v != *p.Error || !strings.Contains(plan.String(), c.measure) {
			t.Errorf("%s: the plan expects %v, the page %v:\n%s", c.model, v, *p.Error, plan)
		}
	}
}

// Every mechanism that is offered is planned or says why not, and can be copied; only those with formulas predict.
func TestEveryOffer(t *testing.T) {
	for _, q := range []map[string]any{
		with(votes(t), "n", 50),
		{"levels": 4, "model": "categorical", "n": 50, "level": 1.0},
		{"schema": json.RawMessage(`{"dataset": "x", "columns": [{"name": "u", "kind": "real", "edges": [0, 1, 2]}]}`),
			"model": "mean", "target": "u", "n": 50, "level": 1.0},
	} {
		got := must.Get(ask(t, with(q, "op", "describe"), nil))(t)
		d := got.(*Description)
		if d.Missing != nil || len(d.Mechanisms) == 0 {
			t.Fatalf("%+v", d.Missing)
		}
		for _, m := range d.Mechanisms {
			for _, c := range m.Choices {
				own := with(q, "mechanism", m.Title, "choice", c)
				if _, err := ask(t, with(own, "op", "point"), nil); err != nil && err.Error() == "" {
					t.Errorf("%s, %s: %v", m.Title, c, err)
				}
				text, err := ask(t, with(own, "op", "copy"), nil)
				if err != nil {
					t.Errorf("%s, %s: %v", m.Title, c, err)
					continue
				}
				if s := text.(*Copies); !strings.Contains(s.Go, "Privatize(") || !strings.HasPrefix(s.Command, "privbayes plan ") {
					t.Errorf("%s, %s: %+v", m.Title, c, s)
				}
			}
		}
	}
}

// A question that is not right says what is wanted; none panics.
func TestMistakes(t *testing.T) {
	v := votes(t)
	for _, q := range []map[string]any{
		{"op": "point"}, {"op": "none"}, with(v, "op", "point", "n", 0), with(v, "op", "point", "level", -1),
		with(v, "op", "point", "notion", "x"), with(v, "op", "point", "adjacency", "x"),
		with(v, "op", "point", "mechanism", "x"), with(v, "op", "point", "model", "x"),
		with(v, "op", "point", "target", "x"), with(v, "op", "point", "levels", 3),
		{"op": "point", "levels": 1 << 20, "model": "categorical", "n": 5, "level": 1},
		{"op": "point", "network": "network x {", "n": 5, "level": 1}, with(v, "op", "solve", "for", "x", "error", 1),
		with(v, "op", "solve", "for", "n", "error", 0), with(v, "op", "point", "unknown", 1),
		{"op": "describe", "schema": json.RawMessage(`[]`)},
	} {
		if _, err := ask(t, q, nil); err == nil || err.Error() == "" {
			t.Errorf("%v passes", q)
		}
	}
	if _, err := Answer(t.Context(), []byte("{"), nil, nil); err == nil {
		t.Error("half a question passes")
	}
	var m *Mistake
	if _, err := ask(t, with(v, "op", "point", "n", 0), nil); !errors.As(err, &m) || m.Field != "n" {
		t.Errorf("n = 0: %v", err)
	}
}

// released is a release of the votes, drawn without a seed unless an option has one.
func released(t testing.TB, options ...privbayes.Option) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "votes.release.json")
	r := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), append(options, privbayes.KeepIn(path))...).Release())(t)
	return must.Get(r.JSON())(t)
}

// Good and wrong files, each with what is said of it.
func TestVerify(t *testing.T) {
	good := released(t)
	swap := func(from, to string) []byte {
		b := bytes.Replace(good, []byte(from), []byte(to), 1)
		if bytes.Equal(b, good) {
			t.Fatalf("%s is not in the file", from)
		}
		return b
	}
	for name, c := range map[string]struct {
		file    []byte
		outcome string
		words   string
	}{
		"good":         {good, Verified, "all 3 checks"},
		"edited":       {swap(`"value": 18`, `"value": 10`), Failed, "differs"},
		"halved noise": {swap(`"den": 32`, `"den": 16`), Failed, "cannot meet"},
		"cut":          {good[:len(good)/2], Unreadable, "cut"},
		"empty":        {nil, Unreadable, "empty"},
		"table":        {[]byte("a,b\n"), Unreadable, "no JSON"},
		"ledger": {[]byte(`{"format":"privbayes-ledger-3","dataset":"x"}` + "\n" + `{"id":"a"}` + "\n"), Unreadable,
			"the ledger of a budget"},
		"lines":    {[]byte("{\"a\":1}\n{\"a\":2}\n"), Unreadable, "a line each"},
		"notebook": {[]byte(`{"cells": [], "nbformat": 4}`), Unreadable, "notebook"},
		"schema":   {[]byte(`{"dataset": "x", "columns": []}`), Unreadable, "schema"},
		"later":    {swap("privbayes-release-3", "privbayes-release-9"), Unreadable, "another version"},
		"long":     {bytes.Repeat([]byte(" "), MostBytes+1), TooLarge, "command line"},
	} {
		v := Verify(t.Context(), c.file)
		text := must.Get(json.Marshal(v))(t)
		if v.Outcome != c.outcome || !strings.Contains(string(text), c.words) || v.Headline == "" {
			t.Errorf("%s: %s", name, text)
		}
		if strings.Contains(string(text), "NaN") || c.outcome != Verified && strings.Contains(string(text), limits) {
			t.Errorf("%s: %s", name, text)
		}
		if c.outcome != Verified && v.Outcome != TooLarge && slices.ContainsFunc(v.Checks, func(k Checked) bool {
			return k.Status == cert.Failed && !strings.Contains(k.Sentence, "does not hold")
		}) {
			t.Errorf("%s: a failed check reads like one that holds", name)
		}
	}
	// A plan that holds does not make a seeded draw private: that comes first, and an edit is still found.
	practice := released(t, privbayes.Seeded(7))
	v := Verify(t.Context(), practice)
	if v.Outcome != NotPrivate || !strings.HasPrefix(v.Headline, "This release is not private: seeded.") ||
		len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "publish nothing") {
		t.Errorf("seeded: %+v", v)
	}
	v = Verify(t.Context(), bytes.Replace(practice, []byte(`"value": 18`), []byte(`"value": 10`), 1))
	if v.Outcome != Failed || len(v.Warnings) != 1 {
		t.Errorf("seeded and edited: %+v", v)
	}
	if v = Verify(t.Context(), good); len(v.Warnings) != 0 {
		t.Errorf("drawn without a seed: %v", v.Warnings)
	}
	limited := Verify(cert.WithWorkLimit(t.Context(), 1000), good)
	if limited.Outcome != Verified || !strings.Contains(limited.Headline, "1 of 3") {
		t.Errorf("under a small limit: %s", limited.Headline)
	}
}

// What a line rests on is a theorem about its formula, one about the program, both or neither, each a name of its own.
func TestVerifyNamesTheorems(t *testing.T) {
	r := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).Privatize(
		privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6), privbayes.Seeded(7)).Release())(t)
	for name, c := range map[string]struct {
		file               []byte
		theorems, programs int
	}{
		"geometric": {released(t), 2, 1}, "Gaussian, whose profile is on paper": {must.Get(r.JSON())(t), 1, 1},
	} {
		theorems, programs := 0, 0
		for _, k := range Verify(t.Context(), c.file).Checks {
			for s, n := range map[string]*int{k.Theorem: &theorems, k.Program: &programs} {
				if strings.HasPrefix(s, "machine-checked theorem ") {
					*n++
				} else if s != "" {
					t.Errorf("%s: rests on the %q", name, s)
				}
			}
		}
		if theorems != c.theorems || programs != c.programs {
			t.Errorf("%s: %d and %d theorems", name, theorems, programs)
		}
	}
}

// A publication is verified as a whole; what is edited in it is found, and a seeded one is not private.
func TestVerifyPublication(t *testing.T) {
	made := func(o ...privbayes.Option) []byte {
		p := must.Get(privbayes.ReadFrame(data.Votes()).Publish("votes", privbayes.ApproxDP(1, 1e-6),
			privbayes.Item(privbayes.Binary("Class")), privbayes.Item(privbayes.Table("V3", "V4"))).Privatize(o...))(t)
		return must.Get(p.JSON())(t)
	}
	good := made()
	edited := func(pattern, to string) []byte {
		b := regexp.MustCompile(pattern).ReplaceAll(good, []byte(to))
		if bytes.Equal(b, good) {
			t.Fatalf("%s is not in the file", pattern)
		}
		return b
	}
	for name, c := range map[string]struct {
		file    []byte
		outcome string
		words   string
	}{
		"good":         {good, Verified, "Verified: all"},
		"seeded":       {made(privbayes.Seeded(7)), NotPrivate, "This publication is not private: seeded."},
		"guarantee":    {edited(`"epsilon": 1,`, `"epsilon": 0.5,`), Failed, ""},
		"a count":      {edited(`("raw": \[\s*\[\s*)-?\d+`, "${1}999"), Failed, "does not follow"},
		"of two items": {edited(`"name": "Class"`, `"name": "V3 × V4"`), Failed, "name of its own"},
		"less noise":   {edited(`"num": (\d+)\d`, `"num": $1`), Failed, ""},
		"later":        {edited("privbayes-publication-1", "privbayes-publication-9"), Unreadable, "another version"},
		"cut":          {good[:len(good)/2], Unreadable, "cut"},
	} {
		v := Verify(t.Context(), c.file)
		if text := must.Get(json.Marshal(v))(t); v.Outcome != c.outcome || !strings.Contains(string(text), c.words) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if v := Verify(t.Context(), good); !strings.Contains(v.Title, `publication "votes", ε = 1`) || len(v.Checks) < 3 ||
		!strings.Contains(v.Checks[0].Statement, "All items") {
		t.Errorf("%+v", v)
	}
}

// Running totals are verified, what is edited in them is found, and seeded ones are not private.
func TestVerifyTotals(t *testing.T) {
	made := func(o ...privbayes.Option) []byte {
		rows := privbayes.ReadFrame(data.Votes())
		limit := privbayes.ZCDP(1)
		paid := must.Get(privbayes.OpenBudget(t.TempDir()+"/b", rows.Data().Schema(), limit))(t)
		r := must.Get(rows.WithBudget(paid).RunningTotals("Class").Privatize("democrat", privbayes.ZCDP(.5), o...))(t)
		return must.Get(r.JSON())(t)
	}
	good := made()
	for name, c := range map[string]struct {
		file           []byte
		outcome, words string
	}{
		"good":      {good, Verified, "Verified: all 2 checks"},
		"seeded":    {made(privbayes.Seeded(7)), NotPrivate, "This sequence of totals is not private: seeded."},
		"guarantee": {bytes.Replace(good, []byte(`"rho": 0.5`), []byte(`"rho": 0.25`), 1), Failed, "does not follow"},
		"a total":   {bytes.Replace(good, []byte(`"value": `), []byte(`"value": 9`), 1), Failed, "does not follow"},
		"later":     {bytes.Replace(good, []byte("totals-1"), []byte("totals-9"), 1), Unreadable, "another version"},
		"cut":       {good[:len(good)/2], Unreadable, "cut"},
	} {
		v := Verify(t.Context(), c.file)
		if text := must.Get(json.Marshal(v))(t); v.Outcome != c.outcome || !strings.Contains(string(text), c.words) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// FuzzVerify: whatever is dropped, there is a verdict with a sentence, and no panic.
func FuzzVerify(f *testing.F) {
	f.Add(released(f))
	f.Add([]byte(`{"format":"privbayes-release-3"}`))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx := cert.WithMemoryLimit(cert.WithWorkLimit(context.Background(), 10_000), 1<<24)
		if v := Verify(ctx, b); v.Headline == "" || v.Outcome == "" {
			t.Errorf("%+v", v)
		}
	})
}

// FuzzAnswer: no question panics.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"op":"point","levels":3,"model":"categorical","n":10,"level":1}`))
	f.Add([]byte(`{"op":"copy","levels":3,"model":"categorical","n":10,"level":1,"file":"'"}`))
	f.Add([]byte(`{"op":"describe","schema":{"dataset":"x","columns":[{"name":"a","kind":"real","edges":[0,1]}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var q Question
		if json.Unmarshal(b, &q) != nil || q.N > 1000 || q.Op == "compare" || q.Op == "solve" {
			return
		}
		ctx := cert.WithWorkLimit(context.Background(), 10_000)
		if _, err := Answer(ctx, b, nil, func(any) {}); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
