package beam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// TestMain lets the tests' own program be a worker, as a program of a user is.
func TestMain(m *testing.M) {
	beforePart = func() {
		if pause, err := os.ReadFile(filepath.Join(filepath.Dir(os.Args[0]), "pause")); err == nil {
			if d, err := time.ParseDuration(string(pause)); err == nil {
				time.Sleep(d)
			}
		}
	}
	Worker()
	os.Exit(m.Run())
}

// shards writes the rows of the tests' table to CSV files, in turn.
func shards(t *testing.T, n int) (pattern string) {
	t.Helper()
	lines := strings.SplitAfter(sourcetest.CSV(), "\n")
	dir := t.TempDir()
	for i := range n {
		text := lines[0]
		for k := 1 + i; k < len(lines); k += n {
			text += lines[k]
		}
		put(t, filepath.Join(dir, fmt.Sprintf("visits-%02d.csv", i)), text)
	}
	return filepath.Join(dir, "*.csv")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, r Runner, files ...string) *Source {
	t.Helper()
	s, err := Open(t.Context(), sourcetest.Schema(t), r, files...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The same seed gives the release of the frame, byte for byte, for one file and for many.
func TestPrismGivesTheReleasesOfTheFrame(t *testing.T) {
	want := source.OfFrame(sourcetest.Frame(t))
	for _, n := range []int{1, 7} {
		sourcetest.Same(t, want, open(t, Prism(), shards(t, n)))
	}
}

// What a value that does not fit, a broken file and a changed one come back as holds no value.
func TestRefusalsHoldNoValue(t *testing.T) {
	pattern := shards(t, 4)
	bad := strings.Replace(pattern, "*", "visits-02", 1)
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	sh, err := model.NewShape(sourcetest.Schema(t), model.NaiveBayes("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a value": lines[0] + strings.Repeat("SECRET-9f3,", strings.Count(lines[0], ",")) + "SECRET-9f3\n",
		"a quote": lines[0] + "\"SECRET-9f3\n", "fields": lines[0] + "SECRET-9f3\n", "a header": "SECRET-9f3\n1\n", "nothing": "",
	} {
		put(t, bad, content)
		_, err := open(t, Prism(), pattern).Statistics(t.Context(), sh)
		var column *frame.OutOfDomainError
		var file *frame.FileError
		if !errors.As(err, &column) && !errors.As(err, &file) {
			t.Errorf("%s: %v", name, err)
		}
		if shown := fmt.Sprintf("%v %+v", err, err); strings.Contains(shown, "SECRET") {
			t.Errorf("%s: the error quotes a value: %s", name, shown)
		}
	}
	put(t, bad, string(text))
	s := open(t, Prism(), pattern)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(bad, later, later); err != nil {
		t.Fatal(err)
	}
	var file *frame.FileError
	if _, err := s.Statistics(t.Context(), sh); !errors.As(err, &file) {
		t.Errorf("a file with another time: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	pattern, s := shards(t, 2), sourcetest.Schema(t)
	one := strings.Replace(pattern, "*", "visits-00", 1)
	link := filepath.Join(t.TempDir(), "other.csv")
	if err := os.Symlink(one, link); err != nil {
		t.Fatal(err)
	}
	var argument *domain.Error
	for name, files := range map[string][]string{"twice": {one, one}, "by a link": {pattern, link}, "none": nil} {
		if _, err := Open(t.Context(), s, Prism(), files...); !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var file *frame.FileError
	for _, path := range []string{filepath.Join(t.TempDir(), "*.csv"), "no/such.csv", "beam.go"} {
		if _, err := Open(t.Context(), s, Prism(), path); !errors.As(err, &file) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A part that was lost or counted twice, and results of another run, give nothing.
func TestResultsMustAddUp(t *testing.T) {
	one := func(counted ...int64) []byte { return result{counted: counted, numbers: []int64{3, -1}}.bytes() }
	r, ok := parse(sum(one(1, 0), one(0, 1)))
	if !ok || r.counted[0] != 1 || r.counted[1] != 1 || r.numbers[0] != 6 || r.numbers[1] != -2 {
		t.Errorf("sum: %+v", r)
	}
	for name, b := range map[string][]byte{"other lengths": sum(one(1), one(1, 0)), "no result": sum(one(1), []byte{7})} {
		if r, ok := parse(b); !ok || r.refused == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	first, second := result{refused: &refusal{Place: 1}}.bytes(), result{refused: &refusal{Place: 4}}.bytes()
	for _, b := range [][]byte{sum(first, second), sum(second, first), sum(first, one(1)), sum(one(1), first)} {
		if r, _ := parse(b); r.refused == nil || r.refused.Place != 1 {
			t.Errorf("the first refusal does not stay: %+v", r.refused)
		}
	}
	c := &count{}
	s := open(t, Prism(), shards(t, 3))
	sh, err := model.NewShape(s.schema, model.NaiveBayes("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	if c.Shape, err = sh.MarshalJSON(); err != nil {
		t.Fatal(err)
	}
	c.Schema, c.Parts = s.schema.JSON(), len(s.parts)
	twice, err := json.Marshal([]part{s.parts[0], s.parts[0], s.parts[1]})
	if err != nil {
		t.Fatal(err)
	}
	r, err = c.counted(t.Context(), string(twice))
	if err != nil || r.counted[0] != 2 || r.counted[2] != 0 {
		t.Errorf("a part counted twice, one lost: %v, %v", r.counted, err)
	}
	tally, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if err := tally.AddNumbers(access.Mine(), r.numbers); err != nil {
		t.Error(err)
	}
}

// A run that ends, and one that gives no sign of life, are given up.
func TestRunsEnd(t *testing.T) {
	s := open(t, Prism(), shards(t, 2))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Size(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	var failure *source.Failure
	quick := Portable("127.0.0.1:9").WithTimeLimit(3 * time.Second)
	if _, err := open(t, quick, shards(t, 2)).Size(t.Context()); !errors.As(err, &failure) {
		t.Errorf("no job server: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(result{counted: []int64{1}, numbers: []int64{5, 6}}.bytes())
	f.Add(result{refused: &refusal{Place: 2, Column: "c"}}.bytes())
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok := parse(b)
		if ok && r.refused == nil && string(r.bytes()) != string(b) {
			t.Error("what was parsed writes other bytes")
		}
		if _, ok := parse(sum(b, b)); !ok {
			t.Error("a sum that does not parse")
		}
	})
}
