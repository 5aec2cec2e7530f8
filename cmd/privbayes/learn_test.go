package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// What the command line learns is, byte for byte, what the façade learns of the same choices.
func TestLearnIsTheFacades(t *testing.T) {
	votes, parties := privbayes.ReadFrame(data.Votes()), filepath.Join(t.TempDir(), "parties.csv")
	must.Do(t, os.WriteFile(parties, []byte("Class,V5\ndemocrat,n\n"), 0o600))
	for args, spec := range map[string]model.LearnedModel{
		"--algorithm tree --target Class": privbayes.Tree().Classifying("Class"),
		"--target Class --always --workload Class --workload 3:V3,V4": privbayes.MaxEntropy().Classifying("Class").
			Workload(1, "Class").Workload(3, "V3", "V4").Always(),
		"--target Class --always --max-cells 81 --reserve V3,V4": privbayes.MaxEntropy().Classifying("Class").MaxCells(81).
			Reserve("V3", "V4").Always(),
		"--features V3,V4,V5 --target Class --always --zero V3=y,V4=n --zero \"V5=unrecorded\"": privbayes.MaxEntropy().
			Of("Class", "V3", "V4", "V5").Classifying("Class").Always().
			StructuralZeros(map[string]string{"V3": "y", "V4": "n"}, map[string]string{"V5": "unrecorded"}),
		"--algorithm tree --target Class --always --statements": privbayes.Tree().Classifying("Class").Always().Statements(),
		"--features V3,V4,V5 --target Class --always --ordered V3,V4,V5 --determines " + parties: privbayes.MaxEntropy().
			Of("Class", "V3", "V4", "V5").Classifying("Class").Always().Ordered("V3", "V4", "V5").
			Determines("Class", "V5", map[string]string{"democrat": "n"}),
	} {
		dir := t.TempDir()
		ours, theirs := filepath.Join(dir, "ours.json"), filepath.Join(dir, "theirs.json")
		call := append([]string{"learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--out", ours},
			strings.Fields(args)...)
		if out := mustCall(t, call...); !strings.Contains(out, "Saved now") {
			t.Error(out)
		}
		must.Do(t, votes.Learn(spec).Privatize(privbayes.Geometric(), privbayes.PureDP(8), privbayes.Seeded(7),
			privbayes.KeepIn(theirs)).Err())
		have, err1 := os.ReadFile(ours)
		want, err2 := os.ReadFile(theirs)
		if err1 != nil || err2 != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: another release than the façade's (%v, %v)", args, err1, err2)
		}
		if out := mustCall(t, "verify", ours); strings.Contains(args, "zero") &&
			!strings.Contains(string(have), `"structural_zeros"`) {
			t.Error(out)
		}
		var shown struct{ Distances []release.Distance }
		must.Do(t, json.Unmarshal([]byte(mustCall(t, "show", ours, "--json")), &shown))
		if far, _ := must.Get(release.Load(t.Context(), ours))(t).Distances(.95); !slices.Equal(shown.Distances, far) ||
			(far != nil) != strings.Contains(args, "--statements") {
			t.Errorf("%s: %v, want %v", args, shown.Distances, far)
		}
	}
}

// What is learned of CSV files, which are read once and not kept, is byte for byte what the façade learns of their
// rows: of one file, of several, and where a flag says how they are written, so that they are read as rows. A value
// that does not fit is named with its line.
func TestLearnReadsFilesOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	r, s := data.Votes()
	text := must.Get(io.ReadAll(r))(t)
	head, rows, _ := bytes.Cut(text, []byte("\n"))
	half := bytes.IndexByte(rows[len(rows)/2:], '\n') + len(rows)/2 + 1
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, []byte("\n")) }
	for name, b := range map[string][]byte{"s.json": s.JSON(), "all.csv": text, "1.csv": join(head, rows[:half]),
		"2.csv": join(head, rows[half:]), "semi.csv": bytes.ReplaceAll(text, []byte(","), []byte(";")),
		"bad.csv": join(head, rows[:half], []byte(strings.Repeat("perhaps,", 16)+"perhaps"))} {
		must.Do(t, os.WriteFile(name, b, 0o600))
	}
	spec := privbayes.MaxEntropy().Always()
	learn := func(files ...string) []string {
		return append([]string{"learn", "--schema", "s.json", "--epsilon", "8", "--seed", "7", "--always"}, files...)
	}
	for name, load := range map[string]struct{ flags, paths []string }{
		"one":     {[]string{"--data", "all.csv"}, []string{"all.csv"}},
		"several": {[]string{"--data", "1.csv", "--data", "2.csv"}, []string{"1.csv", "2.csv"}},
		"written": {[]string{"--data", "semi.csv", "--separator", ";"}, nil},
	} {
		mustCall(t, learn(append(load.flags, "--out", name+".json")...)...)
		options := []frame.ReadOption{frame.WithFormat(frame.Format{Separator: ";"})}
		if load.paths != nil {
			options = nil
		} else {
			load.paths = []string{"semi.csv"}
		}
		must.Do(t, privbayes.LoadShards(load.paths, s, options...).Learn(spec).Privatize(privbayes.Geometric(),
			privbayes.PureDP(8), privbayes.Seeded(7), privbayes.KeepIn(name+".want")).Err())
		have, want := must.Get(os.ReadFile(name+".json"))(t), must.Get(os.ReadFile(name+".want"))(t)
		if !bytes.Equal(have, want) {
			t.Errorf("%s: another release than of the rows", name)
		}
	}
	code, _, errs := call(learn("--data", "bad.csv", "--out", "bad.json")...)
	if line := fmt.Sprintf("line %d", bytes.Count(rows[:half], []byte("\n"))+3); code == exitDone ||
		!strings.Contains(errs, line) {
		t.Errorf("%d %s; want %s", code, errs, line)
	}
	if out := mustCall(t, "learn", "--plan", "--schema", "s.json", "--data", "all.csv", "--epsilon",
		"8"); !strings.Contains(out, "This table has 435 rows") {
		t.Error(out)
	}
}

