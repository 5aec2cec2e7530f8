package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// CompareOptions says what Compare runs. Zero values take the defaults in brackets.
type CompareOptions struct {
	Mechanisms []mechanism.Mechanism // [geometric and, with Delta, discrete Gaussian, for models made of count tables]
	Runs       []Run                 // further lines, each with targets of its own
	Epsilons   []float64             // [0.1, 0.2, 0.5, 1, 2, 5]
	Delta      float64               // of Mechanisms: 0: pure ε-DP targets; else (ε, δ)
	Adjacency  dp.Adjacency          // of Mechanisms [replace-one]
	Train      float64               // share of rows to train on [0.7]
	Splits     int                   // train/test splits [5]
	Repeats    int                   // releases per run, ε and split [10]
	Seed       uint64
	Progress   func(done, total int64)
}

// Run is one line of a comparison: a mechanism, and what it is asked for at every ε.
type Run struct {
	Name      string
	Mechanism mechanism.Mechanism
	Target    func(epsilon float64) dp.Request // nil: PureDP
}

// Compare draws releases of every run at every ε, on several splits and with several seeds, and measures them on the
// held-out rows beside the non-private model and, where there is one, the guess that knows no features. All plans are
// made before anything is drawn, so an ε that cannot be met fails first. Errors: *dp.ParameterError, those of planning,
// and the context's.
func Compare(ctx context.Context, f *frame.Frame, m model.Model, o CompareOptions) (*Diagnostic, error) {
	o.Train, o.Splits, o.Repeats = cmp.Or(o.Train, 0.7), cmp.Or(o.Splits, 5), cmp.Or(o.Repeats, 10)
	if o.Splits < 1 || o.Repeats < 1 || o.Splits*o.Repeats > 1<<20 {
		return nil, domain.Refuse("eval", "Splits, Repeats", fmt.Sprintf("%d, %d", o.Splits, o.Repeats),
			"at least 1 each, and at most 2^20 together")
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{0.1, 0.2, 0.5, 1, 2, 5}
	}
	c := &comparison{o: o,
		d: &Diagnostic{Dataset: f.Schema().Dataset, Adjacency: o.Adjacency, Delta: o.Delta, own: len(o.Runs) > 0,
			open: ofRows(f)}}
	if err := c.split(f, m); err != nil {
		return nil, err
	}
	if err := c.plan(ctx); err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	return c.d, nil
}

// comparison is the state of one Compare.
type comparison struct {
	o      CompareOptions
	d      *Diagnostic
	splits []split
	plans  []*mechanism.Plan // of every run at every ε
}

// split is one train/test split with the non-private model on it.
type split struct {
	stats  *model.Statistics
	test   *frame.Frame
	fitted *model.Fitted
}

func (c *comparison) split(f *frame.Frame, m model.Model) error {
	var without, guess []float64
	for s := range c.o.Splits {
		train, test, err := f.Split(c.o.Train, c.o.Seed+uint64(s))
		if err != nil {
			return err
		}
		n, public := train.PublicN()
		sh, err := model.NewShape(train.Schema(), m, n, public, train.PrivateNStep())
		if err != nil {
			return err
		}
		if sh.Stratified() != nil {
			return domain.Refuse("eval", "model", sh.Model(), "one without strata that no unit leaves: parts of the table "+
				"have other numbers of rows in them")
		}
		sp := split{test: test}
		if sp.stats, err = model.Count(sh, train); err != nil {
			return err
		}
		if sp.fitted, err = model.FitPrivately(access.Mine(), sp.stats); err != nil {
			return err
		}
		own, err := sp.fitted.Measure(sp.fitted, test)
		if err != nil {
			return err
		}
		g, err := sp.fitted.Guess(test)
		if err != nil {
			return err
		}
		c.d.N, c.d.hiddenN, c.d.shape = train.Len(), !public, sh
		c.splits, without, guess = append(c.splits, sp), append(without, own[0]), append(guess, g)
	}
	c.d.Model = m.String()
	c.d.NonPrivate, c.d.Guess, c.d.words = overSplits(without), overSplits(guess), c.d.shape.Words()
	c.d.fitted = c.splits[0].fitted
	return nil
}

