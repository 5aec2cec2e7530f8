package noiseaware

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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

// Table has a row for every level: the predictive probability, and naive and noise-aware mean and 95 % interval of the
// probability under the network.
func (c *Classification) Table() *table.Table {
	t := table.New(c.title(), "level", "predictive", "naive mean", "naive 95 %", "mean", "95 %")
	rows, _ := c.Answers.Rows(tableLevel)
	for i, r := range rows {
		t.Add(c.Levels[i], c.Predictive[i], r.NaiveMean, interval(r.NaiveLower, r.NaiveUpper), r.Mean,
			interval(r.Lower, r.Upper))
	}
	return t.Note("predictive: of a new record, with everything unknown summed out. mean, 95 %: of the share that the network gives.").
		Note("naive: as if the released estimates were the counts.").Note(c.Answers.caption)
}

// Forest draws the mean and 95 % interval of every level, naive above noise-aware.
func (c *Classification) Forest() *figure.Forest {
	f := c.Answers.Forest()
	f.Title, f.XLabel = c.title(), "probability"
	return f
}

// String is the table as text.
func (c *Classification) String() string { return table.Text(c) }
