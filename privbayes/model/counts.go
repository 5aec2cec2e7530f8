package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ofCounts is what models made of count tables have in common: one table of the target by itself; for the rest a class,
// maybe with features that are independent given the class. Models replace what differs.
type ofCounts struct{ base }

// counted is a model made of count tables.
type counted interface {
	classifier
	conditionals(sh *Shape) []Conditional
	conditionalCounts(sh *Shape, tables [][]int64) [][]int64
	conditionalTable(f *Fitted, feature string) (*table.Table, error)
	shown(f *Fitted) []*table.Table
	logLikelihood(f *Fitted, x *frame.Frame) (sum float64, err error)
	records(f *Fitted, n int, src rand.Source) ([][]int, error)
}

// Counts reports whether the model is made of count tables, all of which are measured, so that it synthesises records;
// others are made of sums over rows, or learn which tables to measure.
func (s *Shape) Counts() bool {
	_, ok := s.model.(counted)
	_, learns := s.model.(LearnedModel)
	return ok && !learns
}

// Tabulated reports whether the statistics of the model are count tables.
func (s *Shape) Tabulated() bool { return len(s.tables) > 0 }

// targetColumn is the column of the target, whose levels can be counted; single says that every level may have a
// hyperparameter of its own.
func targetColumn(m Model, s *frame.Schema, single bool) (*frame.Column, error) {
	target, _, err := s.Column(m.Target())
	if err != nil {
		return nil, err
	}
	if want, ok := m.Prior().valid(target.Levels(), single); !ok {
		return nil, wrong(m, "", fmt.Sprintf("prior hyperparameter α = %s", m.Prior()), want)
	}
	if target.Kind == frame.KindSequence {
		return nil, wrong(m, target.Name, "a sequence column", "a categorical, integer or real column")
	}
	if l := target.Levels(); l < 2 {
		return nil, wrong(m, target.Name, fmt.Sprintf("%d level", l), twoLevels(*target))
	}
	return target, nil
}

// twoLevels is what a model of counts wants of a column that has one level.
func twoLevels(c frame.Column) string {
	if c.Numeric() {
		return `at least two bins in the schema: public "edges", such as 0, 18, 65, 120`
	}
	return "at least two categories or bins in the schema"
}

func (ofCounts) words() Words {
	return Words{
		Measures: []string{"accuracy", "log loss", "KL of target posterior"}, Guess: "majority class",
		Headline: "accuracy", Score: "accuracy", Bars: "Accuracy on held-out rows", Public: "bins",
		Error: "a probability", Source: "every distribution from Dirichlet(%g, …)",
	}
}

// layOut makes one table, of the target.
func (m ofCounts) layOut(sh *Shape) error {
	c := sh.columns[0]
	sh.tables = []Table{{c.Name, []string{c.Name}, []int{c.Levels()}, [][]string{c.Labels()}}}
	return nil
}

func (ofCounts) summer(*Shape) (summer, error) { return nil, nil }

func (m ofCounts) conditionalCounts(_ *Shape, tables [][]int64) [][]int64 { return tables }

func (m ofCounts) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Conditionals != nil {
		return m.fitConditionals(sh, e)
	}
	if err := sh.checkTables(e); err != nil {
		return nil, err
	}
	class, err := sh.dirichlet(m.target, sh.columns[0].Labels(), e.Tables[0], e.WithPrior)
	return &Fitted{shape: sh, class: class, draws: e.Draws}, err
}

func (ofCounts) conditionals(sh *Shape) []Conditional {
	classes := sh.Classes()
	out := []Conditional{{sh.columns[0].Name, 1, classes}}
	for _, c := range sh.columns[1:] {
		out = append(out, Conditional{c.Name, classes, c.Levels()})
	}
	return out
}

// givenClass names the law of column k, which is not the target's, under class j.
func (s *Shape) givenClass(k, j int) string {
	return fmt.Sprintf("%s | %s = %s", plain(s.columns[k].Name), plain(s.columns[0].Name),
		plain(s.columns[0].Labels()[j]))
}

func (ofCounts) fitConditionals(sh *Shape, e Estimate) (*Fitted, error) {
	laws, err := sh.laws(e, func(i int) (func(int) string, []string) {
		return func(j int) string {
			if i == 0 {
				return sh.columns[0].Name
			}
			return sh.givenClass(i, j)
		}, sh.columns[i].Labels()
	})
	if err != nil {
		return nil, err
	}
	return &Fitted{shape: sh, class: laws[0][0], cond: laws[1:], draws: e.Draws}, nil
}

func (ofCounts) fitPlain(st *Statistics) (*Fitted, error) {
	return Fit(st.shape, Estimate{Tables: asFloats(st.tables)})
}

func asFloats(tables [][]int64) [][]float64 {
	out := make([][]float64, len(tables))
	for t, counts := range tables {
		out[t] = make([]float64, len(counts))
		for i, c := range counts {
			out[t][i] = float64(c)
		}
	}
	return out
}

