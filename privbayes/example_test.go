package privbayes_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// schemaIn is the schema of an embedded data set.
func schemaIn(_ io.Reader, s *privbayes.Schema) *privbayes.Schema { return s }

// folder is a temporary folder for the files of an example.
func folder() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

func ExampleLoadFrame() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "survey.csv")
	_ = os.WriteFile(path, []byte("answer,age\nyes,31\nno,77\nmaybe,40\n"), 0o600)

	schema, _ := privbayes.ParseSchema([]byte(`{"dataset": "survey", "columns": [
		{"name": "answer", "kind": "categorical", "categories": ["yes", "no"]},
		{"name": "age", "kind": "integer", "edges": [18, 40, 65, 120]}]}`))
	err := privbayes.LoadFrame(path, schema).Err()
	fmt.Println(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	// Output: privbayes: LoadFrame: survey.csv line 4, column "answer": found "maybe"; want one of "yes", "no"
}

func ExampleFrame_Where() {
	f := privbayes.ReadFrame(data.Votes()).Where("V1", func(label string) bool { return label == "y" })
	_, err := f.Model(privbayes.Binary("Class")).Plan(privbayes.Geometric(), privbayes.PureDP(1))
	fmt.Println(err)
	p, err := f.Model(privbayes.Binary("Class")).Plan(privbayes.Geometric(),
		privbayes.PureDP(1).Under(privbayes.AddRemove))
	fmt.Println(p.Certified(), err)
	// Output:
	// privbayes: Plan: sensitivity: binary posterior of "Class" under replace-one adjacency: n is private since Where("V1"); want add-remove adjacency, under which n is private
	// ε = 1, add-remove, unit: "member of Congress", sampling: exact <nil>
}

func ExampleKeepIn() {
	dir, remove := folder()
	defer remove()
	train, _ := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	model := train.Model(privbayes.NaiveBayes("Class"))
	keep := privbayes.KeepIn(filepath.Join(dir, "votes.release.json"))
	for range 3 {
		p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1), keep)
		fmt.Println("loaded:", p.Loaded(), "error:", p.Err())
	}
	// Output:
	// loaded: false error: <nil>
	// loaded: true error: <nil>
	// loaded: true error: <nil>
}

func ExampleOpenBudget() {
	dir, remove := folder()
	defer remove()
	rows, schema := data.Votes()
	budget, _ := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schema, privbayes.PureDP(1))
	model := privbayes.ReadFrame(rows, schema).WithBudget(budget).Model(privbayes.Binary("Class"))
	fmt.Println(model.Privatize(privbayes.Geometric(), privbayes.PureDP(0.75)).Err())
	fmt.Println(model.Privatize(privbayes.Geometric(), privbayes.PureDP(0.75)).Err())
	fmt.Println("spent:", budget.Spent())
	// Output:
	// <nil>
	// privbayes: Privatize: budget: the budget of "votes" has ε = 0.25 left of ε = 1, and this needs ε = 0.75; nothing was charged
	// spent: ε = 0.75
}

// A budget for Gaussian noise alone: all of δ converts, at the order at which most of it fits.
func ExampleConvertWithDelta() {
	dir, remove := folder()
	defer remove()
	rows, schema := data.Votes()
	budget, _ := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schema, privbayes.ApproxDP(1, 1e-6),
		privbayes.ConvertWithDelta(1e-6))
	model := privbayes.ReadFrame(rows, schema).WithBudget(budget).Model(privbayes.Binary("Class"))
	fmt.Println("left:", budget.Left())
	fmt.Println(model.Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(0.01)).Err())
	fmt.Println("left:", budget.Left())
	// Output:
	// left: ε = 1 and δ = 1e-6, or ρ = 0.02436 of zCDP after paying the conversion
	// <nil>
	// left: ε = 0.3158 and δ = 0, or ρ = 0.01436 of zCDP (the conversion is paid)
}

