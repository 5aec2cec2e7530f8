package posteriorsample

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// conditionals is a discrete network, or a single table, as the accounting sees it: independent truncated Dirichlet
// posteriors, one for every row of every conditional distribution, with the likelihood to a power η. A replaced record
// changes every conditional once: it stays in its row and changes value, or leaves one row and enters another. Both
// ways the log-ratio of the laws that it touches has a range of at most 2ηℓ, ℓ = ln((1−(r−1)w)/w); a record that moves
// between two rows changes two independent laws of range ηℓ each, whose product is again a pair of range 2ηℓ. Laws of
// different conditionals are independent given the data, so that
//
//	osc = 2ηΣℓ_i,  D_λ ≤ Σ_i R_λ(2ηℓ_i),  R_λ(w) the supremum over all pairs of range w.
//
// ε is the sum of each conditional's own, which is exact for two levels. Source: theory/sampling.md §16, §22 D;
// theory/networks.md §3.
type conditionals struct {
	n     int
	alpha float64 // prior count of every cell
	power float64
	nodes []node
	anyN  bool // for data of any size
	naive bool // the first node is the parent of all others, and of them only
}

// node is one conditional distribution.
type node struct {
	Rows   int     `json:"rows"` // configurations of the parents
	Levels int     `json:"levels"`
	Floor  float64 `json:"floor"`
}

// logRange is ηℓ.
func (c conditionals) logRange(v node) float64 {
	return c.power * (math.Log1p(-float64(v.Levels-1)*v.Floor) - math.Log(v.Floor))
}

// Oscillation is 2ηΣℓ.
func (c conditionals) Oscillation() float64 {
	sum := 0.0
	for _, v := range c.nodes {
		sum += 2 * c.logRange(v)
	}
	return sum * inflation
}

// Epsilon is the pure ε of one draw.
func (c conditionals) Epsilon() float64 {
	if c.anyN {
		return c.Oscillation()
	}
	seen := map[node]float64{}
	sum := 0.0
	for _, v := range c.nodes {
		key := node{min(v.Rows, 2), v.Levels, v.Floor}
		e, ok := seen[key]
		if !ok {
			e = c.nodeEpsilon(v)
			seen[key] = e
		}
		sum += e
	}
	sum = math.Min(sum*inflation, c.Oscillation())
	if w := c.nodes[0].Floor; c.naive && len(c.nodes) > 1 {
		for _, v := range c.nodes {
			if v.Levels != 2 || v.Floor != w {
				return sum
			}
		}
		// the class and the features cannot all be at their own worst at once: exact
		if e, err := (truncatednet.Naive{Features: len(c.nodes) - 1, Records: c.n, Alpha: c.alpha}).Epsilon(w,
			c.power); err == nil {
			return math.Min(sum, e*inflation)
		}
	}
	return sum
}

// nodeEpsilon is the ε of one conditional: exact for two levels, the range otherwise.
func (c conditionals) nodeEpsilon(v node) float64 {
	bound := 2 * c.logRange(v)
	if v.Levels != 2 {
		return bound
	}
	own, err := logratio.NewBits(c.n, c.alpha, c.alpha, v.Floor, 1-v.Floor, c.power)
	if err != nil {
		return bound
	}
	e := own.Epsilon()
	if v.Rows > 1 {
		e = math.Max(e, c.moved(v.Floor))
	}
	return math.Min(e, bound)
}

// moved is the ε of a record that leaves one row of two levels for another. With m and m′ other records in the two
// rows, adding a one has log-ratio at most up(m) = η ln u − ln E[θ^η | 0 of m ones], and removing one at most down(m′)
// = ln E[θ^η | m′ of m′ ones] − η ln l. Both grow with their argument, and m + m′ ≤ n − 1.
func (c conditionals) moved(w float64) float64 {
	u := 1 - w
	term := func(ones, zeros float64) float64 { // ln E θ^η
		law, err := truncated.NewBeta(c.alpha+c.power*ones, c.alpha+c.power*zeros, w, u)
		if err != nil {
			return math.NaN()
		}
		return law.LogMoment(c.power, 0)
	}
	up := func(m int) float64 { return c.power*math.Log1p(-w) - term(0, float64(m)) }
	down := func(m int) float64 { return term(float64(m), 0) - c.power*math.Log(w) }
	rest := c.n - 1
	if rest > 128 { // the monotone bound, which the exact value approaches
		return (up(rest) + down(rest)) * inflation
	}
	most := 0.0
	for m := range rest + 1 {
		most = math.Max(most, up(m)+down(rest-m))
	}
	if math.IsNaN(most) {
		return math.Inf(1)
	}
	return most * inflation
}

