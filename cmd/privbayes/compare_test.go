package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// compared is what --compare --json writes, read back.
type compared struct {
	Measure     string
	Terms       string
	Recommended []string
	Crossings   []struct{ From, To string }
	Backwards   *struct {
		Level *float64
		N     *int
		Text  string
	}
	LeftOut []string `json:"left_out"`
	Rows    []struct {
		Mechanism, Target, Choice, Certified, How, Refused string
		Error                                              *float64
		LeftOut                                            bool `json:"left_out"`
	}
}

func compareJSONOf(t *testing.T, args ...string) compared {
	t.Helper()
	code, out, errs := call(append([]string{"advise", "--json"}, args...)...)
	var c compared
	if err := json.Unmarshal([]byte(out), &c); err != nil || code != exitDone {
		t.Fatal(code, err, errs)
	}
	return c
}

// A comparison has five levels, every row an error or a reason, and answers backwards.
func TestCompare(t *testing.T) {
	c := compareJSONOf(t, "--levels", "2", "--n", "300", "--epsilon", "1", "--error", "0.004", "--time", "2s")
	if c.Measure != "a probability" || len(c.Recommended) != 5 || !strings.Contains(c.Terms, "n = 300, replace-one") {
		t.Errorf("%+v", c)
	}
	refused := 0
	for _, r := range c.Rows {
		if r.Refused != "" {
			refused++
		}
		if (r.Error == nil) != (r.Refused != "") || (r.How == "") != (r.Refused != "") ||
			(r.Choice == "") != (r.Refused != "") {
			t.Errorf("%+v", r)
		}
	}
	if refused == 0 || refused == len(c.Rows) {
		t.Errorf("%d of %d rows refuse", refused, len(c.Rows))
	}
	b := c.Backwards
	if b == nil || b.Level == nil || b.N == nil || !(*b.Level > .3 && *b.Level < 1) || !(*b.N > 150 && *b.N < 300) {
		t.Errorf("%+v", b)
	}
}

// Models of numbers are compared, and --range is asked for.
func TestCompareModelsOfNumbers(t *testing.T) {
	c := compareJSONOf(t, "--data", "cps1988", "--model", "exponential", "--target", "wage", "--range", "0.0001,0.01",
		"--epsilon", "1", "--n", "2000", "--time", "1s")
	applied := 0
	for _, r := range c.Rows {
		if r.Error != nil {
			applied++
		}
	}
	if c.Measure != "the rate, relative" || applied != 6 {
		t.Errorf("%s, %d rows apply", c.Measure, applied)
	}
	code, out, errs := call("plan", "--compare", "--data", "cps1988", "--model", "linear-regression", "--target",
		"wage", "--features", "education", "--epsilon", "1", "--delta", "1e-6", "--time", "500ms")
	if code != exitDone || !strings.Contains(out, "second moments") || !strings.Contains(out, "δ = 1e-06") ||
		!strings.Contains(out, "What does not apply") {
		t.Error(code, out, errs)
	}
	for _, args := range []string{"--model exponential --target wage", "--model normal-precision --target wage " +
		"--range 3", "--model magic --target wage", "--target wage --error -1"} {
		if code, _, errs := call(append([]string{"plan", "--compare", "--data", "cps1988", "--epsilon", "1"},
			strings.Fields(args)...)...); code != exitUsage {
			t.Errorf("%s: %d %s", args, code, errs)
		}
	}
}

// What does not fit in the time is named, in text and in JSON; with enough time nothing is missing. Progress begins
// after a second.
func TestCompareLeavesOut(t *testing.T) {
	args := []string{"--levels", "20000", "--n", "100000", "--rho", "0.1", "--time", "500ms"}
	c := compareJSONOf(t, args...)
	left := 0
	for _, r := range c.Rows {
		if r.LeftOut {
			left++
		}
	}
	if left == 0 || len(c.LeftOut) == 0 || !strings.Contains(c.LeftOut[0], "because") {
		t.Errorf("%d rows, %q", left, c.LeftOut)
	}
	if code, out, errs := call(append([]string{"plan", "--compare"}, args...)...); code != exitDone ||
		!strings.Contains(out, "left out: Fourier") {
		t.Error(code, out, errs)
	}
	if code, _, errs := call("plan", "--compare", "--levels", "2", "--n", "50", "--epsilon", "1", "--time",
		"-3s"); code == exitDone {
		t.Error("a negative time:", errs)
	}
	var b screen
	l := &progressLine{out: &b, what: "compared", start: time.Now()}
	l.report(1, 4)
	l.end()
	if b.String() != "" {
		t.Errorf("progress of a moment: %q", b.String())
	}
	l.start = time.Now().Add(-3 * time.Second)
	l.report(1, 4)
	l.end()
	if b.String() != "\r 25 % compared, 3s\n" {
		t.Errorf("progress: %q", b.String())
	}
	var file strings.Builder // no terminal
	l = &progressLine{out: &file, what: "compared", start: l.start}
	l.report(1, 4)
	l.end()
	if file.String() != "" {
		t.Errorf("progress in a file: %q", file.String())
	}
}

// Over numbers of records: rows for each, a table that names the terms, and a figure.
func TestAdviseOverSizes(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"advise", "--levels", "2", "--sizes", "20,40", "--epsilon", "1", "--time", "500ms"}
	if out := mustCall(t, append(args, "--figure", "a.svg")...); !strings.Contains(out, "over n") ||
		!strings.Contains(out, "sampling error") {
		t.Error(out)
	}
	if b, err := os.ReadFile("a.svg"); err != nil || !strings.Contains(string(b), "<svg") {
		t.Error(err)
	}
	var j sweepJSON
	if err := json.Unmarshal([]byte(mustCall(t, append(args, "--json")...)), &j); err != nil || len(j.Rows) < 4 ||
		j.Rows[0].N != 20 || j.Rows[len(j.Rows)-1].N != 40 || j.Rows[0].Error == nil {
		t.Errorf("%+v %v", j, err)
	}
	for _, more := range []string{"--sizes 40,20", "--sizes x", "--n 5", "--error .1", "--figure a.svg"} {
		if code, _, errs := call(append(args, strings.Fields(more)...)...); code == exitDone || errs == "" {
			t.Error(more)
		}
	}
}