// Sums within bins are in a file by default, not with --evenly, and those of one column not with --evenly-columns; the
// file verifies, rows drawn from it are warned of where values are drawn evenly, and an edited sum is refused.
func TestNumbersWithinBinsOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]struct {
		columns int
		warned  bool
	}{"": {4, false}, "--evenly": {0, true}, "--evenly-columns flipper_length_mm": {3, true}} {
		file := filepath.Join(dir, fmt.Sprint(len(args), ".json"))
		mustCall(t, append([]string{"learn", "--data", "penguins", "--epsilon", "500", "--seed", "7", "--always", "--out",
			file}, strings.Fields(args)...)...)
		text := string(must.Get(os.ReadFile(file))(t))
		var kept struct {
			Draw struct {
				Within [][]int64 `json:"within"`
			} `json:"draw"`
		}
		must.Do(t, json.Unmarshal([]byte(text), &kept))
		if len(kept.Draw.Within) != want.columns {
			t.Errorf("%q: sums of %d columns, want %d", args, len(kept.Draw.Within), want.columns)
		}
		mustCall(t, "verify", file)
		if means := strings.Count(mustCall(t, "intervals", file), " mean "); means != 2*want.columns {
			t.Errorf("%q: intervals of %d means, want two of %d columns", args, means, want.columns)
		}
		if means := strings.Count(mustCall(t, "export", file, "--to", "csv"), ",mean,"); means != want.columns {
			t.Errorf("%q: an export has %d means, want those of %d columns", args, means, want.columns)
		}
		_, _, errs := call("synthesize", file, "--rows", "5", "--seed", "1")
		if strings.Contains(errs, "flipper_length_mm") != want.warned {
			t.Errorf("%q: %s", args, errs)
		}
		if len(kept.Draw.Within) == 0 {
			continue
		}
		sum, forged := fmt.Sprint(kept.Draw.Within[0][3]), filepath.Join(dir, "forged.json")
		at := strings.Index(text, `"draw"`)
		at += strings.Index(text[at:], `"within"`)
		at += strings.Index(text[at:], sum)
		must.Do(t, os.WriteFile(forged, []byte(text[:at]+sum+"9"+text[at+len(sum):]), 0o600))
		if code, out, errs := call("verify", forged); code == 0 || !strings.Contains(out+errs, "artifact.within") {
			t.Errorf("%q: a file with an edited sum: %d %s %s", args, code, out, errs)
		}
	}
}

// Structural zeros that are none are a wrong usage, which says what one looks like.
func TestZerosOfTheCommandLine(t *testing.T) {
	var l learnedFlags
	err := l.zero(`sex=male,"age=[0, 16)",note=a=b`)
	if err != nil || len(l.zeros) != 1 || l.zeros[0]["age"] != "[0, 16)" || l.zeros[0]["note"] != "a=b" {
		t.Error(l.zeros, err)
	}
	for _, zero := range []string{"", "V3", "V3=y,V3=n", "\"V3=y", "V3=y\nV4=n", "V3=maybe", "V99=y"} {
		code, out, errs := call("learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--zero", zero, "--out",
			filepath.Join(t.TempDir(), "x.json"))
		if code != exitUsage || out != "" || !strings.Contains(errs, "zero") {
			t.Errorf("%q: %d %s %s", zero, code, out, errs)
		}
	}
}