// A budget for Rényi charges of order 8: one whose own order is 23.3 could not count them.
func ExampleConvertAtOrder() {
	dir, remove := folder()
	defer remove()
	rows, schema := data.Votes()
	budget, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schema, privbayes.ApproxDP(4, 1e-6),
		privbayes.ConvertAtOrder(8))
	if err != nil {
		fmt.Println(err)
		return
	}
	model := privbayes.ReadFrame(rows, schema).WithBudget(budget).Model(privbayes.Binary("Class"))
	fmt.Println(model.Privatize(privbayes.Geometric(), privbayes.RenyiDP(8, 0.5)).Err())
	fmt.Println("order and δ of the conversion:", budget.Conversion())
	fmt.Println(model.Privatize(privbayes.Geometric(), privbayes.RenyiDP(4, 0.5)).Err())
	// Output:
	// <nil>
	// order and δ of the conversion: {8 5e-07}
	// privbayes: Privatize: budget: ε = 0.5 at order λ = 4 says nothing about order 8, at which this budget adds and converts; want a Rényi order or ω of at least that, or a budget made with ConvertAtOrder(4)
}

func ExampleModel_Compare() {
	d, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).
		Compare(context.Background(), privbayes.CompareOptions{Epsilons: []float64{0.1, 5}, Splits: 3, Repeats: 5,
			Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("accuracy at ε = 0.1: %.2f, at ε = 5: %.2f; non-private: %.2f, majority class: %.2f\n",
		d.Outcomes[0].Score.Mean, d.Outcomes[1].Score.Mean, d.NonPrivate.Mean, d.Guess.Mean)
	// Output: accuracy at ε = 0.1: 0.57, at ε = 5: 0.91; non-private: 0.91, majority class: 0.65
}

func ExamplePrivatized_PrivateAccuracy() {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	p := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(7))
	a, err := p.PrivateAccuracy(test, privbayes.PureDP(1), privbayes.Seeded(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d test rows, noise of ± %.3f in 95 of 100 draws\n", a.TestRows, a.HalfWidth)
	// Output: 130 test rows, noise of ± 0.023 in 95 of 100 draws
}

func ExampleVerify() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "votes.release.json")
	train := privbayes.ReadFrame(data.Votes())
	_ = train.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(0.5),
		privbayes.KeepIn(path)).Err()
	v, err := privbayes.Verify(path)
	for _, r := range v.Results {
		fmt.Println(r.Status)
	}
	fmt.Println(v.OK(), err)
	// Output:
	// re-derived
	// re-derived
	// re-derived
	// true <nil>
}

func ExampleLoadRelease() {
	dir, remove := folder()
	defer remove()
	path := filepath.Join(dir, "votes.release.json")
	train := privbayes.ReadFrame(data.Votes())
	_ = train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(1), privbayes.KeepIn(path)).Err()
	r, err := privbayes.LoadRelease(path) // needs no data
	if err != nil {
		fmt.Println(err)
		return
	}
	synthetic, err := r.Synthesize(1000, dp.Seeded(1))
	fmt.Println(r.Guarantee(), synthetic.Len(), err)
	// Output: not private: seeded 1000 <nil>
}

func ExampleDirichlet() {
	train, _ := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	model := train.Model(privbayes.NaiveBayes("Class"))
	p, err := model.Plan(privbayes.Dirichlet(), privbayes.ApproxDP(1, 1e-6))
	fmt.Println(p.Certified(), err)
	_, err = model.Plan(privbayes.Dirichlet(), privbayes.PureDP(1))
	fmt.Println(err)
	// Output:
	// ε = 1, δ = 1e-6, replace-one, unit: "member of Congress", sampling: floating point <nil>
	// privbayes: Plan: mechanism: Dirichlet mechanism, posterior mean does not support pure ε-DP: its loss is unbounded; use ApproxDP, RenyiDP or TCDP, or Geometric()
}

func ExampleSyntheticRecords() {
	model := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4"))
	r, err := model.Privatize(privbayes.SyntheticRecords(500), privbayes.ApproxDP(2, 1e-6),
		privbayes.Seeded(1)).Release()
	fmt.Println(len(r.Raw()), "columns of", len(r.Raw()[0]), "records", err)
	fmt.Println(r.Plan().Certified())
	// Output:
	// 3 columns of 500 records <nil>
	// ε = 2, δ = 1e-6, replace-one, unit: "member of Congress", sampling: exact
}
