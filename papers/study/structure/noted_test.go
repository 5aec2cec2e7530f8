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
}{
	{Setting{Set: "adult", Epsilon: .3}, .0497, .0007},
	{Setting{Set: "adult", Epsilon: 1}, .0274, .0007},
	{Setting{Set: "adult", Epsilon: 3}, .0200, .0002},
	{Setting{Set: "adult", Pure: true, Epsilon: 1}, .0351, .002},
	{Setting{Set: "alarm", Epsilon: 1}, .0109, .0005},
	{Setting{Set: "votes", Epsilon: 3}, .089, .001},
	{Setting{Set: "votes", Pure: true, Epsilon: 3}, .140, .009},
	{Setting{Set: "german", Epsilon: 1}, .141, .002},
	{Setting{Set: "german", Epsilon: 3}, .079, .001},
	{Setting{Set: "adult", Pure: true, ReplaceOne: true, Learner: "cliques", Epsilon: .3}, .081, .002},
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

func TestAgainstTheNote(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range noted {
		got := r.Find(want.Setting)
		if got == nil {
			t.Fatalf("no result of %+v", want.Setting)
		}
		se := math.Hypot(want.se, got.TV[1].SE)
		t.Logf("%+v: %.4f ± %.4f; noted %.4f ± %.4f; %.1f s.e.", want.Setting, got.TV[1].Mean, got.TV[1].SE, want.mean, want.se,
			(got.TV[1].Mean-want.mean)/se)
	}
}