// Rules that are none are a wrong usage or a fault of the file, and name what is wrong.
func TestRulesOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	for args, c := range map[string]struct{ file, says string }{
		"--ordered V3":     {says: "want columns such as start,end"},
		"--ordered V3,V99": {says: `"V99"`},
		"--determines":     {says: "no such file"},
		"--determines 1":   {"Class,V5\n", "1 line; want a header"},
		"--determines 2":   {"Class,V5\ndemocrat,n\ndemocrat,y\n", `line 3: "democrat" with "n" and with "y"`},
		"--determines 3":   {"Class,V5\ndemocrat,n,y\n", "wrong number of fields"},
		"--determines 4":   {"Class,V5\ndemocrats,n\n", `"democrats"`},
		"--determines 5":   {"Klass,V5\ndemocrat,n\n", `"Klass"`},
	} {
		words := strings.Fields(args)
		if path := filepath.Join(dir, fmt.Sprint(len(c.file), len(words), ".csv")); words[0] == "--determines" {
			if c.file != "" {
				must.Do(t, os.WriteFile(path, []byte(c.file), 0o600))
			}
			words = []string{words[0], path}
		}
		code, out, errs := call(append([]string{"learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--out",
			filepath.Join(dir, "x.json")}, words...)...)
		if code == exitDone || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d %s %s", args, code, out, errs)
		}
	}
}

// Choices of PrivBayes beside another algorithm are a wrong usage: they would be passed over.
func TestChoicesOfPrivBayesOnTheCommandLine(t *testing.T) {
	for _, args := range []string{"--degree 2", "--score I --algorithm tree", "--degree 1 --algorithm cliques",
		"--evenly --algorithm privbayes --mechanism laplace",
		"--evenly-columns V3 --algorithm privbayes --mechanism laplace"} {
		code, out, errs := call(append([]string{"learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--out",
			filepath.Join(t.TempDir(), "x.json")}, strings.Fields(args)...)...)
		want := "want --algorithm privbayes"
		if strings.Contains(args, "evenly") {
			want = "sums within bins"
		}
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s %s", args, code, out, errs)
		}
	}
}

// The plan that learn --plan shows is the one that learn then charges and draws from, and showing it writes no file,
// charges no budget, and reads no row where their number is declared.
func TestLearnPlansFirst(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	rows, s := must.Get2(data.Open("votes"))(t)
	table := must.Get(io.ReadAll(rows))(t)
	public := must.Get(json.Marshal(s))(t)
	votes, schema := file("votes.csv"), file("votes.schema.json")
	must.Do(t, errors.Join(os.WriteFile(votes, table, 0o600), os.WriteFile(schema, public, 0o600)))
	mustCall(t, "budget", file("b"), "--schema", schema, "--epsilon", "20")
	ledger := must.Get(os.ReadFile(file("b")))(t)
	for i, args := range []string{"--algorithm tree --epsilon 10 --budget " + file("b"),
		"--epsilon 1 --budget " + file("b"),
		"--algorithm tree --rho 2 --mechanism discrete-gaussian --adjacency add-remove --size 400",
		"--algorithm privbayes --degree 1 --mechanism laplace --epsilon 1 --nominal", "--algorithm cliques --rho 2",
		"--algorithm tree --epsilon 9 --split 0.7,1"} {
		kept := file(fmt.Sprint(i, ".json"))
		words := strings.Fields(args)
		plan := append([]string{"learn", "--plan", "--json", "--out", kept, "--seed", "1"}, words...)
		ways := [][]string{append(plan, "--data", "votes"), append(plan, "--schema", schema, "--data", votes)}
		if !strings.Contains(args, "--split") && !strings.Contains(args, "add-remove") { // under which n is private
			ways = append(ways, append(plan, "--schema", schema, "--n", "435"),
				append(plan, "--schema", schema, "--n", "435", "--data", file("not there.csv")))
		}
		decision, certified := samePlan(t, args, ways)
		if after, err := os.ReadFile(file("b")); err != nil || !bytes.Equal(after, ledger) {
			t.Fatalf("%s: the budget was written: %v", args, err)
		}
		if _, err := os.Stat(kept); err == nil {
			t.Fatalf("%s: a release was written", args)
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == "--budget" || w == file("b") })
		mustCall(t, append([]string{"learn", "--data", "votes", "--seed", "1", "--out", kept}, words...)...)
		r := must.Get(privbayes.LoadRelease(kept))(t)
		spent, err := json.Marshal(r.Plan().Certified())
		if err != nil || certified != string(spent) || r.Plan().Setting("decision") != decision {
			t.Errorf("%s: planned %s, %s\nreleased %s, %s, %v", args, certified, decision, spent,
				r.Plan().Setting("decision"), err)
		}
	}
	wrongPlans(t, schema, file("x"))
}

