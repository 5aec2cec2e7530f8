package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ofWhole is what models of averages have in common: columns that are rounded to a Lattice, integer sums, parameters in
// the units of the columns.
type ofWhole struct {
	ofSums
	resolution int64
}

func (m ofWhole) checkResolution(of Model, most int64) error {
	if m.resolution < 0 || m.resolution > most {
		return wrong(of, "", fmt.Sprintf("resolution K = %d", m.resolution), fmt.Sprintf("1 ≤ K ≤ %d", most))
	}
	if len(m.alpha) > 0 {
		return wrong(of, "", "a prior", "none: the model has no hyperparameters")
	}
	return nil
}

// checkSteps refuses a lattice that does not fit the samplers' range.
func checkSteps(m Model, l *Lattice, most int64) error {
	if l.Steps < 1 || l.Steps > most {
		return wrong(m, "", fmt.Sprintf("bounds that are K = %d steps apart", l.Steps),
			fmt.Sprintf("1 ≤ K ≤ %d: set WithResolution(K)", most))
	}
	return nil
}

// numericColumns are columns with public bounds, each named once.
func numericColumns(m Model, s *frame.Schema, names []string) (out []frame.Column, err error) {
	seen, of := map[string]bool{}, nameColumns(s)
	for _, name := range names {
		if seen[name] {
			return nil, wrong(m, name, "named twice", "each column once")
		}
		seen[name] = true
		c, err := bounded(m, of, name)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

const averageScore = "distance from the held-out value (share of the range)"

func (ofWhole) words() Words {
	return Words{
		Measures: []string{averageScore}, Headline: averageScore, Score: averageScore,
		Public: "bounds", Error: "a mean, as a share of the column's range",
		Source: "means uniform over the range, values Beta-distributed about them",
	}
}

// averages are the means that a model is about, on held-out rows; NaN where a group has no rows.
type averaged interface {
	Model
	plainMeans(st *Statistics) []float64
	ranges(sh *Shape) []float64 // of every mean, in its units
}

// held compares the model's means with those of held-out rows: as shares of the range, averaged over what is there.
func held(m averaged, f *Fitted, x *frame.Frame) (float64, error) {
	st, err := Count(f.shape.WithoutN(), x)
	if err != nil {
		return 0, err
	}
	mean, want, ranges := f.draws.Mean(), m.plainMeans(st), m.ranges(f.shape)
	sum, seen := 0.0, 0.0
	for i, v := range want {
		if !math.IsNaN(v) {
			sum, seen = sum+math.Abs(mean[i]-v)/ranges[i], seen+1
		}
	}
	return sum / math.Max(seen, 1), nil
}

func heldScores(m averaged, f *Fitted, x *frame.Frame) ([]Score, error) {
	v, err := held(m, f, x)
	if err != nil {
		return nil, err
	}
	return []Score{{Name: averageScore, Value: v}}, nil
}

func heldMeasure(m averaged, f *Fitted, x *frame.Frame) ([]float64, error) {
	if unseen(x) {
		return []float64{0}, nil
	}
	v, err := held(m, f, x)
	return []float64{v}, err
}

func (ofWhole) means(f *Fitted) [][]float64 { return [][]float64{f.draws.Mean()} }

// distanceOver is the mean absolute difference of the means as shares of their ranges.
func distanceOver(ranges []float64, plain, released [][]float64) float64 {
	sum := 0.0
	for i, v := range plain[0] {
		sum += math.Abs(v-released[0][i]) / ranges[min(i, len(ranges)-1)] / float64(len(plain[0]))
	}
	return sum
}

// figure is a forest plot: every parameter, released with 2.5 % and 97.5 % quantiles, and without privacy; means of
// several columns by their places between the bounds.
func (ofWhole) figure(f, np *Fitted, caption string) *figure.Figure {
	l := f.shape.lattice
	out := &figure.Figure{Title: "Posterior of the " + f.shape.model.String(), XLabel: "parameter",
		YLabel: safetext.Word(f.shape.columns[0].Name), XTicks: f.draws.Names, Caption: caption, Private: np != nil}
	at := func(_ int, v float64) float64 { return v }
	if len(l.Low) > 1 {
		out.YLabel = "place between the public bounds"
		at = func(i int, v float64) float64 { return (v - l.Low[i]) / (l.High[i] - l.Low[i]) }
	}
	for k, s := range compared(f, np) {
		points, mean := figure.Series{Name: s.name, Kind: figure.Points}, s.draws.Mean()
		for i, v := range mean {
			points.X, points.Y = append(points.X, float64(i)), append(points.Y, at(i, v))
			if k == 0 && s.draws.Len() > 1 {
				points.Lo = append(points.Lo, at(i, min(s.draws.Quantile(i, .025), v)))
				points.Hi = append(points.Hi, at(i, max(s.draws.Quantile(i, .975), v)))
			}
		}
		out.Series = append(out.Series, points)
	}
	return out
}

// summary shows the parameters in the units of the column, with what the intervals are of.
func (ofWhole) summary(f *Fitted) *table.Table {
	t := f.draws.Summary()
	t.Title, t.Notes = "Posterior of the "+f.shape.model.String(), nil
	if f.draws.Len() >= summaryDraws {
		t.Note("Intervals hold 95 % of the posterior given the noisy sums: they know the noise.")
	}
	return t
}

// guess is the middle of the range.
func guessMiddle(m averaged, f *Fitted, x *frame.Frame) (float64, error) {
	middle := &Draws{Names: f.draws.Names, Values: [][]float64{make([]float64, len(f.draws.Names))}}
	for i := range middle.Values[0] {
		k := min(i, len(f.shape.lattice.Low)-1)
		middle.Values[0][i] = f.shape.lattice.Value(k, float64(f.shape.lattice.Steps)/2)
	}
	v, err := heldMeasure(m, &Fitted{shape: f.shape, draws: middle}, x)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// simulatedRows are the rows drawn for sums; for larger n they are scaled up.
const simulatedRows = 2000

func (ofWhole) steps(sh *Shape, n int) float64 {
	return 2e4 + 300*float64(min(n, simulatedRows))*float64(len(sh.lattice.Low))
}

// simulate draws a mean uniform over each range and a spread, and rows that are Beta-distributed with both; groups are
// equally likely.
func (ofWhole) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	l := sh.lattice
	sums, rows := make([]int64, l.Len()), min(n, simulatedRows)
	laws := make([][2]float64, max(len(l.Low), l.Groups))
	for i := range laws {
		mean, weight := .02+.96*sample.Float64(src), 1+9*sample.Float64(src)
		laws[i] = [2]float64{mean * weight, (1 - mean) * weight}
	}
	places := make([]int64, len(l.Low))
	for range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		group := 0
		if l.Groups > 0 {
			group = int(sample.Uniform(src, uint64(l.Groups)))
		}
		for i := range places {
			law := laws[max(i, group)]
			a, b := sample.LogGamma(src, law[0]), sample.LogGamma(src, law[1])
			places[i] = int64(math.Round(float64(l.Steps) / (1 + math.Exp(b-a))))
		}
		l.Add(sums, places, group)
	}
	if rows > 0 {
		scale := float64(n) / float64(rows)
		for i := range sums {
			sums[i] = int64(math.Round(float64(sums[i]) * scale))
		}
	}
	return FromWhole(sh, n, sums)
}

// oneDraw are parameters that are known.
func oneDraw(st *Statistics, names []string, values []float64) (*Fitted, error) {
	values = slices.Clone(values)
	for i, v := range values {
		if math.IsNaN(v) { // of no rows: the middle of the range
			l := st.shape.lattice
			values[i] = l.Value(min(i, len(l.Low)-1), float64(l.Steps)/2)
		}
	}
	return Fit(st.shape, Estimate{Draws: &Draws{Names: names, Values: [][]float64{values}}})
}