// plan makes one plan per run and ε: the shape is the same on every split.
func (c *comparison) plan(ctx context.Context) error {
	list := c.o.Mechanisms
	if len(list)+len(c.o.Runs) == 0 && c.d.shape.Counts() {
		if list = []mechanism.Mechanism{counts.Geometric()}; c.o.Delta > 0 {
			list = append(list, counts.DiscreteGaussian())
		}
	}
	var runs []Run
	for _, mech := range list {
		runs = append(runs, Run{mech.Title(), mech, c.o.target})
	}
	if runs = append(runs, c.o.Runs...); len(runs) == 0 {
		return domain.Refuse("eval", "Mechanisms", "none", "at least one mechanism")
	}
	for _, run := range runs {
		name := run.Name
		for i := 2; slices.Contains(c.d.runs, name); i++ {
			name = fmt.Sprintf("%s (%d)", run.Name, i)
		}
		c.d.runs = append(c.d.runs, name)
		if run.Target == nil {
			run.Target = dp.PureDP
		}
		for _, eps := range c.o.Epsilons {
			t := run.Target(eps)
			p, err := run.Mechanism.Plan(ctx, c.d.shape, t)
			if err != nil {
				return err
			}
			c.d.hiddenN = c.d.hiddenN || !t.Adjacency.PublicN()
			c.plans = append(c.plans, p)
		}
	}
	return nil
}

func (o CompareOptions) target(epsilon float64) dp.Request {
	if o.Delta != 0 {
		return dp.ApproxDP(epsilon, o.Delta).Under(o.Adjacency)
	}
	return dp.PureDP(epsilon).Under(o.Adjacency)
}

func (c *comparison) run(ctx context.Context) error {
	total, done := int64(len(c.plans)*len(c.splits)*c.o.Repeats), int64(0)
	for i, p := range c.plans {
		values := make([][][]float64, len(c.d.words.Measures)) // measure, split, draw
		for k := range values {
			values[k] = make([][]float64, len(c.splits))
		}
		for s, sp := range c.splits {
			for r := range c.o.Repeats {
				if err := ctx.Err(); err != nil {
					return err
				}
				rel, err := draw(ctx, p, sp.stats, c.o.Seed*1_000_003+uint64((i*len(c.splits)+s)*c.o.Repeats+r))
				if err != nil {
					return err
				}
				one, err := rel.Model().Measure(sp.fitted, sp.test)
				if err != nil {
					return err
				}
				for k, v := range one {
					values[k][s] = append(values[k][s], v)
				}
				if done++; c.o.Progress != nil {
					c.o.Progress(done, total)
				}
			}
		}
		o := Outcome{Run: c.d.runs[i/len(c.o.Epsilons)], Epsilon: c.o.Epsilons[i%len(c.o.Epsilons)],
			Target: p.Target().Parameters, Certified: p.Certified().Parameters}
		for _, v := range values {
			o.Measures = append(o.Measures, spread(v))
		}
		o.Score = o.Measures[0]
		c.d.Outcomes = append(c.d.Outcomes, o)
	}
	c.d.Draws = int(total)
	return nil
}

func overSplits(values []float64) Spread {
	column := make([][]float64, len(values))
	for i, v := range values {
		column[i] = []float64{v}
	}
	s := spread(column)
	s.OverNoise = 0
	return s
}

func spread(values [][]float64) Spread {
	mean, splits, noise := TwoWay(values)
	return Spread{mean, splits, noise}
}

// Outcome is one run at one ε, averaged over splits and noise. Standard errors are kept apart: over splits it says how
// much depends on the rows, over noise how much on the draw.
type Outcome struct {
	Run       string // the mechanism's title, unless CompareOptions.Runs names it
	Epsilon   float64
	Target    dp.Parameters
	Certified dp.Parameters
	Score     Spread   // the first of Measures
	Measures  []Spread // see Diagnostic.Measures
}

// Spread is a mean with its standard errors over splits and over noise.
type Spread struct{ Mean, OverSplits, OverNoise float64 }

