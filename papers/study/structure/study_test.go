package structure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

var keep = flag.Bool("keep", false, "with -write: keep the results of settings that are there, but for their decisions")

// settings are those of the full run: of every table the same, but that tables of few rows have larger ε; then trees,
// for which there are figures of another program.
func settings() (all []Setting) {
	for _, name := range Names() {
		eps := []float64{.3, 1, 3}
		if name == "votes" || name == "german" {
			eps = []float64{1, 3, 10}
		}
		for _, e := range eps {
			all = append(all, Setting{Set: name, Epsilon: e})
		}
		for _, e := range []float64{.3, 1, 3, 10} {
			all = append(all, Setting{Set: name, Pure: true, Epsilon: e})
		}
		all = append(all, Setting{Set: name, ZCDP: true, Epsilon: 1}, Setting{Set: name, ReplaceOne: true, Epsilon: 1},
			Setting{Set: name, Pure: true, ReplaceOne: true, Epsilon: 1},
			Setting{Set: name, ZCDP: true, ReplaceOne: true, Epsilon: 1})
		if name == "german" {
			all = append(all, Setting{Set: name, Learner: "tree", Epsilon: 1})
		}
		if name == worse.Set {
			all = append(all, worse)
		}
		for _, s := range noted {
			if s.Set == name && s.Learner != "" {
				all = append(all, s.Setting)
			}
		}
	}
	return all
}

func TestFull(t *testing.T) {
	r := &Results{Command: "go test ./papers/study/structure -run TestFull -write -timeout 0", Library: release.Version,
		Go: runtime.Version() + " " + runtime.GOARCH, SHA256: map[string]string{}, Delta: Delta,
		Note: "Four repeats, seeds 1 to 4."}
	full.Run(t, "results.json", false, r, func(ctx context.Context, save func()) error {
		old, err := Committed()
		if err != nil {
			return err
		}
		var set *Set
		var j *Scorer
		for _, s := range settings() {
			if set == nil || set.Name != s.Set {
				if set, err = Load(ctx, s.Set); err != nil {
					return err
				}
				if j, err = NewScorer(set); err != nil {
					return err
				}
				r.SHA256[s.Set] = digest(j.Train)
			}
			var x Result
			if kept := old.Find(s); *keep && kept != nil && old.SHA256[s.Set] == r.SHA256[s.Set] {
				x = *kept
				x.Declined, err = s.decision(ctx, set, j)
			} else {
				x, err = s.Repeat(ctx, set, j, 4)
			}
			if err != nil {
				return fmt.Errorf("%+v: %w", s, err)
			}
			t.Logf("%+v: pairs %.4f ± %.4f", s, x.TV[1].Mean, x.TV[1].SE)
			r.Results = append(r.Results, x)
			save()
		}
		return nil
	})
}

func digest(c *Coded) string {
	h := sha256.New()
	for _, col := range c.Columns {
		h.Write(col)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A small part live: two tables that are embedded, within 6.5 combined standard errors of what is committed, and
// releases that learn nothing outside of it.
func TestCommittedResults(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != len(settings()) {
		t.Errorf("%d results; want %d", len(r.Results), len(settings()))
	}
	held, chosen := r.Figures()
	for _, f := range []*figure.Figure{held, chosen} {
		if err := f.Validate(); err != nil || len(f.Series) != 4 {
			t.Error(len(f.Series), err)
		}
	}
	if learned, declined := len(r.Table().Rows), len(r.Declined().Rows); learned+declined != len(r.Results) ||
		declined < 10 {
		t.Errorf("tables of %d and %d rows; want %d in all", learned, declined, len(r.Results))
	}
	for _, s := range []Setting{{Set: "votes", Epsilon: 3}, {Set: "shopper", Epsilon: 3}} {
		set, err := Load(context.Background(), s.Set)
		if err != nil {
			t.Fatal(err)
		}
		j, err := NewScorer(set)
		if err != nil {
			t.Fatal(err)
		}
		if r.SHA256[s.Set] != digest(j.Train) {
			t.Errorf("%s: other rows than those of the committed run", s.Set)
		}
		want := r.Find(s)
		if want == nil {
			t.Fatalf("no committed result of %+v", s)
		}
		if declined, err := s.decision(t.Context(), set, j); err != nil || declined != want.Declined {
			t.Errorf("%+v: declined %v, committed %v: %v", s, declined, want.Declined, err)
		}
		got, err := s.Repeat(context.Background(), set, j, 4)
		if err != nil {
			t.Fatal(err)
		}
		se := math.Hypot(got.TV[1].SE, want.TV[1].SE)
		if d := math.Abs(got.TV[1].Mean - want.TV[1].Mean); d > 6.5*se {
			t.Errorf("%+v: distance of pairs %.4f; committed %.4f", s, got.TV[1].Mean, want.TV[1].Mean)
		}
		turned := &Coded{Rows: j.Train.Rows}
		for i := len(j.Train.Names) - 1; i >= 0; i-- {
			turned.Names, turned.Levels = append(turned.Names, j.Train.Names[i]), append(turned.Levels, j.Train.Levels[i])
			turned.Columns = append(turned.Columns, j.Train.Columns[i])
		}
		if tv, err := j.Distances(turned); err != nil || tv != [3]float64{} {
			t.Errorf("%s: the training rows with their columns turned are at %v, %v", s.Set, tv, err)
		}
		turned.Names[0] = "another"
		if _, err := j.Distances(turned); err == nil {
			t.Errorf("%s: a column of another name is taken", s.Set)
		}
		mutant, err := s.repeated(context.Background(), set, j, s.Model().Size(1), 1)
		if err != nil {
			t.Fatal(err)
		}
		if d := mutant[0].TV[1] - want.TV[1].Mean; d < 6.5*se {
			t.Errorf("%+v: every column by itself does as well: %.4f", s, mutant[0].TV[1])
		}
	}
}

func TestDistances(t *testing.T) {
	if d := distance([]int64{3, 1, 0}, []int64{1, 1, 2}); math.Abs(d-.5) > 1e-12 {
		t.Errorf("distance %v; want 0.5", d)
	}
	if got := len(subsets(7, 3)); got != 35 {
		t.Errorf("%d triples of 7; want 35", got)
	}
	if _, err := Load(context.Background(), "none"); err == nil {
		t.Error("a table that is none")
	}
}

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
