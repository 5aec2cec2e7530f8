package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

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
		return Size{}, &Error{"no mechanism that applies at " + a.targets[i].Parameters.String(), "another target"}
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