// Diagnostic is a comparison that drew many times from private data. Private: do not publish.
type Diagnostic struct {
	Model      string
	Dataset    string
	N          int // training rows
	Adjacency  dp.Adjacency
	Delta      float64
	Outcomes   []Outcome
	NonPrivate Spread // the score without privacy; OverNoise is 0
	Guess      Spread // the score of the majority class, or of the middle of a response's public range; 0 for rates
	Draws      int    // releases drawn
	shape      *model.Shape
	fitted     *model.Fitted // without privacy, to the first split
	words      model.Words
	runs       []string
	own        bool // some runs have targets of their own
	open       public
	hiddenN    bool // Where, or an adjacency, makes the number of rows private
}

// Measures names what releases are compared by: accuracy, log loss (mean −log P(true class | features), nats) and the
// divergence (nats) of the target's non-private posterior from the released one; the mean squared error of a
// regression; minus the mean log-density of a rate.
func (d *Diagnostic) Measures() []string { return d.words.Measures }

// setting is n and, where it is the same for all runs, the adjacency.
func (d *Diagnostic) setting(more string) string {
	s := shownN(fmt.Sprintf("n = %d", d.N), d.hiddenN && d.open == "")
	if d.own {
		return s
	}
	return s + more + ", " + d.Adjacency.String()
}

// Table shows the measures of every run and ε.
func (d *Diagnostic) Table() *table.Table {
	first, rest := d.words.Measures[0], d.words.Measures[1:]
	head := []string{"mechanism", "target"}
	if d.own {
		head = append(head, "certified")
	}
	t := table.New(d.open.title(fmt.Sprintf("%s on %s, %s", d.Model, safetext.Quote(d.Dataset), d.setting(""))),
		append(append(head, first, "s.e. splits", "s.e. noise"), rest...)...)
	add := func(name, target, certified string, s Spread, rest ...Spread) {
		row := []any{name, target}
		if d.own {
			row = append(row, certified)
		}
		row = append(row, s.Mean, s.OverSplits, s.OverNoise)
		for _, r := range rest {
			row = append(row, r.Mean)
		}
		t.Add(row...)
	}
	add("non-private", "none", "none", d.NonPrivate)
	if d.words.Guess != "" {
		add(d.words.Guess, "none", "none", d.Guess)
	}
	for _, o := range d.Outcomes {
		add(o.Run, o.Target.String(), o.Certified.String(), o.Score, o.Measures[1:]...)
	}
	if !d.shape.Counts() {
		return fittedBy(t, d.fitted).Note(fmt.Sprintf("%d releases were drawn from the private table, next to the exact "+
			"sums. Publishing this table has no privacy guarantee at any ε.", d.Draws))
	}
	if slices.ContainsFunc(d.Outcomes, func(o Outcome) bool { return o.Measures[len(rest)].Mean > farApartKL }) {
		t.Note(narrowPosteriors)
	}
	return t.Note(fmt.Sprintf("%d releases were drawn from the private table, next to the exact counts. "+
		"Publishing this table has no privacy guarantee at any ε; "+
		"to publish one accuracy, charge it: see PrivateAccuracy.", d.Draws))
}

