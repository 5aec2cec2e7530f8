package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimate holds estimated counts: every table of a shape, and the class counts where tables share a class. Counts are
// real numbers ≥ 0.
type Estimate struct {
	Tables [][]float64
	Class  []float64 // naive Bayes only
	// WithPrior says that the counts hold pseudo-counts already, as the parameters of a draw from a posterior do: [Fit]
	// adds no prior.
	WithPrior bool
	// Conditionals, in place of Tables, are parameters: every conditional distribution of the shape, laid out as
	// ConditionalCounts, times the number of records that it stands for. No prior is added.
	Conditionals [][]float64
	// Families are the structure that was learned, of models that learn one: Conditionals are those of its nodes.
	Families []Family
	// Potentials are those of the fit of maximum entropy behind Conditionals, for each set of columns that was measured.
	Potentials [][]float64
	// Within says, of columns of numbers, where in their bins the values lie; values of others are drawn evenly.
	Within []WithinBins
	// Structure says how it was learned.
	Structure *Structure
	// Pairs gives the fitted distribution of pair i of a learned structure's Shape.Pairs; nil: that of the network of
	// Families and Conditionals.
	Pairs func(i int) ([]float64, error)
	// Draws are draws of the parameters, for mechanisms that release a posterior sample; models without count tables
	// have nothing else.
	Draws *Draws
	// Sampling draws them when they are asked for, in place of Draws.
	Sampling *Sampling
}

// Named is a Dirichlet posterior with a name and the labels of its components.
type Named struct {
	Name   string
	Labels []string
	*posterior.Dirichlet
}

// Fitted is a model with its posterior, given counts.
type Fitted struct {
	shape *Shape
	class Named         // the posterior of the target
	cond  [][]Named     // naive Bayes: [feature][class]; network: [node][parent configuration]
	net   *bayesnet.Net // of networks only
	exact *bayesnet.Net // that with probability 0 where there are structural zeros; nil without them
	draws *Draws        // where a posterior sample was released
	later *later        // where draws are made when they are asked for
	of    *Shape        // of a learned network: the shape that it was learned under
	bins  []WithinBins  // where in bins values lie

	pairsOf func(i int) ([]float64, error) // of a learned network: the distribution of a pair of its shape

	majority  int  // of a logistic regression without privacy: the class most frequent in training
	likeliest bool // the same: of its own equations, and not of least squares
	noisy     bool // the counts carry noise, which the posterior ignores
}

// Fit makes the model of an estimate. Of count tables it adds the prior to the counts; of other models the draws are
// what there is.
func Fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Draws != nil {
		if err := e.Draws.valid(sh); err != nil {
			return nil, err
		}
	}
	return sh.model.fit(sh, e)
}

// FitPrivately fits the model to the raw counts or sums: the non-private line of every comparison. What it returns
// reads the data, so it belongs in diagnostics only: private, do not publish. Errors: ErrSealed without the key.
func FitPrivately(key access.Key, st *Statistics) (*Fitted, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	return st.shape.model.fitPlain(st)
}

// checkTables compares the sizes of estimated tables with those of the shape.
func (s *Shape) checkTables(e Estimate) error {
	if len(e.Tables) != len(s.tables) {
		return wrong(s.model, "", fmt.Sprintf("%d tables", len(e.Tables)), fmt.Sprintf("%d", len(s.tables)))
	}
	for k, t := range s.tables {
		if len(e.Tables[k]) != t.Cells() {
			return wrong(s.model, t.Name, fmt.Sprintf("%d cells", len(e.Tables[k])), fmt.Sprintf("%d", t.Cells()))
		}
	}
	return nil
}

// dirichlet is the posterior of counts. Parameters drawn with the prior may be 0 in floating point; a Dirichlet needs
// them positive.
func (s *Shape) dirichlet(name string, labels []string, counts []float64, withPrior bool) (Named, error) {
	if len(counts) != len(labels) {
		return Named{}, wrong(s.model, name, fmt.Sprintf("%d counts", len(counts)), fmt.Sprintf("%d", len(labels)))
	}
	alpha := make([]float64, len(counts))
	for i, c := range counts {
		if alpha[i] = s.model.Prior().At(i) + c; withPrior {
			alpha[i] = math.Max(c, leastParameter)
		}
	}
	d, err := posterior.NewDirichlet(alpha)
	if err != nil {
		return Named{}, err
	}
	return Named{name, labels, d}, nil
}

