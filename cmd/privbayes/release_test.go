package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// mustCall runs the program, which is to succeed.
func mustCall(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := call(args...)
	if args[0] == "synthesize" {
		errs = strings.Replace(errs, "privbayes: warning: "+warning.List{warning.SingleSet()}.InWords(remedies)[0].Text+"\n",
			"", 1)
		for _, known := range []string{"note: missing values are written as", "warning: Numbers are drawn evenly within"} {
			if strings.HasPrefix(errs, "privbayes: "+known) {
				_, errs, _ = strings.Cut(errs, "\n")
			}
		}
	}
	if code != exitDone || errs != "" {
		t.Fatalf("%v: %d %s", args, code, errs)
	}
	return out
}

// A release of the command line is, byte for byte, what the façade makes of the same choices and seed, in the release's
// file; it verifies, and the same command loads it.
func TestReleaseIsTheFacades(t *testing.T) {
	dir := t.TempDir()
	votes, _ := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	hashed, _ := privbayes.ReadFrame(data.Votes()).WithoutN().Split(0.7, 1)
	wages := privbayes.ReadFrame(data.CPS1988())
	for i, c := range []struct {
		args  string
		frame *privbayes.Frame
		model privbayes.ModelSpec
		mech  privbayes.Mechanism
		at    privbayes.Target
	}{
		{"--data votes --split 0.7,1 --target Class --epsilon 1", votes, privbayes.NaiveBayes("Class"),
			privbayes.Geometric(), privbayes.PureDP(1)},
		{"--data votes --split 0.7,1 --target Class --features V3,V4 --mechanism discrete-gaussian --rho 0.1 " +
			"--adjacency add-remove --alpha 2", hashed, privbayes.NaiveBayes("Class", "V3", "V4").WithPrior(2),
			privbayes.DiscreteGaussian(), privbayes.ZCDP(0.1).Under(privbayes.AddRemove)},
		{"--data cps1988 --model linear-regression --target wage --features education --mechanism moments " +
			"--epsilon 1 --delta 1e-6", wages, privbayes.LinearRegression("wage", "education"),
			privbayes.SufficientStatistics(), privbayes.ApproxDP(1, 1e-6)},
		{"--data cps1988 --model exponential --target wage --range 0.0001,0.01 --mechanism posterior-sample --draws 3 " +
			"--epsilon 1", wages, privbayes.Exponential("wage").WithRange(0.0001, 0.01), privbayes.PosteriorSample(3),
			privbayes.PureDP(1)},
	} {
		ours, theirs := filepath.Join(dir, fmt.Sprint(i, ".json")), filepath.Join(dir, fmt.Sprint(i, ".go.json"))
		must.Do(t, c.frame.Model(c.model).Privatize(c.mech, c.at, privbayes.Seeded(7),
			privbayes.KeepIn(theirs)).Err())
		args := append(append([]string{"release"}, strings.Fields(c.args)...), "--seed", "7", "--out", ours)
		run := func() string {
			code, out, errs := call(args...)
			if code != exitDone || errs != "" {
				t.Fatalf("%v: %d %s", args, code, errs)
			}
			return out
		}
		if out := run(); !strings.Contains(out, "not private: seeded") || !strings.Contains(out, "Saved now") {
			t.Error(out)
		}
		have, err1 := os.ReadFile(ours)
		want, err2 := os.ReadFile(theirs)
		if err1 != nil || err2 != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: another release than the façade's (%v, %v)", c.args, err1, err2)
		}
		mustCall(t, "verify", ours)
		if out := run(); !strings.Contains(out, "no new noise, no charge") {
			t.Error(out)
		}
		if again, err := os.ReadFile(ours); err != nil || !bytes.Equal(again, have) {
			t.Error("the kept file changed:", err)
		}
	}
}

