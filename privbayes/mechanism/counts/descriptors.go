package counts

import (
	"slices"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{
		{Kind: knormKind, Name: "KNorm", Flag: "k-norm", Title: KNorm().Title(), Short: "K-norm", Rebuild: rebuildKNorm,
			New:     func(mechanism.Options) mechanism.Mechanism { return KNorm() },
			Choices: posts("KNorm()", KNorm().WithPostProcess, Project, PosteriorMean)},
		{Kind: "geometric", Name: "Geometric", Flag: "geometric", Title: Geometric().Title(), Short: "Geometric",
			Rebuild: Geometric().rebuilt(),
			New:     func(mechanism.Options) mechanism.Mechanism { return Geometric() },
			Choices: posts("Geometric()", Geometric().WithPostProcess, PosteriorMean, Clamp, Consistent)},
		{Kind: "discrete-gaussian", Name: "DiscreteGaussian", Flag: "discrete-gaussian",
			Title: DiscreteGaussian().Title(), Short: "Discrete Gaussian",
			Rebuild: DiscreteGaussian().rebuilt(),
			New:     func(mechanism.Options) mechanism.Mechanism { return DiscreteGaussian() },
			Choices: posts("DiscreteGaussian()", DiscreteGaussian().WithPostProcess, PosteriorMean, Clamp, Consistent)},
		{Kind: bySizeKind, Name: "BySize", Flag: "by-size", Title: BySize().Title(), Short: "Geometric by size",
			Rebuild: rebuildBySize,
			New:     func(mechanism.Options) mechanism.Mechanism { return BySize() },
			Choices: posts("BySize()", BySize().WithPostProcess, Clamp, Consistent)},
		{Kind: fourierKind, Name: "Fourier", Flag: "fourier", Title: "Fourier: geometric noise on parities",
			Short: "Fourier", Rebuild: rebuildFourier,
			New: func(mechanism.Options) mechanism.Mechanism { return Fourier() },
			Choices: func(*model.Shape) []mechanism.Choice {
				return []mechanism.Choice{{Name: "cut at 0", Mechanism: Fourier(), Go: "Fourier()"}}
			}},
		{Kind: "laplace", Name: "Laplace", Flag: "laplace", Title: Laplace().Title(), Short: "Laplace",
			Rebuild: Laplace().rebuilt(),
			New:     func(mechanism.Options) mechanism.Mechanism { return Laplace() },
			Choices: posts("Laplace()", Laplace().WithPostProcess, PosteriorMean, Clamp)},
		{Kind: "geometric", Name: "Consistent", Flag: "consistent", Title: "Geometric noise, consistent tables",
			Rebuild: Geometric().rebuilt(),
			New:     func(mechanism.Options) mechanism.Mechanism { return Geometric().WithPostProcess(Consistent) }},
	}
}

// goNames are the post-processings in Go.
var goNames = map[PostProcess]string{
	PosteriorMean: "counts.PosteriorMean", Clamp: "counts.Clamp", Project: "counts.Project",
	Consistent: "counts.Consistent", FlatPosteriorMean: "counts.FlatPosteriorMean", Clip: "counts.Clip",
}

// goName is the post-processing in Go, quoted where it is none.
func (p PostProcess) goName() string {
	if name, ok := goNames[p]; ok {
		return name
	}
	return label.Quote(string(p))
}

// posts are a mechanism with each post-processing that fits a shape: a single table is consistent already.
func posts[M mechanism.Mechanism](expression string, with func(PostProcess) M,
	list ...PostProcess) func(*model.Shape) []mechanism.Choice {
	return func(sh *model.Shape) (out []mechanism.Choice) {
		fitting := slices.DeleteFunc(slices.Clone(list),
			func(p PostProcess) bool { return p == Consistent && len(sh.Tables()) == 1 })
		for _, p := range fitting {
			name := string(p)
			if p == Consistent {
				name = "least squares"
			}
			out = append(out, mechanism.Choice{Name: name, Mechanism: with(p),
				Go: expression + ".WithPostProcess(" + goNames[p] + ")"})
		}
		return out
	}
}
