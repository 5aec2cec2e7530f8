package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

const cdfScore = "largest distance from the held-out CDF"

func (m HistogramModel) words() Words {
	w := m.ofCounts.words()
	w.Measures = []string{cdfScore, "log loss", "KL of target posterior"}
	w.Guess, w.Headline, w.Score, w.Bars = "equal shares", cdfScore, cdfScore, "Distance from the held-out CDF"
	if w.Error = "a share of a bin"; m.cumulative {
		w.Error = "a share below an edge"
	}
	return w
}

// cdfDistance is the largest difference, over edges, between shares that lie below and those of held-out rows.
func cdfDistance(shares []float64, f *Fitted, x *frame.Frame) (float64, error) {
	labels, err := f.Labels(x)
	if err != nil {
		return 0, err
	}
	held := make([]float64, len(shares))
	for _, l := range labels {
		held[l] += 1 / float64(len(labels))
	}
	worst, difference := 0.0, 0.0
	for i, s := range shares {
		difference += s - held[i]
		worst = math.Max(worst, math.Abs(difference))
	}
	return worst, nil
}

func (m HistogramModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	d, err := cdfDistance(f.class.Mean(), f, x)
	if err != nil {
		return nil, err
	}
	lik, err := m.ofCounts.scores(f, x)
	return append([]Score{{Name: cdfScore, Value: d, Share: true}}, lik...), err
}

// measure gives the distance of the CDFs, the mean −log probability of the rows' bins, and KL(non-private ‖ released).
func (m HistogramModel) measure(f, np *Fitted, x *frame.Frame) ([]float64, error) {
	out, err := m.ofCounts.measure(f, np, x)
	if err == nil {
		out[0], err = cdfDistance(f.class.Mean(), f, x)
	}
	if err == nil && unseen(x) {
		out[0] = 0
	}
	return out, err
}

// guess is the distance of equal shares.
func (HistogramModel) guess(np *Fitted, x *frame.Frame) (float64, error) {
	shares := make([]float64, len(np.class.Labels))
	for i := range shares {
		shares[i] = 1 / float64(len(shares))
	}
	return cdfDistance(shares, np, x)
}

// distance is over bins, or over edges; the divergence is of the bins' shares.
func (m HistogramModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	absolute, kl = m.ofCounts.distance(sh, plain, released)
	if !m.cumulative {
		return absolute, kl
	}
	absolute = 0
	difference, edges := 0.0, len(plain[0])-1
	for i := range edges {
		difference += plain[0][i] - released[0][i]
		absolute += math.Abs(difference) / float64(edges)
	}
	return absolute, kl
}

// figure draws bars between edges with their intervals, or the CDF as steps at the edges with a band.
func (m HistogramModel) figure(f, np *Fitted, caption string) *figure.Figure {
	c := f.shape.columns[0]
	unit := safetext.Word(m.target)
	out := &figure.Figure{Title: "Histogram of " + unit, XLabel: unit, YLabel: "share", Caption: caption,
		Private: np != nil}
	if m.cumulative {
		out.Title, out.YLabel = "CDF of "+unit, "share below"
	} else {
		out.XTicks = c.Labels()
	}
	draw := func(name string, f *Fitted, dashed bool) {
		s := figure.Series{Name: name, Kind: figure.Bars, Dashed: dashed}
		point := func(x float64, b posterior.Beta) {
			lo, hi := b.CredibleInterval(shareLevel)
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, b.Mean()), append(s.Lo, lo), append(s.Hi, hi)
		}
		shares, _ := f.Shares()
		if !m.cumulative {
			for i, share := range shares {
				point(float64(i), share.Beta)
			}
			out.Series = append(out.Series, s)
			return
		}
		certain := func(x, y float64) {
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, y), append(s.Lo, y), append(s.Hi, y)
		}
		s.Kind = figure.Band
		certain(c.Edges[0], 0)
		last := posterior.Beta{}
		for i, share := range shares {
			if i > 0 {
				point(share.To, last)
			} else {
				certain(share.To, 0)
			}
			point(share.To, share.Beta)
			last = share.Beta
		}
		end := c.Edges[len(c.Edges)-1]
		point(end, last)
		certain(end, 1)
		out.Series = append(out.Series, s)
	}
	draw("released", f, false)
	if np != nil {
		draw("non-private", np, true)
	}
	out.YLabel += fmt.Sprintf(", %g %% given the counts", 100*shareLevel)
	return out
}
