package posteriorsample

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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
	row(cols[0].Name, cols[0].Labels(), "")
	for _, c := range cols[1:] {
		for _, class := range cols[0].Labels() {
			row(c.Name, c.Labels(), " | "+cols[0].Name+" = "+class)
		}
	}
	return out
}
