package discovery

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Matches refuses a schema, such as that of a later release, whose list is not this one: each column that names this
// release has to state its guarantee, and the column itself its categories. Columns that are made of it have others.
// Error: *dp.ParameterError, also where no column names this release.
func (f *Found) Matches(s *frame.Schema) error {
	want := f.plan.column.FoundAs(f.plan.parts(f.categories), f.by("", f.plan.most))
	return f.named(s, want, func(c *frame.Column) (have, needed string) {
		switch {
		case !slices.Equal(c.Categories, want.Categories):
			return safetext.List(c.Categories, 12), "the categories of the release, " + safetext.List(want.Categories, 12)
		case !sameLevels(c.Within, want.Within):
			return "another superset", "that of the release, by which codes are read"
		}
		return "", ""
	})
}

// sameLevels reports whether codes are read alike.
func sameLevels(a, b *frame.Within) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Codes, b.Codes) && slices.Equal(a.Levels, b.Levels) && a.Length == b.Length &&
		a.Alphabet == b.Alphabet
}

// Matches refuses a schema whose bounds are not this range, as [Found.Matches] does.
func (r *Range) Matches(s *frame.Schema) error {
	low, high, err := r.Bounds()
	if err != nil {
		return err
	}
	want := r.plan.column.BoundedAs(low, high, r.by(frame.FoundBounds, 1))
	return r.named(s, want, func(c *frame.Column) (have, needed string) {
		if c.Min != want.Min || c.Max != want.Max {
			return fmt.Sprintf("from %g to %g", c.Min, c.Max), fmt.Sprintf("the range of the release, from %g to %g", want.Min,
				want.Max)
		}
		return "", ""
	})
}

// named compares the columns of a schema that name a release with the column that it makes.
func (d *drawn) named(s *frame.Schema, want frame.Column, apart func(*frame.Column) (have, needed string)) error {
	named := false
	for _, c := range s.Columns {
		if c.Found == nil || c.Found.Release != d.id {
			continue
		}
		named = true
		of := "column " + safetext.Quote(c.Name)
		if *c.Found != *want.Found {
			return domain.Refuse("discovery", of, c.FoundBy(), "what the file states: "+want.FoundBy())
		}
		if c.Name != want.Name {
			continue
		}
		if have, needed := apart(&c); needed != "" {
			return domain.Refuse("discovery", of, have, needed)
		}
	}
	if !named {
		return domain.Refuse("discovery", "release", d.id, "one that a column of the schema names as what found its "+
			want.Found.Noun())
	}
	return nil
}
