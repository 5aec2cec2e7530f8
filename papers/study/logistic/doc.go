// Package logistic compares a logistic regression made of released moments with what else one would do: noisy
// full-batch gradient descent under the same (ε, δ), naive Bayes on public bins under pure ε, and no privacy.
// [Settings] are the tables; [Run] makes a [Result], and [Committed] are those of full runs, with what is needed to run
// them again.
//
// Place: at the top; docs/regression.md shows its results.
package logistic

import (
	"context"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Setting is a table with a class and features whose bounds, levels and bins are public.
type Setting struct {
	Name     string
	Data     string // where it comes from
	Class    string
	Features []string
	Splits   int
	Repeats  int // releases a split
	open     func(ctx context.Context) (*frame.Frame, error)
}

// Open reads the rows. Errors: *data.NotFoundError, *data.NotFetchedError where the table is not on this machine.
func (s Setting) Open(ctx context.Context) (*frame.Frame, error) { return s.open(ctx) }

// Settings are breast_cancer, embedded; pima, 532 women of whom 177 have diabetes; and the first 12,000 rows of adult,
// 4 numbers and 5 factors of 30 indicators. The last two are not embedded.
func Settings() []Setting {
	return []Setting{
		{"breast_cancer", "embedded", "benign", []string{"worst_radius", "worst_texture", "worst_smoothness",
			"worst_concave_points", "worst_symmetry"}, 10, 4, breastCancer},
		{"pima", "small/pima.csv, not embedded", "type", []string{"npreg", "glu", "bp", "skin", "bmi", "ped", "age"}, 10, 4,
			pima},
		{"adult", "adult, the first 12,000 rows, not embedded", "income", []string{"age", "education-num", "capital-gain",
			"hours-per-week", "marital-status", "occupation", "relationship", "race", "sex"}, 2, 1, adult},
	}
}

func breastCancer(ctx context.Context) (*frame.Frame, error) {
	r, s := data.BreastCancer()
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Numeric() {
			c.Edges = quarters(c.Min, c.Max)
		}
	}
	return frame.Read(ctx, r, s.Dataset, s)
}

// quarters are the edges of four bins of one width: no look at the data.
func quarters(lo, hi float64) []float64 {
	return []float64{lo, lo + (hi-lo)/4, lo + (hi-lo)/2, lo + 3*(hi-lo)/4, hi}
}

// pima has bounds from what the measures can be: an oral glucose test of 40 to 240 mg/dl, a diastolic pressure of 20 to
// 140 mm Hg, a body mass index of 10 to 70.
func pima(ctx context.Context) (*frame.Frame, error) {
	path, err := data.External("small/pima.csv")
	if err != nil {
		return nil, err
	}
	s := &frame.Schema{Dataset: "pima"}
	for _, c := range []struct {
		name   string
		whole  bool
		lo, hi float64
	}{{"npreg", true, 0, 20}, {"glu", true, 40, 240}, {"bp", true, 20, 140}, {"skin", true, 0, 100}, {"bmi", false, 10,
		70},
		{"ped", false, 0, 2.5}, {"age", true, 20, 90}} {
		column := frame.Real(c.name, quarters(c.lo, c.hi)...)
		if c.whole {
			column = frame.Integer(c.name, quarters(c.lo, c.hi)...)
		}
		column.OnOutOfDomain = frame.DomainClamp
		s.Columns = append(s.Columns, column)
	}
	s.Columns = append(s.Columns, frame.Categorical("type", "No", "Yes"))
	return frame.Load(ctx, path, s)
}

// adultRows are taken from the front of adult.
const adultRows = 12000

// adult has schooling as a number, and capital gains capped at 20,000 dollars.
func adult(ctx context.Context) (*frame.Frame, error) {
	r, s, err := data.OpenStudy("adult")
	if err != nil {
		return nil, err
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		switch c.Name {
		case "education-num":
			*c = frame.Integer(c.Name, quarters(1, 16)...)
		case "capital-gain":
			c.Max, c.Edges, c.OnOutOfDomain = 20000, []float64{0, 1, 5000, 10000, 20000}, frame.DomainClamp
		case "age", "hours-per-week":
			c.Edges = quarters(c.Min, c.Max)
		}
	}
	f, err := frame.Read(ctx, r, s.Dataset, s)
	if err != nil {
		return nil, err
	}
	return f.Head(adultRows)
}