// The ledger is charged once for a file, and refuses what is not left; a budget is opened by its own command.
func TestReleaseChargesTheBudget(t *testing.T) {
	t.Chdir(t.TempDir())
	release := func(file, epsilon string) (int, string) {
		code, out, errs := call("release", "--data", "votes", "--target", "Class", "--epsilon", epsilon, "--budget",
			"votes.budget", "--out", file, "--json")
		return code, out + errs
	}
	if code, text := release("a.json", "1"); code != exitUsage || !strings.Contains(text,
		"privbayes budget votes.budget "+
			"--data votes --epsilon 1") {
		t.Error(code, text)
	}
	mustCall(t, "budget", "votes.budget", "--data", "votes", "--epsilon", "2")
	for i := range 3 {
		code, text := release("a.json", "1.5")
		var j releaseJSON
		if err := json.Unmarshal([]byte(text), &j); err != nil || code != exitDone || j.Loaded != (i > 0) ||
			j.Spent == nil ||
			j.Spent.Epsilon != 1.5 || j.Guarantee.Parameters.Epsilon != 1.5 {
			t.Fatal(i, code, text, err)
		}
	}
	if code, text := release("b.json", "1"); code != exitFailed || !strings.Contains(text, "nothing was charged") {
		t.Error(code, text)
	}
	if _, err := os.Stat("b.json"); err == nil {
		t.Error("a refused release was written")
	}
	var b budgetJSON
	if err := json.Unmarshal([]byte(mustCall(t, "budget", "votes.budget", "--json")), &b); err != nil ||
		len(b.Charges) != 1 || b.Spent.Epsilon != 1.5 || b.Dataset != "votes" {
		t.Errorf("%+v %v", b, err)
	}
	answers(t, "budget")

}

// A table of one's own, from a file and its schema, to a report, predictions and synthetic records, which are read
// again under the same schema.
func TestFromFileToUse(t *testing.T) {
	t.Chdir(t.TempDir())
	var csv strings.Builder
	csv.WriteString("answer,age,income\n")
	for i := range 200 {
		fmt.Fprintf(&csv, "%s,%d,%s\n", []string{"yes", "no"}[i%3/2], 18+i%60, []string{"low", "high", "?"}[i%7%3])
	}
	schema := `{"dataset": "survey", "columns": [
		{"name": "answer", "kind": "categorical", "categories": ["yes", "no"]},
		{"name": "age", "kind": "integer", "edges": [18, 40, 65, 120]},
		{"name": "income", "kind": "categorical", "categories": ["low", "high"], "missing": ["?"],
		 "on_missing": "category"}]}`
	for name, text := range map[string]string{"survey.csv": csv.String(), "survey.schema.json": schema,
		"new.csv": "income,age,note\nlow,33,a\n?,70,b\n", "bad.csv": "income\nlow\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	mustCall(t, "release", "--schema", "survey.schema.json", "--data", "survey.csv", "--target", "answer", "--epsilon",
		"5",
		"--split", "0.7,1", "--out", "r.json", "--seed", "3")
	mustCall(t, "release", "--schema", "survey.schema.json", "--data", "survey.csv", "--target", "answer", "--epsilon",
		"5",
		"--out", "whole.json")

	if out := mustCall(t, "report", "r.json", "--data", "survey.csv"); !strings.Contains(out, "60 held-out rows") ||
		!strings.Contains(out, "do not publish") {
		t.Error(out)
	}
	mustCall(t, "report", "whole.json", "--public", "--out", "public.md")
	if b, err := os.ReadFile("public.md"); err != nil || bytes.Contains(b, []byte("held-out")) ||
		!bytes.Contains(b, []byte("(15 answers open)")) {
		t.Error("the public report:", err, string(b))
	}
	var j reportJSON
	if err := json.Unmarshal([]byte(mustCall(t, "report", "whole.json", "--data", "survey.csv", "--test", "survey.csv",
		"--json")), &j); err != nil || len(j.Scores) < 3 || j.Scores[0].NonPrivate == nil {
		t.Errorf("%+v %v", j, err)
	}

	lines := strings.Split(strings.TrimSpace(mustCall(t, "predict", "r.json", "--data", "new.csv")), "\n")
	if len(lines) != 3 || lines[0] != "answer,P(yes),P(no)" || !strings.HasPrefix(lines[1], "yes,0.") {
		t.Error(lines)
	}
	mustCall(t, "synthesize", "whole.json", "--rows", "50", "--out", "synthetic.csv")
	again := must.Get(privbayes.ParseSchema([]byte(schema)))(t)
	if f := privbayes.LoadFrame("synthetic.csv", again); f.Err() != nil || f.Data().Len() != 50 {
		t.Error(f.Err())
	}
	if a, b := mustCall(t, "synthesize", "whole.json", "--rows", "9", "--seed", "1"), mustCall(t, "synthesize",
		"whole.json", "--rows", "9", "--seed", "1"); a != b || strings.Count(a, "\n") != 10 {
		t.Error(a, b)
	}
	answers(t, "use")

}