// Renyi is the sum of the conditionals' bounds.
func (c conditionals) Renyi(order float64) float64 {
	seen := map[float64]float64{}
	sum := 0.0
	for _, v := range c.nodes {
		w := 2 * c.logRange(v) * inflation
		r, ok := seen[w]
		if !ok {
			r = logratio.BoundedRange(w).Renyi(order)
			seen[w] = r
		}
		sum += r
	}
	return sum * inflation
}

// Quick is Renyi.
func (c conditionals) Quick(order float64) float64 { return c.Renyi(order) }

// Rate is ZCDP, for every order.
func (c conditionals) Rate(float64) float64 { return c.ZCDP() }

// ZCDP is Σ (2ηℓ_i)²/8.
func (c conditionals) ZCDP() float64 {
	sum := 0.0
	for _, v := range c.nodes {
		sum += logratio.BoundedRange(2 * c.logRange(v)).ZCDP()
	}
	return sum * inflation * inflation
}

// Delta is the profile of one draw that the range of the whole log-ratio implies.
func (c conditionals) Delta(epsilon float64) float64 {
	if epsilon >= c.Epsilon() {
		return 0
	}
	return logratio.BoundedRange(c.Oscillation()).Delta(epsilon)
}

// sampler draws N vectors of parameters, a list in the order drawn: of a model of counts, the probabilities of every
// conditional distribution in the order of Shape.Conditionals; of a rate, the rate. Building a law takes a time that
// depends on the data, and so does the rejection behind three and more levels: a side channel for those who can time
// the draw, who must be trusted.
type sampler struct {
	*problem
	s setting
}

// beta is the law of the second of two probabilities given the counts of both, in conditional i.
func (l law) beta(s setting, zeros, ones int64, i int) (*truncated.Beta, error) {
	a, b := l.cellPrior(1), l.cellPrior(0)
	w := s.floors[i]
	return truncated.NewBeta(a+s.power*float64(ones), b+s.power*float64(zeros), w, 1-w)
}

// gamma is the law of a rate given ΣT.
func (l law) gamma(s setting, sum float64) (*truncated.Gamma, error) {
	r := l.Rate
	return truncated.NewGamma(1+s.power*r.Kappa*float64(l.N), l.Alpha[0]+s.power*sum, r.C1, r.C2)
}

// Draw reads the statistics once.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	flat := make([]float64, d.s.draws*d.size)
	out := make([][]float64, d.s.draws)
	for k := range out {
		out[k] = flat[k*d.size : (k+1)*d.size : (k+1)*d.size]
	}
	if d.Rate != nil {
		law, err := d.gamma(d.s, data.Sums()[0])
		if err != nil {
			return mechanism.Output{}, err
		}
		s := law.Sampler()
		for k := range out {
			out[k][0] = s.Draw(src)
		}
		return mechanism.Output{Real: out}, nil
	}
	at := 0
	for i, counts := range d.shape.ConditionalCounts(data.Tables()) {
		r := d.nodes[i].Levels
		for lo := 0; lo < len(counts); lo += r {
			if err := d.drawRow(ctx, i, counts[lo:lo+r], at, out, src); err != nil {
				return mechanism.Output{}, err
			}
			at += r
		}
	}
	return mechanism.Output{Real: out}, nil
}

