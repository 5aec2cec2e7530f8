package source

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ofFrame is a table in memory as a source.
type ofFrame struct{ f *frame.Frame }

// OfFrame is a frame as a source.
func OfFrame(f *frame.Frame) Source { return ofFrame{f} }

func (s ofFrame) Schema() *frame.Schema { return s.f.Schema() }

func (s ofFrame) Size(context.Context) (Size, error) {
	n, public := s.f.PublicN()
	if !public {
		return Size{PrivateBy: s.f.PrivateNStep()}, nil
	}
	return Size{N: n}, nil
}

func (s ofFrame) Rows() frame.Selection { return s.f.Selection() }

func (s ofFrame) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return model.Count(sh, s.f)
}

func (ofFrame) Sealed(access.Key) {}
