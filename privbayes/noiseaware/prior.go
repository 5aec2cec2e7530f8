package noiseaware

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Prior says in words what the posterior's prior is.
func (p *NetworkPosterior) Prior() string {
	if p.s.problem.Shared == nil {
		a := p.s.problem.Alpha[0][0]
		for _, alpha := range p.s.problem.Alpha {
			for _, x := range alpha {
				if x != a {
					return "independent rows, with the model's hyperparameters"
				}
			}
		}
		return fmt.Sprintf("independent rows, α = %.4g in every cell", a)
	}
	return "a row of a conditional table weighs one record, and the rows of a node with three or more share a centre"
}

// priorNets draws networks from the prior, with randomness that is a function of the graph and the prior: public.
func (p *NetworkPosterior) priorNets() ([]*bayesnet.Net, error) {
	graph, err := p.s.dag.MarshalJSON()
	if err != nil {
		return nil, err
	}
	src := rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "prior %s %v %v", graph, p.s.problem.Alpha, p.s.problem.Shared)))
	out := make([]*bayesnet.Net, p.s.contract.Naive)
	for i := range out {
		if out[i], err = bayesnet.NewNet(p.s.dag, p.lay.Prior(src)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// askPrior asks draws of the prior. Those in which what is given has probability 0 in floating point are left out, and
// questions that none answers have no prior interval.
func (p *NetworkPosterior) askPrior(ctx context.Context, names []string,
	question func(*bayesnet.Net, []float64) error) ([]*Quantity, error) {
	nets, err := p.asked.priors()
	if err != nil {
		return nil, err
	}
	out, values, row := make([]*Quantity, len(names)), make([][]float64, len(names)), make([]float64, len(names))
	for _, net := range nets {
		err := question(net.WithContext(ctx), row)
		var parameter *dp.ParameterError
		var evidence *bayesnet.ImpossibleError
		if errors.As(err, &parameter) || errors.As(err, &evidence) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, x := range row {
			if x == x {
				values[i] = append(values[i], x)
			}
		}
	}
	for i, v := range values {
		if n := float64(len(v)); n > 0 {
			out[i] = newQuantity(names[i], values[i:i+1], mcmc.Diagnosis{RHat: 1, Bulk: n, Tail: n})
		}
	}
	return out, nil
}

// margin is a node's noisy counts in one table that was measured whole: of every level the sum of cells, in records,
// whose noise has the variance each.
type margin struct {
	y        []float64
	cells    float64
	variance float64
}

// margins takes each node's noisy counts from the table where their noise is least.
func (s *setting) marginsOf(list []noisyTable) {
	s.margins = make([]margin, s.dag.Len())
	for _, t := range list {
		size := 1
		for _, c := range t.columns {
			v, _ := s.dag.Index(c)
			size *= s.dag.Arity(v)
		}
		if len(t.y) != size || t.ends != nil {
			continue
		}
		unit, stride := float64(t.law.Unit()), size
		for _, c := range t.columns {
			v, _ := s.dag.Index(c)
			r := s.dag.Arity(v)
			stride /= r
			m := margin{make([]float64, r), float64(size / r), t.law.Variance() / (unit * unit)}
			if old := s.margins[v]; old.y != nil && old.cells*old.variance <= m.cells*m.variance {
				continue
			}
			for i, y := range t.y {
				m.y[i/stride%r] += float64(y) / unit
			}
			s.margins[v] = m
		}
	}
}

// score is an interval for the share of a level of a node among the population, of a level in (0, 1), from one measured
// table and without a prior; ok is false where there is none, and where n is private.
func (p *NetworkPosterior) score(node, state int, level float64) (lower, upper float64, ok bool) {
	n := float64(p.s.problem.N)
	if p.s.problem.Latent || p.s.margins == nil || p.s.margins[node].y == nil || n == 0 {
		return 0, 0, false
	}
	m := p.s.margins[node]
	lower, upper = score.Share{Count: m.y[state], Rest: n - m.y[state], Size: n, Own: math.Sqrt(m.cells * m.variance),
		Fixed: true}.Interval(level)
	return lower, upper, true
}

// agreement is the network's variance of every node's marginal under the prior: levels are exchangeable, so that two
// records drawn from one drawn network agree at v with probability 1/L + L·Var, and whether they do is, given whether
// they agree at all parents, independent of all else.
func (p *NetworkPosterior) agreement() ([]float64, error) {
	d := p.s.dag
	var nodes []bayesnet.Node
	cpts, priors := make([][]float64, d.Len()), make([]latent.RowPrior, d.Len())
	for v := range d.Len() {
		rows := d.FamilyCells(v) / d.Arity(v)
		if priors[v] = latent.IndependentRows(d.Arity(v), p.s.problem.Alpha[v][0]); p.s.problem.Shared != nil {
			priors[v] = latent.SharedRows(d.Arity(v), rows)
		}
		node := bayesnet.Node{Name: d.Node(v).Name, States: []string{"differ", "agree"}}
		for _, u := range d.Parents(v) {
			node.Parents = append(node.Parents, d.Node(u).Name)
		}
		nodes = append(nodes, node)
		for row := range 1 << len(node.Parents) {
			agree := priors[v].Agree(row == 1<<len(node.Parents)-1)
			cpts[v] = append(cpts[v], 1-agree, agree)
		}
	}
	graph, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	net, err := bayesnet.NewNet(graph, cpts)
	if err != nil {
		return nil, err
	}
	out := make([]float64, d.Len())
	for v := range out {
		q, err := net.Marginal(v)
		if err != nil {
			return nil, err
		}
		levels := float64(d.Arity(v))
		out[v] = (q[1] - 1/levels) / levels
	}
	return out, nil
}

// findConflicts warns of nodes with a level whose noisy count the prior holds improbable, and the intervals of which
// the prior may therefore keep from covering.
func (p *NetworkPosterior) findConflicts() warning.List {
	n := float64(p.s.problem.N)
	if p.s.margins == nil || n == 0 {
		return nil
	}
	variances, err := p.agreement()
	if err != nil { // a graph too wide for exact marginals: nothing is said of it
		return nil
	}
	var columns []string
	worst := 0.0
	for v, m := range p.s.margins {
		most, levels := 0.0, float64(p.s.dag.Arity(v))
		for _, y := range m.y {
			z, measured := latent.RowPrior{Levels: len(m.y)}.Conflict(y, m.cells, n, m.variance, variances[v])
			if math.Abs(z) > warning.MostConflict && latent.Covers(variances[v], measured, math.Abs(y/n-1/levels)) <
				warning.LeastCoverage {
				most = max(most, math.Abs(z))
			}
		}
		if most > 0 {
			columns, worst = append(columns, p.s.dag.Node(v).Name), max(worst, most)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	return warning.List{warning.PriorConflict(columns, worst)}
}

// Warnings say what the intervals leave out or may miss: that a structure was learned from the same rows, and where the
// noisy numbers and the prior disagree.
func (p *NetworkPosterior) Warnings() warning.List {
	var out warning.List
	if p.s.learned {
		out = warning.List{warning.LearnedRows()}
	}
	return out.And(p.conflicts())
}

// askEvidence finds, for each question, the shares of the records that it asks about, from the draws that there are.
func (p *NetworkPosterior) askEvidence(ctx context.Context, questions []*Question) ([][]*Quantity, error) {
	var names []string
	var run []evaluator
	for _, q := range questions {
		for _, g := range q.given {
			share := Probability(g)
			f, err := share.compile(p.s.dag)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(names, share.key) {
				names, run = append(names, share.key), append(run, f)
			}
		}
	}
	out := make([][]*Quantity, len(questions))
	if len(names) == 0 {
		return out, nil
	}
	values, err := p.evaluate(ctx, p.base, names, together(run))
	if err != nil {
		return nil, err
	}
	for i, q := range questions {
		for _, g := range q.given {
			share := Probability(g)
			draws := values[slices.Index(names, share.key)]
			out[i] = append(out[i], newQuantity(share.name, draws, mcmc.Diagnosis{}))
		}
	}
	return out, nil
}

// Warnings say where the noisy numbers and the prior disagree, and which columns have levels given that are so rare
// that the noisy numbers hardly know how many records have them: there the prior decides what is asked.
func (a *Answers) Warnings() warning.List {
	var columns []string
	var worst *Quantity
	for _, q := range a.List {
		for i, share := range q.evidence {
			if share.mean >= warning.LeastKnown*share.sd {
				continue
			}
			for c := range q.question.given[i] {
				columns = append(columns, c)
			}
			if worst == nil || share.mean*worst.sd < worst.mean*share.sd {
				worst = share
			}
		}
	}
	out := a.of.conflicts()
	if worst == nil {
		return out
	}
	slices.Sort(columns)
	return out.And(warning.List{warning.RareEvidence(slices.Compact(columns), worst.mean, worst.sd)})
}

// warn notes the warnings at a table.
func (a *Answers) warn(t *table.Table) *table.Table {
	for _, w := range a.Warnings() {
		t.Note("Warning: " + w.Text)
	}
	return t
}