// leastParameter is far below any estimated probability and far above the least positive float64.
const leastParameter = 1e-290

// Shape is the public shape of the model.
func (f *Fitted) Shape() *Shape { return f.shape }

// Target is the posterior of the target column; it has no Dirichlet for a model without count tables.
func (f *Fitted) Target() Named { return f.class }

// Posteriors lists every Dirichlet of the model: the target's, then each feature's given each class, or each node's
// given each configuration of its parents.
func (f *Fitted) Posteriors() []Named {
	out := []Named{f.class}
	for _, rows := range f.cond {
		out = append(out, rows...)
	}
	return out
}

// OfNoisyCounts marks a model of counts with noise, which its posterior ignores, so that its summary says so.
func (f *Fitted) OfNoisyCounts() *Fitted {
	f.noisy = true
	return f
}

// Summary is the mean, standard deviation and equal-tailed 95 % credible interval of every component of the target's
// posterior, or of every parameter that draws were released of.
func (f *Fitted) Summary() *table.Table {
	if m, ok := f.shape.model.(interface{ summary(f *Fitted) *table.Table }); ok {
		return m.summary(f)
	}
	if f.Draws() != nil {
		return f.Draws().Summary()
	}
	t := f.class.Summary(plains(f.class.Labels)...).Table()
	t.Title = "Posterior of " + plain(f.class.Name)
	if f.noisy {
		t.Title += ", noise ignored"
		t.Note("The posterior as if the released estimates were the counts: its intervals are too narrow. Summary() of the " +
			"release has intervals that include the noise.")
	}
	return t
}

// Conditionals is the table of posterior means of a feature given each class, or of a network's node given each
// configuration of its parents; for an unknown feature an *Error.
func (f *Fitted) Conditionals(feature string) (*table.Table, error) {
	m, ok := f.shape.model.(counted)
	if !ok {
		return nil, wrong(f.shape.model, feature, "no conditional distributions", "a model made of count tables")
	}
	return m.conditionalTable(f, feature, f.meanOf)
}

// meanOf is the posterior mean of a level under row j of the distributions of a feature or a node; of a contingency
// table of two columns as its layout asks for them.
func (f *Fitted) meanOf(of, j, level int) any {
	switch {
	case !f.shape.Joint():
		return f.cond[of][j].Mean()[level]
	case of == 0:
		return f.class.Mean()[j*f.shape.columns[1].Levels()+level]
	}
	return f.Margins()[of-1].Mean()[level]
}

func (ofCounts) conditionalTable(f *Fitted, feature string, cell cellOf) (*table.Table, error) {
	for k, c := range f.shape.columns[1:] {
		if c.Name == feature {
			return cellTable(plain(feature)+" given "+plain(f.class.Name), plain(f.class.Name), c.Labels(),
				plains(f.class.Labels), k, cell), nil
		}
	}
	return nil, wrong(f.shape.model, feature, "not a feature", safetext.OneOf(feature, f.shape.columnNames()[1:]))
}

// cellOf is what a table shows of a level, under row j of the distributions of a feature or a node.
type cellOf func(of, j, level int) any

// cellTable shows every row of the distributions of a feature or a node.
func cellTable(title, head string, levels, names []string, of int, cell cellOf) *table.Table {
	t := table.New(title, append([]string{head}, plains(levels)...)...)
	for j, name := range names {
		row := []any{name}
		for l := range levels {
			row = append(row, cell(of, j, l))
		}
		t.Add(row...)
	}
	return t
}

// columnNames lists the model's columns, the target first.
func (s *Shape) columnNames() []string {
	var names []string
	for _, c := range s.columns {
		names = append(names, c.Name)
	}
	return names
}

// Words are what people read about the model.
func (s *Shape) Words() Words {
	w := s.model.words()
	if w.Axis = w.Score; s.linear != nil && !s.Classifies() {
		w.Axis += " of " + s.columns[0].Difference()
	}
	return w
}

