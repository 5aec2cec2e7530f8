package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Sweep is a comparison at one target over numbers of records: how much privacy costs as a table grows. It is public,
// like an [Advice].
type Sweep struct {
	sizes  []int
	list   []*Advice
	target dp.Request
}

// mostSizes bounds a sweep.
const mostSizes = 100

// OverN compares mechanisms on a model's shape at every one of the given numbers of records, which are the user's own
// and public; the shape's own n does not matter. All of them together take Options.Time;
// Options.Row gets the rows of one number of records after the other, each as those of target 0. Errors: *Error for
// sizes that do not increase from at least 1, and those of [For].
func OverN(ctx context.Context, sh *model.Shape, sizes []int, target dp.Request, o Options) (*Sweep, error) {
	if sh == nil {
		return nil, &Error{"no shape", "a shape: a schema, a model and a public n"}
	}
	increase := true
	for i := 1; i < len(sizes); i++ {
		increase = increase && sizes[i] > sizes[i-1]
	}
	if len(sizes) == 0 || len(sizes) > mostSizes || sizes[0] < 1 || !increase {
		return nil, &Error{fmt.Sprintf("%d numbers of records", len(sizes)),
			fmt.Sprintf("1 to %d of them, each at least 1 and above the one before", mostSizes)}
	}
	s := &Sweep{sizes: slices.Clone(sizes), target: target}
	part, progress := o, o.Progress
	if o.Time >= 0 {
		part.Time = cmp.Or(o.Time, defaultTime) / time.Duration(len(sizes))
	}
	for i, n := range sizes {
		at, err := model.NewShape(sh.Schema(), sh.Model(), n, true, "")
		if err != nil {
			return nil, err
		}
		if progress != nil {
			part.Progress = func(done, total int64) { progress(int64(i)*total+done, int64(len(sizes))*total) }
		}
		a, err := For(ctx, at, []dp.Request{target}, part)
		if err != nil {
			return nil, err
		}
		s.list = append(s.list, a)
	}
	return s, nil
}

// Sizes are the numbers of records compared.
func (s *Sweep) Sizes() []int { return slices.Clone(s.sizes) }

// At is the comparison at the i-th number of records.
func (s *Sweep) At(i int) *Advice { return s.list[i] }

// sampling is the mean absolute error of a probability that n records have without privacy, for one distribution whose
// probabilities are from Dirichlet(a, …): √(2/π)·E√(p(1−p)/n), by the normal approximation; ok is false for other
// models.
func (a *Advice) sampling() (e float64, ok bool) {
	conds := a.shape.Conditionals()
	if len(conds) != 1 || conds[0].Rows != 1 || conds[0].Levels < 2 {
		return 0, false
	}
	n, _ := a.shape.N()
	x := a.options.Prior
	y := x * float64(conds[0].Levels-1)
	mean := math.Exp(num.LogBeta(x+.5, y+.5) - num.LogBeta(x, y)) // E√(p(1−p)), p from Beta(x, y)
	return math.Sqrt(2/math.Pi/float64(n)) * mean, true
}

// Table has a line for every number of records: the recommended mechanism with its best free choice, its error and how
// it was found, how much more the next one errs, and, of a single distribution, the error that sampling alone makes.
func (s *Sweep) Table() *table.Table {
	head := []string{"n", "mechanism", "best free choice", "error of " + s.list[0].Measure(), "found by", "next"}
	_, sampled := s.list[0].sampling()
	if sampled {
		head = append(head, "sampling error")
	}
	t := table.New("The recommended mechanism at "+s.target.Parameters.String()+", over n", head...)
	before := ""
	for i, a := range s.list {
		best, ok := a.Best(0)
		if !ok {
			t.Note(fmt.Sprintf("n = %d: %s", s.sizes[i], a.Reason(0)))
			continue
		}
		row := []any{s.sizes[i], best.Mechanism, best.Choice, best.Error, string(best.How), nil}
		if next, ok := a.least(0, best.Mechanism); ok {
			row[5] = fmt.Sprintf("%s, %.3g times", a.short(next.Mechanism), next.Error/best.Error)
		}
		if e, ok := a.sampling(); ok {
			row = append(row, e)
		}
		t.Add(row...)
		if before != "" && before != best.Mechanism {
			t.Note(fmt.Sprintf("Between n = %d and %d the best changes from %s to %s.", s.sizes[i-1], s.sizes[i],
				before,
				best.Mechanism))
		}
		before = best.Mechanism
	}
	for i, a := range s.list {
		for _, line := range append(a.LeftOut(), a.reduced()...) {
			t.Note(fmt.Sprintf("n = %d: %s", s.sizes[i], line))
		}
	}
	return t.Note(s.caption())
}

// caption are the terms, with the level in place of the n of one of them.
func (s *Sweep) caption() string {
	return s.list[0].captionWith(", " + s.target.Parameters.String() + ",")
}

// captionWith is the caption where n differs, with other words in its place.
func (a *Advice) captionWith(instead string) string {
	n, _ := a.shape.N()
	return strings.Replace(a.caption(), fmt.Sprintf(", n = %d,", n), instead, 1)
}

// short is a mechanism's name in a figure.
func (a *Advice) short(title string) string {
	for _, f := range a.families {
		if f.Title == title {
			return cmp.Or(f.short, f.Title)
		}
	}
	return title
}

// Figure draws error against n for the mechanisms that come closest to the best somewhere, at most six: a line, with a
// band of two standard errors where it is simulated, beside the sampling error where that is known.
func (s *Sweep) Figure() *figure.Figure {
	f := &figure.Figure{
		Title:  "Expected error of " + s.list[0].Measure() + " at " + s.target.Parameters.String(),
		XLabel: "n", YLabel: "mean absolute error", LogX: true, LogY: true, Caption: s.caption(),
	}
	lines, ratio := map[string]*figure.Series{}, map[string]float64{}
	var titles []string
	guide := figure.Series{Name: "sampling error", Guide: true}
	for i, a := range s.list {
		x := float64(s.sizes[i])
		least, _ := a.least(0, "")
		for _, r := range a.rows[0] {
			if r.Refused != "" || !(r.Error > 0) {
				continue
			}
			l := lines[r.Mechanism]
			if l == nil {
				l = &figure.Series{Name: a.short(r.Mechanism), Kind: figure.Band}
				lines[r.Mechanism], ratio[r.Mechanism] = l, math.Inf(1)
				titles = append(titles, r.Mechanism)
			}
			ratio[r.Mechanism] = math.Min(ratio[r.Mechanism], r.Error/least.Error)
			l.X, l.Y = append(l.X, x), append(l.Y, r.Error)
			l.Lo, l.Hi = append(l.Lo, math.Max(r.Error/2, r.Error-2*r.SE)), append(l.Hi, r.Error+2*r.SE)
		}
		if e, ok := a.sampling(); ok {
			guide.X, guide.Y = append(guide.X, x), append(guide.Y, e)
		}
	}
	near := slices.SortedStableFunc(slices.Values(titles), func(a, b string) int {
		return cmp.Compare(ratio[a],
			ratio[b])
	})
	near = near[:min(len(near), drawnSeries)]
	for _, title := range titles { // in the order compared
		if slices.Contains(near, title) {
			f.Series = append(f.Series, *lines[title])
		}
	}
	if len(guide.X) > 0 {
		f.Series = append(f.Series, guide)
	}
	return f
}

// String shows the table as text.
func (s *Sweep) String() string { return table.Text(s) }
