package mechanism

import (
	"context"
	"encoding/json"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Front is a [Family] as a [Mechanism]: what it is called, what it supports, its plans and predictions, and its
// [Descriptor]. A mechanism without options is a Front; the type of one with options embeds it, and makes it again with
// every change by [FrontOf]. The zero value supports nothing.
type Front struct{ face *face }

type face struct{ of func() mathematics }

// mathematics is a Family of any problem and parameters.
type mathematics interface {
	about() (kind, title string)
	supports(sh *model.Shape) error
	Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*Plan, error)
	expected(ctx context.Context, sh *model.Shape, t dp.Request) ([]Expectation, error)
	rebuild(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error)
}

// Fronted is a mechanism that is, or embeds, a [Front].
type Fronted interface {
	Mechanism
	rebuild(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error)
}

// FrontOf is the front of a family that is asked for when it is needed: a family that binds methods of the mechanism
// that embeds the front.
func FrontOf[Q, P any](of func() Family[Q, P]) Front {
	return Front{&face{func() mathematics { return of() }}}
}

// Front is the family as a mechanism.
func (f Family[Q, P]) Front() Front { return FrontOf(func() Family[Q, P] { return f }) }

func (f Family[Q, P]) about() (kind, title string) { return f.Kind, f.Title }

// family is the front's, which refuses everything where there is none.
func (m Front) family() mathematics {
	if m.face == nil {
		return Family[int, int]{Supports: func(*model.Shape) error {
			return &UnsupportedError{Mechanism: "the zero value", What: "anything", Use: "the function that makes the mechanism"}
		}}
	}
	return m.face.of()
}

// Name is the registered kind.
func (m Front) Name() string {
	kind, _ := m.family().about()
	return kind
}

// Title is the mechanism's name for people.
func (m Front) Title() string {
	_, title := m.family().about()
	return title
}

// Supports says why a shape cannot be released, and which mechanisms can: *UnsupportedError.
func (m Front) Supports(sh *model.Shape) error { return m.family().supports(sh) }

// Plan calibrates to the target and certifies the release. Errors: those of [Mechanism].
func (m Front) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*Plan, error) {
	return m.family().Plan(ctx, sh, t)
}

// Expect calibrates like Plan and predicts the errors, without the certificate where that is cheaper. Errors are those
// of Plan.
func (m Front) Expect(ctx context.Context, sh *model.Shape, t dp.Request) ([]Expectation, error) {
	return m.family().expected(ctx, sh, t)
}

func (m Front) rebuild(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error) {
	return m.family().rebuild(ctx, sh, t, params)
}
