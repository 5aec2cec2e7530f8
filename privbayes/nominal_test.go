package privbayes_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// A paper's own mode has no target to meet, so that a file could name any ε as the nominal one: the parameters must be
// those of the paper at that ε. Of every mechanism with such a mode.
func TestANominalEpsilonCannotBeEdited(t *testing.T) {
	f, _ := privbayes.ReadFrame(data.Votes()).Split(.1, 1)
	wages := privbayes.ReadFrame(data.CPS1988())
	for name, c := range map[string]struct {
		mech   privbayes.Mechanism
		model  privbayes.ModelSpec
		target privbayes.Target
	}{
		"laplace":          {privbayes.Laplace(), privbayes.NaiveBayes("Class", "V1"), privbayes.AsPublished(1)},
		"fourier":          {privbayes.Fourier(), privbayes.Binary("Class"), privbayes.AsPublished(1)},
		"hellinger":        {privbayes.Hellinger(), privbayes.Binary("Class"), privbayes.AsPublished(1)},
		"hellinger, δ":     {privbayes.Hellinger(), privbayes.Binary("Class"), privbayes.AsPublished(1, 1e-3)},
		"posterior sample": {privbayes.PosteriorSample(2), privbayes.Binary("Class"), privbayes.AsPublished(1)},
		"MAP":              {privbayes.MAP().WithPosteriorScore(), privbayes.Binary("Class"), privbayes.AsPublished(1)},
		"linear sampler":   {privbayes.LinearSampler(2), privbayes.LinearRegression("wage", "education"), privbayes.AsPublished(1)},
		"dirichlet":        {privbayes.Dirichlet().Raw().WithCalibration(dirichlet.Algorithm1), privbayes.Binary("Class"), privbayes.AsPublished(1, 1e-3)},
		"PrivBayes":        {privbayes.LearnedAsPublished(), privbayes.PrivBayes().Of("Class", "V1", "V2"), privbayes.AsPublished(1)},
	} {
		rows := f
		if name == "linear sampler" {
			rows = wages
		}
		r, err := rows.Model(c.model).Privatize(c.mech, c.target, privbayes.Seeded(1)).Release()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		good := must.Get(r.JSON())(t)
		if v, err := release.VerifyBytes(t.Context(), good); err != nil || !v.OK() {
			t.Errorf("%s: %v\n%v", name, err, v)
		}
		at := bytes.Index(good, []byte(`"target"`))
		edited := append(append([]byte(nil), good[:at]...), bytes.Replace(good[at:], []byte(`"epsilon": 1,`),
			[]byte(`"epsilon": 0.1,`), 1)...)
		if bytes.Equal(edited, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		var paper *mechanism.NominalError
		if v, err := release.VerifyBytes(t.Context(), edited); !errors.As(err, &paper) && (err == nil && v.OK()) {
			t.Errorf("%s: a nominal ε of 0.1 verifies", name)
		}
	}
}
