package numbers

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// problem is a model with the law that its records are drawn from.
type problem struct {
	name      string
	kind      kind
	column    frame.Column
	model     model.Model
	adjacency dp.Adjacency
	// draw is a truth and a source of values
	draw func(src *dp.Stream) (truth []float64, value func() float64)
}

// kind says what is to be expected of a problem's coverage.
type kind int

const (
	oneParameter kind = iota // .95 but for chance
	twoMoments               // .92 to .98: the sums are taken for normal
	modelFree                // .93 to .99
)

// problems are those of theory/numbers.md §2, with the two other laws of one parameter.
func problems() []problem {
	between := func(src *dp.Stream, low, high float64) float64 { return low + sample.Float64(src)*(high-low) }
	// a rate with prior Exp(1) on [.1, 3]
	rate := func(src *dp.Stream) float64 {
		return -math.Log(math.Exp(-.1) + sample.Float64(src)*(math.Exp(-3)-math.Exp(-.1)))
	}
	exponential := func(src *dp.Stream) ([]float64, func() float64) {
		theta := rate(src)
		return []float64{theta}, func() float64 { return math.Exp(sample.LogGamma(src, 1)) / theta }
	}
	poisson := func(src *dp.Stream) ([]float64, func() float64) {
		lambda := between(src, .2, 15)
		return []float64{lambda}, func() float64 {
			x := 0.0
			for t := math.Exp(sample.LogGamma(src, 1)); t < lambda; t += math.Exp(sample.LogGamma(src, 1)) {
				x++
			}
			return x
		}
	}
	laplace := func(src *dp.Stream) ([]float64, func() float64) {
		theta := rate(src)
		return []float64{theta}, func() float64 {
			return math.Copysign(math.Exp(sample.LogGamma(src, 1))/theta, sample.Float64(src)-.5)
		}
	}
	precision := func(src *dp.Stream) ([]float64, func() float64) {
		theta := rate(src)
		return []float64{theta}, func() float64 { return sample.Normal(src) / math.Sqrt(theta) }
	}
	normal := func(src *dp.Stream) ([]float64, func() float64) {
		mu, sigma := between(src, -3, 3), 6/500.0*math.Pow(500, sample.Float64(src))
		return []float64{mu, sigma}, func() float64 { return mu + sigma*sample.Normal(src) }
	}
	free := func(name string, mean float64, value func(src *dp.Stream) float64) problem {
		return problem{"population mean, " + name, modelFree, frame.Real("x", 0, 1), model.MeanSD("x"), dp.ReplaceOne,
			func(src *dp.Stream) ([]float64, func() float64) {
				return []float64{mean}, func() float64 { return value(src) }
			}}
	}
	return []problem{
		{"exponential rate", oneParameter, frame.Real("x", 0, 10), model.Exponential("x").WithRange(.1, 3), dp.ReplaceOne,
			exponential},
		{"Poisson mean", oneParameter, frame.Integer("x", 0, 20), model.Poisson("x").WithRange(.2, 15), dp.ReplaceOne,
			poisson},
		{"Laplace scale", oneParameter, frame.Real("x", -6, 6), model.LaplaceScale("x", 0).WithRange(.1, 3),
			dp.ReplaceOne, laplace},
		{"normal precision", oneParameter, frame.Real("x", -4, 4), model.NormalPrecision("x", 0).WithRange(.1, 3),
			dp.ReplaceOne, precision},
		{"exponential rate, n private", oneParameter, frame.Real("x", 0, 10), model.Exponential("x").WithRange(.1, 3),
			dp.AddRemove, exponential},
		{"Poisson mean, n private", oneParameter, frame.Integer("x", 0, 20), model.Poisson("x").WithRange(.2, 15),
			dp.AddRemove, poisson},
		{"normal mean and sd", twoMoments, frame.Real("x", -3, 3), model.MeanSD("x").Latent(), dp.ReplaceOne, normal},
		free("lognormal", cutLognormal(-2, .7), func(src *dp.Stream) float64 { return math.Exp(.7*sample.Normal(src) - 2) }),
		free("beta", 2.0/7, func(src *dp.Stream) float64 {
			a, b := sample.LogGamma(src, 2), sample.LogGamma(src, 5)
			return 1 / (1 + math.Exp(b-a))
		}),
		free("uniform", .5, func(src *dp.Stream) float64 { return sample.Float64(src) }),
	}
}

// cutLognormal is E min(e^{μ + σN}, 1).
func cutLognormal(mu, sigma float64) float64 {
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return math.Exp(mu+sigma*sigma/2)*below(-mu/sigma-sigma) + below(mu/sigma)
}

func (p problem) shape(n int) (*model.Shape, error) {
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{p.column}}
	sh, err := model.NewShape(s, p.model, n, true, "")
	if err == nil && p.adjacency == dp.AddRemove {
		sh = sh.WithoutN()
	}
	return sh, err
}

// statistics are those of n simulated records.
func (p problem) statistics(sh *model.Shape, n int, value func() float64) (*model.Statistics, error) {
	l := sh.Lattice()
	statistic := func(x float64) float64 { return x }
	if t, _, _, _, ok := sh.RateStatistic(); ok {
		statistic = func(x float64) float64 { return t(math.Min(math.Max(x, p.column.Min), p.column.Max)) }
	}
	whole, place := make([]int64, l.Len()), []int64{0}
	for range n {
		place[0] = l.At(0, statistic(value()))
		l.Add(whole, place, 0)
	}
	return model.FromWhole(sh, n, whole)
}
