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
// targets on different terms. It answers within ten seconds, and names what it left out to do so; [AdviseWith] takes a context and options:
// more time, a progress report, mechanisms, the public prior. See advise.For.
func Advise(sh *Shape, targets ...Target) (*Advice, error) {
	return AdviseWith(context.Background(), AdviseOptions{}, sh, targets...)
}

// AdviseWith is [Advise] under a context and with options. The context's end stops it within 50 ms; before its deadline it gives the rows
// so far.
func AdviseWith(ctx context.Context, o AdviseOptions, sh *Shape, targets ...Target) (*Advice, error) {
	a, err := advise.For(ctx, sh, targets, o)
	return a, step("Advise", err)
}

// Advise is [Advise] for the model's shape. It reads no data, but the shape has the frame's number of rows: under an adjacency that hides n,
// such as add-remove, it refuses with *advise.Error; use [NewShape] with a public size to plan for.
func (m *Model) Advise(targets ...Target) (*Advice, error) {
	return m.AdviseWith(context.Background(), AdviseOptions{}, targets...)
}

// AdviseWith is [AdviseWith] for the model's shape; see [Model.Advise].
func (m *Model) AdviseWith(ctx context.Context, o AdviseOptions, targets ...Target) (*Advice, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	for _, t := range targets {
		if !t.Adjacency.PublicN() {
			return nil, step("Advise", &advise.Error{What: "the frame's n is private under " + t.Adjacency.String(), Want: "a size to plan for: Advise(NewShape(schema, model, size), target)"})
		}
	}
	return AdviseWith(ctx, o, m.shape, targets...)
}
