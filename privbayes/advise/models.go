package advise

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// models are the rows of a learned structure's comparison: the model asked about, its alternatives, and those named by
// the user, each with the noise that may be drawn for it. pure leaves out noise that pure ε does not bound.
func models(sh *model.Shape, beside []model.Model, pure bool) (out []Family, err error) {
	list, seen := []model.Model{sh.Model()}, map[string]int{}
	if l := sh.Learning(); l != nil {
		list = append(list, l.Alternatives()...)
	}
	var expressions []string
	for i, m := range append(list, beside...) {
		on, err := sh.WithModel(m)
		switch {
		case err != nil && i < len(list): // an alternative that the columns do not allow, such as by its bound of cells
			continue
		case err != nil:
			return nil, err
		case slices.Contains(expressions, model.Expression(m)):
			continue
		}
		expressions = append(expressions, model.Expression(m))
		title := titleOf(on)
		if seen[title]++; seen[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, seen[title])
		}
		f := Family{Title: title, Model: m, short: title, shape: on}
		for _, d := range catalog.All() {
			noise, ok := noises[d.Kind]
			if !ok || d.Choices == nil || noise.unbounded && pure {
				continue
			}
			for _, c := range d.Choices(on) {
				if c.Mechanism.Supports(on) != nil {
					continue
				}
				if c.Name == "usual" {
					c.Name = noise.name
				} else {
					c.Name = noise.name + ", " + c.Name
				}
				f.Choices = append(f.Choices, c)
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// noises are the mechanisms that models are compared with.
var noises = map[string]struct {
	name      string
	unbounded bool // its loss: no pure ε
}{
	"learned-geometric": {name: "geometric noise"}, "geometric": {name: "geometric noise"},
	"learned-gaussian":  {name: "discrete Gaussian noise", unbounded: true},
	"discrete-gaussian": {name: "discrete Gaussian noise", unbounded: true},
	"privbayes":         {name: "Laplace noise"},
}

// titleOf names a model in a table.
func titleOf(sh *model.Shape) string {
	l := sh.Learning()
	switch alone := func(t model.Table) bool { return len(t.Columns) == 1 }; {
	case l != nil && l.Always:
		return sh.Model().String() + ", always"
	case l == nil && !slices.ContainsFunc(sh.Tables(), func(t model.Table) bool { return !alone(t) }):
		return "every column by itself"
	}
	return sh.Model().String()
}

// placed plans every family for its own model, at the shape's n.
func placed(sh *model.Shape, families []Family) ([]Family, error) {
	out := slices.Clone(families)
	for i, f := range out {
		if out[i].shape = sh; f.Model == nil {
			continue
		}
		var err error
		if out[i].shape, err = sh.WithModel(f.Model); err != nil {
			return nil, err
		}
	}
	return out, nil
}
