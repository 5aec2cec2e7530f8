package counts

import (
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	fourier := mechanism.Describe(Fourier(), "Fourier", "fourier", "Fourier")
	fourier.Choices = func(*model.Shape) []mechanism.Choice {
		return []mechanism.Choice{{Name: "cut at 0", Mechanism: Fourier(), Go: "Fourier()"}}
	}
	consistent := mechanism.Describe(Geometric().WithPostProcess(Consistent), "Consistent", "consistent", "")
	consistent.Title, consistent.Choices = "Geometric noise, consistent tables", nil
	return []mechanism.Descriptor{
		described(KNorm(), "KNorm", "k-norm", "K-norm", "KNorm()", KNorm().WithPostProcess, Project, PosteriorMean),
		described(Geometric(), "Geometric", "geometric", "Geometric", "Geometric()", Geometric().WithPostProcess,
			PosteriorMean, Clamp, Consistent),
		described(DiscreteGaussian(), "DiscreteGaussian", "discrete-gaussian", "Discrete Gaussian", "DiscreteGaussian()",
			DiscreteGaussian().WithPostProcess, PosteriorMean, Clamp, Consistent),
		described(BySize(), "BySize", "by-size", "Geometric by size", "BySize()", BySize().WithPostProcess, Clamp, Consistent),
		fourier,
		described(Laplace(), "Laplace", "laplace", "Laplace", "Laplace()", Laplace().WithPostProcess, PosteriorMean, Clamp),
		consistent,
	}
}

// described describes a mechanism that a comparison tries with every post-processing of a list that fits a shape: a
// single table is consistent already.
func described[M mechanism.Fronted](m M, name, flag, short, expression string, with func(PostProcess) M,
	list ...PostProcess) mechanism.Descriptor {
	d := mechanism.Describe(m, name, flag, short)
	d.Choices = func(sh *model.Shape) (out []mechanism.Choice) {
		for _, p := range list {
			name := string(p)
			if p == Consistent {
				if name = "least squares"; len(sh.Tables()) == 1 {
					continue
				}
			}
			out = append(out, mechanism.Choice{Name: name, Mechanism: with(p),
				Go: expression + ".WithPostProcess(" + goNames[p] + ")"})
		}
		return out
	}
	return d
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
	return safetext.Quote(string(p))
}
