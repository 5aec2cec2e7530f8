package privbayes

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Violations is what of a table does not fit its schema, counted. It is private: for the data holder only.
type Violations = frame.Violations

// LoadShards reads several files as one table, each with its own header. See frame.LoadShards.
func LoadShards(paths []string, s *Schema, opts ...frame.ReadOption) *Frame {
	if s == nil {
		return &Frame{err: step("LoadShards", ErrNoSchema)}
	}
	return loadShards("LoadShards", paths, s, opts)
}

func loadShards(name string, paths []string, s *Schema, opts []frame.ReadOption) *Frame {
	f, err := frame.LoadShards(context.Background(), paths, s, opts...)
	return &Frame{f: f, err: step(name, err), again: func() (*frame.Violations, error) {
		return frame.CheckFiles(context.Background(), paths, s, opts...)
	}}
}

// rereading reads a table once more from where it began, where the reader can go back.
func rereading(r io.Reader, name string, s *Schema) func() (*frame.Violations, error) {
	back, ok := r.(io.Seeker)
	if !ok {
		return nil
	}
	start, err := back.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return func() (*frame.Violations, error) {
		if _, err := back.Seek(start, io.SeekStart); err != nil {
			return nil, err
		}
		return frame.Check(context.Background(), r, name, s)
	}
}

// Check reads the table once more and lists everything that does not fit its schema, where reading stopped at the
// first. It stands right behind LoadFrame, LoadShards or ReadFrame, also when these failed. The result is private.
func (f *Frame) Check() (*Violations, error) {
	if f == nil || f.again == nil {
		if err := f.Err(); err != nil {
			return nil, err
		}
		if err := f.needsRows("Check"); err != nil {
			return nil, step("Check", err)
		}
		return nil, step("Check", errors.New("nothing to read again; want a frame right from LoadFrame, LoadShards or "+
			"from ReadFrame with a reader that can seek"))
	}
	v, err := f.again()
	return v, step("Check", err)
}

// Derive adds a categorical column that is a function of others, asked once for every combination of their public
// labels. n and the unit stay. See frame.Frame.Derive.
func (f *Frame) Derive(column string, from []string, value func(labels []string) string) *Frame {
	return f.derive("Derive", func(d *frame.Frame) (*frame.Frame, error) { return d.Derive(column, from, value) })
}

// GroupBy adds a column with a category for every combination of the labels of others, to be the class of a model: by
// it [NaiveBayes] is every other column given the group. n and the unit stay. See frame.Frame.GroupBy.
func (f *Frame) GroupBy(column string, of ...string) *Frame {
	return f.derive("GroupBy", func(d *frame.Frame) (*frame.Frame, error) { return d.GroupBy(column, of...) })
}

// Recode gives categories other names; those that get one name become one. n and the unit stay.
func (f *Frame) Recode(column string, names map[string]string) *Frame {
	return f.derive("Recode", func(d *frame.Frame) (*frame.Frame, error) { return d.Recode(column, names) })
}

// Collapse makes one category of several. n and the unit stay.
func (f *Frame) Collapse(column, into string, categories ...string) *Frame {
	return f.derive("Collapse", func(d *frame.Frame) (*frame.Frame, error) {
		return d.Collapse(column, into, categories...)
	})
}

// Cut gives a column of numbers other bins between its declared bounds. n and the unit stay.
func (f *Frame) Cut(column string, edges ...float64) *Frame {
	return f.derive("Cut", func(d *frame.Frame) (*frame.Frame, error) { return d.Cut(column, edges...) })
}

// Rename gives a column another name. n and the unit stay.
func (f *Frame) Rename(column, to string) *Frame {
	return f.derive("Rename", func(d *frame.Frame) (*frame.Frame, error) { return d.Rename(column, to) })
}

// Unweighted sets the weight of the schema aside: rows stand for themselves. See frame.Frame.Unweighted.
func (f *Frame) Unweighted() *Frame {
	return f.derive("Unweighted", func(d *frame.Frame) (*frame.Frame, error) { return d.Unweighted() })
}

// Drop leaves columns out. n and the unit stay.
func (f *Frame) Drop(columns ...string) *Frame {
	return f.derive("Drop", func(d *frame.Frame) (*frame.Frame, error) { return d.Drop(columns...) })
}

// Lookup adds the columns of a public table by a key that both have; a private one is refused, with the reason
// (*frame.TogetherError). n and the unit stay. See frame.Frame.Lookup.
func (f *Frame) Lookup(key string, public *Frame) *Frame {
	return f.derive("Lookup", func(d *frame.Frame) (*frame.Frame, error) {
		if err := public.Err(); err != nil {
			return nil, err
		}
		if err := public.needsRows("Lookup"); err != nil {
			return nil, err
		}
		return d.Lookup(key, public.f)
	})
}

// AsPublic declares that the rows are public, and why. See frame.Frame.AsPublic.
func (f *Frame) AsPublic(why string) *Frame {
	return f.derive("AsPublic", func(d *frame.Frame) (*frame.Frame, error) { return d.AsPublic(why) })
}

// Append puts the rows of a frame of the same data set, schema and budget after these. n is the sum, and so are the
// rows of a unit: the guarantee of a release covers them all. Frames of different data sets or budgets are refused
// (*frame.TogetherError).
func (f *Frame) Append(o *Frame) *Frame { return f.together("Append", o, (*frame.Frame).Append) }

// AppendDisjoint is [Frame.Append] for frames of which the caller knows that no unit has rows in both: the rows of a
// unit do not add up.
func (f *Frame) AppendDisjoint(o *Frame) *Frame {
	return f.together("AppendDisjoint", o, (*frame.Frame).AppendDisjoint)
}

func (f *Frame) together(name string, o *Frame, do func(a, b *frame.Frame) (*frame.Frame, error)) *Frame {
	return f.derive(name, func(d *frame.Frame) (*frame.Frame, error) {
		if err := o.Err(); err != nil {
			return nil, err
		}
		if err := o.needsRows(name); err != nil {
			return nil, err
		}
		if o.budget != f.budget {
			return nil, &frame.TogetherError{Step: name, Why: "the frames are bound to different budgets, or one to none",
				Want: fmt.Sprintf("frames bound to one budget: %s first, WithBudget after it", name)}
		}
		return do(d, o.f)
	})
}
