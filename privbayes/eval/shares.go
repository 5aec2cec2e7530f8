package eval

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Shares are released probabilities beside the shares in the rows. Private: do not publish.
type Shares struct {
	Rows   []noiseaware.Row // with 95 % intervals, naive and noise-aware
	InRows []float64        // the shares in the rows; NaN where no row has the class
	drawn  *figure.Figure   // the intervals, with their labels
}

// CompareShares puts probabilities of a posterior, such as those of noiseaware.Posterior.ByClass, beside the shares in
// rows, which are read in the clear. Without any it takes the levels of the target. Errors: *dp.ParameterError for what
// is missing; those of reading the columns.
func CompareShares(p *noiseaware.Posterior, rows *frame.Frame, params ...noiseaware.Parameter) (*Shares, error) {
	if p == nil || rows == nil {
		return nil, domain.Refuse("eval", "posterior and rows", "one is missing", "both")
	}
	if len(params) == 0 {
		var err error
		if params, err = p.Choose(""); err != nil {
			return nil, err
		}
	}
	f, err := p.Intervals(params...)
	if err != nil {
		return nil, err
	}
	out := &Shares{Rows: noiseaware.Summaries(params, 0.95), drawn: f}
	levels, err := p.Choose("")
	if err != nil {
		return nil, err
	}
	for _, q := range params {
		share, err := share(rows, levels[0].Name, len(levels), q)
		if err != nil {
			return nil, err
		}
		out.InRows = append(out.InRows, share)
	}
	return out, nil
}

// share is that of one parameter's level among the rows it is about.
func share(rows *frame.Frame, target string, classes int, q noiseaware.Parameter) (float64, error) {
	feature, class, level := q.Place()
	var counts []int64
	var err error
	if feature == "" {
		counts, err = rows.CountPrivate(target)
	} else if counts, err = rows.CountPrivate(target, feature); err == nil {
		levels := len(counts) / classes
		counts = counts[class*levels : (class+1)*levels]
	}
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, n := range counts {
		total += float64(n)
	}
	return float64(counts[level]) / total, nil
}

// Table has a row for every probability.
func (s *Shares) Table() *table.Table {
	t := table.New("Released probabilities beside the rows (private: do not publish)", s.drawn.XLabel, "released",
		"naive 95 %", "noise-aware 95 %", "in the rows")
	for i, r := range s.Rows {
		t.Add(s.drawn.XTicks[i], r.Mean, fmt.Sprintf("%.3f … %.3f", r.NaiveLower, r.NaiveUpper),
			fmt.Sprintf("%.3f … %.3f", r.Lower, r.Upper), s.InRows[i])
	}
	return t.Note(s.drawn.Caption)
}

// Figure draws the released probabilities with noise-aware 95 % intervals, and the shares in the rows as points.
func (s *Shares) Figure() *figure.Figure {
	released := figure.Series{Name: "released, with 95 % interval", Kind: figure.Bars}
	truth := figure.Series{Name: "in the rows", Kind: figure.Points}
	for i, r := range s.Rows {
		x := float64(i)
		released.X, released.Y = append(released.X, x), append(released.Y, r.Mean)
		released.Lo, released.Hi = append(released.Lo, r.Lower), append(released.Hi, r.Upper)
		if !math.IsNaN(s.InRows[i]) {
			truth.X, truth.Y = append(truth.X, x), append(truth.Y, s.InRows[i])
		}
	}
	f := *s.drawn
	f.Title, f.Private = "Released probabilities, with intervals that know the noise", true
	f.Series = []figure.Series{released, truth}
	return &f
}

// String is the table as text.
func (s *Shares) String() string { return table.Text(s) }
