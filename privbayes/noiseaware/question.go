package noiseaware

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Event is a level for each of some columns: {"smoke": "yes", "lung": "no"}.
type Event map[string]string

// words are the levels in the order of the columns' names.
func (e Event) words() string {
	var out []string
	for _, c := range slices.Sorted(maps.Keys(e)) {
		out = append(out, safetext.Line(c)+" = "+safetext.Line(e[c]))
	}
	return strings.Join(out, ", ")
}

// key tells events apart whatever their names hold.
func (e Event) key() string {
	out := ""
	for _, c := range slices.Sorted(maps.Keys(e)) {
		out += fmt.Sprintf("%q=%q,", c, e[c])
	}
	return out
}

// Question is a number that every network over the columns has. Values come from [Probability] and what is made of
// those, and from [Function].
type Question struct {
	name    string
	key     string // equal for equal questions; a function's is its own
	compile func(d *bayesnet.DAG) (evaluator, error)
	of      Event   // of an unconditional probability
	given   []Event // what its probabilities are given
	events  []Event // of a probability: what is looked at, and all that is given
	unit    unit    // those of one have one axis
	heavy   bool    // its posterior mean and variance need not exist: a ratio, and what is made of one
}

// unit is what a question's number is: questions of one unit have one axis.
type unit string

// The units of questions.
const (
	shareOf    unit = "probability"
	difference unit = "difference"
	ratioOf    unit = "ratio" // 1, not 0, is no effect
	logarithm  unit = "logarithm of a ratio"
	number     unit = "number" // of a function
)

// evaluator finds the number; it is called from several goroutines.
type evaluator func(*bayesnet.Net) (float64, error)

// Probability is P(of | given): the share of records with the levels of among those with the levels given, all records
// where nothing is given. Several events given are taken together. Asking gives *bayesnet.Error for columns and levels
// that there are not, *dp.ParameterError for an empty event and for a column that is looked at and given.
func Probability(of Event, given ...Event) *Question {
	all := Event{}
	clash := ""
	for _, g := range given {
		for c, l := range g {
			if old, twice := all[c]; twice && old != l {
				clash = c
			}
			all[c] = l
		}
	}
	of = maps.Clone(of)
	name := "P(" + of.words() + ")"
	if len(all) > 0 {
		name = "P(" + of.words() + " | " + all.words() + ")"
	}
	alone, evidence := of, []Event(nil)
	if len(all) > 0 {
		alone, evidence = nil, []Event{all}
	}
	return &Question{name: name, key: "P(" + of.key() + "|" + all.key() + ")" + clash, of: alone, given: evidence,
		unit: shareOf, events: []Event{of, all},
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			if clash != "" {
				return nil, domain.Refuse("noiseaware", "given", safetext.Short(clash)+" with two levels",
					"one level for every column")
			}
			return eventShare(d, of, all)
		}}
}

func eventShare(d *bayesnet.DAG, of, given Event) (evaluator, error) {
	if len(of) == 0 {
		return nil, domain.Refuse("noiseaware", "event", "empty", "a level of a column at least")
	}
	evidence, err := codes(d, given)
	if err != nil {
		return nil, err
	}
	hit, err := codes(d, of)
	if err != nil {
		return nil, err
	}
	joint := maps.Clone(evidence)
	for node, code := range hit {
		if _, both := given[d.Node(node).Name]; both {
			return nil, domain.Refuse("noiseaware", "event", safetext.Short(d.Node(node).Name)+" is looked at and given",
				"a column in one of them")
		}
		joint[node] = code
	}
	if len(hit) == 1 {
		for node, code := range hit {
			return func(net *bayesnet.Net) (float64, error) {
				p, err := net.Query([]int{node}, evidence)
				if err != nil {
					return 0, err
				}
				return p[code], nil
			}, nil
		}
	}
	return func(net *bayesnet.Net) (float64, error) {
		a, err := net.LogEvidence(joint)
		if err != nil || len(evidence) == 0 {
			return math.Exp(a), err
		}
		b, err := net.LogEvidence(evidence)
		return math.Exp(a - b), err
	}, nil
}

// Events are what a question from [Probability] looks at and all that it takes as given; ok is false for others.
func (q *Question) Events() (of, given Event, ok bool) {
	if len(q.events) == 0 {
		return nil, nil, false
	}
	return maps.Clone(q.events[0]), maps.Clone(q.events[1]), true
}

// share is the node and the level of a question about the share of one level.
func (q *Question) share(d *bayesnet.DAG) (node, state int, ok bool) {
	if len(q.of) != 1 {
		return 0, 0, false
	}
	at, err := codes(d, q.of)
	for node, state = range at {
	}
	return node, state, err == nil
}

