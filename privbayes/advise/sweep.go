package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
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
	t := table.New("The recommended mechanism at "+named(s.target)+", over n", head...)
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
	return s.list[0].captionWith(", " + named(s.target) + ",")
}

// captionWith is the caption where n differs, with other words in its place.
func (a *Advice) captionWith(instead string) string {
	n, _ := a.shape.N()
	return strings.Replace(a.caption(), fmt.Sprintf(", n = %s,", figure.Number(float64(n))), instead, 1)
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

// drawnSeries is the number of mechanisms that a figure of lines has room for.
const drawnSeries = 6

// Figure draws error against n for the mechanisms that come closest to the best somewhere, at most six: a line, with a
// band of two standard errors where it is simulated, beside the sampling error where that is known.
func (s *Sweep) Figure() *figure.Figure {
	f := &figure.Figure{
		Title:  "Expected error of " + s.list[0].Measure() + " at " + named(s.target),
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

// LevelFor is the smallest level (ε or ρ) at which the recommended mechanism's error is at most the given one,
// interpolated between the targets on logarithmic scales; ok is false where the targets do not bracket it.
func (a *Advice) LevelFor(absolute float64) (level float64, ok bool) {
	if !(absolute > 0) {
		return 0, false
	}
	for i := range a.targets {
		r, applies := a.Best(i)
		if !applies || r.Error > absolute {
			continue
		}
		if i == 0 {
			return scale(a.targets[0]), r.Error == absolute
		}
		before, applies := a.Best(i - 1)
		if !applies || r.Error == 0 {
			return scale(a.targets[i]), true
		}
		x0, x1 := math.Log(scale(a.targets[i-1])), math.Log(scale(a.targets[i]))
		y0, y1 := math.Log(before.Error), math.Log(r.Error)
		return math.Exp(x0 + (x1-x0)*(math.Log(absolute)-y0)/(y1-y0)), true
	}
	return 0, false
}

// Size is a number of records with the error that it reaches.
type Size struct {
	N    int
	Best Row // the recommended mechanism at this n
}

// The search for n.
const (
	mostRecords = 1_000_000_000
	near        = 1.03 // n is found up to this factor
	rivals      = 1.3  // mechanisms of more than this many times the least error at the shape's own n are left out
	evaluations = 40
	shareOfSize = 4 // every n tried has this part of the time; most are quick, and the clock ends the search
)

// NFor is the smallest n, up to 3 %, at which some mechanism's error at target i is at most the given one. It compares
// again at other numbers of records, with the mechanisms whose error is within 1.3 times the least at the shape's own
// n. Errors: *Error where the error given is not positive, or no n up to 1e9 reaches it, or the search is not done
// within Options.Time, and the context's.
func (a *Advice) NFor(ctx context.Context, i int, absolute float64) (Size, error) {
	if !(absolute > 0) || i < 0 || i >= len(a.targets) {
		return Size{}, &Error{fmt.Sprintf("error %v at target %d", absolute, i), fmt.Sprintf("an error > 0 and a "+
			"target in 0 … %d", len(a.targets)-1)}
	}
	least, ok := a.least(i, "")
	if !ok {
		return Size{}, &Error{"no mechanism that applies at " + named(a.targets[i]), "another target"}
	}
	var families []Family
	for f, r := range a.rows[i] {
		if r.Refused == "" && r.Error <= rivals*least.Error {
			families = append(families, a.families[f])
		}
	}
	o := a.options
	o.Row = nil
	o.Progress, o.steps = nil, cmp.Or(o.steps, o.Time.Seconds()*stepsPerSecond)/shareOfSize
	end, _ := deadline(ctx, a.options)
	clock, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	at := func(n int) (Size, error) {
		sh, err := model.NewShape(a.shape.Schema(), a.shape.Model(), n, true, "")
		if err != nil {
			return Size{}, err
		}
		b, err := forFamilies(clock, sh, []dp.Request{a.targets[i]}, families, o)
		if clock.Err() != nil && ctx.Err() == nil {
			return Size{}, &Error{fmt.Sprintf("the search for n was not done within %v, at n = %d", a.options.Time, n),
				"more Options.Time"}
		}
		if err != nil {
			return Size{}, err
		}
		r, ok := b.least(0, "")
		if !ok {
			return Size{}, &Error{fmt.Sprintf("nothing could be compared at n = %d: %s", n,
				strings.Join(b.LeftOut(), " ")), "more Options.Time, or an error nearer to that at the shape's n"}
		}
		return Size{n, r}, nil
	}
	n, _ := a.shape.N()
	here := Size{n, least}
	return search(here, absolute, mostRecords, at)
}

// search brackets the error and closes in, guessing by the line through the bracket's ends on logarithmic scales.
func search(here Size, absolute float64, most int, at func(n int) (Size, error)) (Size, error) {
	meets := func(s Size) bool { return s.Best.Refused == "" && s.Best.Error <= absolute }
	var low, high Size // low misses, high meets
	if meets(here) {
		high = here
	} else {
		low = here
	}
	for range evaluations {
		var n int
		switch {
		case high.N > 0 && (high.N <= low.N+1 || low.N > 0 && float64(high.N) <= near*float64(low.N)):
			return high, nil
		case high.N == 0 && low.N >= most:
			return Size{}, &Error{fmt.Sprintf("no n up to %d at which the error is %g: %g there", most, absolute,
				low.Best.Error), "a larger error or a weaker target"}
		case high.N == 0:
			n = min(most, 2*guess(low, absolute, 2))
		case low.N == 0:
			n = max(1, min(guess(high, absolute, -2), high.N/2))
		default:
			n = between(low, high, absolute)
		}
		s, err := at(n)
		if err != nil {
			return Size{}, err
		}
		switch {
		case meets(s):
			high = s
		case n == 1 || n > low.N:
			low = s
		}
	}
	return high, nil
}

// guess follows error ∝ 1/n from a size, by a factor of at least 2 up or down and at most 1000.
func guess(s Size, absolute float64, least float64) int {
	ratio := s.Best.Error / absolute
	if math.IsNaN(ratio) {
		ratio = 10
	}
	if least > 0 {
		ratio = math.Min(math.Max(ratio, least), 1000)
	} else {
		ratio = math.Min(math.Max(ratio, 1e-3), -1/least)
	}
	return max(1, int(float64(s.N)*ratio))
}

// between is the n at which the line through both ends reaches the error, kept away from the ends.
func between(low, high Size, absolute float64) int {
	x0, x1 := math.Log(float64(low.N)), math.Log(float64(high.N))
	t := .5
	if y0, y1 := math.Log(low.Best.Error), math.Log(high.Best.Error); y1 < y0 {
		t = (y0 - math.Log(absolute)) / (y0 - y1)
	}
	n := int(math.Round(math.Exp(x0 + (x1-x0)*math.Min(math.Max(t, .1), .9))))
	return min(max(n, low.N+1), high.N-1)
}

// reportEvery is how often progress is reported, also inside a row.
const reportEvery = 250 * time.Millisecond

// reporter tells how far a comparison is, in estimated steps. It calls from one goroutine at a time, and not after
// close.
type reporter struct {
	mu          sync.Mutex
	report      func(done, total int64)
	done, total float64
	row         float64 // steps of the row under way
	since       time.Time
	stop        chan struct{}
	stopped     sync.WaitGroup
}

// newReporter reports until close or the end of ctx; nil reports to nobody.
func newReporter(ctx context.Context, report func(done, total int64), total float64) *reporter {
	r := &reporter{report: report, total: math.Max(total, 1), since: time.Now(), stop: make(chan struct{})}
	if report == nil {
		return r
	}
	r.stopped.Go(func() {
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.tell()
			case <-r.stop:
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return r
}

// begin says that a row of about so many steps begins, finish that it is over.
func (r *reporter) begin(steps float64) {
	r.mu.Lock()
	r.row, r.since = steps, time.Now()
	r.mu.Unlock()
}

func (r *reporter) finish() {
	r.mu.Lock()
	r.done, r.row = r.done+r.row, 0
	r.mu.Unlock()
	if r.report != nil {
		r.tell()
	}
}

// tell reports. Inside a row it goes on as a core of the assumed speed would, and waits before the row's end.
func (r *reporter) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	inside := math.Min(.95*r.row, time.Since(r.since).Seconds()*stepsPerSecond)
	r.report(int64(math.Min(r.done+inside, r.total)), int64(r.total))
}

// close ends the reports, the last of which is total of total.
func (r *reporter) close() {
	close(r.stop)
	r.stopped.Wait()
	if r.report != nil {
		r.report(int64(r.total), int64(r.total))
	}
}
