package privbayes

import (
	"context"
	"errors"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Source is a private table that stays where it is and yields sealed statistics: scanned files, a database, a cluster.
// See package source.
type Source = source.Source

// NeedsRowsError says that a step needs the rows themselves, which a source does not hand out, and what to do.
type NeedsRowsError = source.NeedsRowsError

// From starts a chain from a source. What needs only the public side and the statistics works as for a frame: Model,
// Plan, Advise, WithBudget, Privatize with all its options. What needs rows is refused with *NeedsRowsError, which says
// what to do. From reads the size of the table, which the context bounds; [WithContext] bounds the counting.
func From(ctx context.Context, s Source) *Frame {
	if s == nil {
		return &Frame{err: step("From", errNoSource)}
	}
	size, err := s.Size(ctx)
	if err != nil {
		return &Frame{err: step("From", err)}
	}
	return &Frame{away: s, size: size}
}

// errNoSource says that From was given nothing.
var errNoSource = errors.New("no source; want one such as a scan of files, a database or a cluster's output")

// SplitByKey divides a source by a key column, such as a person's number: a part of about the fraction of the keys, the
// same for the same seed, and the rest. All rows of a key are in one part. The key column stands in the source and need
// not be in the schema. How many rows a part has is private. A frame has Split instead.
func (f *Frame) SplitByKey(key string, fraction float64, seed uint64) (train, test *Frame) {
	failed := func(err error) (train, test *Frame) {
		bad := &Frame{err: step("SplitByKey", err)}
		return bad, bad
	}
	if err := f.Err(); err != nil {
		return failed(err)
	}
	s, ok := f.away.(source.Divisible)
	if !ok {
		return failed(&frame.TogetherError{Step: "SplitByKey", Why: "the rows are in memory, or their source has no keys",
			Want: "Split(fraction, seed) for a frame, or a source that divides its rows by a key"})
	}
	part, err := source.NewPart(key, fraction, seed)
	if err != nil {
		return failed(err)
	}
	of := func(p source.Part) *Frame {
		one, err := s.Part(p)
		if err != nil {
			return &Frame{err: step("SplitByKey", err)}
		}
		return &Frame{away: one, size: source.Size{PrivateBy: "SplitByKey"}, budget: f.budget}
	}
	return of(part), of(part.Rest())
}

// instead says what to do where a step needs rows.
var instead = map[string]string{
	"Split":   "SplitByKey(key, fraction, seed), which divides the rows where they are",
	"Where":   "a filter in the source, which makes its number of rows private",
	"Present": "a filter in the source, which makes its number of rows private",
	"Select":  "the columns of the model: Model(NaiveBayes(class, features…)) reads no others",
	"Drop":    "the columns of the model: Model(NaiveBayes(class, features…)) reads no others",
	"Evaluate": "held-out rows in memory, such as LoadFrame of a file of them: a release is evaluated on a frame, " +
		"wherever it was trained",
	"Compare": "Advise, which needs no rows, or a frame of rows that fit in memory",
}

// needsRows refuses a step on a source.
func (f *Frame) needsRows(name string) error {
	if f.away == nil {
		return nil
	}
	want := instead[name]
	if want == "" {
		want = "a frame, such as LoadFrame reads, or a schema and a table of the source that are already so"
	}
	return &NeedsRowsError{Step: name, Want: want}
}

// schema is the public schema of the rows, wherever they are.
func (f *Frame) schema() *Schema {
	if f.away != nil {
		return f.away.Schema()
	}
	return f.f.Schema()
}

// statistics counts the rows, wherever they are.
func (f *Frame) statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	list, err := f.statisticsOf(ctx, sh)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// statisticsOf counts the rows for several shapes, in one reading where the source can do so.
func (f *Frame) statisticsOf(ctx context.Context, shapes ...*model.Shape) (out []*model.Statistics, err error) {
	if f.away != nil {
		out, err = source.StatisticsOf(ctx, f.away, shapes...)
		for _, st := range out {
			st.Again(access.Mine(), f.away.Statistics)
		}
		return out, err
	}
	for _, sh := range shapes {
		st, err := model.Count(sh, f.f)
		if err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// awayTable shows what is public about a source.
func (f *Frame) awayTable() *table.Table {
	t := f.schema().Table()
	n, public := f.size.Public()
	if public {
		return t.Note(table.Count(n, "row") + ", in a source: they stay where they are")
	}
	return t.Note("number of rows private (" + f.size.PrivateBy + "), in a source: they stay where they are")
}
