package weighted

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// sampler adds noise to the boxes, and estimates from them.
type sampler struct {
	*problem
	params    params
	one, rest noise.Distribution
}

// ofRest reports whether a box is one of t(1 − t).
func (d *sampler) ofRest(i int) bool {
	if d.tokens.Boxes == model.BoxesMean {
		return i%6 >= 3
	}
	return i >= d.groups
}

// Draw reads the sums of tokens once.
func (d *sampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	out := slices.Clone(d.shape.Lattice().TokenSums(data.Whole(), d.params.Tokens))
	if out == nil {
		return mechanism.Output{}, &mechanism.StatisticsError{Have: "statistics without tokens",
			Want: "the tokens of " + d.shape.Model().String()}
	}
	for i := range out {
		if d.ofRest(i) {
			out[i] += d.rest.Draw(src)
		} else {
			out[i] += d.one.Draw(src)
		}
	}
	return mechanism.Output{Raw: [][]int64{out}}, nil
}

// boxes are the released sums in units of the largest weight.
func (d *sampler) boxes(drawn mechanism.Output) ([]float64, error) {
	if len(drawn.Raw) != 1 || len(drawn.Raw[0]) != d.tokens.Boxes.Each()*d.groups {
		return nil, domain.Refuse("weighted", "raw", "numbers of another shape",
			fmt.Sprintf("one list of %d integers", d.tokens.Boxes.Each()*d.groups))
	}
	out := make([]float64, len(drawn.Raw[0]))
	for i, v := range drawn.Raw[0] {
		out[i] = float64(v) / float64(d.params.Tokens)
	}
	return out, nil
}

// noise is the boxes' noise as package survey takes it.
func (d *sampler) noise() survey.Noise {
	if d.params.Rate != nil {
		return survey.Laplace(d.params.Rate.Float() * float64(d.params.Tokens))
	}
	return survey.Gaussian(d.params.sd())
}

// alpha is the least weight over the largest.
func (d *sampler) alpha() float64 {
	w := d.shape.Weighted()
	return float64(w.Low) / float64(w.High)
}

// found are the intervals of all parameters at a level, in the units of the data: the one place where the tests of
// package survey are asked.
func (d *sampler) found(b []float64, level float64) []survey.Interval {
	l := d.shape.Lattice()
	pair := func(g int) survey.Boxes { return survey.Boxes{Weight: b[l.Box(g, 0)], Rest: b[l.Box(g, 1)]} }
	if r := d.shape.WeightedRanks(); r != nil {
		return d.quantiles(r, pair, level)
	}
	out, all := make([]survey.Interval, d.groups), survey.Boxes{}
	for g := range out {
		all.Weight, all.Rest = all.Weight+pair(g).Weight, all.Rest+pair(g).Rest
	}
	for g := range out {
		low, unit := l.Low[0], l.High[0]-l.Low[0]
		switch d.tokens.Boxes {
		case model.BoxesShare:
			own := pair(g)
			others := survey.Boxes{Weight: all.Weight - own.Weight, Rest: all.Rest - own.Rest}
			out[g] = survey.Share(own, others, d.groups, d.noise(), d.alpha(), level)
		case model.BoxesTotal:
			out[g] = survey.Total(pair(g), d.noise(), level)
			low, unit = 0, d.shape.TotalUnit()
		default:
			var six survey.Six
			copy(six.Weight[:], b[6*g:])
			copy(six.Rest[:], b[6*g+3:])
			out[g] = survey.MeanSix(six, d.noise(), d.alpha(), level)
		}
		for _, v := range []*float64{&out[g].Lower, &out[g].Upper, &out[g].Estimate} {
			*v = low + unit**v
		}
	}
	return out
}

