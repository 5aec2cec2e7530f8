package privbayes_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Every misuse gives one typed error that names the step; nothing is released and nothing is charged.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	schema, err := privbayes.ParseSchema(
		[]byte(
			`{"dataset":"toy","columns":[{"name":"y","kind":"categorical","categories":["a","b"]},{"name":"x","kind":"integer","edges":[0,5,10]}]}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	one, err := privbayes.ParseSchema(
		[]byte(
			`{"dataset":"toy","columns":[{"name":"y","kind":"categorical","categories":["a"]},{"name":"x","kind":"integer","edges":[0,5,10]}]}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := privbayes.ParseSchema(
		[]byte(
			`{"dataset":"toy","columns":[{"name":"y","kind":"categorical","categories":["a","b"]},{"name":"x","kind":"integer","edges":[0,10]}]}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	good := write("good.csv", "y,x\na,1\nb,7\na,9\nb,2\na,4\nb,5\n")
	ledger := must.Get(privbayes.OpenBudget(filepath.Join(dir, "budget"), schema, privbayes.PureDP(1)))(t)
	load := func(path string) *privbayes.Frame { return privbayes.LoadFrame(path, schema).WithBudget(ledger) }
	run := func(f *privbayes.Frame, m privbayes.ModelSpec, target privbayes.Target, opts ...privbayes.Option) error {
		p := f.Model(m).Privatize(privbayes.Geometric(), target, opts...)
		if r, err := p.Release(); err == nil || r != nil {
			t.Errorf("a release was handed out for %v at %v", m, target)
		}
		return p.Err()
	}
	nb, eps := privbayes.NaiveBayes("y"), privbayes.PureDP(1)
	evaluate := func() error {
		train, _ := privbayes.LoadFrame(good, schema).Split(0.5, 1)
		_, test := privbayes.ReadFrame(data.Iris()).Split(0.5, 1)
		_, err := train.Model(nb).Privatize(privbayes.Geometric(), eps, privbayes.Seeded(1)).Evaluate(test)
		return err
	}
	kept := filepath.Join(dir, "kept.json")
	must.Do(t, privbayes.LoadFrame(good, schema).Model(nb).Privatize(privbayes.Geometric(), privbayes.PureDP(2),
		privbayes.KeepIn(kept)).Err())
	other := must.Get(privbayes.OpenBudget(filepath.Join(dir, "other"), &privbayes.Schema{Dataset: "other"},
		privbayes.PureDP(1)))(t)
	head := func(n int) *privbayes.Frame { return load(good).Head(n) }
	var (
		fileErr   *frame.FileError
		columnErr *frame.ColumnError
		valueErr  *frame.ValueError
		schemaErr *frame.SchemaError
		argErr    *dp.ParameterError
		modelErr  *model.Error
		paramErr  *dp.ParameterError
		mismatch  *model.MismatchError
		keptErr   *privbayes.KeptError
		overErr   *budget.ExceededError
		budgetErr *budget.MismatchError
		noErr     *mechanism.UnsupportedError
		unmetErr  *mechanism.UnmetTarget
		relErr    *release.FileError
	)
	cases := []struct {
		name string
		err  error
		as   any    // the typed error
		says string // what the message must name
	}{
		{"wrong path", run(load(filepath.Join(dir, "nothing.csv")), nb, eps), &fileErr, "nothing.csv"},
		{"empty file", run(load(write("empty.csv", "")), nb, eps), &fileErr, "empty.csv"},
		{"header only", run(load(write("header.csv", "y,x\n")), nb, eps), &argErr, "row"},
		{"missing column in the file", run(load(write("short.csv", "y\na\n")), nb, eps), &columnErr, `"x"`},
		{"extra column in the file", run(load(write("long.csv", "y,x,z\na,1,2\n")), nb, eps), &columnErr, `"z"`},
		{"category outside the domain", run(load(write("cat.csv", "y,x\na,1\nc,2\n")), nb, eps), &valueErr, `line 3`},
		{"number outside the bounds", run(load(write("num.csv", "y,x\na,11\n")), nb, eps), &valueErr, `"11"`},
		{"not a number", run(load(write("nan.csv", "y,x\na,ten\n")), nb, eps), &valueErr, `"ten"`},
		{"fraction in an integer column", run(load(write("frac.csv", "y,x\na,1.5\n")), nb, eps), &valueErr, `"1.5"`},
		{"missing value", run(load(write("miss.csv", "y,x\na,\n")), nb, eps), &valueErr, `column "x"`},
		{"ragged line", run(load(write("ragged.csv", "y,x\na\n")), nb, eps), &valueErr, "line 2"},
		{"open quote", run(load(write("quote.csv", "y,x\n\"a,1\n")), nb, eps), &valueErr, "quote"},
		{"no schema", run(privbayes.LoadFrame(good, nil), nb, eps), nil, "schema"},
		{"schema with an unknown field", second(privbayes.ParseSchema([]byte(`{"dataset":"d","colums":[]}`))),
			&schemaErr, "colums"},
		{
			"schema without a name",
			second(privbayes.ParseSchema([]byte(`{"columns":[{"name":"y","kind":"categorical","categories":["a"]}]}`))),
			&schemaErr,
			"dataset",
		},
		{
			"schema with falling edges",
			second(
				privbayes.ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"x","kind":"real","edges":[3,2]}]}`)),
			),
			&schemaErr,
			`"x"`,
		},
		{"one class in the schema", run(privbayes.LoadFrame(write("one.csv", "y,x\na,1\n"), one).WithBudget(ledger),
			nb, eps), &modelErr, `"y"`},
		{"one level in a feature", run(privbayes.LoadFrame(write("flat.csv", "y,x\na,1\nb,1\n"),
			flat).WithBudget(ledger), nb, eps), &modelErr, `"x"`},
		{"wrong column in the model", run(load(good), privbayes.NaiveBayes("yy"), eps), &columnErr, `"yy"`},
		{"class among the features", run(load(good), privbayes.NaiveBayes("y", "y"), eps), &modelErr, `"y"`},
		{"binary of three levels", run(load(good), privbayes.Binary("x").WithPrior(0), eps), &modelErr, "α"},
		{"prior of NaN", run(load(good), nb.WithPrior(math.NaN()), eps), &modelErr, "α"},
		{"ε = 0", run(load(good), nb, privbayes.PureDP(0)), &paramErr, "epsilon"},
		{"ε < 0", run(load(good), nb, privbayes.PureDP(-1)), &paramErr, "epsilon = -1"},
		{"ε = NaN", run(load(good), nb, privbayes.PureDP(math.NaN())), &paramErr, "NaN"},
		{"ε = ∞", run(load(good), nb, privbayes.PureDP(math.Inf(1))), &paramErr, "+Inf"},
		{"δ = 0", run(load(good), nb, privbayes.ApproxDP(1, 0)), &paramErr, "delta"},
		{"δ = 1", run(load(good), nb, privbayes.ApproxDP(1, 1)), &paramErr, "delta"},
		{"λ = 1", run(load(good), nb, privbayes.RenyiDP(1, 1)), &paramErr, "lambda"},
		{"unreachable ε", run(load(good), nb, privbayes.PureDP(1e-12)), &unmetErr, "reachable"},
		{"no mechanism", load(good).Model(nb).Privatize(nil, eps).Err(), nil, "mechanism"},
		{"pure ε from the Gaussian", load(good).Model(nb).Privatize(privbayes.DiscreteGaussian(), eps).Err(), &noErr,
			"geometric"},
		{"public n after Where", run(load(good).Where("y", func(l string) bool { return l == "a" }), nb, eps), nil,
			`Where`},
		{"evaluate with another schema", evaluate(), &mismatch, `"y"`},
		{"kept file of another plan", run(load(good), nb, eps, privbayes.KeepIn(kept)), &keptErr, "kept.json"},
		{"kept file that is no release", run(load(good), nb, eps, privbayes.KeepIn(good)), &relErr, "good.csv"},
		{"exhausted budget", run(load(good), nb, privbayes.PureDP(1.5)), &overErr, "this needs ε = 1.5"},
		{"zCDP from a pure budget", run(load(good), nb, privbayes.ZCDP(0.1)), nil, "ApproxDP"},
		{"budget of another data set", privbayes.LoadFrame(good, schema).WithBudget(other).Err(), &budgetErr, `other`},
		{"another adjacency than the budget's", run(load(good), nb, eps.Under(privbayes.AddRemove)), &budgetErr,
			"add-remove"},
		{"split of more than everything", first(load(good).Split(1.5, 1)).Err(), &argErr, "fraction"},
		{"head of less than nothing", head(-1).Err(), &argErr, "-1"},
		{"unknown column to select", load(good).Select("z").Err(), &columnErr, `"z"`},
		{"zero frame", (&privbayes.Frame{}).Model(nb).Err(), nil, "LoadFrame"},
	}
	for _, c := range cases {
		switch {
		case c.err == nil:
			t.Errorf("%s: no error", c.name)
			continue
		case c.as != nil && !errors.As(c.err, c.as):
			t.Errorf("%s: %T %v; want a %T", c.name, c.err, c.err, c.as)
		}
		if msg := c.err.Error(); !strings.Contains(msg, c.says) || strings.Contains(msg, "\n") {
			t.Errorf("%s: the message does not name %q: %s", c.name, c.says, msg)
		}
	}
	if !errors.Is(run(load(good).Where("y", func(string) bool { return true }), nb, eps), frame.ErrPrivateN) {
		t.Error("a private n is not ErrPrivateN")
	}
	if n := len(ledger.Charges()) + len(other.Charges()); n != 0 {
		t.Errorf("%d charges were made on errors", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.json")); err == nil {
		t.Error("a release was written on an error")
	}
}

func second(_ *privbayes.Schema, err error) error { return err }

func first(a, _ *privbayes.Frame) *privbayes.Frame { return a }

// Data that a newcomer might take for bad is legal: a file with one class under a two-class schema, and a single row.
func TestLegalData(t *testing.T) {
	schema, err := privbayes.ParseSchema(
		[]byte(
			`{"dataset":"toy","columns":[{"name":"y","kind":"categorical","categories":["a","b"]},{"name":"x","kind":"integer","edges":[0,5,10]}]}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"y,x\na,1\na,2\n", "x,y\n10,b\n"} {
		f := privbayes.ReadFrame(strings.NewReader(text), schema)
		r, err := f.Model(privbayes.NaiveBayes("y")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
			privbayes.Seeded(1)).Evaluate(f)
		if err != nil || r.Private.N == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}
