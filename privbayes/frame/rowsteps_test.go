package frame_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// stepsOf are steps by their words.
func stepsOf(t testing.TB, words ...string) []frame.RowStep {
	t.Helper()
	text, _ := json.Marshal(words)
	var steps []frame.RowStep
	if err := json.Unmarshal(text, &steps); err != nil || fmt.Sprint(steps) != fmt.Sprint(words) {
		t.Fatalf("%q became %q: %v", words, steps, err)
	}
	return steps
}

// Every step of a frame is the same when it is read from its words, which begin with its name, and what follows from
// the steps is true of the frame.
func TestRowStepsOfFrames(t *testing.T) {
	const named = `a "group", or is it; and )`
	l := libraryOf(t, named)
	rapid.Check(t, func(rt *rapid.T) {
		f, _ := l.draw(t, rt, "f", false, 2)
		if rapid.Bool().Draw(rt, "where") {
			keep := rapid.IntRange(0, 3).Draw(rt, "keep")
			g, err := f.Where(named, func(l string) bool { return l < fmt.Sprint(keep) })
			if keep == 3 {
				g, err = f.WithoutN(), nil
			}
			if rapid.Bool().Draw(rt, "split") {
				g, _, err = g.Split(.5, 1)
			}
			if err == nil && rapid.Bool().Draw(rt, "after") {
				g, err = g.Append(f)
			}
			if err != nil {
				t.Fatal(err)
			}
			f = g
		}
		words := fmt.Sprint(f.Lineage())
		if blank(f.Lineage()); fmt.Sprint(f.Lineage()) != words {
			t.Fatalf("a reader changed the steps %s to %v", words, f.Lineage())
		}
		steps, hidden := f.Lineage(), false
		for _, s := range steps {
			hidden = hidden || s.HidesN()
			again := stepsOf(t, s.String())[0]
			if !s.Known() || !strings.HasPrefix(s.String(), s.Name) || fmt.Sprintf("%#v", again) != made(fmt.Sprintf("%#v", s)) {
				rt.Errorf("%q: %#v, read as %#v", s, s, again)
			}
		}
		if _, public := f.PublicN(); public == hidden || frame.UnitRows(steps) != f.Schema().RowsPerUnit {
			rt.Errorf("%q: %v, %d rows a unit; want %d", f.Lineage(), hidden, frame.UnitRows(steps),
				f.Schema().RowsPerUnit)
		}
	})
}

// made leaves out the steps that made the columns, which the words of a step do not say.
func made(step string) string {
	return regexp.MustCompile(`made:"[^"]*"`).ReplaceAllString(step, `made:""`)
}

// Which steps use n, read from what they say.
func TestUsesN(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, `SplitByKey("id", 0.7, 3), train`: false, "Split(0.7, 1), train": true, "Holdout(3, 1), test": true, "Head(0)": true, "Rows": true,
		`Present("a")`: false, `Present("a")|Head(1)`: true,
		`Where("a" is "x" or "y")`: false, `Where("Split(1" is )`: false,
		`Where("a" is "x")|Split(0.5, 1) by hash, train`:           false,
		`Where("a" is "x")|Split(0.5, 1), train`:                   true,
		`WithoutN|Split(0.5, 1) by hash, test`:                     false,
		`WithoutN|Split(0.5, 1) by hash of columns 1f2e3d4c, test`: false,
		`Head(3)|WithoutN|Split(0.5, 1) by hash, test`:             true,
		`Append(WithoutN; and all rows)`:                           false,
		`Split(0.5, 1), train|Where("a" is "x")`:                   true,
		"Append(all rows; and all rows)":                           false,
		"AppendDisjoint(all rows; twice)":                          false,
		"Append(Head(3), Split(1e-05, 1), test; twice)":            true,
		`Append(all rows; and Where("a" is "x"))|Head(1)`:          true,
		`Append(Where("a" is "x"), Rows; twice)`:                   true,
		`Append(Append(Rows; twice); and Where("a" is ))`:          true,
		`Append(Where("a" is "x"); twice)|Split(1, 1), test`:       true,
		`Append(Split(1, 1) by hash, test; twice)`:                 false,
	} {
		var lineage []string
		if text != "" {
			lineage = strings.Split(text, "|")
		}
		steps := stepsOf(t, lineage...)
		if frame.UsesN(steps) != want || slices.ContainsFunc(steps, func(s frame.RowStep) bool { return !s.Known() }) {
			t.Errorf("%s: %v", text, frame.UsesN(steps))
		}
	}
}

// What is not the words of a step stays as it is, is not known, and stands between quotes.
func TestUnknownRowSteps(t *testing.T) {
	deep := strings.Repeat("Append(", 100) + "all rows" + strings.Repeat("; twice)", 100)
	for _, text := range []string{"", "all rows", "Split(0.7, 1)", "Split(1.5, 1), train", "Split(0.70, 1), train",
		"Split(NaN, 1), train", "Split(0.7, -1), train", "Split(0.7, 1) by hash", "Split(0.7, 1) by hash,train",
		"Split(0.7, 1) by hash of columns 1f2e3d4, train", "Split(0.7, 1) by hash of columns 1F2E3D4C, train",
		"Split(0.7, 1) of columns 1f2e3d4c, train", "Split(0.7, 1) by hash of columns ", "WithoutN()", "WithoutN ", "Split(0.7, 1), trainHead(1)", `SplitByKey("id", 7, 3), train`,
		`SplitByKey(id, 0.7, 3), train`, `SplitByKey("id", 0.7, 3)`, "Head(-1)", "Head(1) ", "Head()",
		"Rows(1)", "Holdout(1, 2), some", "Holdout(99999999999, 2), test", `Where(a is "b")`, `Where("a" is "b" or )`,
		`Where("a" is "b"`, `Where("a\"" is "b")`, `Where("\x61" is "b")`, `Present(a)`, `Present("a" is "b")`, `Present("a"`,
		"Present", "Append(all rows)", "Append(; and all rows)", "Append(Head(1), ; twice)",
		"Append(all rows; and all rows", "Sample(3)", deep} {
		if s := stepsOf(t, text)[0]; s.Known() || s.Shown() != safetext.Quote(text) {
			t.Errorf("%q: %#v", text, s)
		}
	}
}

// Any text is read and written as it is; the numbers of a step are in bounds.
func FuzzRowStep(f *testing.F) {
	for _, s := range []string{"Split(0.7, 1), train", "Rows", `Append(Where("a" is "x"), Rows; twice)`, "Head(4)",
		`Present("a")`,
		"Append(WithoutN, Split(0.5, 1) by hash, test; and all rows)", "Split(0.5, 1) by hash of columns 1f2e3d4c, test"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s frame.RowStep
		_ = s.UnmarshalText([]byte(text))
		if most, _ := s.Most(); most < 0 || frame.UnitRows([]frame.RowStep{s}) < 1 || s.String() != text {
			t.Errorf("%q: %+v", text, s)
		}
	})
}

// blank changes every label of steps.
func blank(steps []frame.RowStep) {
	for _, s := range steps {
		clear(s.Labels)
		blank(s.Of[0])
		blank(s.Of[1])
	}
}
