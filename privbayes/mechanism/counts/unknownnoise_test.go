package counts

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ownNoise is a family whose noise says no posterior mean.
type ownNoise struct{ geometricNoise }

type ownLaw struct{ noise }

func (f ownNoise) noise(r mechanism.Rational) (noise, error) {
	law, err := f.geometricNoise.noise(r)
	return ownLaw{law}, err
}

// Noise that does not say its posterior mean is refused before a plan is made, and takes what needs none.
func TestUnknownNoiseHasNoPosteriorMean(t *testing.T) {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("x", "a", "b", "c")}}
	sh, err := model.NewShape(s, model.Categorical("x"), 100, true, "")
	if err != nil {
		t.Fatal(err)
	}
	for post, refused := range map[PostProcess]bool{PosteriorMean: true, FlatPosteriorMean: true, Clamp: false, Clip: false,
		Project: false, Consistent: false} {
		_, err := Noise{ownNoise{}, post}.Plan(t.Context(), sh, dp.PureDP(1))
		var no *mechanism.UnsupportedError
		if errors.As(err, &no) != refused || refused && !strings.Contains(no.What, string(post)) {
			t.Errorf("%s: %v", post, err)
		}
	}
}
