package advise

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Choice is a mechanism with the free choices made: its post-processing, or a public setting such as a number of draws.
type Choice struct {
	Name      string // such as "clamp" or "N = 10"
	Mechanism mechanism.Mechanism
}

// Family is one row of a comparison: a mechanism, and the choices of which the best is taken at every target. Choosing among them costs
// nothing: it is done on public inputs.
type Family struct {
	Title   string
	Choices []Choice
}

// Families lists every mechanism of the library with the choices that are tried on a shape.
func Families(sh *model.Shape) []Family {
	return append(countFamilies(sh), sumFamilies(sh)...)
}

// noisy is additive noise on counts, with each post-processing that fits.
type noisy interface {
	mechanism.Mechanism
	Title() string
}

func noiseFamily[M noisy](m M, with func(counts.PostProcess) M, list ...counts.PostProcess) Family {
	f := Family{Title: m.Title()}
	for _, p := range list {
		name := string(p)
		if p == counts.Consistent {
			name = "least squares"
		}
		f.Choices = append(f.Choices, Choice{name, with(p)})
	}
	return f
}

// countFamilies are the mechanisms for models made of count tables, the plainest first: of equals the first is recommended.
func countFamilies(sh *model.Shape) []Family {
	geometric, gaussian, laplace, knorm, sized := counts.Geometric(), counts.DiscreteGaussian(), counts.Laplace(), counts.KNorm(), counts.BySize()
	shared := []counts.PostProcess{counts.PosteriorMean, counts.Clamp}
	single := len(sh.Tables()) == 1
	apart := append([]counts.PostProcess(nil), shared...)
	if !single {
		shared = append(shared, counts.Consistent)
	}
	sizedPosts := []counts.PostProcess{counts.Clamp}
	if !single {
		sizedPosts = append(sizedPosts, counts.Consistent)
	}
	list := []Family{
		noiseFamily(knorm, knorm.WithPostProcess, counts.Project, counts.PosteriorMean),
		noiseFamily(geometric, geometric.WithPostProcess, shared...),
		noiseFamily(gaussian, gaussian.WithPostProcess, shared...),
		noiseFamily(sized, sized.WithPostProcess, sizedPosts...),
		{"Fourier: geometric noise on parities", []Choice{{"cut at 0", counts.Fourier()}}},
		noiseFamily(laplace, laplace.WithPostProcess, apart...),
		{"Dirichlet mechanism, gamma draws", []Choice{{"posterior mean", dirichlet.New()}}},
		{"Dirichlet mechanism, one draw", []Choice{{"as drawn", dirichlet.New().Raw()}}},
		{"Synthetic records (Pólya urn)", records(sh)},
		{"Posterior sample, tempered", samples(sh)},
		{"MAP by the exponential mechanism", grids(sh)},
		{hellinger.New().Title(), []Choice{{"as drawn", hellinger.New()}}},
	}
	if n, _ := sh.N(); len(sh.Conditionals()) == 1 && n <= flipRecords {
		list = append(list, Family{hellinger.New().PermuteAndFlip().Title(), []Choice{{"as drawn", hellinger.New().PermuteAndFlip()}}})
	}
	return list
}

// flipRecords bounds n for permute-and-flip, which visits every candidate at every draw.
const flipRecords = 500

// records are sizes of a synthetic data set: under pure ε fewer records can be told apart less, under other notions more cost nothing.
func records(sh *model.Shape) []Choice {
	out := []Choice{{"100 records", dirichlet.Records(100)}, {"1000 records", dirichlet.Records(1000)}}
	if n, _ := sh.N(); n > 1000 {
		out = append(out, Choice{"10 000 records", dirichlet.Records(10_000)})
	}
	return out
}

// sampleRecords bounds n for more than one draw: beyond, and for one probability, whose profile is summed over all data, several draws take
// seconds to account.
const sampleRecords = 50_000

// samples are numbers of draws, whose mean is the estimate.
func samples(sh *model.Shape) []Choice {
	out := []Choice{{"N = 1", posteriorsample.New(1)}}
	conds := sh.Conditionals()
	single := len(conds) == 1 && conds[0].Levels == 2
	if n, _ := sh.N(); n <= sampleRecords && !single {
		out = append(out, Choice{"mean of N = 10", posteriorsample.New(10)})
	}
	return out
}

// grids are resolutions; the fine one where no column has more than three levels. Its exact calibration takes seconds for some thousand records:
// where that is too much, the estimate leaves it out.
func grids(sh *model.Shape) []Choice {
	out := []Choice{{"grid of 1/20", gridmap.New()}}
	for _, c := range sh.Conditionals() {
		if c.Levels > 3 {
			return out
		}
	}
	return append(out, Choice{"grid of 1/100", gridmap.New().WithGrid(100, 1)})
}

// sumFamilies are the mechanisms for linear regression; those of rates are among the others.
func sumFamilies(sh *model.Shape) []Family {
	if sh.Design() == nil {
		return nil
	}
	statistics := linear.SufficientStatistics()
	return []Family{
		{statistics.OnLattice().Title(), []Choice{{"noise-aware posterior", statistics.OnLattice()}}},
		{statistics.Title(), []Choice{{"noise-aware posterior", statistics}, {"plain posterior", statistics.Plain()}}},
		{"Posterior sampler of the weights", []Choice{{"1 draw", linear.Sampler(1)}, {"mean of 10 draws", linear.Sampler(10)}}},
	}
}

// alone makes a family of every mechanism.
func alone(list []mechanism.Mechanism) []Family {
	var out []Family
	seen := map[string]int{}
	for _, m := range list {
		title := m.Title()
		if seen[title]++; seen[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, seen[title])
		}
		out = append(out, Family{title, []Choice{{"as given", m}}})
	}
	return out
}

// shorts are the names that fit a figure's legend.
var shorts = []struct{ prefix, name string }{
	{"K-norm", "K-norm"}, {"Geometric noise by table size", "Geometric by size"}, {"Geometric noise on counts", "Geometric"},
	{"Discrete Gaussian noise on counts", "Discrete Gaussian"}, {"Fourier", "Fourier"}, {"Laplace", "Laplace"},
	{"Dirichlet mechanism, one draw", "Dirichlet, one draw"}, {"Dirichlet mechanism, gamma", "Dirichlet, gamma"},
	{"Synthetic records", "Synthetic records"}, {"Posterior sampler", "Posterior sampler"}, {"Posterior sample", "Posterior sample"}, {"MAP", "MAP"},
	{"Hellinger permute", "Hellinger, permute-and-flip"}, {"Hellinger exponential", "Hellinger, exponential"},
	{"Discrete Gaussian noise on second", "Noisy moments, lattice"}, {"Gaussian noise on second", "Noisy moments"},
}

// short is the family's name in a figure.
func (f Family) short() string {
	for _, s := range shorts {
		if strings.HasPrefix(f.Title, s.prefix) {
			return s.name
		}
	}
	return f.Title
}
