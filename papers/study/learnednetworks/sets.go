package learnednetworks

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// SetsSpec is a point of the study of combined estimates: a group of two levels, an outcome of two, a region of three,
// and hours, whole numbers in four bins, replace-one. All pairs can be measured, and are in most releases.
type SetsSpec struct {
	Records int     `json:"records"`
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta,omitempty"` // above 0: discrete Gaussian noise, else geometric
	Rows    int     `json:"rows,omitempty"`  // of a set; 0: five times the records

	// Plain draws all sets from the released fit, without a repetition of the release, and combines by the rule for such
	// sets, synthetic.SingleSource, which leaves the noise out: a wrong way, to show that coverage tells.
	Plain bool `json:"plain,omitempty"`
}

// CombinedQuantity is what combined intervals are of.
type CombinedQuantity string

// The quantities: a share of a level, a mean of numbers, and a difference of shares between the groups, where the pair
// was measured.
const (
	ShareOfRegion CombinedQuantity = "share"
	MeanOfHours   CombinedQuantity = "mean"
	DifferenceOf  CombinedQuantity = "difference"
)

// CombinedQuantities lists them.
func CombinedQuantities() []CombinedQuantity {
	return []CombinedQuantity{ShareOfRegion, MeanOfHours, DifferenceOf}
}

// SetsPoint is how often 95 % intervals, combined over 20 sets, contain the population's value, as shares of the
// releases that were asked, with their median width.
type SetsPoint struct {
	SetsSpec
	Releases int                          `json:"releases"`
	Covered  map[CombinedQuantity]float64 `json:"covered"`
	Width    map[CombinedQuantity]float64 `json:"width"`
	Asked    map[CombinedQuantity]int     `json:"asked"`
	widths   map[CombinedQuantity][]float64
}

// The population: P(group = b), P(outcome = yes | group), P(region), and hours, uniform in a bin that the group
// chooses.
var (
	ofGroup, ofOutcome = .4, [2]float64{.3, .5}
	ofRegion           = []float64{.5, .3, .2}
	ofHours            = [2][]float64{{.4, .3, .2, .1}, {.1, .2, .3, .4}}
	hours              = []float64{0, 10, 20, 40, 60}
)

// setsSchema is that of the simulated table.
func setsSchema() *frame.Schema {
	return &frame.Schema{Dataset: "simulated", Columns: []frame.Column{
		{Name: "group", Kind: frame.KindCategorical, Categories: []string{"a", "b"}},
		{Name: "outcome", Kind: frame.KindCategorical, Categories: []string{"no", "yes"}},
		{Name: "region", Kind: frame.KindCategorical, Categories: []string{"n", "s", "w"}},
		{Name: "hours", Kind: frame.KindInteger, Min: hours[0], Max: hours[len(hours)-1], Edges: hours}}}
}

// setsTruth are the population's values. The mean of whole numbers from lo to hi − 1 is (lo + hi − 1)/2, of the last
// bin (lo + hi)/2.
func setsTruth() map[CombinedQuantity]float64 {
	mean := 0.0
	for g, share := range []float64{1 - ofGroup, ofGroup} {
		for b, p := range ofHours[g] {
			mean += share * p * (hours[b] + hours[b+1]) / 2
			if b < len(hours)-2 {
				mean -= share * p / 2
			}
		}
	}
	return map[CombinedQuantity]float64{ShareOfRegion: ofRegion[1], MeanOfHours: mean,
		DifferenceOf: ofOutcome[1] - ofOutcome[0]}
}

// setsTable draws records of the population.
func setsTable(n int, src rand.Source) (*frame.Frame, error) {
	columns := map[string]any{}
	group, outcome, region, hour := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	pick := func(shares []float64) (i int) {
		for u := sample.Float64(src); i < len(shares)-1 && u >= shares[i]; i++ {
			u -= shares[i]
		}
		return i
	}
	for i := range n {
		g := pick([]float64{1 - ofGroup, ofGroup})
		b := pick(ofHours[g])
		lo, hi := hours[b], hours[b+1]-1
		if b == len(hours)-2 {
			hi++
		}
		group[i] = []string{"a", "b"}[g]
		outcome[i] = []string{"no", "yes"}[pick([]float64{1 - ofOutcome[g], ofOutcome[g]})]
		region[i] = []string{"n", "s", "w"}[pick(ofRegion)]
		hour[i] = fmt.Sprint(int(lo + sample.Float64(src)*(hi-lo+1)))
	}
	columns["group"], columns["outcome"], columns["region"], columns["hours"] = group, outcome, region, hour
	return frame.FromColumns(setsSchema(), columns)
}

func (s SetsSpec) plan(ctx context.Context) (*mechanism.Plan, error) {
	noise, target := structure.Geometric(), dp.PureDP(s.Epsilon)
	if s.Delta > 0 {
		noise, target = structure.DiscreteGaussian(), dp.ApproxDP(s.Epsilon, s.Delta)
	}
	sh, err := model.NewShape(setsSchema(), model.MaxEntropy().Always(), s.Records, true, "")
	if err != nil {
		return nil, err
	}
	return noise.Plan(ctx, sh, target)
}

