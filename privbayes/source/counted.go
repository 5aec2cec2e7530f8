package source

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// counted are files that were read for one model.
type counted struct {
	*csvFiles
	rows  int
	tally *model.Tally
	shape *model.Shape // that it is of, without n
}

// Counted reads the source of [Files] once, for its number of records and the statistics of a model together, where
// Size and Statistics read it once each. Statistics of another model, or of a part of the rows, read it again. Where
// rows of a unit are capped it returns the source as it is. Errors: those of Statistics, *model.Error for a model that
// does not fit the schema, an argument error for a source that Files did not make.
func Counted(ctx context.Context, files Source, m model.Model) (Source, error) {
	f, ok := files.(*csvFiles)
	if !ok {
		return nil, domain.Refuse("Counted", "files", "another source", "one that Files made")
	}
	if capped, _ := f.schema.CapsRows(); capped || f.part != nil {
		return f, nil
	}
	sh, err := Shape(f, Size{PrivateBy: "Counted"}, m)
	if err != nil {
		return nil, err
	}
	c := &counted{csvFiles: f, shape: sh.WithoutN()}
	if c.tally, err = f.read(ctx, sh); err != nil {
		return nil, err
	}
	c.rows = int(c.tally.Numbers(access.Mine())[0])
	return c, nil
}

// Size is the number of records that were read.
func (c *counted) Size(context.Context) (Size, error) { return Size{N: c.rows}, nil }

// Statistics are those that were read.
func (c *counted) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if sh == nil || !sh.WithoutN().Equal(c.shape) {
		return c.csvFiles.Statistics(ctx, sh)
	}
	t, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	if err := t.AddNumbers(access.Mine(), c.tally.Numbers(access.Mine())); err != nil {
		return nil, err
	}
	if err := c.unchanged(); err != nil {
		return nil, err
	}
	return t.Statistics(c.Rows())
}
