package privbayes

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Shape is the public side of a model: schema, model, n and what is measured. It holds no data. See model.Shape.
type Shape = model.Shape

// NewShape is the shape of a model on n records under a public schema, for planning and advice before there is any data. Errors are those of
// model.NewShape.
func NewShape(s *Schema, m ModelSpec, n int) (*Shape, error) {
	sh, err := model.NewShape(s, m, n, true, "")
	return sh, step("NewShape", err)
}

// Advise compares every mechanism of the library on a shape, at each target, before anything is spent and without data: the expected error
// of each at the same certified guarantee and with its best free post-processing, how it was found, a recommendation with its reason, and
// the levels at which it changes. The advice answers backwards too: Advice.LevelFor and Advice.NFor. Errors: *advise.Error for a private n or
// targets on different terms. See advise.For, which takes a context, a progress report and options.
func Advise(sh *Shape, targets ...Target) (*Advice, error) {
	a, err := advise.For(context.Background(), sh, targets, advise.Options{})
	return a, step("Advise", err)
}

// Advise is [Advise] for the model's shape. It reads no data, but the shape has the frame's number of rows: under an adjacency that hides n,
// such as add-remove, it refuses with *advise.Error; use [NewShape] with a public size to plan for.
func (m *Model) Advise(targets ...Target) (*Advice, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	for _, t := range targets {
		if !t.Adjacency.PublicN() {
			return nil, step("Advise", &advise.Error{What: "the frame's n is private under " + t.Adjacency.String(), Want: "a size to plan for: Advise(NewShape(schema, model, size), target)"})
		}
	}
	return Advise(m.shape, targets...)
}
