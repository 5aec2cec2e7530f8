package structure

import (
	"math"
	"testing"
)

// noted are mean distances of pairs that another program came to, with its standard errors (theory/structure.md §2, §8;
// where several are bounded by one figure, that). Its tables of small sets are of another division of rows.
var noted = []struct {
	Setting
	mean, se float64
}{ // where nothing is known of the other program's error it is taken as .002
	{Setting{Set: "adult", Epsilon: .3}, .0497, .0007},
	{Setting{Set: "adult", Epsilon: 1}, .0274, .0007},
	{Setting{Set: "adult", Epsilon: 3}, .0200, .0002},
	{Setting{Set: "adult", Pure: true, Epsilon: 1}, .0351, .002},
	{Setting{Set: "alarm", Epsilon: 1}, .0109, .0005},
	{Setting{Set: "votes", Epsilon: 3}, .089, .001},
	{Setting{Set: "votes", Pure: true, Epsilon: 3}, .140, .009},
	{Setting{Set: "german", Epsilon: 1}, .141, .002},
	{Setting{Set: "german", Epsilon: 3}, .079, .001},
	{Setting{Set: "adult", Pure: true, ReplaceOne: true, Learner: "cliques", Epsilon: 1}, .050, .002},
	{Setting{Set: "adult", ReplaceOne: true, Learner: "cliques", Epsilon: 1}, .040, .002},
	{Setting{Set: "adult", ReplaceOne: true, Learner: "cliques", Epsilon: 10}, .0245, .002},
	{Setting{Set: "alarm", Pure: true, ReplaceOne: true, Learner: "cliques", Epsilon: 1}, .041, .002},
	{Setting{Set: "alarm", ReplaceOne: true, Learner: "cliques", Epsilon: 1}, .019, .002},
	{Setting{Set: "votes", ReplaceOne: true, Learner: "cliques", Epsilon: 3}, .155, .013},
	{Setting{Set: "german", ReplaceOne: true, Learner: "cliques", Epsilon: 10}, .063, .013},
	{Setting{Set: "adult", Learner: "cliques", Epsilon: 1}, .0362, .0009},
	{Setting{Set: "alarm", Learner: "cliques", Epsilon: 1}, .0131, .0004},
	{Setting{Set: "votes", Learner: "tree", Epsilon: 3}, .123, .003},
	{Setting{Set: "german", Learner: "tree", Epsilon: 3}, .080, .001},
	{Setting{Set: "votes", Learner: "tree", Epsilon: 1}, .219, .014},
}

// worse is the one figure that the other program's is better than, by 4 standard errors. It fits trees otherwise, from
// consistent tables that are projected from the root down; whether that is why is not known.
var worse = Setting{Set: "adult", Pure: true, ReplaceOne: true, Learner: "cliques", Epsilon: .3}

// The distances are those of the other program, within three standard errors of the difference, but for that one.
func TestAgainstAnotherProgram(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Find(worse); got == nil || math.Abs(got.TV[1].Mean-.081) < 3*math.Hypot(.002, got.TV[1].SE) {
		t.Errorf("%+v: %+v; the other program's .081", worse, got)
	}
	for _, want := range noted {
		got := r.Find(want.Setting)
		if got == nil {
			t.Fatalf("no result of %+v", want.Setting)
		}
		se := math.Hypot(want.se, got.TV[1].SE)
		if d := (got.TV[1].Mean - want.mean) / se; math.Abs(d) > 3 {
			t.Errorf("%+v: %.4f ± %.4f; the other program's %.4f ± %.4f, %.1f s.e.", want.Setting, got.TV[1].Mean,
				got.TV[1].SE, want.mean, want.se, d)
		}
	}
}

// better compares the means of two scores: 1, −1, or 0 where they are within three standard errors.
func better(a, b Score) int {
	switch d := a.Mean - b.Mean; {
	case math.Abs(d) <= 3*math.Hypot(a.SE, b.SE):
		return 0
	case d > 0:
		return 1
	}
	return -1
}

// What plans of maximum entropy decide is right: none learns where learning loses both ways, by the distance of pairs
// and by the likelihood of held-out rows, and where one declines, learning gains both ways in one setting alone. There
// are settings in which a wrong decision would be seen.
func TestDecisions(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	lost, gained := 0, 0
	for _, x := range r.Results {
		if x.Learner != "" || x.Columns == nil {
			continue
		}
		likelihood, nearer := better(x.LogLikelihood, x.Columns.LogLikelihood), better(x.Columns.TV[1], x.TV[1])
		if nearer < 0 && likelihood < 0 {
			if lost++; !x.Declined {
				t.Errorf("%+v: learns, and loses", x.Setting)
			}
		}
		if nearer > 0 && likelihood > 0 {
			if gained++; x.Declined && x.Setting != (Setting{Set: "child", Pure: true, Epsilon: .3}) {
				t.Errorf("%+v: declines, and learning gains", x.Setting)
			}
		}
	}
	if lost < 5 || gained < 40 {
		t.Errorf("learning loses in %d settings and gains in %d: too few to see a wrong decision", lost, gained)
	}
}
