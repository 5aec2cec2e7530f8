package noiseaware

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
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
// It is exact for Binary, Categorical, Histogram, CDF and NaiveBayes models released with one law of noise, by
// Geometric, DiscreteGaussian, Laplace or KNorm. Of networks, and of the tables of BySize and the parities of Fourier,
// it is found from draws of the latent tables ([OfNetwork]), which are as exact as their number allows and checked;
// what was done is said below every table. Others are an *UnsupportedError. With a public n the latent counts add up to
// n. With a private one (add-remove) n is latent, under the flat prior P(n) ∝ 1 on n = 0, 1, 2, …, which is improper
// and public; the posterior is proper. Under naive Bayes the class totals are latent and shared by all tables, and
// features are independent given the class, as the model says.
//
// The exact way is taken where it costs no more than about a second (1e9 products and terms looked at, whatever the
// machine) and 300 MB; beyond that the tables are drawn as a network's are, which costs the same at any n. It takes
// about d·n² products for d ≥ 3 cells when the noise is as wide as n, far fewer when it is not, n terms for every level
// of d = 2 cells, and some hundred for every record, class and level of a feature under naive Bayes. A CDF cannot be
// drawn: it may cost 6e9, and is a *WorkError beyond.
//
// Errors: *UnsupportedError, *WorkError of a CDF, those of OfNetwork, *dp.ParameterError without a release, the
// context's.
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
	if errors.As(err, &work) && !cumulative(r.Plan().Shape()) {
		return ofNetwork(ctx, r, options)
	}
	return p, err
}

// of takes the law of the noise, for tests of a wrong one.
func of(ctx context.Context, r *release.Release, z noise.Probabilities) (*Posterior, error) {
	raw, err := measuredOf(r)
	if err != nil {
		return nil, err
	}
	p := &Posterior{title: "Posterior given the noisy counts: " + r.Plan().Shape().Model().String(),
		caption: r.Caption(), terms: r.Terms(), shape: r.Plan().Shape(), release: r,
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
