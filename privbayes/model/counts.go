package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/safetext"
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
	conditionalTable(f *Fitted, feature string, cell cellOf) (*table.Table, error)
	shown(f *Fitted, cell cellOf) []*table.Table
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

// Synthesizes reports whether releases of the model make whole records.
func (s *Shape) Synthesizes() bool {
	_, ok := s.model.(counted)
	return ok
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
	return target, countable(m, target)
}

// countable refuses columns without levels, and with one level.
func countable(m Model, c *frame.Column) error {
	if c.Kind == frame.KindSequence {
		return wrong(m, c.Name, "a sequence column", "a categorical, integer or real column")
	}
	if c.Levels() < 2 {
		return wrong(m, c.Name, levelsOf(*c), twoLevels(*c))
	}
	return nil
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
	name, labels := sh.whole()
	class, err := sh.dirichlet(name, labels, e.Tables[0], e.WithPrior)
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
		if i == 0 {
			name, labels := sh.whole()
			return func(int) string { return name }, labels
		}
		return func(j int) string { return sh.givenClass(i, j) }, sh.columns[i].Labels()
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

// figure is the density of the first component of the target's posterior at the released counts, as if there were no
// noise in them, and the mean without privacy.
func (ofCounts) figure(f, np *Fitted, caption string) *figure.Figure {
	target := f.class
	of := "P(" + target.Name + " = " + target.Labels[0] + ")"
	out := &figure.Figure{Title: "Posterior of " + of, XLabel: of, YLabel: "density", Caption: caption,
		Subtitle: "At the released counts, as if there were no noise in them.", Private: np != nil}
	b := target.Marginal(0)
	lo, hi := b.Quantile(1e-4), b.Quantile(1-1e-4)
	if np != nil {
		mean := np.class.Marginal(0).Mean()
		out.VLines = []figure.Reference{{Name: fmt.Sprintf("without privacy: %.3f", mean), Y: mean}}
	}
	s := figure.Series{Name: "noise ignored", Kind: figure.Density, Dashed: true}
	for k := range densityPoints {
		x := lo + (hi-lo)*(float64(k)+0.5)/densityPoints
		s.X, s.Y = append(s.X, x), append(s.Y, math.Exp(b.LogDensity(x)))
	}
	out.Series = []figure.Series{s}
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

// CategoricalModel is the Dirichlet posterior of one column: see Categorical and Binary.
type CategoricalModel struct {
	ofCounts
	binary bool
}

// Categorical is the Dirichlet posterior of one column, under the prior Dirichlet(α, …, α) with α = 1.
func Categorical(column string) CategoricalModel {
	return CategoricalModel{ofCounts: ofCounts{base{column, Prior{1}}}}
}

// Binary is the Beta posterior of a column with two levels, under the prior Beta(α, α) with α = 1.
func Binary(column string) CategoricalModel {
	m := Categorical(column)
	m.binary = true
	return m
}

// WithPrior sets the prior: one hyperparameter α > 0 for every level, or one per level in the schema's order, such as
// WithPrior(7, 4) for Beta(7, 4). α is public: choose it without the data.
func (m CategoricalModel) WithPrior(alpha ...float64) CategoricalModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// String describes the model.
func (m CategoricalModel) String() string {
	return fmt.Sprintf("%s posterior of %s", m.describe().Kind, safetext.Quote(m.target))
}

func (m CategoricalModel) describe() Description {
	d := Description{Kind: "categorical", Target: m.target, Alpha: m.alpha}
	if m.binary {
		d.Kind = "binary"
	}
	return d
}

func (m CategoricalModel) with(d Description) Model { m.target, m.alpha = d.Target, d.Alpha; return m }

func (m CategoricalModel) columns(s *frame.Schema) ([]frame.Column, error) {
	c, err := targetColumn(m, s, true)
	if err != nil {
		return nil, err
	}
	if m.binary && c.Levels() != 2 {
		return nil, wrong(m, m.target, levelsOf(*c), "exactly two; use Categorical for more")
	}
	return []frame.Column{*c}, nil
}

// Conditional is one column given every configuration of its parents: what a model made of count tables has a
// distribution for.
type Conditional struct {
	Name         string
	Rows, Levels int
}

// Conditionals lists the conditional distributions of a model made of count tables: the one of a categorical model; the
// class, then every feature given the class, of naive Bayes; every node of a network.
func (s *Shape) Conditionals() []Conditional {
	if m, ok := s.model.(counted); ok {
		return m.conditionals(s)
	}
	return nil
}

// ConditionalCounts are the counts behind every conditional distribution, its levels running fastest, from the tables
// of one data set laid out as Tables. They are as private as the tables; nil for models without tables.
func (s *Shape) ConditionalCounts(tables [][]int64) [][]int64 {
	if m, ok := s.model.(counted); ok {
		return m.conditionalCounts(s, tables)
	}
	return nil
}

// TableOf is the table that ConditionalCounts reads distribution i of Conditionals from.
func (s *Shape) TableOf(i int) int {
	switch {
	case s.dag != nil:
		return s.holds[i][0]
	case s.SharesClass():
		return max(i-1, 0)
	}
	return 0
}

// laws makes the distributions of given parameters, with the name and the labels of row j of conditional i: the
// released counts hold all there is, and no prior is added.
func (s *Shape) laws(e Estimate, named func(i int) (name func(row int) string, labels []string)) (out [][]Named,
	err error) {
	list := s.Conditionals()
	if len(e.Conditionals) != len(list) {
		return nil,
			wrong(s.model, "", fmt.Sprintf("%d conditional distributions", len(e.Conditionals)), fmt.Sprint(len(list)))
	}
	for i, c := range list {
		if len(e.Conditionals[i]) != c.Rows*c.Levels {
			return nil, wrong(s.model, c.Name, fmt.Sprintf("%d parameters", len(e.Conditionals[i])),
				fmt.Sprint(c.Rows*c.Levels))
		}
		rows := make([]Named, c.Rows)
		name, labels := named(i)
		for j := range rows {
			if rows[j], err = s.dirichlet(name(j), labels, e.Conditionals[i][j*c.Levels:(j+1)*c.Levels],
				true); err != nil {
				return nil, err
			}
		}
		out = append(out, rows)
	}
	return out, nil
}

// NaiveBayesModel is naive Bayes: P(class) ∏_k P(x_k | class). See NaiveBayes.
type NaiveBayesModel struct {
	ofCounts
	features []string
}

// NaiveBayes is the classifier P(class) ∏_k P(x_k | class) with a Dirichlet(α, …, α) prior, α = 1, on the class and on
// every conditional. Without features it uses every other column of the schema that is not a sequence.
func NaiveBayes(class string, features ...string) NaiveBayesModel {
	return NaiveBayesModel{ofCounts{base{class, Prior{1}}}, features}
}

// WithPrior sets the prior: one hyperparameter α > 0 for every cell. α is public: choose it without the data.
func (m NaiveBayesModel) WithPrior(alpha ...float64) NaiveBayesModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// AsNetwork is the model as a network: the class is every feature's parent. The features must be named.
func (m NaiveBayesModel) AsNetwork() NetworkModel {
	n := Network(m.target, Node(m.target)).WithPrior(m.alpha...)
	for _, f := range m.features {
		n.families = append(n.families, Node(f, m.target))
	}
	return n
}

// String describes the model.
func (m NaiveBayesModel) String() string { return "naive Bayes of " + safetext.Quote(m.target) }

func (m NaiveBayesModel) describe() Description {
	return Description{Kind: "naive-bayes", Target: m.target, Features: m.features, Alpha: m.alpha}
}

func (m NaiveBayesModel) with(d Description) Model {
	m.target, m.features, m.alpha = d.Target, d.Features, d.Alpha
	return m
}

func (m NaiveBayesModel) columns(s *frame.Schema) ([]frame.Column, error) {
	target, err := targetColumn(m, s, false)
	if err != nil {
		return nil, err
	}
	cols, names := []frame.Column{*target}, m.features
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Name != m.target && c.Kind != frame.KindSequence {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &Error{Model: m.String(), Want: "at least one feature column besides the class"}
	}
	seen, of := map[string]bool{m.target: true}, nameColumns(s)
	for _, name := range names {
		c, err := of.column(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, wrong(m, name, "named twice", "each column once, and the class not among the features")
		}
		if c.Kind == frame.KindSequence {
			return nil, wrong(m, name, "a sequence column", "categorical, integer or real features")
		}
		if c.Levels() < 2 {
			return nil, wrong(m, name, levelsOf(*c), twoLevels(*c)+"; leave a constant feature out")
		}
		seen[name] = true
		cols = append(cols, *c)
	}
	return cols, nil
}

// layOut makes one class × feature table for every feature.
func (m NaiveBayesModel) layOut(sh *Shape) error {
	class, total := sh.columns[0], 0
	for _, c := range sh.columns[1:] {
		t := Table{c.Name + " × " + class.Name, []string{class.Name, c.Name}, []int{class.Levels(), c.Levels()},
			[][]string{class.Labels(), c.Labels()}}
		if total += t.Cells(); total > maxCells {
			return wrong(m, c.Name, fmt.Sprintf("%d cells so far", total),
				fmt.Sprintf("at most %d cells in all tables; use fewer bins or features", maxCells))
		}
		sh.tables = append(sh.tables, t)
	}
	return nil
}

// SharesClass reports whether all tables are of the class with one other column, so that every one of them tells the
// class counts: those of naive Bayes.
func (s *Shape) SharesClass() bool {
	_, ok := s.model.(NaiveBayesModel)
	return ok
}

func (m NaiveBayesModel) conditionalCounts(sh *Shape, tables [][]int64) [][]int64 {
	levels, class := sh.tables[0].Levels[1], make([]int64, sh.Classes())
	for i, c := range tables[0] {
		class[i/levels] += c
	}
	return append([][]int64{class}, tables...)
}

// ClassMargin estimates the class counts of naive Bayes from its class × feature tables: the mean of the K row sums of
// each class weighted 1/C_k (the variance of a sum of C_k noisy cells grows with C_k), shifted to add up to n where n
// is public, and cut to [0, n]. Tables are laid out as sh.Tables and may be noisy or negative. For other models it is
// nil.
func ClassMargin(sh *Shape, tables [][]float64) []float64 {
	if !sh.SharesClass() {
		return nil
	}
	out := make([]float64, sh.Classes())
	weights := 0.0
	for k, t := range sh.tables {
		levels := t.Levels[1]
		w := 1 / float64(levels)
		weights += w
		for i, y := range tables[k] {
			out[i/levels] += w * y
		}
	}
	total := 0.0
	for j := range out {
		out[j] /= weights
		total += out[j]
	}
	top := math.Inf(1)
	if sh.publicN {
		top = float64(sh.n)
		for j := range out {
			out[j] += (top - total) / float64(len(out))
		}
	}
	for j := range out {
		out[j] = math.Min(math.Max(out[j], 0), top)
	}
	return out
}

// fit adds the prior: class ~ Dirichlet(α + N_j), and each x_k | class j ~ Dirichlet(α + N_jc), one over the feature's
// values per class.
func (m NaiveBayesModel) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Conditionals != nil {
		return m.fitConditionals(sh, e)
	}
	if err := sh.checkTables(e); err != nil {
		return nil, err
	}
	class, err := sh.dirichlet(m.target, sh.columns[0].Labels(), e.Class, e.WithPrior)
	if err != nil {
		return nil, err
	}
	f := &Fitted{shape: sh, class: class, draws: e.Draws}
	for k, c := range sh.columns[1:] {
		levels, rows := c.Levels(), make([]Named, sh.Classes())
		for j := range rows {
			if rows[j], err = sh.dirichlet(sh.givenClass(k+1, j), c.Labels(), e.Tables[k][j*levels:(j+1)*levels],
				e.WithPrior); err != nil {
				return nil, err
			}
		}
		f.cond = append(f.cond, rows)
	}
	return f, nil
}

func (m NaiveBayesModel) fitPlain(st *Statistics) (*Fitted, error) {
	e := Estimate{Tables: asFloats(st.tables)}
	e.Class = asFloats(m.conditionalCounts(st.shape, st.tables))[0]
	return m.fit(st.shape, e)
}
