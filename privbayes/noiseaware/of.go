// Package noiseaware gives the exact posterior of a model's probabilities given the noisy counts of a release.
//
// A release of counts is usually fitted as if its estimated counts were the data. The intervals of this naive posterior
// leave the noise out, so they are too narrow where the noise is large. Here the true counts f are latent. Let y be the
// noisy numbers, with public noise. With the model's own prior,
//
//	p(θ | y) = Σ_f P(f | y)·Dirichlet(θ; α + f),  P(f | y) ∝ P(f)·P(y | f),
//
// P(f) is the prior predictive distribution of the counts (Dirichlet-multinomial), and P(y | f) that of the noise.
// Every marginal is a mixture of Beta distributions ([Mixture]), found by exact convolution. If θ follows the prior and
// the data the model, its credible intervals have exactly their level, over θ, data and noise together.
//
//	p, err := noiseaware.Of(r) // r a *release.Release
//	fmt.Println(p.Table())     // means and 95 % intervals, which include the noise
//
// [Posterior.Summary] and [Posterior.CSV] give the numbers, [Posterior.Predict] the class of new records, and
// [Parameter.Law] the distribution of one probability. In a chain, Privatize(…).NoiseAware() of package privbayes does
// the same and draws. It reads a release only, so it uses no privacy budget. Theory: docs/explanation/intervals.md.
package noiseaware

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Posterior is the posterior of every probability of a model given the noisy counts of a release. It is immutable.
type Posterior struct {
	title, caption, terms, total string
	params, levels               []Parameter // levels: of the target, where params are of sums of them
	shape                        *model.Shape
	predictive                   func() []*classLaw
	release                      *release.Release
	joint                        *NetworkPosterior // of models whose tables share columns
	networks                     *networks
}

// Parameter is one probability of the model.
type Parameter struct {
	Name  string // the distribution, such as "answer" or "V1 | Class = democrat"
	Label string // the level
	// Naive is its posterior as if the release's estimated counts were the data: the noise is left out.
	Naive posterior.Beta
	law   func() *Mixture
	at    place
}

// Law is the noise-aware posterior. It is computed when first asked for.
func (p Parameter) Law() *Mixture { return p.law() }

// maxNumbers is how many weights of counts are kept at once.
const maxNumbers = 4e7

// Of is OfContext without a context.
func Of(r *release.Release) (*Posterior, error) { return OfContext(context.Background(), r) }

// OfContext is the posterior of the model's probabilities given the raw noisy integers of a release, and of nothing
// else: the release's own post-processing plays no part.
//
// It is exact for Binary, Categorical, ContingencyTable, Histogram, CDF and NaiveBayes models released with one
// distribution of noise, by Geometric, DiscreteGaussian, Laplace or KNorm. Of networks, and of the tables of BySize and
// the parities of Fourier, it is found from draws of the latent tables ([OfNetwork]), which are as exact as their
// number allows and checked; what was done is said below every table. Others are an *UnsupportedError. With a public n
// the latent counts add up to n. With a private one (add-remove) n is latent, under the flat prior P(n) ∝ 1 on n = 0, 1,
// 2, …, which is improper and public; the posterior is proper. Under naive Bayes the class totals are latent and shared by all tables, and
// features are independent given the class, as the model says.
//
// The exact way is taken where it costs no more than about a second (1e9 products and terms looked at, whatever the
// machine) and 300 MB; beyond that the tables are drawn as a network's are, which costs the same at any n. It takes
// about d·n² products for d ≥ 3 cells when the noise is as wide as n, far fewer when it is not, n terms for every level
// of d = 2 cells, and some hundred for every record, class and level of a feature under naive Bayes. The cells of a
// contingency table are not drawn, which is a *WorkError beyond, nor is a CDF: it may cost 6e9.
//
// Errors: *UnsupportedError, *WorkError of a CDF or a contingency table, those of OfNetwork, *dp.ParameterError without
// a release, the context's.
func OfContext(ctx context.Context, r *release.Release, options ...Option) (*Posterior, error) {
	if r == nil || r.Plan() == nil {
		return nil, domain.Refuse("noiseaware", "release", nil, "one from Privatize or release.Load")
	}
	if r.Plan().Shape().Learning() != nil {
		return ofNetwork(ctx, r, options)
	}
	z, one := oneLaw(r.Plan())
	if _, measured := r.Plan().Measured(); measured && !(one && exactly(r.Plan().Shape())) &&
		r.Plan().Shape().Lattice() == nil {
		return ofNetwork(ctx, r, options)
	}
	if !one || r.Plan().Shape().Lattice() != nil {
		_, err := noiseOf(r.Plan())
		return nil, err
	}
	p, err := of(ctx, r, z)
	var work *WorkError
	if errors.As(err, &work) && !cumulative(r.Plan().Shape()) && !r.Plan().Shape().Joint() {
		return ofNetwork(ctx, r, options)
	}
	return p, err
}

