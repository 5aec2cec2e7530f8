package networks

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
		"Bars: ± 2 standard errors.", r.Case, r.Features, r.Train, r.Examples, r.Splits)
}

// Figure is accuracy against the paper's ε.
func (r *Figure1Result) Figure() *figure.Figure {
	f := &figure.Figure{Title: "Figure 1 as printed, and at the true ε", XLabel: "ε as the paper counts it",
		YLabel: "accuracy on the other examples", LogX: true, YPercent: true, Caption: r.Caption(),
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
	spent := []any{"ε that the printed sampler has"}
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

// record is one example of the experiment: the class, and its features of two levels.
type record struct {
	y int
	x []int
}

// naive holds, for naive Bayes with uniform priors, the updates (Δα, Δβ) of the class and of every feature under either
// class: what the paper's Algorithms 1 and 2 release.
type naive struct {
	n     float64
	class [2]float64      // β, α: by value
	x     [][2][2]float64 // [feature][class][value]
}

func countNaive(rows []record, features int) naive {
	c := naive{n: float64(len(rows)), x: make([][2][2]float64, features)}
	for _, r := range rows {
		c.class[r.y]++
		for i, v := range r.x {
			c.x[i][r.y][v]++
		}
	}
	return c
}

// logOdds is ln P(y = 1 | x) − ln P(y = 0 | x) of the predictive posterior of Appendix C.1: α^y β^{1−y}/(α+β) over the
// nodes, with the uniform prior's 1 in both parameters.
func (c naive) logOdds(x []int) float64 {
	v := math.Log(1+c.class[1]) - math.Log(1+c.class[0])
	for i, s := range x {
		for y, sign := range [2]float64{-1, 1} {
			t := c.x[i][y]
			v += sign * math.Log((1+t[s])/(2+t[0]+t[1]))
		}
	}
	return v
}

func laplaceNoise(r *rand.Rand, scale float64) float64 {
	if r.IntN(2) == 0 {
		scale = -scale
	}
	return scale * r.ExpFloat64()
}

// algorithm1 is the paper's Algorithm 1: Laplace noise of scale 2|I|/ε on every count, cut to [0, n].
func algorithm1(c naive, eps float64, r *rand.Rand) naive {
	scale := 2 * float64(len(c.x)+1) / eps
	noisy := func(v float64) float64 { return math.Min(math.Max(v+laplaceNoise(r, scale), 0), c.n) }
	out := naive{n: c.n, x: make([][2][2]float64, len(c.x))}
	out.class = [2]float64{noisy(c.class[0]), noisy(c.class[1])}
	for i := range c.x {
		for y := range 2 {
			out.x[i][y] = [2]float64{noisy(c.x[i][y][0]), noisy(c.x[i][y][1])}
		}
	}
	return out
}

// sizeOfN is |N| = 2d + 2, the parities of naive Bayes with d features.
func sizeOfN(features int) float64 { return float64(2*features + 2) }

// algorithm2 is the paper's Algorithm 2 in unnormalised parities (2^{|I|/2} times its coefficients): Laplace noise of
// scale 2|N|/ε on all of them, 4t|N|²/ε added to the first; ok says that no cell of a released table is negative.
func algorithm2(c naive, eps, t float64, r *rand.Rand) (out naive, ok bool) {
	size := sizeOfN(len(c.x))
	scale := 2 * size / eps
	total := c.n + laplaceNoise(r, scale) + 4*t*size*size/eps
	y := c.class[0] - c.class[1] + laplaceNoise(r, scale)
	out = naive{n: c.n, class: [2]float64{(total + y) / 2, (total - y) / 2}, x: make([][2][2]float64, len(c.x))}
	least := math.Min(out.class[0], out.class[1])
	for i, h := range c.x {
		x := h[0][0] - h[0][1] + h[1][0] - h[1][1] + laplaceNoise(r, scale)
		xy := h[0][0] - h[0][1] - h[1][0] + h[1][1] + laplaceNoise(r, scale)
		out.x[i] = [2][2]float64{
			{(total + y + x + xy) / 4, (total + y - x - xy) / 4}, {(total - y + x - xy) / 4, (total - y - x + xy) / 4}}
		for _, row := range out.x[i] {
			least = math.Min(least, math.Min(row[0], row[1]))
		}
	}
	return out, least >= 0
}

// Stealth is the t of Algorithm 2 for naive Bayes with the given features at which all released cells are non-negative
// with the given probability when all true cells are 0, found from noise alone: a public number, which does not depend
// on ε. The paper sets its t so that this comes out, and does not give it.
func Stealth(features int, probability float64, seed uint64) float64 {
	const draws = 20_000
	r := rand.New(rand.NewPCG(seed, 90))
	none, needed := naive{x: make([][2][2]float64, features)}, make([]float64, draws)
	for i := range needed {
		c, _ := algorithm2(none, 2*sizeOfN(features), 0, r) // scale 1
		for _, v := range c.class {
			needed[i] = math.Max(needed[i], -2*v)
		}
		for _, t := range c.x {
			for _, row := range t {
				needed[i] = math.Max(needed[i], -4*math.Min(row[0], row[1]))
			}
		}
	}
	slices.Sort(needed)
	return needed[int(probability*draws)] / (2 * sizeOfN(features))
}

// samplerC2 is Appendix C.2: draws of all parameters from the posterior cut to [ω, 1 − ω], ω = e^{−ε/2}. It is nil for
// an empty interval.
func samplerC2(c naive, eps float64, draws int, r *rand.Rand) ([][]float64, error) {
	w := math.Exp(-eps / 2)
	if w >= .5 {
		return nil, nil
	}
	out := make([][]float64, draws)
	add := func(t [2]float64) error {
		law, err := truncated.NewBeta(1+t[1], 1+t[0], w, 1-w)
		if err != nil {
			return err
		}
		s := law.Sampler()
		for k := range out {
			out[k] = append(out[k], s.Draw(r))
		}
		return nil
	}
	if err := add(c.class); err != nil {
		return nil, err
	}
	for _, t := range c.x {
		for y := range 2 {
			if err := add(t[y]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// averaged is the log-odds of the mean over draws of the joint probabilities, as C.2 forms its prediction.
func averaged(draws [][]float64, x []int) float64 {
	var sum [2]float64
	for _, p := range draws {
		v := [2]float64{1 - p[0], p[0]}
		for i, s := range x {
			for y := range v {
				q := p[1+2*i+y]
				if s == 0 {
					q = 1 - q
				}
				v[y] *= q
			}
		}
		sum[0], sum[1] = sum[0]+v[0], sum[1]+v[1]
	}
	return math.Log(sum[1]) - math.Log(sum[0])
}

// recordsOf reads a frame's rows in the order of the network's nodes, the class first.
func recordsOf(net *bayesnet.Net, columns [][]int) []record {
	out := make([]record, len(columns))
	for i, c := range columns {
		out[i] = record{c[0], c[1:net.DAG().Len()]}
	}
	return out
}

// PaperDraws is the number of samples of [PaperSampler] unless said otherwise: the paper draws many and does not say
// how many.
const PaperDraws = 50

// PaperPoint is the paper's sampler at one nominal ε.
type PaperPoint struct {
	Nominal  float64     // the ε of the paper
	Trim     float64     // ω = e^{−ε/2}
	OneDraw  float64     // the true ε of one draw
	Epsilon  float64     // the true ε of all draws
	Accuracy eval.Spread // of the mean of all draws
}

// PaperSamplerResult is the outcome of PaperSampler. The data are simulated, so nothing of it is private.
type PaperSamplerResult struct {
	Draws      int
	Points     []PaperPoint
	NonPrivate float64
	Table      *table.Table
}

// nominal asks a mechanism for the paper's own mode at every ε of a comparison.
type nominal struct{ mechanism.Mechanism }

// Plan is the plan of AsPublished(ε).
func (m nominal) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*mechanism.Plan, error) {
	return m.Mechanism.Plan(ctx, sh, dp.AsPublished(float64(t.Epsilon)))
}

// PaperSampler runs the posterior sampler of the network paper as it stands: conditionals in [ω, 1 − ω], ω = e^{−ε/2},
// and the mean of many draws, on the experiment of [Classify]. Every point tells what it really spends. Zero values of
// c take the paper's settings, with the nominal ε [2, 3, 5, 10]. Errors: *mechanism.UnmetTarget for a nominal ε up to 2
// ln 2, whose box is empty, of planning, and the context's.
func PaperSampler(ctx context.Context, c Classification, draws int) (*PaperSamplerResult, error) {
	if len(c.Epsilons) == 0 {
		c.Epsilons = []float64{2, 3, 5, 10}
	}
	c = c.withDefaults()
	net, err := ClassifierNet(c.Features, c.Hard, c.Seed)
	if err != nil {
		return nil, err
	}
	f, err := Records(net, c.Examples, c.Seed+1)
	if err != nil {
		return nil, err
	}
	d, err := eval.Compare(ctx, f, model.NaiveBayes("y"), eval.CompareOptions{
		Mechanisms: []mechanism.Mechanism{nominal{posteriorsample.New(draws)}}, Epsilons: c.Epsilons,
		Train: c.Train, Splits: c.Splits, Repeats: 1, Seed: c.Seed, Progress: c.Progress,
	})
	if err != nil {
		return nil, err
	}
	out := &PaperSamplerResult{Draws: draws, NonPrivate: d.NonPrivate.Mean}
	out.Table = table.New(fmt.Sprintf("The paper's sampler, mean of %d draws", draws), "ε of the paper", "ω",
		"true ε of one draw", "true ε of all draws", "accuracy")
	for i, o := range d.Outcomes {
		p := PaperPoint{Nominal: c.Epsilons[i], Trim: math.Exp(-c.Epsilons[i] / 2),
			Epsilon: float64(o.Certified.Epsilon), OneDraw: float64(o.Certified.Epsilon) / float64(draws),
			Accuracy: o.Score}
		out.Points = append(out.Points, p)
		out.Table.Add(p.Nominal, p.Trim, p.OneDraw, p.Epsilon,
			fmt.Sprintf("%.3f ± %.3f", o.Score.Mean, o.Score.OverSplits))
	}
	out.Table.Note(fmt.Sprintf("Naive Bayes, %d features, %d records for training, replace-one; non-private %.3f.",
		c.Features, d.N, out.NonPrivate))
	return out, nil
}