// codes are nodes and states by number: *bayesnet.Error.
func codes(d *bayesnet.DAG, e Event) (map[int]int, error) {
	out := map[int]int{}
	for name, level := range e {
		node, err := nodeOf(d, name)
		if err != nil {
			return nil, err
		}
		code := slices.Index(d.Node(node).States, level)
		if code < 0 {
			return nil, &bayesnet.Error{Node: name, Field: "level", Value: level, Want: oneOf(d.Node(node).States)}
		}
		out[node] = code
	}
	return out, nil
}

// Difference is a − b, as of two probabilities: the risk difference.
func Difference(a, b *Question) *Question {
	return both(a, b, "%s − %s", "-", difference, func(x, y float64) float64 { return x - y })
}

// Ratio is a/b, as of two probabilities: the relative risk. Where b may be 0 its posterior mean is infinite, whatever
// the draws' average: Answers shows its median.
func Ratio(a, b *Question) *Question {
	return both(a, b, "%s / %s", "/", ratioOf, func(x, y float64) float64 { return x / y })
}

// OddsRatio is a/(1 − a) over b/(1 − b) of two probabilities. Answers shows its median; its Log has a mean.
func OddsRatio(a, b *Question) *Question {
	return both(a, b, "odds of %s / of %s", "or", ratioOf, func(x,
		y float64) float64 {
		return x / (1 - x) / (y / (1 - y))
	})
}

func both(a, b *Question, name, sign string, of unit, value func(x, y float64) float64) *Question {
	if a == nil || b == nil {
		return &Question{name: "nothing", key: "nil", compile: func(*bayesnet.DAG) (evaluator, error) {
			return nil, domain.Refuse("noiseaware", "question", nil, "one from Probability or Function")
		}}
	}
	return &Question{name: fmt.Sprintf(name, a.name, b.name), key: "(" + a.key + ")" + sign + "(" + b.key + ")",
		given: slices.Concat(a.given, b.given), unit: of, heavy: of == ratioOf || a.heavy || b.heavy,
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			f, err := a.compile(d)
			if err != nil {
				return nil, err
			}
			g, err := b.compile(d)
			if err != nil {
				return nil, err
			}
			return func(net *bayesnet.Net) (float64, error) {
				x, err := f(net)
				if err != nil {
					return 0, err
				}
				y, err := g(net)
				return value(x, y), err
			}, nil
		}}
}

// Function is any function of the network: it must depend on nothing else, be safe to call from several goroutines, and
// give a number for every network with probabilities above 0. Two of them are two questions, also under one name. Where
// it panics, asking gives a *PanicError.
func Function(name string, of func(*bayesnet.Net) float64) *Question {
	q := &Question{name: safetext.Line(name), unit: number, compile: func(*bayesnet.DAG) (evaluator, error) {
		if of == nil {
			return nil, domain.Refuse("noiseaware", "function", nil, "a function of the network")
		}
		return func(net *bayesnet.Net) (x float64, err error) {
			defer recovered(name, &err)
			return of(net), nil
		}, nil
	}}
	q.key = fmt.Sprint("f", functions.Add(1))
	return q
}

// functions counts the functions that were made questions.
var functions atomic.Uint64

// Named is the same question under another name.
func (q *Question) Named(name string) *Question {
	c := *q
	c.name = safetext.Line(name)
	return &c
}

// String is the name.
func (q *Question) String() string { return q.name }

// Log is the natural logarithm of the question's number, as of an odds ratio; 0 where there is no effect.
func (q *Question) Log() *Question {
	return &Question{name: "ln " + q.name, key: "ln(" + q.key + ")", given: q.given, unit: logarithm,
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			f, err := q.compile(d)
			if err != nil {
				return nil, err
			}
			return func(net *bayesnet.Net) (float64, error) {
				x, err := f(net)
				return math.Log(x), err
			}, nil
		}}
}

// Of is the question's number for one network, such as the truth of a simulation. Errors: as Answers.
func (q *Question) Of(net *bayesnet.Net) (float64, error) {
	f, err := q.compile(net.DAG())
	if err != nil {
		return 0, err
	}
	return f(net)
}

// Classification is what is known of a column of one record given its others: a question for every level, P(level |
// record, θ), whose posterior has a mean and an interval, and the predictive probabilities.
type Classification struct {
	Answers *Answers // level by level, in the order of Levels
	Column  string
	Levels  []string
	// Predictive is P(level | record, y) of a new record, everything unknown summed out:
	//
	//	E[P(level, record | θ) | y]/E[P(record | θ) | y],
	//
	// over the draws: networks that make the record probable count for more than in the mean of P(level | record, θ), as
	// the record itself is a datum. It is one number, with what is not known inside, and has no interval.
	Predictive []float64
	record     Event
}

