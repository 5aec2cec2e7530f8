package release

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Distance is how far the model's two-way table of a pair of columns is from that of the rows: half the sum of the
// absolute differences of the rows' counts from those the model expects, as a share of the records. Where their number
// is public that is the total variation between the two distributions; else the share is of the noisy number, and the
// total variation is at most twice it.
type Distance struct {
	Columns  [2]string `json:"columns"`
	Measured bool      `json:"measured"` // the release measured a table with both columns
	Released bool      `json:"released"` // the distance was, with noise; under pure ε that of the worst pair alone is
	// Estimate, and an interval of it for this pair alone. Of a distance that was not released Lower is 0, and Upper is
	// AtOnce.
	Estimate float64 `json:"estimate"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
	// AtOnce bounds the distance, with the level for all pairs together.
	AtOnce float64 `json:"at_once"`
}

// Distances are those of all pairs of a structure that was learned with Statements, the largest first, with intervals
// and bounds at a level in (0, 1). They account for the noise of a distance and for the rounding of the model's
// counts, and hold whatever was chosen and fitted before: the noise is fresh. With m pairs, noise Z, Δ = 1 − level and
// a released distance R,
//
//	interval  R ± q,  P(|Z| > q) ≤ Δ
//	bound     R + q,  P(Z < −q) ≤ Δ/m; under pure ε Δ/2, and (ln m + ln 2/Δ)/x more for pairs that are not the worst
//
// where x is the rate of the choice of the worst pair. Error: *dp.ParameterError for a level and for a release without
// statements. Source: theory/structure.md §13.
func (r *Release) Distances(level float64) ([]Distance, error) {
	s := r.Structure()
	switch {
	case !(level > 0 && level < 1):
		return nil, domain.Refuse("release", "level", level, "a number above 0 and below 1")
	case s == nil || s.Distances == nil:
		return nil, domain.Refuse("release", "distances", r.plan.Title(), "a structure learned with Statements")
	}
	d, m := s.Distances, float64(len(s.Distances.Pairs))
	single := float64(noise.Quantile(d.Noise, math.Log((1-level)/2)) - 1)
	below, chosen := math.Log((1-level)/m), 0.0
	if d.Worst > 0 {
		below = math.Log((1 - level) / 2)
		chosen = (math.Log(m) - below) / d.Rate
	}
	together, scale, worst := float64(noise.Quantile(d.Noise, below)-1), 1/(2*s.Size), 0.0
	if d.Worst > 0 {
		worst = float64(d.Pairs[d.Worst-1].Noisy)
	}
	var out []Distance
	for i, p := range d.Pairs {
		one := Distance{Columns: p.Columns, Measured: s.Holds(p.Columns[:]...) >= 0, Released: d.Worst == 0 || d.Worst == i+1}
		if noisy := float64(p.Noisy); one.Released {
			one.Estimate, one.Lower = noisy*scale, (noisy-single-p.Apart)*scale
			one.Upper, one.AtOnce = (noisy+single+p.Apart)*scale, (noisy+together+p.Apart)*scale
		} else {
			one.AtOnce = (worst + together + chosen + p.Apart) * scale
			one.Upper = one.AtOnce
		}
		out = append(out, r.possible(one))
	}
	slices.SortStableFunc(out, func(a, b Distance) int {
		return cmp.Or(cmp.Compare(b.Estimate, a.Estimate), cmp.Compare(b.AtOnce, a.AtOnce))
	})
	return out, nil
}

// possible keeps a distance where it may be: at 0 or above and, of a public number of records, at 1 or below.
func (r *Release) possible(d Distance) Distance {
	most := math.Inf(1)
	if _, public := r.plan.Shape().N(); public {
		most = 1
	}
	for _, v := range []*float64{&d.Estimate, &d.Lower, &d.Upper, &d.AtOnce} {
		*v = math.Min(math.Max(*v, 0), most)
	}
	return d
}

// distance is that of a pair of columns at the level at which releases are shown; nil where nothing is known of it.
func (r *Release) distance(names []string) *Distance {
	list, err := r.Distances(shownLevel)
	if err != nil || len(names) != 2 {
		return nil
	}
	for _, d := range list {
		if slices.Contains(names, d.Columns[0]) && slices.Contains(names, d.Columns[1]) {
			return &d
		}
	}
	return nil
}

// shownDistances is the number of pairs of which distances are shown.
const shownDistances = 5

// distanceTable shows the pairs that are furthest off; nil without statements.
func (r *Release) distanceTable() []*table.Table {
	list, err := r.Distances(shownLevel)
	if err != nil {
		return nil
	}
	t := table.New("How far the model is from the rows", "pair", "measured", "distance", "95 % interval",
		"bound for all at once")
	for _, d := range list[:min(len(list), shownDistances)] {
		k, estimate, between := table.Decimals((d.Upper-d.Lower)/4), "", ""
		if d.Released {
			estimate = table.Fixed(d.Estimate, k)
			between = table.Fixed(d.Lower, k) + "–" + table.Fixed(d.Upper, k)
		}
		t.Add(strings.Join(words(d.Columns[:]), " × "), map[bool]string{true: "yes", false: "no"}[d.Measured], estimate,
			between, table.Fixed(d.AtOnce, k))
	}
	if more := len(list) - shownDistances; more > 0 {
		t.Note(table.Count(more, "pair") + " more, which are nearer or have no larger bound.")
	}
	t.Note(r.distanceText())
	return []*table.Table{t.Note("A distance is half the sum of the differences between the model's two-way table and " +
		"the rows', as a share of the records.")}
}

// distanceText says how far all pairs are, "" without statements.
func (r *Release) distanceText() string {
	list, err := r.Distances(shownLevel)
	if err != nil {
		return ""
	}
	var bounds []float64
	for _, d := range list {
		bounds = append(bounds, d.AtOnce)
	}
	slices.Sort(bounds)
	far := bounds[len(bounds)-1]
	if len(bounds) == 1 {
		return fmt.Sprintf("The model's table of the pair is within %s of the rows', with probability %g.", atMost(far),
			shownLevel)
	}
	return fmt.Sprintf("Half of the %d pairs are within %s of the rows, and all of them within %s, with probability %g "+
		"for all at once.", len(bounds), atMost(bounds[(len(bounds)-1)/2]), atMost(far), shownLevel)
}

// atMost is a bound, rounded up.
func atMost(x float64) string { return table.Number(math.Ceil(x*1e4) / 1e4) }