// A regression predicts numbers, without the response in the table.
func TestPredictNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "cps1988", "--model", "linear-regression", "--target", "wage", "--features",
		"education", "--mechanism", "moments", "--epsilon", "1", "--delta", "1e-6", "--out", "w.json")
	must.Do(t, os.WriteFile("new.csv", []byte("education\n12\n16\n"), 0o600))
	var j predicted
	err := json.Unmarshal([]byte(mustCall(t, "predict", "w.json", "--data", "new.csv", "--json")), &j)
	if err != nil || j.Target != "wage" || len(j.Mean) != 2 || !(j.SD[0] > 0) || j.Levels != nil {
		t.Error(j, err)
	}
	if code, _, errs := call("synthesize", "w.json", "--rows", "3"); code != exitInput || !strings.Contains(errs,
		"count "+
			"tables") {
		t.Error(code, errs)
	}
}

// A report replaces an older report, and nothing else: not the kept release, the schema or the table. What read the
// table is the owner's alone to read.
func TestReportReplacesReportsAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--split", "0.7,1", "--out",
		"r.json", "--seed", "3")
	must.Do(t, os.WriteFile("notes.md", []byte("# privbayes, notes of mine\n"), 0o600))
	for _, file := range []string{"r.json", "notes.md"} {
		before, _ := os.ReadFile(file)
		code, _, errs := call("report", "r.json", "--data", "votes", "--out", file)
		if after, err := os.ReadFile(file); code != exitInput || !strings.Contains(errs, "never overwritten") ||
			err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: %d %s %v", file, code, errs, err)
		}
	}
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--out", "page.release.json")
	for _, file := range []string{"report.html", "report.md", "report.json"} {
		for _, args := range [][]string{{"page.release.json", "--public", "--out", "page-" + file},
			{"r.json", "--data", "votes", "--out", file}} {
			mustCall(t, append([]string{"report"}, args...)...)
			reader := must.Get(os.Open(args[len(args)-1]))(t)
			old, _ := os.Stat(args[len(args)-1])
			mustCall(t, append([]string{"report"}, args...)...)
			now, err := os.Stat(args[len(args)-1])
			if _, e := io.ReadAll(reader); e != nil || err != nil || os.SameFile(old, now) {
				t.Errorf("%s: who was reading the old report sees another one: %v %v", file, e, err)
			}
			_ = reader.Close()
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
		// neither of the two kinds of reports replaces the other
		for _, args := range [][]string{{"page.release.json", "--public", "--out", file},
			{"r.json", "--data", "votes", "--out", "page-" + file}} {
			if code, _, errs := call(append([]string{"report"}, args...)...); code != exitInput || !strings.Contains(errs,
				"never overwritten") {
				t.Errorf("%s: %d %s", args, code, errs)
			}
		}
	}
}

// The page for a data-protection officer is made without the table: from the release, its budget and answers, whose
// file is written where there is none. It is the same page each time, and nothing is written on an error.
func TestPublicReport(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "budget", "b.budget", "--data", "votes", "--epsilon", "2")
	for _, own := range [][]string{{"--budget", "b.budget", "--out", "r.json"}, {"--seed", "1", "--out", "seeded.json"}} {
		mustCall(t, append([]string{"release", "--data", "votes", "--target", "Class", "--epsilon", "1"}, own...)...)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "want a release file"},
		{"r.json", exitUsage, "want --public"},
		{"r.json --public --data votes", exitUsage, "--public and --data; want one of them"},
		{"r.json --public --test votes", exitUsage, "--public and --test; want one of them"},
		{"r.json --data votes --answers a.json", exitUsage, "--answers has no effect"},
		{"none.json --public --answers a.json", exitInput, "none.json"},
		{"seeded.json --public --answers a.json --out p.md", exitFailed, "seeded"},
		{"r.json --public --budget none.budget --answers a.json", exitInput, "none.budget"},
		{"r.json --public --out p.pdf --answers a.json", exitInput, ".html, .md or .json"},
		{"r.json --public --sets . --answers a.json", exitInput, "sets.json"},
	} {
		code, out, errs := call(append([]string{"report"}, strings.Fields(c.args)...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("report %s: %d %s%s", c.args, code, out, errs)
		}
	}
	for _, file := range []string{"a.json", "p.md", "p.pdf"} {
		if exists(file) {
			t.Error("an error left", file)
		}
	}
	page := []string{"report", "r.json", "--public", "--budget", "b.budget", "--answers", "a.json"}
	code, first, errs := call(page...)
	if code != exitDone || !strings.Contains(errs, "a.json is new") || !strings.Contains(first, "13 answers open") ||
		!strings.Contains(first, "Left: 1 (ε).") {
		t.Error(code, first, errs)
	}
	if again := mustCall(t, page...); again != first {
		t.Error("open answers give another page:", again)
	}
	b := must.Get(os.ReadFile("a.json"))(t)
	b = bytes.Replace(b, []byte("TO ANSWER: Which organisation is"), []byte("An office that is"), 1)
	must.Do(t, os.WriteFile("a.json", b, 0o600))
	var twin struct {
		Open []string `json:"to_answer"`
	}
	out := mustCall(t, append(page, "--json")...)
	if err := json.Unmarshal([]byte(out), &twin); err != nil || len(twin.Open) != 12 ||
		!strings.Contains(out, "An office that is") {
		t.Error(err, twin)
	}
	must.Do(t, os.WriteFile("a.json", []byte(`{"contrller":"x"}`), 0o600))
	if code, _, errs := call("report", "r.json", "--public", "--answers", "a.json"); code != exitInput ||
		!strings.Contains(errs, `did you mean "controller"?`) || !strings.Contains(errs, "a.json") {
		t.Error(code, errs)
	}
}

