package eval

import (
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// PrivatePosterior is PosteriorFigure beside the fit of the statistics themselves. It reads the data: private, do not
// publish.
func PrivatePosterior(r *release.Release, st *model.Statistics) (*figure.Figure, error) {
	np, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		return nil, err
	}
	return PosteriorFigure(r, np)
}