// Exact is Of where it draws nothing, which costs no more than about a second; ok is false of other releases.
func Exact(r *release.Release) (p *Posterior, ok bool) {
	if r == nil || r.Plan() == nil || r.Plan().Shape().Lattice() != nil || !exactly(r.Plan().Shape()) {
		return nil, false
	}
	z, one := oneLaw(r.Plan())
	if !one {
		return nil, false
	}
	p, err := of(context.Background(), r, z)
	return p, err == nil
}

// of takes the law of the noise, for tests of a wrong one.
func of(ctx context.Context, r *release.Release, z noise.Probabilities) (*Posterior, error) {
	raw, err := measuredOf(r)
	if err != nil {
		return nil, err
	}
	p := &Posterior{title: "Posterior given the noisy counts: " + r.Plan().Shape().Model().String(),
		caption: captionOf(r), terms: r.Terms(), shape: r.Plan().Shape(), release: r,
		networks: newNetworks()}
	p.predictive = sync.OnceValue(p.makePredictive)
	limit := exactWork
	if cumulative(r.Plan().Shape()) {
		limit = stepsWork
	}
	e := newEffort(ctx, limit)
	switch sh := r.Plan().Shape(); {
	case sh.SharesClass():
		err = p.naiveBayes(r, z, raw, e)
	case len(sh.Conditionals()) == 1 && sh.Graph() == nil:
		err = p.categorical(r, z, raw[0], e)
	default:
		err = &UnsupportedError{name(r.Plan()), "this model, whose tables share columns,", "Binary, Categorical, " +
			"Histogram, CDF or NaiveBayes"}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// cumulative reports whether a shape's model is about shares below edges.
func cumulative(sh *model.Shape) bool {
	m, ok := sh.Model().(model.HistogramModel)
	return ok && m.Cumulative()
}

// size is the largest count of every cell: the public n, or as far above the noisy numbers as matters.
func size(r *release.Release, z noise.Probabilities, raw []int64, alpha float64, cells int) (top int, public bool, err error) {
	n, public := r.Plan().Shape().N()
	t := float64(n)
	if public = public && r.Plan().Target().Adjacency != dp.AddRemove; !public {
		most, least := int64(0), int64(0)
		for _, y := range raw {
			most, least = max(most, y), min(least, y)
		}
		t = float64(most)/float64(z.Unit()) + math.Max(noise.Beyond(z, 0, alpha+3), noise.Beyond(z, least, alpha+3))
	}
	if t*float64(cells) > maxNumbers {
		return 0, false, &WorkError{fmt.Sprintf("keeping weights of up to %.3g records in %d cells", t, cells),
			t * float64(cells), maxNumbers}
	}
	return int(math.Ceil(t)), public, nil
}

// categorical is one table of one column.
func (p *Posterior) categorical(r *release.Release, z noise.Probabilities, raw []int64, e *effort) error {
	prior := r.Plan().Shape().Model().Prior()
	d := r.Model().Target().Dim()
	sum, largest := 0.0, 0.0
	for i := range d {
		sum, largest = sum+prior.At(i), math.Max(largest, prior.At(i))
	}
	top, public, err := size(r, z, raw, largest, d)
	if err != nil {
		return err
	}
	logw, target := make([][]float64, d), 0.0
	for i := range d {
		var y *int64
		if i < len(raw) {
			y = &raw[i]
			target += math.Max(float64(*y)/float64(z.Unit()), 0)
		}
		logw[i] = logWeights(z, prior.At(i), y, top, e)
	}
	laws, err := p.level(logw, top, public, int(target), sum, e)
	if err != nil {
		return err
	}
	for i := range d {
		p.add(r.Model().Target(), i, prior.At(i), sum-prior.At(i), func() []part { return laws.parts(i) })
	}
	if p.levels = p.params; cumulative(r.Plan().Shape()) {
		return p.cumulative(r, laws, sum)
	}
	return nil
}

// cumulative is the share below every edge, of a CDF: the sum of the first counts is independent of the others given
// the total, and the prior of the sum of the first shares is Beta.
func (p *Posterior) cumulative(r *release.Release, laws *countLaws, sum float64) error {
	shares, err := r.Model().Shares()
	if err != nil {
		return err
	}
	column, alpha := r.Plan().Shape().Columns()[0], 0.0
	p.params = nil
	for i, s := range shares {
		alpha += r.Plan().Shape().Model().Prior().At(i)
		a := alpha
		law := sync.OnceValue(func() *Mixture { return newMixture(a, sum-a, laws.partsBelow(i+1)) })
		p.params = append(p.params, Parameter{column.Name, "below " + column.Text(s.To), s.Beta, law, place{level: i}})
	}
	return nil
}

// countLaws are the laws of a distribution's counts: given a public total, or together with a latent one.
type countLaws struct {
	n     int
	fixed []window
	sums  *sums // nil for two counts with a public total
	total window
}

func (c *countLaws) parts(i int) []part {
	if c.fixed != nil {
		return []part{{total: c.n, lo: c.fixed[i].lo, p: c.fixed[i].p}}
	}
	return c.sums.parts(i, c.total, nil)
}

// partsBelow are the mixture terms of the sum of the first k counts.
func (c *countLaws) partsBelow(k int) []part {
	if c.fixed == nil {
		return mixed(c.sums.first[k], c.sums.last[k], c.total, nil)
	}
	if c.sums == nil { // two counts: k = 1
		return c.parts(0)
	}
	law := c.sums.first[k].given(c.sums.last[k], c.n)
	return []part{{total: c.n, lo: law.lo, p: law.p}}
}

// law is that of count i by itself.
func (c *countLaws) law(i int, e *effort) window {
	if c.fixed != nil {
		return c.fixed[i]
	}
	return merge(c.sums.parts(i, c.total, e))
}

// merge adds up the laws of a count over the totals.
func merge(parts []part) window {
	lo, hi := math.MaxInt, 0
	for _, q := range parts {
		lo, hi = min(lo, q.lo), max(hi, q.lo+len(q.p)-1)
	}
	w := window{lo, make([]float64, hi-lo+1)}
	for _, q := range parts {
		for j, x := range q.p {
			w.p[q.lo+j-lo] += x
		}
	}
	return w
}

// level finds the laws of a distribution's counts from the weights of its cells, and notes what is taken of the total.
func (p *Posterior) level(logw [][]float64, top int, public bool, target int, sum float64,
	e *effort) (*countLaws, error) {
	if public {
		laws, s, left, err := conditioned(logw, top, e)
		p.total = fmt.Sprintf("Counts add up to the public n = %d. Tails of probability at most %.1g are left out.",
			top, math.Max(left, 2*tailCut))
		return &countLaws{n: top, fixed: laws, sums: s}, err
	}
	s, law, left, err := free(logw, target, sum, e)
	p.total = fmt.Sprintf("n is latent, with the flat prior P(n) ∝ 1 on n = 0, 1, 2, …. Tails of probability at most "+
		"%.1g are left out.", math.Max(left, 2*tailCut))
	return &countLaws{sums: s, total: law}, err
}

// add appends component i of a distribution.
func (p *Posterior) add(d model.Named, i int, alpha, rest float64, parts func() []part) {
	law := sync.OnceValue(func() *Mixture { return newMixture(alpha, rest, parts()) })
	p.params = append(p.params, Parameter{d.Name, d.Labels[i], d.Marginal(i), law, place{level: i}})
}

// Parameters lists every probability: those of the target's levels, then, under naive Bayes, those of every feature's
// levels given each class, feature by feature.
func (p *Posterior) Parameters() []Parameter { return append([]Parameter(nil), p.params...) }

// Parameter is the probability of a level in a distribution, both named as in Parameters; ok is false if there is none.
func (p *Posterior) Parameter(name, label string) (q Parameter, ok bool) {
	for _, q := range p.params {
		if q.Name == name && q.Label == label {
			return q, true
		}
	}
	return Parameter{}, false
}

// noiseOf is the plan's noise distribution.
//
// Sum-zero geometric noise (K-norm) has P(Z = z) ∝ ∏ e^{−γ|z_i|} on Σz = 0. Its normaliser is constant, and a table y
// with total n has Σ(y − f) = 0 for every f with total n: under the public total its likelihood is the product of
// geometric ones.
func noiseOf(p *mechanism.Plan) (noise.Distribution, error) {
	z, ok := p.Noise()
	if p.Shape().Ranks() != nil {
		return nil, &UnsupportedError{name(p), "a model of quantiles", "WithIntervals(), which draws the ends of " +
			"intervals, or HistogramQuantiles(), whose release has its own"}
	}
	if p.Shape().Lattice() != nil {
		return nil, &UnsupportedError{name(p), "a model of numbers", "its release's own Summary and Intervals, which " +
			"account for the noise where NoisySums() made it"}
	}
	if !ok {
		return nil, &UnsupportedError{
			name(p), "this mechanism", "integer noise on counts: Geometric(), DiscreteGaussian(), Laplace(), KNorm(), " +
				"BySize() or Fourier()",
		}
	}
	return z, nil
}

func name(p *mechanism.Plan) string {
	return fmt.Sprintf("%s, %s", p.Title(), p.Shape().Model())
}

// logWeights is log[Γ(α+f)/(Γ(α)·f!)·P(y | f)], f = 0 … top, up to a constant: what one cell contributes to P(f, y). A
// nil y is a cell that was not measured.
func logWeights(z noise.Probabilities, alpha float64, y *int64, top int, e *effort) []float64 {
	out := make([]float64, top+1)
	if alpha != 1 {
		sum := 0.0
		for f := range top {
			if f%often == 0 && !e.spend(perWeight*float64(min(often, top-f))) {
				return out
			}
			sum += math.Log1p((alpha - 1) / float64(f+1)) // (α+f)/(f+1)
			out[f+1] = sum
		}
	}
	if y != nil {
		ratio := noise.LogRatio(z, *y)
		for f := range out {
			if f%often == 0 && !e.spend(perWeight*float64(min(often, len(out)-f))) {
				return out
			}
			out[f] += ratio(int64(f))
		}
	}
	return out
}

// measuredOf checks that a release holds noisy integers for the tables of its shape.
func measuredOf(r *release.Release) ([][]int64, error) {
	raw, tables := r.Raw(), r.Plan().Shape().Tables()
	if len(raw) < len(tables) { // by unit, there are moments after them
		return nil, &UnsupportedError{name(r.Plan()),
			fmt.Sprintf("a release of %d lists of integers for %d tables", len(raw), len(tables)),
			"a noisy integer for every measured cell"}
	}
	return raw[:len(tables)], nil
}

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
	if sh := r.Plan().Shape(); cumulative(sh) || sh.Joint() {
		return nil, &UnsupportedError{name(r.Plan()), "shares below edges, or of cells, from noise of several distributions",
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
// they have more than mixtureTotals different N or, of shared rows, α; of an exact posterior all of it.
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
	cellsOf := func(i int) (cells []int64, total int64) {
		cells = l.counts[i/l.draws][i%l.draws*entries+at:][:arity]
		for _, f := range cells {
			total += f
		}
		return cells, total
	}
	if p.s.problem.Shared != nil && p.s.problem.Shared[v] {
		var parts []part
		for i, stride := 0, (chains*l.draws+mixtureTotals-1)/mixtureTotals; i < chains*l.draws; i += stride {
			cells, total := cellsOf(i)
			alpha, sum := p.rowPrior(l, v, i/l.draws, i%l.draws), 0.0
			for _, a := range alpha {
				sum += a
			}
			parts = append(parts, part{alpha: alpha[state], rest: sum - alpha[state], total: int(total),
				lo: int(cells[state]), p: []float64{1}})
		}
		return mixtureOf(parts)
	}
	byTotal := map[int64][]int64{}
	take := func(stride int) {
		clear(byTotal)
		for i := 0; i < chains*l.draws; i += stride {
			cells, total := cellsOf(i)
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