// Classify asks for the class of one record: the probability of every level of a column given the levels of others,
// under the network. Columns that the record lacks are summed out; the column itself must not be in it. Errors:
// *bayesnet.Error for columns and levels that there are not, *dp.ParameterError for a record with the column itself,
// and those of Answers.
func (p *NetworkPosterior) Classify(ctx context.Context, column string, record Event) (*Classification, error) {
	node, err := nodeOf(p.s.dag, column)
	if err != nil {
		return nil, err
	}
	if level, in := record[column]; in {
		return nil, domain.Refuse("noiseaware", "record", safetext.Short(column)+" = "+safetext.Short(level),
			"the record's other columns only")
	}
	evidence, err := codes(p.s.dag, record)
	if err != nil {
		return nil, err
	}
	c := &Classification{Column: column, Levels: p.s.dag.Node(node).States, record: record}
	var questions []*Question
	for _, level := range c.Levels {
		questions = append(questions, Probability(Event{column: level}, record).Named(column+" = "+level))
	}
	if c.Answers, err = p.Answers(ctx, questions...); err != nil {
		return nil, err
	}
	c.Predictive, err = p.predictive(ctx, node, evidence)
	return c, err
}

// predictive is the mean of P(level | evidence, θ) over all draws, weighed by P(evidence | θ).
func (p *NetworkPosterior) predictive(ctx context.Context, node int, evidence map[int]int) ([]float64, error) {
	logs, weights := make([]float64, p.Len()), make([][]float64, p.Len())
	for i := range logs {
		net := p.Draw(i).Net.WithContext(ctx)
		var err error
		if len(evidence) > 0 {
			if logs[i], err = net.LogEvidence(evidence); err != nil {
				return nil, err
			}
		}
		if weights[i], err = net.Query([]int{node}, evidence); err != nil {
			return nil, err
		}
	}
	all := num.LogSumExp(logs)
	out := make([]float64, p.s.dag.Arity(node))
	for i, w := range weights {
		for l := range out {
			out[l] += w[l] * math.Exp(logs[i]-all)
		}
	}
	return out, nil
}

// nodeOf is a column by number: *bayesnet.Error.
func nodeOf(d *bayesnet.DAG, column string) (int, error) {
	if v, ok := d.Index(column); ok {
		return v, nil
	}
	var names []string
	for i := range d.Len() {
		names = append(names, d.Node(i).Name)
	}
	return 0, &bayesnet.Error{Field: "column", Value: column, Want: oneOf(names)}
}

// Classify asks for the target of one record given its other columns, as [NetworkPosterior.Classify] does, of the joint
// posterior ([Posterior.Network]). Errors: those of both.
func (p *Posterior) Classify(ctx context.Context, record Event) (*Classification, error) {
	n, err := p.Network(ctx)
	if err != nil {
		return nil, err
	}
	return n.Classify(ctx, p.shape.Columns()[0].Name, record)
}

// Best is the level of the largest predictive probability, the first of equal ones.
func (c *Classification) Best() string {
	best := 0
	for l, x := range c.Predictive {
		if x > c.Predictive[best] {
			best = l
		}
	}
	return c.Levels[best]
}

// title names the column and the record.
func (c *Classification) title() string {
	if len(c.record) == 0 {
		return safetext.Line(c.Column) + " of any record"
	}
	return safetext.Line(c.Column) + " given " + c.record.words()
}

// Table has a row for every level: the predictive probability, and mean and 95 % interval of the probability under the
// network. Answers.NoiseIgnored has those with the noise ignored.
func (c *Classification) Table() *table.Table {
	t := table.New(c.title(), "level", "predictive", "mean", "95 %")
	rows, _ := c.Answers.Rows(tableLevel)
	for i, r := range rows {
		d := table.Decimals(r.SD)
		t.Add(c.Levels[i], table.Fixed(c.Predictive[i], d), table.Fixed(r.Mean, d), interval(r.Lower, r.Upper, d))
	}
	t.Note("predictive: of a new record, with everything unknown summed out. mean, 95 %: of the share that the " +
		"network gives.")
	return c.Answers.warn(t).Note(c.Answers.caption)
}

// Forest draws the mean and 95 % interval of every level, noise-aware above noise ignored.
func (c *Classification) Forest() *figure.Forest {
	f := c.Answers.Forest()
	f.Title, f.XLabel = c.title(), "probability"
	return f
}

// String is the table as text.
func (c *Classification) String() string { return table.Text(c) }

