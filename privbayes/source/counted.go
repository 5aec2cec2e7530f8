package source

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// counted are files that were read for some models.
type counted struct {
	*csvFiles
	rows    int
	tallies map[string]*model.Tally // by the digest of the shape without n
}

// Counted reads the source of [Files] once, for its number of records and the statistics of all the models together,
// where Size and Statistics read it once each. Statistics of another model, or of a part of the rows, read it again.
// Where rows of a unit are capped it returns the source as it is. Errors: those of Statistics, *model.Error for a model
// that does not fit the schema, an argument error for no model, and for a source that Files did not make.
func Counted(ctx context.Context, files Source, models ...model.Model) (Source, error) {
	f, ok := files.(*csvFiles)
	if !ok {
		return nil, domain.Refuse("Counted", "files", "another source", "one that Files made")
	}
	if len(models) == 0 {
		return nil, domain.Refuse("Counted", "models", "none", "at least one")
	}
	if capped, _ := f.schema.CapsRows(); capped || f.part != nil {
		return f, nil
	}
	var shapes []*model.Shape
	c := &counted{csvFiles: f, tallies: map[string]*model.Tally{}}
	for _, m := range models {
		sh, err := Shape(f, Size{PrivateBy: "Counted"}, m)
		if err != nil {
			return nil, err
		}
		sh = sh.WithoutN()
		if _, twice := c.tallies[sh.Digest()]; !twice {
			c.tallies[sh.Digest()], shapes = nil, append(shapes, sh)
		}
	}
	read, err := f.read(ctx, shapes...)
	if err != nil {
		return nil, err
	}
	for i, sh := range shapes {
		c.tallies[sh.Digest()] = read[i]
	}
	c.rows = int(read[0].Numbers(access.Mine())[0])
	return c, nil
}

// Size is the number of records that were read.
func (c *counted) Size(context.Context) (Size, error) { return Size{N: c.rows}, nil }

// Statistics are those that were read.
func (c *counted) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	var read *model.Tally
	if sh != nil {
		read = c.tallies[sh.WithoutN().Digest()]
	}
	if read == nil {
		return c.csvFiles.Statistics(ctx, sh)
	}
	t, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	if err := t.AddNumbers(access.Mine(), read.Numbers(access.Mine())); err != nil {
		return nil, err
	}
	if err := c.unchanged(); err != nil {
		return nil, err
	}
	return t.Statistics(c.Rows())
}

// StatisticsOf are those of several shapes of one source. Files are read once for all of them, unless rows of a unit
// are capped; every other source is asked for each. Errors: those of Statistics.
func StatisticsOf(ctx context.Context, s Source, shapes ...*model.Shape) (out []*model.Statistics, err error) {
	if f, ok := s.(*csvFiles); ok && len(shapes) > 1 {
		if capped, _ := f.schema.CapsRows(); !capped {
			read, err := f.read(ctx, shapes...)
			if err != nil {
				return nil, err
			}
			for _, t := range read {
				st, err := t.Statistics(f.Rows())
				if err != nil {
					return nil, err
				}
				out = append(out, st)
			}
			return out, nil
		}
	}
	for _, sh := range shapes {
		st, err := s.Statistics(ctx, sh)
		if err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}
