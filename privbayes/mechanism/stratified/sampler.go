package stratified

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler adds noise to the numbers of every stratum, and estimates from them.
type sampler struct {
	*problem
	params params
	noises []noise.Distribution // of the numbers of a stratum
}

// Draw reads the sums of the strata once.
func (d *sampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	whole := data.Whole()
	if len(whole) != d.shape.Lattice().Len() {
		return mechanism.Output{}, &mechanism.StatisticsError{Have: "statistics without strata",
			Want: "the sums of " + d.shape.Model().String()}
	}
	out := d.rule.released(whole, d.sampled())
	for i := range out {
		out[i] += d.noises[i%len(d.noises)].Draw(src)
	}
	return mechanism.Output{Raw: [][]int64{out}}, nil
}

// found are the intervals of all parameters at a level, in the units of the data.
func (d *sampler) found(drawn mechanism.Output, level float64) ([]survey.Interval, error) {
	each, strata := d.rule.each(), d.weighted()
	if len(drawn.Raw) != 1 || len(drawn.Raw[0]) != each*len(strata) {
		return nil, domain.Refuse("stratified", "raw", "numbers of another shape", fmt.Sprintf("one list of %d integers",
			each*len(strata)))
	}
	raw, n := drawn.Raw[0], d.params.shown(d.rule)
	of := func(h, i int) float64 { return float64(raw[h*each+i]) }
	if d.rule.Levels == 0 {
		ones, first, second := make([]float64, len(strata)), make([]float64, len(strata)), make([]float64, len(strata))
		l, j := d.shape.Lattice(), float64(d.rule.Coarse)
		for h, s := range strata {
			ones[h] = of(h, 0) / float64(d.rule.Steps)
			first[h], second[h] = 2*ones[h]-s.Size, of(h, 1)/(j*j)
		}
		i := survey.StrataMean(first, second, strata, n, level)
		if d.rule.Steps == 1 { // the mean of values 0 and 1 is a share, whose squares say nothing
			i = survey.StrataShare(ones, strata, n, level)
		}
		for _, v := range []*float64{&i.Lower, &i.Upper, &i.Estimate} {
			*v = l.Low[0] + (l.High[0]-l.Low[0])**v
		}
		return []survey.Interval{i}, nil
	}
	out := make([]survey.Interval, d.rule.Levels)
	for i := range out {
		counts := make([]float64, len(strata))
		for h, s := range strata {
			if each == 1 {
				if counts[h] = of(h, 0); i == 1 {
					counts[h] = s.Size - counts[h]
				}
				continue
			}
			sum := 0.0
			for k := range each {
				sum += of(h, k)
			}
			counts[h] = of(h, i) - (sum-s.Size)/float64(each) // projected on n_h
		}
		out[i] = survey.StrataShare(counts, strata, n, level)
	}
	return out, nil
}

// Estimate are the parameters given the noisy numbers, the middle of the interval where there is no estimate.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	found, err := d.found(drawn, .95)
	if err != nil {
		return model.Estimate{}, err
	}
	values := make([]float64, len(found))
	for g, i := range found {
		if values[g] = i.Estimate; !i.Shown {
			values[g] = (i.Lower + i.Upper) / 2
		}
	}
	return model.Estimate{Draws: &model.Draws{Names: d.shape.Parameters(), Values: [][]float64{values}}}, nil
}

// Intervals are those of the population of the strata's sizes.
func (d *sampler) Intervals(ctx context.Context, drawn mechanism.Output, level float64) (list []mechanism.Interval,
	how string, ok bool) {
	found, err := d.found(drawn, level)
	if err != nil {
		return nil, "", false
	}
	for _, i := range found {
		list = append(list, mechanism.Interval{Population: &mechanism.Range{Lower: i.Lower, Upper: i.Upper}})
	}
	how = fmt.Sprintf("score test on the noisy sums of %d strata, each by its size in the population", len(d.strata))
	return list, how, ctx.Err() == nil
}
