package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Comparison is the accuracy of a selection of mechanisms at one setting, drawn and tabulated.
type Comparison struct {
	Setting  Setting
	Outcomes []Outcome
	H, L1    *figure.Figure // distributions of H and of ‖x − r‖₁: bars are means
	Table    *table.Table   // what both show, with the privacy of each mechanism
}

// compared are the mechanisms of Figures 2–4, at most twelve: the four of the notes and what improves on them.
var compared = map[string]bool{
	EMGlobal: true, EMLocal: true, EMSmoothN: true, EMSmoothProved: true, EMReciprocal025: true, EMLocalPlus: true,
	PFReciprocal: true,
	EMDistance:   true, KNorm: true, LaplaceOneCell: true, LaplacePerCell: true, DiscreteLaplace: true,
}

// Compare draws the exact distributions of the errors of up to twelve mechanisms at a setting: mean, median, quartiles
// and the range from 5 % to 95 %. The clamped geometric mechanism is not drawn: it is K-norm noise for two cells.
//
// labels says what privacy a mechanism has there, by its name, such as "0.8438-DP" for [EMLocal], where that was
// computed elsewhere; without a label the table says what is proved in general. Errors: *SettingError, for labels of
// unknown mechanisms too; ctx.Err().
func Compare(ctx context.Context, s Setting, labels map[string]string) (*Comparison, error) {
	if err := checkLabels(labels); err != nil {
		return nil, err
	}
	outcomes, err := accuracy(ctx, s, compared)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		if l, ok := labels[o.Name]; ok {
			outcomes[i].Privacy = l
		}
	}
	c := &Comparison{Setting: s, Outcomes: outcomes}
	caption := caption(s, outcomes, labels)
	c.H = distribution(outcomes, "Hellinger distance of the released posterior: "+s.Label, "Hellinger distance H",
		caption,
		func(o Outcome) [6]float64 { return [6]float64{o.Q05, o.Q25, o.Q50, o.Q75, o.Q95, o.MeanH} })
	c.L1 = distribution(outcomes, "L1 distance of the released counts: "+s.Label, "L1 distance, records", caption,
		func(o Outcome) [6]float64 { return [6]float64{o.Q05L1, o.Q25L1, o.Q50L1, o.Q75L1, o.Q95L1, o.MeanL1} })
	c.Table = table.New("Exact accuracy: "+s.Label, "mechanism", "privacy", "E[H]", "5 %", "25 %", "median", "75 %",
		"95 %", "E[L1]", "median L1", "95 % L1")
	for _, o := range outcomes {
		c.Table.Add(o.Name, o.Privacy, o.MeanH, o.Q05, o.Q25, o.Q50, o.Q75, o.Q95, o.MeanL1, o.Q50L1, o.Q95L1)
	}
	c.Table.Note(caption)
	return c, nil
}

func checkLabels(labels map[string]string) error {
	known := map[string]bool{}
	for _, m := range mechanisms() {
		known[m.name] = true
	}
	for name := range labels {
		if !known[name] {
			return &SettingError{"labels", name, "names of mechanisms, such as " + EMLocal}
		}
	}
	return nil
}

// caption says what the figure holds fixed, and the labels given.
func caption(s Setting, outcomes []Outcome, labels map[string]string) string {
	text := fmt.Sprintf("Exact, nothing simulated. x = %v, prior %v, n = %d; nominal ε = %v, δ = %v; %s.", s.X,
		s.Prior, s.N(), s.Epsilon, s.Delta, dp.ReplaceOne)
	var said []string
	for _, o := range outcomes {
		if l, ok := labels[o.Name]; ok {
			said = append(said, o.Short+": "+l)
		}
	}
	if len(said) > 0 {
		text += " Privacy: " + strings.Join(said, "; ") + "."
	}
	return text
}

// distribution draws bars at the means with whiskers from 5 % to 95 %, and medians with whiskers between the quartiles.
// The means are rounded to what fits on neighbouring bars; the table has more digits.
func distribution(outcomes []Outcome, title, ylabel, caption string, of func(Outcome) [6]float64) *figure.Figure {
	f := &figure.Figure{Title: title, XLabel: "mechanism", YLabel: ylabel, Caption: caption}
	mean := figure.Series{Name: "mean, with 5–95 % range", Kind: figure.Bars}
	median := figure.Series{Name: "median, with quartiles", Kind: figure.Points}
	for i, o := range outcomes {
		v := of(o)
		f.XTicks = append(f.XTicks, o.Short)
		mean.X, mean.Y, mean.Lo, mean.Hi = append(mean.X, float64(i)), append(mean.Y, v[5]), append(mean.Lo, v[0]),
			append(mean.Hi, v[4])
		median.X, median.Y, median.Lo, median.Hi = append(median.X, float64(i)), append(median.Y, v[2]),
			append(median.Lo, v[1]), append(median.Hi, v[3])
	}
	mean.Y = rounded(mean.Y)
	f.Series = []figure.Series{mean, median}
	return f
}

// rounded gives all values the decimals that show two digits of the least positive one, at most four.
func rounded(values []float64) []float64 {
	least := math.Inf(1)
	for _, v := range values {
		if v > 0 {
			least = min(least, v)
		}
	}
	unit := math.Pow(10, max(0, min(4, 1-math.Floor(math.Log10(least)))))
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Round(v*unit) / unit
	}
	return out
}

// Figure2 repeats Figure 2 of the notes: beta(7,4), ε = 0.5, n = 500 and 300, at the vectors of [NotesSettings]; four
// comparisons. Errors as [Compare].
func Figure2(ctx context.Context, labels map[string]string) ([]*Comparison, error) {
	return compareAll(ctx, NotesSettings()[0:4], labels)
}

// Figure3 repeats Figure 3 of the notes: DL(7,4,5), ε = δ = 0.8, n = 100 and 120; four comparisons. Errors as
// [Compare].
func Figure3(ctx context.Context, labels map[string]string) ([]*Comparison, error) {
	return compareAll(ctx, NotesSettings()[4:8], labels)
}

// Figure4 repeats Figure 4 of the notes: DL(7,4,5), ε = δ = 0.8, n = 150, in H (a) and in ℓ₁ (b); two comparisons.
// Errors as [Compare].
func Figure4(ctx context.Context, labels map[string]string) ([]*Comparison, error) {
	return compareAll(ctx, NotesSettings()[8:10], labels)
}

func compareAll(ctx context.Context, settings []Setting, labels map[string]string) ([]*Comparison, error) {
	out := make([]*Comparison, 0, len(settings))
	for _, s := range settings {
		c, err := Compare(ctx, s, labels)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return slices.Clip(out), nil
}