// samePlan is what a plan decides and certifies, which all ways to it say.
func samePlan(t *testing.T, args string, ways [][]string) (decision, certified string) {
	t.Helper()
	shown := ""
	for k, way := range ways {
		out := mustCall(t, way...)
		var j struct {
			Decision  string          `json:"decision"`
			Certified json.RawMessage `json:"certified"`
			Plan      struct {
				Params json.RawMessage `json:"params"`
			} `json:"plan"`
		}
		must.Do(t, json.Unmarshal([]byte(out), &j))
		if j.Decision == "" && !strings.Contains(args, "privbayes") || len(j.Plan.Params) < 10 {
			t.Errorf("%s: %s", args, out)
		}
		var b bytes.Buffer
		must.Do(t, json.Compact(&b, j.Certified))
		decision, certified = j.Decision, b.String()
		if this := j.Decision + string(j.Certified) + string(j.Plan.Params); k == 0 {
			shown = this
		} else if this != shown {
			t.Errorf("%v: another plan\n%s\n%s", way, this, shown)
		}
	}
	return decision, certified
}

// wrongPlans are refused, and say which flag is wrong.
func wrongPlans(t *testing.T, schema, out string) {
	t.Helper()
	for args, want := range map[string]string{
		"--plan --schema " + schema + " --epsilon 1":                        "--n",
		"--plan --data votes --n 435 --split 0.7,1 --epsilon 1":             "--split",
		"--plan --data votes":                                               "--epsilon",
		"--data votes --epsilon 1 --n 435 --out " + out:                     "--plan",
		"--plan --data votes --epsilon 1 --draws 2":                         "no flag --draws",
		"--plan --data votes --epsilon 1 --records 2":                       "no flag --records",
		"--plan --data votes --epsilon 1 --algorithm tree --target Nothing": "Nothing",
	} {
		if code, out, errs := call(append([]string{"learn"}, strings.Fields(args)...)...); code != exitUsage || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: %d %s %s", args, code, out, errs)
		}
	}
	text := mustCall(t, "learn", "--plan", "--data", "votes", "--epsilon", "1", "--algorithm", "tree")
	for _, want := range []string{"Will learning the structure help?", "No. ", "separately", "--star",
		"Checks", "Nothing was generated, charged or written"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The help of learn lists what has a meaning for a learner, and nothing else.
func TestHelpOfLearn(t *testing.T) {
	help := mustCall(t, "learn", "--help")
	for _, absent := range []string{"--draws", "--records", "replace-value", "posterior-sample", "hellinger",
		"dirichlet"} {
		if strings.Contains(help, absent) {
			t.Errorf("learn --help has %s:\n%s", absent, help)
		}
	}
	for _, there := range []string{"--plan", "--n ", "--omega", "--adjacency", "--split", "--algorithm"} {
		if !strings.Contains(help, there) {
			t.Errorf("learn --help lacks %s", there)
		}
	}
	if help := mustCall(t, "release", "--help"); !strings.Contains(help, "--draws") ||
		!strings.Contains(help, "replace-value") {
		t.Error(help)
	}
}

// compared is what advise --json writes, read back.
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
	code, out, errs := call("advise", "--data", "cps1988", "--model", "linear-regression", "--target",
		"wage", "--features", "education", "--epsilon", "1", "--delta", "1e-6", "--time", "500ms", "--why")
	if code != exitDone || !strings.Contains(out, "second moments") || !strings.Contains(out, "δ = 1e-6") ||
		!strings.Contains(out, "What does not apply") {
		t.Error(code, out, errs)
	}
	for _, args := range []string{"--model exponential --target wage", "--model normal-precision --target wage " +
		"--range 3", "--model magic --target wage", "--target wage --error -1"} {
		if code, _, errs := call(append([]string{"advise", "--data", "cps1988", "--epsilon", "1"},
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
	if code, out, errs := call(append([]string{"advise"}, args...)...); code != exitDone ||
		!strings.Contains(out, "left out: Fourier") {
		t.Error(code, out, errs)
	}
	if code, _, errs := call("advise", "--levels", "2", "--n", "50", "--epsilon", "1", "--time",
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
	l = &progressLine{out: &file, what: "compared", asJSON: true}
	for i := range int64(4) {
		l.report(i, 4)
	}
	l.end()
	if file.String() != "{\"progress\":0.0000,\"text\":\"compared\"}\n" { // the others are within a twentieth of a second
		t.Errorf("progress for programs: %q", file.String())
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
