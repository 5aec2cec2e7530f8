// Package networks holds the experiment of the paper on Bayesian network updates: accuracy of released naive Bayes
// classifiers against ε, on simulated records.
package networks

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ClassifierNet is a naive Bayes network of two-level nodes, the class y and features x1 … xk, with a class prior of
// one half. The probabilities of the features are uniform on (0, 1), drawn from the seed, or, in the hard case, 0.35
// and 0.65 for the two classes. The network paper does not give its own.
func ClassifierNet(features int, hard bool, seed uint64) (*bayesnet.Net, error) {
	states, src := []string{"0", "1"}, dp.Seeded(seed)
	nodes, tables := []bayesnet.Node{{Name: "y", States: states}}, [][]float64{{.5, .5}}
	for i := range features {
		a, b := sample.Float64(src), sample.Float64(src)
		if hard {
			a, b = .35, .65
		}
		nodes = append(nodes, bayesnet.Node{Name: fmt.Sprint("x", i+1), States: states, Parents: []string{"y"}})
		tables = append(tables, []float64{1 - a, a, 1 - b, b})
	}
	d, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(d, tables)
}

// Records draws records of a network as a frame under the schema of its nodes.
func Records(net *bayesnet.Net, records int, seed uint64) (*frame.Frame, error) {
	return model.Simulate("simulated", net, records, dp.Seeded(seed))
}

// Classification says what Figure 1 of the network paper runs. Zero values take the paper's settings in brackets.
type Classification struct {
	Features int       // [16]
	Examples int       // [1000]
	Train    float64   // share of the examples [0.05, that is 50]
	Splits   int       // random splits, one release each [100]
	Epsilons []float64 // [0.1, 1, 3, 10, 30, 100]
	Hard     bool      // 0.35 and 0.65 in place of uniform probabilities
	Seed     uint64
	Progress func(done, total int64)
}

// ClassificationCurve is the accuracy of one mechanism against ε.
type ClassificationCurve struct {
	Name     string
	Accuracy []eval.Spread
}

// ClassificationResult is the experiment's outcome. The data are simulated, so nothing of it is private.
type ClassificationResult struct {
	Epsilons   []float64
	Curves     []ClassificationCurve
	NonPrivate float64
	Optimal    float64 // of the true network, on the same examples
	Figure     *figure.Figure
	Table      *table.Table
}

// Classify runs the noise mechanisms of Figure 1 of Zhang, Rubinstein and Dimitrakakis (AAAI 2016): a naive Bayes
// classifier trained on few simulated examples and released by Algorithm 1 (Laplace noise on every family's table,
// scale 2|I|/ε), by Algorithm 2 with the exact sensitivity and an increment that keeps cells non-negative with
// probability 0.9, by consistent least squares, and by one exact draw from the posterior, tempered on the box [0.1,
// 0.9] or on a box that meets ε by itself, both by the exact ε at n; beside the non-private classifier and the true
// network. The paper's own sampler, which spends more than its ε, is [PaperSampler]. Errors: of planning, and the
// context's.
func Classify(ctx context.Context, c Classification) (*ClassificationResult, error) {
	c = c.withDefaults()
	net, err := ClassifierNet(c.Features, c.Hard, c.Seed)
	if err != nil {
		return nil, err
	}
	f, err := Records(net, c.Examples, c.Seed+1)
	if err != nil {
		return nil, err
	}
	m, bayes := model.NetworkOf("y", net.DAG()), model.NaiveBayes("y") // the same; the second has an exact ε at n
	out := &ClassificationResult{Epsilons: c.Epsilons}
	if out.Optimal, err = optimal(net, f); err != nil {
		return nil, err
	}
	runs := []struct {
		name string
		m    model.Model
		mech mechanism.Mechanism
	}{
		{"Algorithm 1 (Laplace)", m.WithEveryFamily(), counts.Laplace()},
		{"Algorithm 2 (Fourier)", m, counts.Fourier().WithNonNegative(0.9)},
		{"least squares", m, counts.Geometric().WithPostProcess(counts.Consistent)},
		{"posterior draw, tempered", bayes, posteriorsample.New(1).WithBounds(.1)},
		{"posterior draw, boxed", bayes, posteriorsample.New(1).ByBounds()},
	}
	done := int64(0)
	for _, r := range runs {
		each := int64(0)
		progress := func(d, total int64) {
			each = total
			if c.Progress != nil {
				c.Progress(done+d, total*int64(len(runs)))
			}
		}
		d, err := eval.Compare(ctx, f, r.m, eval.CompareOptions{
			Mechanisms: []mechanism.Mechanism{r.mech}, Epsilons: c.Epsilons, Train: c.Train, Splits: c.Splits,
			Repeats: 1, Seed: c.Seed, Progress: progress,
		})
		if err != nil {
			return nil, err
		}
		done += each
		curve := ClassificationCurve{Name: r.name}
		for _, o := range d.Outcomes {
			curve.Accuracy = append(curve.Accuracy, o.Score)
		}
		out.Curves = append(out.Curves, curve)
		out.NonPrivate = d.NonPrivate.Mean
	}
	out.describe(c)
	return out, nil
}