// CountCombined combines the sets of so many releases. Errors: *dp.ParameterError, those of planning, the context's.
func CountCombined(ctx context.Context, s SetsSpec, releases int, seed uint64) (*SetsPoint, error) {
	if s.Records < 1 {
		return nil, domain.Refuse("learnednetworks", "records", s.Records, "at least 1")
	}
	plan, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	out := &SetsPoint{SetsSpec: s, Releases: releases, Covered: map[CombinedQuantity]float64{},
		Width: map[CombinedQuantity]float64{}, Asked: map[CombinedQuantity]int{},
		widths: map[CombinedQuantity][]float64{}}
	for i := range releases {
		if err := out.release(ctx, plan, simulate.Stream("combined", seed, s, i)); err != nil {
			return nil, err
		}
	}
	for q, n := range out.Asked {
		out.Covered[q] /= float64(n)
		slices.Sort(out.widths[q])
		out.Width[q] = out.widths[q][n/2]
	}
	return out, nil
}

// release adds the intervals of one release.
func (p *SetsPoint) release(ctx context.Context, plan *mechanism.Plan, src *dp.Stream) error {
	f, err := setsTable(p.Records, src)
	if err != nil {
		return err
	}
	st, err := model.Count(plan.Shape(), f)
	if err != nil {
		return err
	}
	r, err := simulate.Release(ctx, plan, plan, st, src)
	if err != nil {
		return err
	}
	sets, err := r.SyntheticSets(ctx, 0, p.Rows)
	if p.Plain && err == nil {
		sets, err = plainSets(r, p.Rows, src)
	}
	if err != nil {
		return err
	}
	found := map[CombinedQuantity][]synthetic.Estimate{}
	for i := range sets.Len() {
		set, err := sets.Frame(i)
		if err != nil {
			return err
		}
		if err := estimates(r, set, found); err != nil {
			return err
		}
	}
	truth := setsTruth()
	for q, list := range found {
		if slices.ContainsFunc(list, func(e synthetic.Estimate) bool { return !domain.Finite(e.Value) }) {
			continue // a group without records in some set
		}
		rule := synthetic.FullySynthetic
		if p.Plain {
			rule = synthetic.SingleSource
		}
		c, err := synthetic.CombineBy(rule, sets.Design(), list...)
		if err != nil {
			return err
		}
		lo, hi, err := c.Interval(simulate.Level)
		if err != nil {
			return err
		}
		p.Covered[q] += simulate.Held(lo, hi, truth[q])
		p.widths[q] = append(p.widths[q], hi-lo)
		p.Asked[q]++
	}
	return nil
}

// plainSets are all of the released fit.
func plainSets(r *release.Release, rows int, src *dp.Stream) (*synthetic.Sets, error) {
	return synthetic.New(synthetic.Spec{Rows: rows, Graph: r.Model().Network().DAG(),
		Records: r.Structure().Size, Draw: func(_, rows int) (*frame.Frame, error) {
			return r.Synthesize(rows, src)
		}})
}

// estimates of a set, with their squared standard errors.
func estimates(r *release.Release, set *frame.Frame, found map[CombinedQuantity][]synthetic.Estimate) error {
	share, err := synthetic.Share(synthetic.Level{Column: "region", Level: "s"})(set)
	if err != nil {
		return err
	}
	found[ShareOfRegion] = append(found[ShareOfRegion], share)
	values, err := set.Values("hours")
	if err != nil {
		return err
	}
	var all simulate.Moments
	for _, v := range values {
		all.Add(v)
	}
	found[MeanOfHours] = append(found[MeanOfHours], synthetic.Estimate{Value: all.Mean(), Variance: all.SE() * all.SE()})
	if !slices.Contains(r.Structure().Edges, [2]string{"group", "outcome"}) {
		return nil
	}
	groups, err := set.Codes("group")
	if err != nil {
		return err
	}
	outcomes, err := set.Codes("outcome")
	if err != nil {
		return err
	}
	var n, yes [2]float64
	for i := range set.Len() {
		n[groups.At(i)]++
		yes[groups.At(i)] += float64(outcomes.At(i))
	}
	d := synthetic.Estimate{Value: yes[1]/n[1] - yes[0]/n[0]}
	for g := range n {
		p := yes[g] / n[g]
		d.Variance += p * (1 - p) / n[g]
	}
	found[DifferenceOf] = append(found[DifferenceOf], d)
	return nil
}

// SetsResult is the outcome of a run of the study of combined estimates.
type SetsResult = simulate.Results[*SetsPoint]

//go:embed sets.json
var committedSets []byte

// CommittedSets is the full run.
func CommittedSets() (*SetsResult, error) { return simulate.Committed[SetsResult](committedSets) }