// Score is a number that a fitted model gets on held-out rows: private, do not publish.
type Score struct {
	Name  string
	Value float64 // NaN where the model does not know it
	Share bool    // to be shown in per cent
}

// Scores are what the model says of held-out rows, beside the scores of class probabilities: the log-likelihood; the
// errors and intervals of a regression; the log-density of a rate. Errors: *Error without rows, *MismatchError.
func (f *Fitted) Scores(x *frame.Frame) ([]Score, error) {
	if err := f.shape.Accepts(x); err != nil {
		return nil, err
	}
	return f.shape.model.scores(f, x)
}

// Measure gives the numbers that comparisons of the model are about, as Words.Measures names them, on held-out rows and
// beside the model np that was fitted without privacy. Where n is private, no rows measure 0: a refusal would tell that
// there are none. Errors: *Error if np is none or fitted to another model, *MismatchError.
func (f *Fitted) Measure(np *Fitted, x *frame.Frame) ([]float64, error) {
	if err := cmp.Or(f.beside(np), f.shape.Accepts(x)); err != nil {
		return nil, err
	}
	return f.shape.model.measure(f, np, x)
}

// Guess is the first of the measures for what Words.Guess names, which knows no features.
func (f *Fitted) Guess(x *frame.Frame) (float64, error) {
	if err := f.shape.Accepts(x); err != nil {
		return 0, err
	}
	return f.shape.model.guess(f, x)
}

// Figure draws the posterior of the target or, of a model of numbers, the draws of its parameters: released and, when
// np is not nil, non-private. With np it is private. Errors: *Error if np is fitted to another model.
func (f *Fitted) Figure(np *Fitted, caption string) (*figure.Figure, error) {
	if np != nil {
		if err := f.beside(np); err != nil {
			return nil, err
		}
	}
	return f.shape.model.figure(f, np, caption), nil
}

// beside checks a model that f is compared with: it must be there, and of the same model and schema; n and the rows may
// differ.
func (f *Fitted) beside(np *Fitted) error {
	if np == nil {
		return wrong(f.shape.model, "", "no model to compare with", "one fitted to the same model without privacy")
	}
	if f.of != nil && np.of != nil && f.of.WithoutN().OfRows().Equal(np.of.WithoutN().OfRows()) {
		return nil // two structures that were learned under one shape
	}
	if f.shape != np.shape && !f.shape.WithoutN().OfRows().Equal(np.shape.WithoutN().OfRows()) {
		return wrong(f.shape.model, "", "a comparison with "+np.shape.model.String(), "the same model on the same schema")
	}
	return nil
}

// Simulate draws the statistics of a data set of the shape from the public prior that Words.Source names, with the
// hyperparameter a0 > 0 of every distribution. No data is read. Errors: *Error for a private n or another a0, the
// context's.
func (s *Shape) Simulate(ctx context.Context, a0 float64, src rand.Source) (*Statistics, error) {
	if !s.publicN {
		return nil, wrong(s.model, "", "a simulation with private n", "a shape with a public number of rows")
	}
	if !(a0 > 0) || math.IsInf(a0, 1) {
		return nil, wrong(s.model, "", fmt.Sprintf("hyperparameter %v", a0), "a finite number > 0")
	}
	return s.model.simulate(ctx, s, s.n, a0, src)
}

// SimulationSteps is about what Simulate takes, in steps of some nanoseconds.
func (s *Shape) SimulationSteps() float64 { return s.model.steps(s, s.n) }

// Means are the numbers that releases are compared by before a draw: the posterior mean of every distribution of a
// model made of count tables; of other models one vector, the means of the parameters; of a learned structure the
// distributions of its pairs of columns, whatever the structure.
func (f *Fitted) Means() [][]float64 {
	if f.pairsOf != nil {
		return f.learnedPairs()
	}
	return f.shape.model.means(f)
}

// Means are those of the model fitted without privacy; the key keeps them inside this module. Errors: ErrSealed without
// it.
func (s *Statistics) Means(key access.Key) ([][]float64, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if m, ok := s.shape.model.(interface {
		exactMeans(st *Statistics) ([][]float64, error)
	}); ok {
		return m.exactMeans(s)
	}
	f, err := s.shape.model.fitPlain(s)
	if err != nil {
		return nil, err
	}
	return f.Means(), nil
}