// Dependence is what an edge of the network says: the conditional mutual information of child and parent given the
// child's other parents, in bits,
//
//	I = Σ P(x_child, x_parents)·log₂[P(x_child | x_parents)/P(x_child | the other parents)].
//
// It is 0 where the child does not depend on this parent. Its posterior lies above 0 all the same, since every network
// drawn has some dependence: look at how near 0 the lower end is. Asking gives *dp.ParameterError where there is no
// such edge.
func Dependence(parent, child string) *Question {
	return &Question{name: fmt.Sprintf("%s → %s, bits", safetext.Line(parent), safetext.Line(child)),
		key: fmt.Sprintf("I(%q,%q)", parent, child),
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			c, ok := d.Index(child)
			p, known := d.Index(parent)
			if !ok || !known || !slices.Contains(d.Parents(c), p) {
				return nil, domain.Refuse("noiseaware", "edge", safetext.Short(parent)+" → "+safetext.Short(child),
					"one of the network")
			}
			return func(net *bayesnet.Net) (float64, error) { return dependence(net, p, c) }, nil
		}}
}

// dependence sums over the child's family. Parents are asked as one table with the chosen one next to last.
func dependence(net *bayesnet.Net, parent, child int) (float64, error) {
	d := net.DAG()
	family := slices.DeleteFunc(d.Family(child), func(v int) bool { return v == parent || v == child })
	joint, err := net.Query(append(family, parent, child), nil)
	if err != nil {
		return 0, err
	}
	r, s := d.Arity(parent), d.Arity(child)
	sum := 0.0
	for lo := 0; lo < len(joint); lo += r * s {
		block := joint[lo : lo+r*s]
		rows, columns, total := make([]float64, r), make([]float64, s), 0.0
		for i, x := range block {
			rows[i/s], columns[i%s], total = rows[i/s]+x, columns[i%s]+x, total+x
		}
		for i, x := range block {
			if x > 0 {
				sum += x * math.Log2(x*total/(rows[i/s]*columns[i%s]))
			}
		}
	}
	return math.Max(sum, 0), nil
}

// Edges draws the network with what is known of every edge: its Dependence with the 95 % interval, dark up to the lower
// end and light up to the upper one. Errors: those of Answers.
func (p *NetworkPosterior) Edges(ctx context.Context) (*figure.Graph, error) {
	d := p.s.dag
	var questions []*Question
	for i := range d.Len() {
		for _, u := range d.Parents(i) {
			questions = append(questions, Dependence(d.Node(u).Name, d.Node(i).Name))
		}
	}
	g := d.Graph()
	g.Title, g.Caption = "Dependence along every edge, bits", p.s.caption
	if len(questions) == 0 {
		return g, nil
	}
	a, err := p.Answers(ctx, questions...)
	if err != nil {
		return nil, err
	}
	rows, err := a.Rows(tableLevel)
	if err != nil {
		return nil, err
	}
	g.Weight = "dependence in bits (95 %)"
	for i, k := 0, 0; i < d.Len(); i++ {
		for range d.Parents(i) {
			g.Vertices[i].Weights = append(g.Vertices[i].Weights, figure.Mark{At: rows[k].Mean,
				From: math.Max(rows[k].Lower, 0), To: rows[k].Upper})
			k++
		}
	}
	return g, nil
}

// Quantity is a function of the network with its posterior, as draws. It is immutable.
type Quantity struct {
	Name string
	// RHat is the rank-normalised split R-hat of the chains, below 1.01, and ESS the smaller of the effective sample
	// sizes of bulk and tails, at least 400.
	RHat, ESS float64

	draws  [][]float64 // by chain
	sorted []float64
	mean   float64
	sd     float64
}

// Draws are the values, chain by chain.
func (q *Quantity) Draws() [][]float64 { return clone(q.draws) }

// Mean is the posterior mean, the average of the draws. It says nothing where the posterior has no mean, as of an odds
// ratio one of whose cells may be empty: take Quantile(.5).
func (q *Quantity) Mean() float64 { return q.mean }

// SD is the posterior standard deviation, that of the draws: see Mean.
func (q *Quantity) SD() float64 { return q.sd }

// Quantile is the order statistic at p·(N + 1) of N draws, between two the straight line, for 0 ≤ p ≤ 1; NaN for other
// p. An interval between such quantiles covers a further draw with its nominal probability, which one that is
// interpolated at p·(N − 1) does not.
func (q *Quantity) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	n := len(q.sorted)
	h := p * float64(n+1)
	i := int(h)
	switch {
	case i < 1:
		return q.sorted[0]
	case i >= n:
		return q.sorted[n-1]
	}
	lo, hi := q.sorted[i-1], q.sorted[i]
	if lo == hi || math.IsInf(lo, -1) {
		return lo
	}
	if math.IsInf(hi, 1) {
		if h == float64(i) {
			return lo
		}
		return hi
	}
	return lo + (h-float64(i))*(hi-lo)
}

// CredibleInterval is the equal-tailed interval of the given level in (0, 1); NaN for another.
func (q *Quantity) CredibleInterval(level float64) (lower, upper float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	return q.Quantile((1 - level) / 2), q.Quantile((1 + level) / 2)
}