// drawRow draws one distribution of conditional i, N times, into columns at … of out.
func (d *sampler) drawRow(ctx context.Context, i int, counts []int64, at int, out [][]float64, src *dp.Stream) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(counts) == 2 {
		law, err := d.beta(d.s, counts[0], counts[1], i)
		if err != nil {
			return err
		}
		s := law.Sampler()
		for k := range out {
			t := s.Draw(src)
			out[k][at], out[k][at+1] = 1-t, t
		}
		return nil
	}
	alpha := make([]float64, len(counts))
	for j, c := range counts {
		prior := d.Alpha[0]
		if len(d.Alpha) > 1 {
			prior = d.Alpha[j]
		}
		alpha[j] = prior + d.s.power*float64(c)
	}
	law, err := truncated.NewDirichlet(alpha, d.s.floors[i])
	if err != nil {
		return err
	}
	for k := range out {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := law.Draw(src, out[k][at:at+len(counts)]); err != nil {
			return err
		}
	}
	return nil
}

// Estimate is the public post-processing: the draws as they are, and their mean as the model's parameters.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	real := drawn.Real
	fail := func(value any, want string) (model.Estimate, error) {
		return model.Estimate{}, domain.Refuse("posteriorsample", "real", value, want)
	}
	if len(real) != d.s.draws {
		return fail(table.Count(len(real), "draw"), fmt.Sprint(d.s.draws))
	}
	for _, v := range real {
		if len(v) != d.size {
			return fail(fmt.Sprintf("a draw of %d numbers", len(v)), fmt.Sprint(d.size))
		}
		if d.Rate != nil {
			if !(v[0] >= d.Rate.C1*(1-1e-12) && v[0] <= d.Rate.C2*(1+1e-12)) {
				return fail(v[0], fmt.Sprintf("a rate in [%g, %g]", d.Rate.C1, d.Rate.C2))
			}
			continue
		}
		at := 0
		for i, n := range d.nodes {
			for range n.Rows {
				sum := 0.0
				for _, x := range v[at : at+n.Levels] {
					if !(x >= d.s.floors[i]-1e-9 && x <= 1) {
						return fail(x, fmt.Sprintf("a probability in the box, at least %g", d.s.floors[i]))
					}
					sum += x
				}
				if math.Abs(sum-1) > 1e-9 {
					return fail(sum, "probabilities that add up to 1")
				}
				at += n.Levels
			}
		}
	}
	e := model.Estimate{Draws: &model.Draws{Names: d.names(), Values: real}}
	if d.Rate == nil {
		e.Conditionals = d.records(e.Draws.Mean())
	}
	return e, nil
}

// records are the mean parameters times the records that they stand for: n for a distribution without parents, the
// class's share of n for features of naive Bayes, an equal share for the rows of a network's node.
func (d *sampler) records(mean []float64) [][]float64 {
	var out [][]float64
	at := 0
	for i, v := range d.nodes {
		t := make([]float64, v.Rows*v.Levels)
		for row := range v.Rows {
			weight := float64(d.N) / float64(v.Rows)
			if d.Naive && i > 0 {
				weight = out[0][row]
			}
			for j := range v.Levels {
				t[row*v.Levels+j] = weight * mean[at]
				at++
			}
		}
		out = append(out, t)
	}
	return out
}

// names are those of the parameters: "rate", "column = level", "column = level | parent = level, …".
func (d *sampler) names() []string {
	if d.Rate != nil {
		return []string{"rate"}
	}
	var out []string
	row := func(column string, labels []string, given string) {
		for _, l := range labels {
			out = append(out, column+" = "+l+given)
		}
	}
	if g := d.shape.Graph(); g != nil {
		for i := range g.Len() {
			parents := g.Parents(i)
			for config := range d.nodes[i].Rows {
				words, rest := make([]string, len(parents)), config
				for k := len(parents) - 1; k >= 0; k-- {
					q := g.Node(parents[k])
					words[k] = q.Name + " = " + q.States[rest%len(q.States)]
					rest /= len(q.States)
				}
				given := ""
				if len(words) > 0 {
					given = " | " + strings.Join(words, ", ")
				}
				row(g.Node(i).Name, g.Node(i).States, given)
			}
		}
		return out
	}
	cols := d.shape.Columns()
	if d.shape.Joint() {
		t := d.shape.Tables()[0]
		row(t.Name, t.CellLabels(), "")
		return out
	}
	row(cols[0].Name, cols[0].Labels(), "")
	for _, c := range cols[1:] {
		for _, class := range cols[0].Labels() {
			row(c.Name, c.Labels(), " | "+cols[0].Name+" = "+class)
		}
	}
	return out
}
