package noiseaware

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// mixtureTotals is how many totals of a row a mixture may have: each costs an incomplete beta function wherever the law
// is asked. Rows whose draws have more, of many records and wide noise, are thinned: with all 4000 an interval would
// take a quarter of a second.
const mixtureTotals = 1000

// oneLaw is the noise distribution of every table; ok is false where tables have different ones, or parities were
// measured.
func oneLaw(p *mechanism.Plan) (z noise.Probabilities, ok bool) {
	m, ok := p.Measured()
	if !ok || m.Parities != nil || slices.ContainsFunc(m.Tables, func(x noise.Distribution) bool {
		return !reflect.DeepEqual(x, m.Tables[0])
	}) {
		return nil, false
	}
	return m.Tables[0], true
}

// exactly reports whether the posterior of a shape's every probability is found by convolution.
func exactly(sh *model.Shape) bool {
	return sh.Graph() == nil && (sh.SharesClass() || len(sh.Conditionals()) == 1)
}

// ofNetwork is the posterior of a model from draws of its latent tables: every probability is the mixture of Beta laws
// over them.
func ofNetwork(ctx context.Context, r *release.Release, options []Option) (*Posterior, error) {
	if cumulative(r.Plan().Shape()) {
		return nil, &UnsupportedError{name(r.Plan()), "shares below edges from noise of several laws",
			"Geometric(), DiscreteGaussian(), Laplace() or KNorm()"}
	}
	joint, err := OfNetwork(ctx, r, options...)
	if err != nil {
		return nil, err
	}
	sh := r.Plan().Shape()
	p := &Posterior{title: joint.s.title, caption: joint.s.caption, terms: r.Terms(), shape: sh, joint: joint,
		total: joint.Route(), release: r, networks: newNetworks()}
	if n, public := joint.Records(); public {
		p.total += fmt.Sprintf(" Counts add up to the public n = %d.", n)
	} else {
		p.total += " n is latent, with the flat prior P(n) ∝ 1 on n = 0, 1, 2, …."
	}
	p.predictive = sync.OnceValue(p.makePredictive)
	laws := r.Model().Posteriors()
	if sh.Learning() != nil || sh.Graph() != nil {
		laws = laws[1:] // the first is the target's margin
	}
	target, _ := joint.s.dag.Index(r.Model().Target().Name)
	var rest []Parameter
	at := 0
	for v := range joint.s.dag.Len() {
		arity := joint.s.dag.Arity(v)
		for row := range joint.s.dag.FamilyCells(v) / arity {
			d := laws[at]
			at++
			for state := range arity {
				q := Parameter{Name: d.Name, Label: d.Labels[state], Naive: d.Marginal(state), at: place{level: state},
					law: sync.OnceValue(func() *Mixture { return joint.mixture(v, row, state) })}
				if _, given, ok := strings.Cut(d.Name, " | "); ok {
					if len(joint.s.dag.Parents(v)) == 1 {
						given = joint.s.dag.Node(joint.s.dag.Parents(v)[0]).States[row]
					}
					q.at = place{joint.s.dag.Node(v).Name, given, row, state}
				}
				if v == target {
					p.params = append(p.params, q)
				} else {
					rest = append(rest, q)
				}
			}
		}
	}
	p.params = append(p.params, rest...)
	return p, nil
}

// mixture is the law of one entry: Σ over draws of latent counts of Beta(α + f, A − α + N − f), thinned evenly where
// they have more than mixtureTotals different N; of an exact posterior the whole law.
func (p *NetworkPosterior) mixture(v, row, state int) *Mixture {
	if p.tree != nil {
		return p.treeMixture(v, row, state)
	}
	l, entries, at := p.base, p.entries(), 0
	for u := range v {
		at += p.s.dag.FamilyCells(u)
	}
	arity := p.s.dag.Arity(v)
	at += row * arity
	byTotal := map[int64][]int64{}
	take := func(stride int) {
		clear(byTotal)
		for i := 0; i < chains*l.draws; i += stride {
			cells := l.counts[i/l.draws][i%l.draws*entries+at:][:arity]
			total := int64(0)
			for _, f := range cells {
				total += f
			}
			byTotal[total] = append(byTotal[total], cells[state])
		}
	}
	if take(1); len(byTotal) > mixtureTotals {
		take((len(byTotal) + mixtureTotals - 1) / mixtureTotals)
	}
	alpha, rest := p.s.problem.Alpha[v][state], -p.s.problem.Alpha[v][state]
	for _, a := range p.s.problem.Alpha[v] {
		rest += a
	}
	var parts []part
	totals := make([]int64, 0, len(byTotal))
	for t := range byTotal {
		totals = append(totals, t)
	}
	slices.Sort(totals)
	for _, t := range totals {
		counts := byTotal[t]
		slices.Sort(counts)
		for i := 0; i < len(counts); {
			j, w := i, part{total: int(t), lo: int(counts[i])} // a part spans no wide gap
			for j < len(counts) && counts[j]-int64(w.lo+len(w.p)) < 8 {
				for int64(w.lo+len(w.p)) <= counts[j] {
					w.p = append(w.p, 0)
				}
				w.p[counts[j]-int64(w.lo)]++
				j++
			}
			parts, i = append(parts, w), j
		}
	}
	return newMixture(alpha, rest, parts)
}

// Predict gives the probability of every state of a node for every record, x one code a node (the node's own is not
// read): P(j | x, y) = E[P(j, x | θ) | y]/E[P(x | θ) | y], the means over all draws.
func (p *NetworkPosterior) predict(target int, rows [][]int) ([][]float64, error) {
	out := make([][]float64, len(rows))
	known := map[string][]float64{}
	arity := p.s.dag.Arity(target)
	logs := make([][]float64, arity)
	for j := range logs {
		logs[j] = make([]float64, p.Len())
	}
	for i, x := range rows {
		codes := slices.Clone(x)
		codes[target] = 0
		key := fmt.Sprint(codes)
		answer, ok := known[key]
		if !ok {
			answer = make([]float64, arity)
			for d := range p.Len() {
				net := p.Draw(d).Net
				for j := range arity {
					codes[target] = j
					var err error
					if logs[j][d], err = net.LogProb(codes); err != nil {
						return nil, err
					}
				}
			}
			for j := range arity {
				answer[j] = num.LogSumExp(logs[j])
			}
			all := num.LogSumExp(answer)
			if math.IsInf(all, -1) {
				return nil, domain.Refuse("noiseaware", "record", fmt.Sprint(x), "one that some draw allows")
			}
			for j := range answer {
				answer[j] = math.Exp(answer[j] - all)
			}
			known[key] = answer
		}
		out[i] = slices.Clone(answer)
	}
	return out, nil
}

// predictJoint reads the records of a frame.
func (p *Posterior) predictJoint(x *frame.Frame) ([][]float64, error) {
	d := p.joint.s.dag
	target, _ := d.Index(p.shape.Columns()[0].Name)
	rows := make([][]int, x.Len())
	for i := range rows {
		rows[i] = make([]int, d.Len())
	}
	for v := range d.Len() {
		if v == target {
			continue
		}
		codes, err := x.Codes(d.Node(v).Name)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i][v] = codes.At(i)
		}
	}
	return p.joint.predict(target, rows)
}
