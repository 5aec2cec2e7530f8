package networks

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The curves of [Figure1]: the paper's three as printed, then two releases of this library that spend the ε at which
// they stand.
const (
	PrintedLaplace = "Algorithm 1 as printed"
	PrintedFourier = "Algorithm 2 as printed"
	PrintedSampler = "posterior sampler as printed"
	FairLaplace    = "least squares, ε exact"
	FairSampler    = "posterior draw, ε exact"
)

// Figure1Point is the accuracy of one curve at one ε, over splits.
type Figure1Point struct {
	X       float64 `json:"x"`               // the ε at which the paper draws it
	Epsilon float64 `json:"epsilon"`         // what it spends on one record
	Mean    float64 `json:"mean"`            // accuracy on the examples that were not for training
	Error   float64 `json:"se"`              // its standard error over splits
	Tries   float64 `json:"tries,omitempty"` // mean number of runs of Algorithm 2 until no cell was negative
}

// Figure1Curve is one line.
type Figure1Curve struct {
	Name   string         `json:"name"`
	Points []Figure1Point `json:"points"`
}

// Figure1Result is Figure 1 on one simulated data set; nothing of it is private.
type Figure1Result struct {
	Case       string         `json:"case"` // uniform or hard
	Features   int            `json:"features"`
	Examples   int            `json:"examples"`
	Train      int            `json:"train"`
	Splits     int            `json:"splits"`
	Draws      int            `json:"draws"`
	T          float64        `json:"t"` // of Algorithm 2
	Seed       uint64         `json:"seed"`
	NonPrivate float64        `json:"non_private"`
	Optimal    float64        `json:"optimal"`
	Curves     []Figure1Curve `json:"curves"`
}

//go:embed figure1.json
var figure1 []byte

// Figure1Committed reads the outcomes of the full runs: uniform parameters, and the hard case. Errors: of the file.
func Figure1Committed() ([]Figure1Result, error) {
	var r []Figure1Result
	return r, json.Unmarshal(figure1, &r)
}

// Figure1 runs Figure 1 of the network paper as it is printed: Algorithm 1 with its scale 2|I|/ε, Algorithm 2 with its
// own scale 2|N|/ε and a t that keeps cells non-negative nine times in ten, of which, as in the paper, only those times
// count, and the posterior sampler with ω = e^{−ε/2} and the mean of [PaperDraws] draws. Beside them stand least
// squares on noisy tables and one posterior draw, both at the ε that they really spend. Zero values of c take the
// paper's settings. Errors: of planning, and the context's.
func Figure1(ctx context.Context, c Classification) (*Figure1Result, error) {
	c = c.withDefaults()
	net, err := ClassifierNet(c.Features, c.Hard, c.Seed)
	if err != nil {
		return nil, err
	}
	f, err := Records(net, c.Examples, c.Seed+1)
	if err != nil {
		return nil, err
	}
	fair, err := Classify(ctx, c)
	if err != nil {
		return nil, err
	}
	rows, err := coded(net, f)
	if err != nil {
		return nil, err
	}
	out := &Figure1Result{Case: "uniform", Features: c.Features, Examples: c.Examples, Splits: c.Splits, Seed: c.Seed,
		Train: int(c.Train*float64(c.Examples) + .5), Draws: PaperDraws, T: Stealth(c.Features, .9, c.Seed),
		Optimal: fair.Optimal}
	if c.Hard {
		out.Case = "hard"
	}
	if err := out.printed(ctx, c, recordsOf(net, rows)); err != nil {
		return nil, err
	}
	for _, curve := range fair.Curves {
		name, wanted := fairNames[curve.Name]
		if !wanted {
			continue
		}
		line := Figure1Curve{Name: name}
		for i, a := range curve.Accuracy {
			line.Points = append(line.Points,
				Figure1Point{X: c.Epsilons[i], Epsilon: c.Epsilons[i], Mean: a.Mean, Error: a.OverSplits})
		}
		out.Curves = append(out.Curves, line)
	}
	return out, ctx.Err()
}

// fairNames are the curves of [Classify] that Figure1 shows.
var fairNames = map[string]string{"least squares": FairLaplace, "posterior draw, boxed": FairSampler}