// A table with missing numbers: omitted or read as a public number by the schema, or its rows with a value kept.
func TestMissingNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := `{"dataset":"wages","columns":[
		{"name":"wage","kind":"real","edges":[0,50,100],"missing":["NA",""],"on_missing":%s},
		{"name":"group","kind":"categorical","categories":["a","b"]}]}`
	table := "wage,group\n" + strings.Repeat("40,a\nNA,b\n60,b\n,a\n80.5,a\n", 60)
	for name, text := range map[string]string{"t.csv": table, "omit.json": fmt.Sprintf(schema, `"omit"`),
		"impute.json": fmt.Sprintf(schema, `"impute","impute":25`), "error.json": fmt.Sprintf(schema, `"error"`)} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, c := range []struct {
		on, flags string
		code      int
		want      []string
	}{
		{"omit", "--model mean", exitDone, []string{`Rows without a value of "wage" are omitted.`, " 60."}},
		{"omit", "--model group-means --features group", exitDone, []string{`Rows without a value of "wage"`}},
		{"omit", "--model mean --adjacency add-remove", exitDone, []string{`Rows without a value of "wage"`, " 60."}},
		{"omit", "--model mean --adjacency add-remove --present wage", exitDone, []string{" 60."}},
		{"omit", "--model mean-sd", exitUsage, []string{`column "wage"`, `"impute"`, "--present"}},
		{"omit", "--model quantiles --at .5 --present wage --adjacency add-remove", exitDone, []string{"0.5"}},
		{"omit", "--model mean --present wage", exitUsage, []string{"n is private", "add-remove"}},
		{"omit", "--model mean --present group", exitUsage, []string{`column "group"`, "every row has a value"}},
		{"impute", "--model mean", exitDone, []string{`Missing values of "wage" are read as 25, a public number.`, " 46."}},
		{"impute", "--model mean-sd", exitDone, []string{"read as 25"}},
		{"error", "--model mean", exitUsage, []string{`column "wage": found "NA"`, `"omit" or "impute"`}},
	} {
		line := "release --schema " + c.on + ".json --data t.csv --target wage --epsilon 5 --seed 1 --out r.json " + c.flags
		code, out, errs := call(strings.Fields(line)...)
		for _, want := range c.want {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%s: %q is missing in %s%s", line, want, out, errs)
			}
		}
		if (code == exitDone) != (c.code == exitDone) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
		if code == exitDone {
			mustCall(t, "verify", "r.json")
		}
		_ = os.Remove("r.json")
	}
	for line, want := range map[string]string{
		"plan --model quantiles --at .5 --present wage --adjacency add-remove":   "0.5-quantile",
		"plan --model mean --n 300 --present wage":                               "is private; want --adjacency",
		"plan --model mean --n 300 --present group":                              "every row has a value",
		"plan --model mean-sd --adjacency add-remove":                            "--present",
		"advise --model histogram --n 300 --present wage --adjacency add-remove": "geometric",
		"advise --model histogram --n 300 --adjacency add-remove":                "--present",
		"advise --model mean --n 300 --present wage":                             "is private; want --adjacency",
	} {
		_, out, errs := call(append(strings.Fields(line), "--schema", "omit.json", "--target", "wage", "--epsilon", "1")...)
		if !strings.Contains(out+errs, want) {
			t.Errorf("%s: %q is missing in %s%s", line, want, out, errs)
		}
	}
	out := mustCall(t, "check", "--schema", "omit.json", "--data", "t.csv")
	if !strings.Contains(out, `"wage" "NA" 60 times`) {
		t.Error(out)
	}
}