// measure gives the accuracy (ties to the first class), the mean −log probability of the true class, and KL(non-private
// ‖ released) of the target's posterior.
func (ofCounts) measure(f, np *Fitted, x *frame.Frame) ([]float64, error) {
	labels, err := f.Labels(x)
	if err != nil {
		return nil, err
	}
	probs, err := f.Predict(x)
	if err != nil {
		return nil, err
	}
	accuracy, logLoss := 0.0, 0.0
	for i, p := range probs {
		if floats.MaxIdx(p) == labels[i] {
			accuracy++
		}
		logLoss -= math.Log(p[labels[i]])
	}
	n := math.Max(1, float64(len(labels)))
	return []float64{accuracy / n, logLoss / n, posterior.KL(np.class.Dirichlet, f.class.Dirichlet)}, nil
}

// guess is the accuracy of always saying the class that is most frequent in training.
func (ofCounts) guess(np *Fitted, x *frame.Frame) (float64, error) {
	labels, err := np.Labels(x)
	if err != nil {
		return 0, err
	}
	right, class := 0, floats.MaxIdx(np.class.Mean())
	for _, l := range labels {
		if l == class {
			right++
		}
	}
	return float64(right) / math.Max(1, float64(len(labels))), nil
}

func (ofCounts) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	lik, err := f.LogLikelihood(x)
	return []Score{{Name: "log-likelihood per row (nats)", Value: lik}}, err
}

func (ofCounts) means(f *Fitted) (out [][]float64) {
	for _, d := range f.Posteriors() {
		out = append(out, d.Mean())
	}
	return out
}

func (ofCounts) distance(_ *Shape, plain, released [][]float64) (absolute, kl float64) {
	for i, x := range plain {
		for k := range x {
			if x[k] > 0 {
				kl += x[k] * math.Log(x[k]/math.Max(released[i][k], 1e-300)) / float64(len(plain))
			}
		}
	}
	return difference(plain, released), kl
}

// difference is the mean absolute difference over the numbers of every vector and over vectors.
func difference(plain, released [][]float64) (mean float64) {
	for i, x := range plain {
		for k := range x {
			mean += math.Abs(x[k]-released[i][k]) / float64(len(x)*len(plain))
		}
	}
	return mean
}

// densityPoints is how many points a density is drawn with.
const densityPoints = 201

// figure is the density of the first component of the target's posterior.
func (ofCounts) figure(f, np *Fitted, caption string) *figure.Figure {
	target := f.class
	out := &figure.Figure{
		Title:  "Posterior of P(" + target.Name + " = " + target.Labels[0] + ")",
		XLabel: "probability", YLabel: "density", Caption: caption, Private: np != nil,
	}
	names, laws := []string{"released"}, []posterior.Beta{target.Marginal(0)}
	if np != nil {
		names, laws = append(names, "non-private"), append(laws, np.class.Marginal(0))
	}
	lo, hi := 1.0, 0.0
	for _, b := range laws {
		lo, hi = math.Min(lo, b.Quantile(1e-4)), math.Max(hi, b.Quantile(1-1e-4))
	}
	for i, b := range laws {
		s := figure.Series{Name: names[i], Kind: figure.Line, Dashed: i == 1}
		for k := range densityPoints {
			x := lo + (hi-lo)*(float64(k)+0.5)/densityPoints
			s.X, s.Y = append(s.X, x), append(s.Y, math.Exp(b.LogDensity(x)))
		}
		out.Series = append(out.Series, s)
	}
	return out
}

func (ofCounts) steps(sh *Shape, _ int) float64 {
	return 5000 + 200*float64(sh.Cells()) + 800*float64(len(sh.tables))
}

// simulate draws the class, then every feature given the class.
func (ofCounts) simulate(ctx context.Context, sh *Shape, n int, a0 float64, src rand.Source) (*Statistics, error) {
	class := multinomial(int64(n), distribution(sh.Classes(), a0, src), src)
	if len(sh.columns) == 1 {
		return FromCounts(sh, [][]int64{class})
	}
	var tables [][]int64
	for _, c := range sh.columns[1:] {
		var t []int64
		for _, rows := range class {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t = append(t, multinomial(rows, distribution(c.Levels(), a0, src), src)...)
		}
		tables = append(tables, t)
	}
	return FromCounts(sh, tables)
}

func distribution(levels int, a0 float64, src rand.Source) []float64 {
	alpha, out := make([]float64, levels), make([]float64, levels)
	for i := range alpha {
		alpha[i] = a0
	}
	sample.LogDirichlet(src, alpha, out)
	for i := range out {
		out[i] = math.Exp(out[i])
	}
	return out
}

// multinomial draws n records by a chain of binomials.
func multinomial(n int64, p []float64, src rand.Source) []int64 {
	out, rest := make([]int64, len(p)), 1.0
	for i, q := range p {
		if n == 0 || i == len(p)-1 || rest <= 0 {
			out[i] += n
			break
		}
		k := int64(distuv.Binomial{N: float64(n), P: math.Min(1, q/rest), Src: src}.Rand())
		out[i] = k
		n -= k
		rest -= q
	}
	return out
}
