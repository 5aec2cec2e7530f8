package privbayes_test

import (
	"context"
	"fmt"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Which mechanism for the share of yes among 1000 answers, and how large an ε for an error of half a percent? No data
// is needed.
func ExampleAdvise() {
	s := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{frame.Categorical("answer", "yes", "no")}}
	sh, err := privbayes.NewShape(s, privbayes.Binary("answer"), 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := privbayes.Advise(sh, privbayes.PureDP(.1), privbayes.PureDP(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	best, _ := a.Best(1)
	fmt.Printf("%s (%s): %.2g by %s\n", best.Mechanism, best.Choice, best.Error, best.How)
	epsilon, ok := a.LevelFor(.005)
	fmt.Printf("error 0.005 near ε = %.1g: %v\n", epsilon, ok)
	// Output:
	// K-norm: sum-zero geometric noise on counts (project): 0.00085 by exact enumeration
	// error 0.005 near ε = 0.2: true
}

// What given errors of a share need: the ε at 1000 answers, and how many answers at two levels.
func ExampleAdvice_Required() {
	s := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{frame.Categorical("answer", "yes", "no")}}
	sh, err := privbayes.NewShape(s, privbayes.Binary("answer"), 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := privbayes.Advise(sh, privbayes.PureDP(.1), privbayes.PureDP(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	needs, err := a.Required(context.Background(), .008, .001)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range needs.Table().Rows {
		fmt.Printf("error %s: ε = %s, or n = %s at ε = 0.1\n", row[0], row[1], row[2])
	}
	fmt.Println(len(needs.Figure().Series), "lines")
	// Output:
	// error 0.008: ε = 0.12, or n = 1247 at ε = 0.1
	// error 0.001: ε = 0.86, or n = 10013 at ε = 0.1
	// 2 lines
}

// More time for a large question, and a list of what did not fit.
func ExampleAdviseWith() {
	s := &privbayes.Schema{Dataset: "shop"}
	var labels []string
	for i := range 20_000 {
		labels = append(labels, fmt.Sprintf("article %d", i))
	}
	s.Columns = append(s.Columns, frame.Categorical("article", labels...))
	sh, err := privbayes.NewShape(s, privbayes.Categorical("article"), 1_000_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := privbayes.AdviseOptions{Mechanisms: []privbayes.Mechanism{privbayes.Geometric(), privbayes.Fourier()},
		Time: time.Minute, Data: 4}
	a, err := privbayes.AdviseWith(context.Background(), o, sh, privbayes.ZCDP(.1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(a.Rows(0)), "mechanisms,", len(a.LeftOut()), "left out:")
	for _, line := range a.LeftOut() {
		fmt.Println(line)
	}
	// Output:
	// 2 mechanisms, 1 left out:
	// left out: Fourier: geometric noise on parities, because the least of its choices takes 3.21e9 bytes; the limit is 2.684e8. More Options.Time or Memory compares it.
}

// How the error of a share falls as more people are asked, beside the error that asking so few makes anyway.
func ExampleSweep() {
	s := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{frame.Categorical("answer", "yes", "no")}}
	sh, err := privbayes.NewShape(s, privbayes.Binary("answer"), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := privbayes.AdviseOptions{Mechanisms: []privbayes.Mechanism{privbayes.KNorm(), privbayes.MAP()}}
	sweep, err := privbayes.Sweep(context.Background(), o, sh, []int{50, 500, 5000}, privbayes.PureDP(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range sweep.Table().Rows {
		fmt.Printf("n = %s: error %s, sampling error %s\n", row[0], row[3], row[6])
	}
	fmt.Println(len(sweep.Figure().Series), "lines")
	// Output:
	// n = 50: error 0.01586, sampling error 0.04431
	// n = 500: error 0.00169, sampling error 0.01401
	// n = 5000: error 0.0001701, sampling error 0.004431
	// 3 lines
}

// A model's shape, under a context.
func ExampleModel_AdviseWith() {
	model := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class"))
	// in a notebook: nb.Progress("advice")
	o := privbayes.AdviseOptions{Time: time.Minute, Progress: func(done, total int64) {}}
	a, err := model.AdviseWith(context.Background(), o, privbayes.PureDP(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	best, _ := a.Best(0)
	fmt.Println(best.Mechanism, "by", best.How)
	// Output: K-norm: sum-zero geometric noise on counts by exact enumeration
}
