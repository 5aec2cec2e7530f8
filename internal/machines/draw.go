package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// tables are those that structures are learned of.
var tables = map[string]func() (io.Reader, *frame.Schema){"iris": data.Iris, "votes": data.Votes}

// learners are the models whose structure a release chooses, or whose fit is not a formula.
func learners() map[string]privbayes.ModelSpec {
	return map[string]privbayes.ModelSpec{
		"pairs": privbayes.MaxEntropy().Always(), "tree": privbayes.Tree().Always(),
		"cliques": privbayes.Cliques(3).Always(),
	}
}

// draw writes seeded releases into a folder: of every learner at several levels, and of models with closed formulas.
func draw(folder string) (n int, err error) {
	save := func(name string, f *privbayes.Frame, m privbayes.ModelSpec, mech privbayes.Mechanism,
		t privbayes.Target) error {
		r, err := f.Model(m).Privatize(mech, t, privbayes.Seeded(7)).Release()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		n++
		return r.Save(filepath.Join(folder, name+".release.json"))
	}
	for name, open := range tables {
		f := privbayes.ReadFrame(open())
		for kind, m := range learners() {
			for _, epsilon := range []float64{1, 3, 10} {
				title := fmt.Sprintf("%s-%s-%g", name, kind, epsilon)
				if err := save(title, f, m, privbayes.Geometric(), privbayes.PureDP(epsilon)); err != nil {
					return n, err
				}
				if epsilon < 3 {
					continue
				}
				if err := save(title+"-gaussian", f, m, privbayes.DiscreteGaussian(),
					privbayes.ApproxDP(epsilon, 1e-6).Under(privbayes.AddRemove)); err != nil {
					return n, err
				}
			}
		}
	}
	return n, nil
}