func (c Classification) withDefaults() Classification {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	set(&c.Features, 16)
	set(&c.Examples, 1000)
	set(&c.Splits, 100)
	if c.Train == 0 {
		c.Train = 0.05
	}
	if len(c.Epsilons) == 0 {
		c.Epsilons = []float64{.1, 1, 3, 10, 30, 100}
	}
	return c
}

// coded is the levels of every record, in the order of the nodes.
func coded(net *bayesnet.Net, f *frame.Frame) ([][]int, error) {
	d := net.DAG()
	rows := make([][]int, f.Len())
	for r := range rows {
		rows[r] = make([]int, d.Len())
	}
	for i := range d.Len() {
		codes, err := f.Codes(d.Node(i).Name)
		if err != nil {
			return nil, err
		}
		for r := range rows {
			rows[r][i] = codes.At(r)
		}
	}
	return rows, nil
}

// optimal is the accuracy of the true network.
func optimal(net *bayesnet.Net, f *frame.Frame) (float64, error) {
	rows, err := coded(net, f)
	if err != nil {
		return 0, err
	}
	probs, err := net.Predict(0, rows)
	if err != nil {
		return 0, err
	}
	right := 0.0
	for r, p := range probs {
		if (p[1] > p[0]) == (rows[r][0] == 1) {
			right++
		}
	}
	return right / math.Max(1, float64(len(rows))), nil
}

// describe makes figure and table.
func (r *ClassificationResult) describe(c Classification) {
	caption := fmt.Sprintf("Simulated naive Bayes, %d features, %d examples, %g for training, %d splits; pure ε-DP, "+
		"replace-one. Bars: ± 2 standard errors.", c.Features, c.Examples, c.Train*float64(c.Examples), c.Splits)
	r.Figure = &figure.Figure{
		Title: "Accuracy against ε", XLabel: "ε", YLabel: "accuracy on the other examples", LogX: true,
		YPercent: true,
		Caption:  caption,
		HLines:   []figure.Reference{{Name: "non-private", Y: r.NonPrivate}, {Name: "true network", Y: r.Optimal}},
	}
	r.Table = table.New("Accuracy of naive Bayes, mean ± s.e. over splits",
		append([]string{"mechanism"}, labels(r.Epsilons)...)...)
	for _, curve := range r.Curves {
		s := figure.Series{Name: curve.Name, Kind: figure.Band, X: r.Epsilons}
		row := []any{curve.Name}
		for _, a := range curve.Accuracy {
			s.Y, s.Lo, s.Hi = append(s.Y, a.Mean), append(s.Lo, a.Mean-2*a.OverSplits),
				append(s.Hi, a.Mean+2*a.OverSplits)
			row = append(row, fmt.Sprintf("%.3f ± %.3f", a.Mean, a.OverSplits))
		}
		r.Figure.Series = append(r.Figure.Series, s)
		r.Table.Add(row...)
	}
	r.Table.Note(fmt.Sprintf("non-private %.4f, true network %.4f. %s", r.NonPrivate, r.Optimal, caption))
}

func labels(epsilons []float64) []string {
	out := make([]string, len(epsilons))
	for i, e := range epsilons {
		out[i] = fmt.Sprintf("ε = %g", e)
	}
	return out
}
