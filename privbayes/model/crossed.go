package model

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/access"
)

// Crossed is the shape of the contingency table of all columns of a model, the target first: its cells are the classes
// of the target times those of the features. Errors: those of NewShape, *Error for a column that is a number.
func (s *Shape) Crossed() (*Shape, error) {
	for i, c := range s.columns {
		if !s.grouping(i) {
			return nil, wrong(s.model, c.Name, "a number", "a categorical column, whose levels are counted")
		}
	}
	sh, err := NewShape(s.schema, ContingencyTable(s.columnNames()...), s.n, s.publicN, s.nStep)
	if err != nil {
		return nil, err
	}
	return sh.OfRows(s.rows...), nil
}

// OpenCrossed counts the rows once more, in the table of Crossed. The key keeps it inside this module. Errors:
// ErrSealed without it, those of Crossed, *Error where the rows are gone, *ChangedError for another number of rows, the
// context's, those of the source.
func (s *Statistics) OpenCrossed(ctx context.Context, key access.Key) (*Statistics, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if !s.CanPass() {
		return nil, wrong(s.shape.model, "", "no rows to count again", "a frame or a source")
	}
	sh, err := s.shape.Crossed()
	if err != nil {
		return nil, err
	}
	next, err := s.again(ctx, sh)
	if err != nil {
		return nil, err
	}
	if next.rows != s.rows {
		return nil, &ChangedError{}
	}
	return next, ctx.Err()
}
