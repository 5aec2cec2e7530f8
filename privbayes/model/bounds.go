package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// distributed is a model of how values are distributed before they are moved to the bounds.
type distributed interface {
	distribution() string                                 // what it is called, "" where none is stated
	outside(parameters []float64, lo, hi float64) float64 // the share of it beyond two bounds
}

// Distribution names the distribution that a model states of values before they are moved to the bounds, such as the
// exponential one; "" where it states none.
func (s *Shape) Distribution() string {
	if m, ok := s.model.(distributed); ok {
		return m.distribution()
	}
	return ""
}

// OutsideBounds is the share of the model's Distribution that lies outside the bounds of its column, averaged over
// draws of its parameters; 0 where there is none.
func (s *Shape) OutsideBounds(d *Draws) (share float64) {
	if s.Distribution() == "" {
		return 0
	}
	lo, hi := s.bounds(0)
	for _, v := range d.Values {
		share += s.model.(distributed).outside(v, lo, hi) / float64(len(d.Values))
	}
	return share
}

// bound is a bound of the first column in words.
func (s *Shape) bound(x float64) string {
	if c := s.columns[0]; c.Date != "" {
		return c.Text(x)
	}
	return table.Number(x)
}

// noteOutside says in a summary how much of the distribution lies outside the bounds, where that matters.
func noteOutside(f *Fitted, t *table.Table) *table.Table {
	share := f.shape.OutsideBounds(f.Draws())
	if share <= warning.MostOutside {
		return t
	}
	lo, hi := f.shape.bounds(0)
	return t.Note(fmt.Sprintf("The parameter describes the %s of values before they are moved to the bounds of the column. "+
		"%s %% of it lies outside the bounds [%s, %s]. Mean describes the values of the column.", f.shape.Distribution(),
		table.Number(100*share), f.shape.bound(lo), f.shape.bound(hi)))
}

func (m MeanSDModel) distribution() string {
	if m.latent {
		return "latent normal"
	}
	return ""
}

func (m MeanSDModel) outside(p []float64, lo, hi float64) float64 {
	return normalBelow((lo-p[0])/p[1]) + normalBelow((p[0]-hi)/p[1])
}

func (m RateModel) distribution() string { return rates[m.law].distribution }

func (m RateModel) outside(p []float64, lo, hi float64) float64 {
	cdf := m.cdf()
	return cdf(p[0], lo) + 1 - cdf(p[0], hi)
}

func (PoissonModel) distribution() string { return "Poisson distribution" }

func (PoissonModel) outside(p []float64, lo, hi float64) float64 {
	above := mathext.GammaIncReg(hi+1, p[0]) // P(X > hi)
	if lo <= 0 {
		return above
	}
	return above + mathext.GammaIncRegComp(lo, p[0]) // P(X < lo)
}

// AtBounds counts the values of every column of a model of numbers, in the order of Columns, that lie at a public
// bound: values that reading moved there from beyond it, where the column is declared so, and values that were there.
// The counts are private; the key keeps them inside this module. Errors: ErrSealed without
// the key, *MismatchError, those of frame.Values.
func (s *Shape) AtBounds(key access.Key, f *frame.Frame) ([]int, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if s.Tabulated() {
		return nil, nil
	}
	if err := s.Accepts(f); err != nil {
		return nil, err
	}
	out := make([]int, len(s.columns))
	for i, c := range s.columns {
		if s.grouping(i) {
			continue
		}
		values, err := f.Values(c.Name)
		if err != nil {
			return nil, err
		}
		lo, hi := s.bounds(i)
		if i == 0 && s.linear != nil && s.linear.Counts > 0 {
			lo = -1 // a count of 0 is not cut
		}
		for _, v := range values {
			if v <= lo || v >= hi {
				out[i]++
			}
		}
	}
	return out, nil
}

// bounds are the public bounds of the values of a numeric column.
func (s *Shape) bounds(i int) (lo, hi float64) {
	c := &s.columns[i]
	if c.Kind == frame.KindInteger { // the bounds that whole numbers are moved to
		return math.Ceil(c.Min), math.Floor(c.Max)
	}
	return c.Min, c.Max
}

// AtBounds are the counts of Shape.AtBounds of the rows that were counted; nil for statistics without any.
func (s *Statistics) AtBounds(key access.Key) []int {
	if !key.Opens() {
		return nil
	}
	return s.atBounds
}

// bounded is a numeric column with public bounds and no missing values.
func bounded(m Model, of named, name string) (frame.Column, error) {
	c, err := ranged(m, of, name)
	if err == nil && c.HasMissing() {
		return c, refuseMissing(m, c, "a column without missing values")
	}
	return c, err
}

// refuseMissing refuses a column's missing values, and says how to have none.
func refuseMissing(m Model, c frame.Column, want string) error {
	return wrong(m, c.Name, fmt.Sprintf(`missing values by "on_missing": %q`, c.OnMissing), want+`: declare `+
		`"on_missing": "impute" with a public "impute", or keep the rows that have a value by Present`)
}

// ranged is a numeric column with public bounds.
func ranged(m Model, of named, name string) (frame.Column, error) {
	c, err := of.column(name)
	if err != nil {
		return frame.Column{}, err
	}
	switch {
	case !c.Numeric():
		return *c, wrong(m, name, fmt.Sprintf("a %s column", c.Kind), "an integer or real column")
	case !(c.Min < c.Max) || math.IsInf(c.Max-c.Min, 0):
		return *c, wrong(m, name, fmt.Sprintf("bounds [%v, %v]", c.Min, c.Max), "finite public bounds in the schema")
	}
	return *c, nil
}

// units are those of the parameters: each column's own, and that of a spread apart from that of a mean; nil where all
// have one.
func (s *Shape) units() []string {
	name := func(i int) string { return s.columns[i].Quantity() }
	var out []string
	switch _, spread := s.model.(MeanSDModel); {
	case spread:
		return []string{"mean of " + name(0), "standard deviation of " + s.columns[0].Difference()}
	case s.lattice != nil && len(s.lattice.Low) > 1:
		for i := range s.lattice.Low {
			out = append(out, "mean of "+name(i))
		}
	}
	return out
}

// Units are those of the draws of a model of sums, by parameter; nil where all have one, and for other models.
func (f *Fitted) Units() []string {
	if u := f.shape.units(); u != nil && f.Draws() != nil && len(u) == len(f.Draws().Names) {
		return u
	}
	return nil
}

// layouts are those of the parameters of a model of one column, or of its means of several, that are dates; nil where
// none is.
func (f *Fitted) layouts() (out []string) {
	some := false
	for i, name := range f.Draws().Names {
		c := f.shape.columns[0]
		if f.shape.lattice != nil && len(f.shape.lattice.Low) > 1 {
			c = f.shape.columns[i]
		}
		if _, spread := f.shape.model.(MeanSDModel); spread && (name == "sd" || name == "latent sd") {
			c.Date = ""
		}
		out, some = append(out, c.Date), some || c.Date != ""
	}
	if !some {
		return nil
	}
	return out
}