// Distance compares Means: the mean absolute difference, which of a rate is relative, and for distributions the mean of
// KL(plain ‖ released), nats, else NaN. Both are NaN where the two are not of one layout, or nothing is there.
func (s *Shape) Distance(plain, released [][]float64) (absolute, kl float64) {
	alike := func(a, b []float64) bool { return len(a) == len(b) && len(a) > 0 }
	if len(plain) == 0 || !slices.EqualFunc(plain, released, alike) {
		return math.NaN(), math.NaN()
	}
	return s.model.distance(s, plain, released)
}

// Draws is a list of draws from a posterior, in the order drawn: every one a value for each named parameter. A list,
// not a set: equal draws count as often as they came.
type Draws struct {
	Names  []string    `json:"names"`
	Values [][]float64 `json:"values"` // draws × parameters

	Chains int `json:"-"` // that they are of, chain by chain, equally many of each; 0: independent draws
}

// valid checks the shape of the list: *Error.
func (d *Draws) valid(sh *Shape) error {
	for i, v := range d.Values {
		if len(v) != len(d.Names) {
			return wrong(sh.model, "", fmt.Sprintf("%d numbers in draw %d", len(v), i), fmt.Sprintf("%d", len(d.Names)))
		}
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return wrong(sh.model, "", "a draw that is not finite", "finite parameters")
			}
		}
	}
	if len(d.Values) == 0 {
		return wrong(sh.model, "", "no draws", "at least one")
	}
	return nil
}

// Len is the number of draws.
func (d *Draws) Len() int { return len(d.Values) }

// Mean is the mean of every parameter over the draws.
func (d *Draws) Mean() []float64 {
	out := make([]float64, len(d.Names))
	for _, v := range d.Values {
		for i, x := range v {
			out[i] += x / float64(len(d.Values))
		}
	}
	return out
}

// Parameter is the draws of one parameter, in order; ok is false if there is none of that name.
func (d *Draws) Parameter(name string) (values []float64, ok bool) {
	i := slices.Index(d.Names, name)
	if i < 0 {
		return nil, false
	}
	for _, v := range d.Values {
		values = append(values, v[i])
	}
	return values, true
}

// Quantile is the p-quantile of parameter i over the draws, linear between order statistics.
func (d *Draws) Quantile(i int, p float64) float64 {
	values := make([]float64, len(d.Values))
	for k, v := range d.Values {
		values[k] = v[i]
	}
	slices.Sort(values)
	at := p * float64(len(values)-1)
	lo := int(math.Floor(at))
	hi := min(lo+1, len(values)-1)
	return values[lo] + (at-float64(lo))*(values[hi]-values[lo])
}

// summaryDraws is the number of draws from which a summary shows quantiles.
const summaryDraws = 20

// Summary is the mean, standard deviation and, from 20 draws on, the 2.5 % and 97.5 % quantiles of every parameter over
// the draws.
func (d *Draws) Summary() *table.Table {
	head := []string{"parameter", "mean", "sd"}
	if d.Len() >= summaryDraws {
		head = append(head, "2.5 %", "97.5 %")
	}
	t := table.New(fmt.Sprintf("Posterior sample of %d", d.Len()), head...)
	mean := d.Mean()
	for i, name := range d.Names {
		ss := 0.0
		for _, v := range d.Values {
			ss += (v[i] - mean[i]) * (v[i] - mean[i])
		}
		sd := math.Sqrt(ss / float64(d.Len()-1))
		if !(sd > 0) { // one draw, or all the same
			t.Add(name, mean[i])
			continue
		}
		decimals := table.Decimals(sd)
		row := []any{name, table.Fixed(mean[i], decimals), table.Fixed(sd, decimals)}
		if d.Len() >= summaryDraws {
			row = append(row, table.Fixed(d.Quantile(i, .025), decimals), table.Fixed(d.Quantile(i, .975), decimals))
		}
		t.Add(row...)
	}
	return t.Note("What the draws show is the posterior as sampled: trimmed or flattened where the mechanism needed it.")
}