// quantiles are the intervals of quantiles: from where the points of one edge begin to where those of another do, as
// whole numbers of a column that has a point of each.
func (d *sampler) quantiles(r *model.Ranks, pair func(point int) survey.Boxes, level float64) []survey.Interval {
	points, l := make([]survey.Boxes, d.groups), d.shape.Lattice()
	for j := range points {
		points[j] = pair(j)
	}
	out := make([]survey.Interval, len(r.A))
	for i, a := range r.A {
		b := survey.Quantile(points, float64(a)/float64(r.B), d.noise(), nil, level)
		out[i] = survey.Interval{Lower: r.Edge(b.Lower), Upper: r.Edge(b.Upper),
			Estimate: l.Value(0, float64(b.Estimate)), Shown: b.Shown}
		if d.shape.Columns()[0].Kind == frame.KindInteger && l.Step(0) == 1 {
			out[i].Lower, out[i].Upper = l.Value(0, float64(b.Lower)), l.Value(0, float64(b.Upper-1))
		}
	}
	return out
}

// Estimate are the parameters given the noisy boxes; the middle of the interval where noise drowns the weights.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	b, err := d.boxes(drawn)
	if err != nil {
		return model.Estimate{}, err
	}
	found := d.found(b, .95)
	values := make([]float64, len(found))
	for g, i := range found {
		if values[g] = i.Estimate; !i.Shown {
			values[g] = (i.Lower + i.Upper) / 2
		}
	}
	return model.Estimate{Draws: &model.Draws{Names: d.shape.Parameters(), Values: [][]float64{values}}}, nil
}

// withheld says why no interval of the population is shown; nil where there is one.
func (p *problem) withheld(q params) error {
	switch w := p.shape.Schema().Weighted(); {
	case p.rows > 1:
		return errors.New("rows of one unit are not independent draws from the population, and each may have several")
	case w.Computed == frame.FromRespondents && !q.Held:
		return errors.New("weights were computed from the respondents. A release with Tokens().HeldAsGiven(), or " +
			"--held-as-given, has intervals, with " + frame.HeldAsGiven)
	}
	return nil
}

// Intervals are those of the population whose weights are at most the largest allowed.
func (d *sampler) Intervals(ctx context.Context, drawn mechanism.Output, level float64) (list []mechanism.Interval,
	how string, ok bool) {
	b, err := d.boxes(drawn)
	if err != nil || d.withheld(d.params) != nil {
		return nil, "", false
	}
	for _, i := range d.found(b, level) {
		list = append(list, mechanism.Interval{Population: &mechanism.Range{Lower: i.Lower, Upper: i.Upper}})
	}
	s := d.shape.Schema().Weighted()
	how = "score test on the noisy sums; of the population with weights of at most " + s.Max
	if s.Computed == frame.FromRespondents {
		how += ", " + frame.HeldAsGiven
	}
	if e := d.effective(b); e.Shown && d.tokens.Boxes != model.BoxesTotal {
		how += fmt.Sprintf("; effective sample size %.0f (%.0f – %.0f)", e.Value, e.Lower, e.Upper)
		if n, public := d.shape.N(); public && e.Value >= 1 && !d.shape.Lattice().Omits { // of rows without a value none
			how += fmt.Sprintf(", design effect %.2f", math.Max(float64(n)/e.Value, 1))
		}
	}
	return list, how, ctx.Err() == nil
}

// effective is how many rows of equal weight would say as much.
func (d *sampler) effective(b []float64) survey.EffectiveSize {
	var all survey.Boxes
	for i, v := range b {
		if d.ofRest(i) {
			all.Rest += v
		} else {
			all.Weight += v
		}
	}
	return survey.Effective(all, len(b)/2, d.noise(), d.alpha(), .95)
}

// Warned says where no interval is shown, where there is no estimate, and where few rows carry the weight.
func (d *sampler) Warned(drawn mechanism.Output) (out warning.List) {
	b, err := d.boxes(drawn)
	if err != nil {
		return nil
	}
	var none []string
	for g, i := range d.found(b, .95) {
		if !i.Shown {
			none = append(none, d.shape.Parameters()[g])
		}
	}
	if len(none) > 0 {
		out = append(out, warning.NoEstimate(none))
	}
	if err := d.withheld(d.params); err != nil {
		return append(out, warning.NoIntervals(err))
	}
	if e := d.effective(b); err == nil && d.tokens.Boxes != model.BoxesTotal && e.Upper < fewEffective {
		out = append(out, warning.FewEffective(e.Upper))
	}
	return out
}

// fewEffective rows of equal weight are too few for intervals to hold where the weight decides about values.
const fewEffective = 30