// An empty --budget, as of a variable that is not set, is no release without a ledger.
func TestEmptyFlagsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, flag := range []string{"budget", "split", "present"} {
		code, out, errs := call("release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--"+flag, "",
			"--out", "r.json")
		if _, err := os.Stat("r.json"); code != exitUsage || err == nil || !strings.Contains(errs, "--"+flag) {
			t.Errorf("%s: %d %s%s", flag, code, out, errs)
		}
	}
}

// The command that makes a budget is said without a schema that stands in the argument.
func TestBudgetThatIsNotThere(t *testing.T) {
	const schema = `{"dataset": "d", "columns": [{"name": "a", "kind": "categorical", "categories": ["x", "y"]}]}`
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("a.csv", []byte("a\nx\ny\n"), 0o600))
	_, _, errs := call("release", "--schema", schema, "--data", "a.csv", "--target", "a", "--epsilon", "1", "--budget",
		"none.budget", "--out", "r.json")
	if !strings.Contains(errs, "none.budget --schema FILE --epsilon 1") || strings.Contains(errs, "dataset") {
		t.Error(errs)
	}
}

// A kept release that another budget does not know is recorded there, and the command says so.
func TestLoadingRecordsInAnotherBudget(t *testing.T) {
	t.Chdir(t.TempDir())
	release := func(budget string) string {
		return mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--budget", budget,
			"--out", "r.json")
	}
	for _, file := range []string{"a.budget", "b.budget"} {
		mustCall(t, "budget", file, "--data", "votes", "--epsilon", "2")
	}
	for i, c := range []struct{ budget, want string }{{"a.budget", "Saved now"}, {"a.budget", "no new noise, no charge"},
		{"b.budget", "Its charge is now recorded in b.budget"}, {"b.budget", "no new noise, no charge"}} {
		out := release(c.budget)
		if !strings.Contains(out, c.want) || i == 2 && strings.Contains(out, "no new noise, no charge") ||
			!strings.Contains(out, "ε = 1 used of ε = 2") {
			t.Error(i, out)
		}
	}
}

// A split without rows in a part is refused where n is public, before anything is charged or written; "-" names no
// file, and writes none.
func TestEmptyPartsAndDashesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--out", "r.json")
	for _, c := range []struct{ args, want string }{
		{"release --data votes --target Class --epsilon 1 --split 1e-9,1 --out x.json", "without rows"},
		{"release --data votes --target Class --epsilon 1 --split 0.9999999999,1 --out x.json", "without rows"},
		{"release --data votes --target Class --epsilon 1 --out -", "--out -"},
		{"synthesize r.json --rows 3 --out -", "--out -"}, {"predict r.json --data votes --out -", "--out -"},
		{"advise --levels 2 --n 50 --epsilon 1 --figure -", "--figure -"},
	} {
		code, out, errs := call(strings.Fields(c.args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %d %s%s", c.args, code, out, errs)
		}
	}
	for _, file := range []string{"-", "x.json"} {
		if _, err := os.Stat(file); err == nil {
			t.Error("written:", file)
		}
	}
}

// Predictions are as private as their rows: their owner alone reads them. Records of a release are public, and those
// of one without a guarantee say so.
func TestFilesAndNotesOfUse(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, seed := range []string{"", " --seed 3"} {
		file := fmt.Sprint("r", len(seed), ".json")
		mustCall(t, strings.Fields("release --data votes --target Class --epsilon 1 --out "+file+seed)...)
		code, out, errs := call("synthesize", file, "--rows", "3")
		seeded := strings.Contains(errs, "not private: seeded")
		if code != exitDone || strings.Count(out, "\n") != 4 || seeded != (seed != "") ||
			!strings.Contains(errs, warning.List{warning.SingleSet()}.InWords(remedies)[0].Text) {
			t.Errorf("%q: %d %s %s", seed, code, out, errs)
		}
	}
	mustCall(t, "predict", "r0.json", "--data", "votes", "--out", "predictions.csv")
	if info, err := os.Stat("predictions.csv"); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}