// printed runs the paper's three mechanisms over splits and ε.
func (r *Figure1Result) printed(ctx context.Context, c Classification, all []record) error {
	scores := make([][3][]float64, len(c.Epsilons))
	tries := make([]float64, len(c.Epsilons))
	var plain []float64
	src := rand.New(rand.NewPCG(c.Seed, 91))
	for range c.Splits {
		if err := ctx.Err(); err != nil {
			return err
		}
		src.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		train, test := all[:r.Train], all[r.Train:]
		counts := countNaive(train, c.Features)
		plain = append(plain, accuracy(test, counts.logOdds))
		for e, eps := range c.Epsilons {
			scores[e][0] = append(scores[e][0], accuracy(test, algorithm1(counts, eps, src).logOdds))
			for ok := false; !ok; {
				var released naive
				released, ok = algorithm2(counts, eps, r.T, src)
				tries[e]++
				if ok {
					scores[e][1] = append(scores[e][1], accuracy(test, released.logOdds))
				}
			}
			draws, err := samplerC2(counts, eps, r.Draws, src)
			if err != nil {
				return err
			}
			if draws != nil {
				scores[e][2] = append(scores[e][2], accuracy(test, func(x []int) float64 { return averaged(draws, x) }))
			}
		}
	}
	r.NonPrivate, _ = meanError(plain)
	for k, name := range []string{PrintedLaplace, PrintedFourier, PrintedSampler} {
		line := Figure1Curve{Name: name}
		for e, eps := range c.Epsilons {
			if len(scores[e][k]) == 0 {
				continue // the sampler's interval is empty
			}
			p := Figure1Point{X: eps, Epsilon: eps}
			p.Mean, p.Error = meanError(scores[e][k])
			switch k {
			case 1:
				p.Tries = tries[e] / float64(c.Splits)
			case 2:
				one, err := truncatednet.Naive{Features: c.Features, Records: r.Train, Alpha: 1}.Epsilon(math.Exp(-eps/2), 1)
				if err != nil {
					return err
				}
				p.Epsilon = float64(r.Draws) * one
			}
			line.Points = append(line.Points, p)
		}
		r.Curves = append(r.Curves, line)
	}
	return nil
}

// accuracy is the share of records that a classifier with the given log-odds gets right, threshold ½.
func accuracy(test []record, logOdds func(x []int) float64) float64 {
	right := 0
	for _, t := range test {
		if (logOdds(t.x) > 0) == (t.y == 1) {
			right++
		}
	}
	return float64(right) / float64(max(1, len(test)))
}

func meanError(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(max(1, len(x)-1)) / float64(len(x)))
}

// Caption says what was run.
func (r *Figure1Result) Caption() string {
	return fmt.Sprintf("Simulated naive Bayes (%s parameters), %d features, %d of %d examples for training, %d splits. "+
		"Bands: 2 s.e.", r.Case, r.Features, r.Train, r.Examples, r.Splits)
}

// Figure is accuracy against the paper's ε.
func (r *Figure1Result) Figure() *figure.Figure {
	f := &figure.Figure{Title: "Figure 1 as printed, and at the ε that is spent", XLabel: "ε as the paper counts it",
		YLabel: "accuracy on the other examples", LogX: true, Caption: r.Caption(),
		HLines: []figure.Reference{{Name: "non-private", Y: r.NonPrivate}}}
	for _, c := range r.Curves {
		s := figure.Series{Name: c.Name, Kind: figure.Band}
		for _, p := range c.Points {
			s.X, s.Y = append(s.X, p.X), append(s.Y, p.Mean)
			s.Lo, s.Hi = append(s.Lo, p.Mean-2*p.Error), append(s.Hi, p.Mean+2*p.Error)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// Table is the same in numbers, with what the printed sampler spends.
func (r *Figure1Result) Table() *table.Table {
	head := []string{"release"}
	for _, p := range r.Curves[0].Points {
		head = append(head, fmt.Sprintf("ε = %g", p.X))
	}
	t := table.New("Accuracy of naive Bayes, mean ± s.e. over splits", head...)
	spent := []any{"ε that the printed sampler spends"}
	for _, c := range r.Curves {
		row, points := []any{c.Name}, c.Points
		for _, first := range r.Curves[0].Points {
			text, level := "–", "–"
			if len(points) > 0 && points[0].X == first.X {
				text = fmt.Sprintf("%.3f ± %.3f", points[0].Mean, points[0].Error)
				level = fmt.Sprintf("%.4g", points[0].Epsilon)
				points = points[1:]
			}
			row = append(row, text)
			if c.Name == PrintedSampler {
				spent = append(spent, level)
			}
		}
		t.Add(row...)
		if c.Name == PrintedSampler {
			t.Add(spent...)
		}
	}
	return t.Note(fmt.Sprintf("Non-private %.4f, true network %.4f; t = %.4g. A dash: the sampler's interval is empty. %s",
		r.NonPrivate, r.Optimal, r.T, r.Caption()))
}

// At is a curve's point at the paper's ε; ok is false where there is none.
func (r *Figure1Result) At(curve string, x float64) (p Figure1Point, ok bool) {
	for _, c := range r.Curves {
		for _, p := range c.Points {
			if c.Name == curve && p.X == x {
				return p, true
			}
		}
	}
	return Figure1Point{}, false
}