// Figure is the score against ε with a band of two standard errors, and lines for the non-private model and the guess.
func (d *Diagnostic) Figure() *figure.Figure {
	score := d.words.Measures[0]
	initial, size := utf8.DecodeRuneInString(score)
	f := &figure.Figure{
		Title: string(unicode.ToUpper(initial)) + score[size:] + " of " + d.Model, XLabel: "ε (more private to the left)",
		YLabel:   score + " on held-out rows",
		Subtitle: "Mean over splits and releases. Bars: ± 2 standard errors.",
		LogX:     true, LogY: d.words.LogScale, YPercent: score == "accuracy", Private: d.open == "",
		Caption: d.open.caption(fmt.Sprintf("%s, %s; bars: ± 2 standard errors over splits and noise",
			safetext.Quote(d.Dataset), d.setting(", δ = "+table.Number(d.Delta)))),
		HLines: []figure.Reference{{Name: "non-private", Y: d.NonPrivate.Mean}},
	}
	if d.words.Guess != "" {
		f.HLines = append(f.HLines, figure.Reference{Name: d.words.Guess, Y: d.Guess.Mean})
	}
	for _, name := range d.runs {
		s := figure.Series{Name: name, Kind: figure.Band}
		for _, o := range d.Outcomes {
			if o.Run != name {
				continue
			}
			se := math.Hypot(o.Score.OverSplits, o.Score.OverNoise)
			lo := o.Score.Mean - 2*se
			if d.words.LogScale {
				lo = math.Max(lo, o.Score.Mean/2)
			}
			s.X, s.Y = append(s.X, o.Epsilon), append(s.Y, o.Score.Mean)
			s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, o.Score.Mean+2*se)
		}
		f.Series = append(f.Series, s)
	}
	if from := d.near(f); from > 0 && score == "accuracy" {
		f.Title = fmt.Sprintf("From ε = %s on, privacy costs %g points on average or less", figure.Number(from), 100*nearly)
	}
	return f
}

// nearly is how much less than the score without privacy still counts as near it.
const nearly = .03

// near is the least ε tried from which on every run's mean stays that near, at it and at every larger one; 0 for none.
func (d *Diagnostic) near(f *figure.Figure) float64 {
	from := 0.0
	for _, s := range f.Series {
		reached := 0.0
		for i := len(s.X) - 1; i >= 0 && s.Y[i] >= d.NonPrivate.Mean-nearly; i-- {
			reached = s.X[i]
		}
		if reached == 0 {
			return 0
		}
		from = math.Max(from, reached)
	}
	return from
}

// String shows the comparison as text.
func (d *Diagnostic) String() string { return table.Text(d) }

// Reaches is the least ε tried from which on a run's score stays within a distance of the score without privacy, at
// this ε and at every larger one: what the figure shows, in one number. ok is false where the run never comes so near.
// The number was made from the private table: do not publish. Errors: *dp.ParameterError for a distance that is
// negative or no number, and for a run that is not in the comparison.
func (d *Diagnostic) Reaches(run string, distance float64) (epsilon float64, ok bool, err error) {
	if !(distance >= 0) {
		return 0, false, domain.Refuse("eval", "distance", distance, "a number ≥ 0")
	}
	var own []Outcome
	for _, o := range d.Outcomes {
		if o.Run == run {
			own = append(own, o)
		}
	}
	if len(own) == 0 {
		return 0, false, domain.Refuse("eval", "run", run, "one of "+safetext.List(d.runs, 10))
	}
	slices.SortFunc(own, func(a, b Outcome) int { return cmp.Compare(b.Epsilon, a.Epsilon) })
	for _, o := range own {
		if gap := math.Abs(o.Score.Mean - d.NonPrivate.Mean); !(gap <= distance) {
			break
		}
		epsilon, ok = o.Epsilon, true
	}
	return epsilon, ok, nil
}

// Headlines are two lines for a terminal that say what the figure shows of a run: the least ε from which on its score
// stays within a distance of the score without privacy, and the scores there, or at the largest ε where there is none.
// They were made from the private table: do not publish. Errors are those of Reaches.
func (d *Diagnostic) Headlines(run string, distance float64) (string, error) {
	epsilon, ok, err := d.Reaches(run, distance)
	if err != nil {
		return "", err
	}
	reached, where := "none tried", "at the largest"
	if ok {
		reached, where = table.Number(epsilon), "there"
	}
	var at Outcome
	for _, o := range d.Outcomes {
		if o.Run == run && (o.Epsilon == epsilon || !ok && o.Epsilon > at.Epsilon) {
			at = o
		}
	}
	score := d.words.Measures[0]
	return fmt.Sprintf("headline: ε from which the %s stays within %s of the line without privacy = %s\n"+
		"headline: %s %s, mean of %d releases, where the line without privacy is at %s = %s\n",
		score, table.Number(distance), reached, score, where, d.Draws/len(d.Outcomes), table.Number(d.NonPrivate.Mean),
		table.Number(at.Score.Mean)), nil
}
