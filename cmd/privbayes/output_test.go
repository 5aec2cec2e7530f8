package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// full takes so many bytes and then no more, as a device does.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return f.left, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

// outputs are command lines of every command that writes something when all is well.
var outputs = []string{
	"plan --levels 3 --n 12 --epsilon 1", "plan --levels 3 --n 12 --epsilon 1 --json",
	"advise --levels 2 --sizes 5 --epsilon 1", "advise --levels 2 --sizes 5 --epsilon 1 --json",
	"budget {new} --schema {schema} --epsilon 1", "budget {spent} --json",
	"budget {spent} --charge run-7 --tool t --released means --adjacency replace-one --epsilon 0.1",
	"release --schema {schema} --data {table} --target a --epsilon 1 --out {out}",
	"release --schema {schema} --data {table} --target a --epsilon 1 --out {out} --json",
	"learn --schema {schema} --data {table} --epsilon 1 --out {out}", "learn --plan --data {table} --schema {schema} " +
		"--epsilon 1",
	"publish {wishes} --schema {schema} --data {table} --out {out}",
	"publish {wishes} --schema {schema} --data {table} --out {out} --json",
	"publish {wishes} --plan --schema {schema} --n 30", "publish {wishes} --plan --schema {schema} --n 30 --json",
	"accept --rules {rules} --schema {schema} --data {table} --out {out}",
	"accept --rules {rules} --schema {schema} --data {table} --out {out} --json",
	"accept --rules {rules} --plan --schema {schema} --n 30", "accept --rules {rules} --plan --schema {schema} --n 30 " +
		"--json", "show {selection}", "show {selection} --json", "show {selection} --details", "verify {selection}",
	"synthesize {selection}", "entry {selection}", "report {selection} --public", "intervals {selection}",
	"export {selection} --to csv", "show {publication}", "show {publication} --json", "show {publication} --item a",
	"verify {publication}", "show {totals}", "show {totals} --json", "show {totals} --details", "verify {totals}",
	"show {found}", "show {found} --json", "show {found} --details", "verify {found}",
	"discover --column c --epsilon 1 --delta 0.01 --plan --schema {open}",
	"discover --column c --epsilon 1 --delta 0.01 --plan --schema {open} --json",
	"discover --column c --epsilon 1 --delta 0.01 --schema {open} --data {codes} --out {out}",
	"discover --column c --epsilon 1 --delta 0.01 --schema {open} --data {codes} --seed 2 --out {out} --json",
	"discover --column x --epsilon 1 --plan --schema {unbounded} --json", "show {range}", "show {range} --json",
	"discover --column x --epsilon 1 --schema {unbounded} --data {table} --seed 2 --out {out} --json", "verify {range}",
	"totals --period a --rho 1 --plan --schema {schema}", "totals --period a --rho 1 --plan --schema {schema} --json",
	"totals --period a --rho 1 --schema {schema} --data {table} --budget {wide} --out {out}",
	"totals --after {totals} --schema {schema} --data {table} --budget {wide} --seed 2 --out {out} --json",
	"show {release}", "show {release} --json", "intervals {release}", "intervals {release} --json",
	"draws {drawn}", "draws {drawn} --json", "draws {drawn} --out {out}", "draws {drawn} --format arrow",
	"synthesize {release} --rows 3 --format arrow --out {out}",
	"coefficients {line}", "coefficients {line} --json", "coefficients {line} --out {out}",
	"export {publication} --to csv --json", "export {publication} --to csv --out {out}", "export {release} --to records",
	"export {release} --to bif", "export {release} --to json --json", "export {release} --to stan --out {out}",
	"verify {release}", "verify {release} --json",
	"entry {release}", "entry {release} --json", "entry {release} --out {out}",
	"prove {plan} --out {out}", "report {release} --data {table} --test {table}",
	"report {release} --public", "report {release} --public --json", "report {release} --public --out {out.md}",
	"report {release} --data {table} --test {table} --out {out.md}", "predict {release} --data {table}",
	"predict {release} --data {table} --json", "synthesize {release} --rows 3", "synthesize {release} --rows 3 --out " +
		"{out}", "sets {release} --sets 2 --rows 9 --out {out}", "sets {release} --sets 2 --rows 9 --out {out} --json",
	"combine {pair} --estimates {estimates}", "combine {pair} --estimates {estimates} --json",
	"schema {table}", "schema {table} --out {out}", "check --schema {schema} --data {table}", "check --data iris --json",
	"data list", "data list --json", "data fetch iris --to {folder}",
	"completion bash", "completion words pl", "flags", "flags --json", "version --json", "--version",
	"help", "--help", "help plan", "plan --help", "verify --help",
}

// What cannot be written is said, and is a failure, whether the stream is full from the first byte, after some, or
// closed: of every command, its JSON and its help.
func TestOutputThatIsNotWritten(t *testing.T) {
	h := newTheatre(t)
	seen := map[string]bool{}
	for _, line := range outputs {
		name, _, _ := strings.Cut(line, " ")
		seen[name] = true
		var size int
		for k, left := range []int{1 << 30, 0, 30} {
			args := h.paths(line, h.stage())
			var errs strings.Builder
			device := &full{left: left}
			code := run(args, device, &errs)
			switch {
			case k == 0:
				if size = left - device.left; code != exitDone || size == 0 {
					t.Errorf("%s: %d, %d bytes: %s", line, code, size, &errs)
				}
			case left < size && (code != exitInput || strings.Count(errs.String(), "writing the output: no space left") != 1):
				t.Errorf("%s after %d bytes: exit %d: %q", line, left, code, &errs)
			}
		}
		read, write := must.Get2(os.Pipe())(t)
		_ = read.Close()
		var errs strings.Builder
		code := run(h.paths(line, h.stage()), write, &errs)
		_ = write.Close()
		if code != exitInput || !strings.Contains(errs.String(), "writing the output") {
			t.Errorf("%s to a closed pipe: exit %d: %q", line, code, &errs)
		}
	}
	for _, c := range commands() {
		if !seen[c.name] && c.name != "audit" && c.name != "lab" && c.name != "bind" {
			t.Errorf("%s is not tried", c.name)
		}
	}
}

// The help of every command is output, too; and what goes to standard error is looked at as well.
func TestHelpAndNotesThatAreNotWritten(t *testing.T) {
	for _, c := range commands() {
		if code := run([]string{c.name, "--help"}, &full{}, io.Discard); code != exitInput {
			t.Errorf("%s --help: exit %d", c.name, code)
		}
	}
	h := newTheatre(t)
	if code := run(h.paths("synthesize {release} --rows 3", ""), io.Discard, &full{}); code != exitInput {
		t.Error("notes that were not written:", code)
	}
}

// The process itself, on a full device and into a pipe that nobody reads, does not end with 0.
func TestProcessOnAFullDevice(t *testing.T) {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer func() { _ = device.Close() }()
	read, write := must.Get2(os.Pipe())(t)
	_ = read.Close()
	defer func() { _ = write.Close() }()
	self := must.Get(os.Executable())(t)
	for name, to := range map[string]*os.File{"full": device, "closed": write} {
		for _, args := range []string{"plan --levels 3 --n 12 --epsilon 1", "--help", "data list"} {
			c := exec.Command(self, strings.Fields(args)...)
			c.Dir = filepath.Dir(self)
			c.Env = append(os.Environ(), "PRIVBAYES_AS_PROGRAM=1")
			c.Stdout = to
			if err := c.Run(); err == nil || name == "full" && c.ProcessState.ExitCode() != exitInput {
				t.Errorf("%s, %s: %v", name, args, err)
			}
		}
	}
}

// Every command has help with examples, whose flags it has; help goes to standard output.
func TestHelpHasExamples(t *testing.T) {
	for _, c := range commands() {
		out := mustCall(t, c.name, "--help")
		if !strings.HasPrefix(out, "usage: privbayes "+c.name) || len(c.examples) == 0 ||
			!strings.Contains(mustCall(t, "help"), c.does) || out != mustCall(t, "help", c.name) {
			t.Errorf("%s: %s", c.name, out)
		}
		for _, line := range c.examples {
			line, _, _ = strings.Cut(strings.ReplaceAll(line, "\\\n", ""), ">")
			if !strings.Contains(out, strings.Fields(line)[0]) {
				t.Errorf("%s: no %q", c.name, line)
			}
			line, _, _ = strings.Cut(line, " -- ") // what follows is of another program
			words := strings.Fields(line)
			if words[0] != "privbayes" {
				continue // by the shell
			}
			if code, _, errs := call(append(words[1:], "--help")...); code != exitDone {
				t.Errorf("%s: %s", line, errs)
			}
		}
	}
}

func TestCompletions(t *testing.T) {
	for line, want := range map[string]string{
		"":                             "advise",
		"rel":                          "release",
		"help ver":                     "verify",
		"prove --o":                    "--out",
		"release --mech":               "--mechanism",
		"release --mechanism k":        "k-norm",
		"plan --model naive":           "naive-bayes",
		"plan --data vo":               "votes",
		"plan --network as":            "asia",
		"plan --mechanism=ge":          "--mechanism=geometric",
		"plan --mechanism = ge":        "geometric",
		"plan --mechanism =":           "geometric",
		"--":                           "--version",
		"plan --data votes --tar":      "--target",
		"plan --data votes --target":   "--target",
		"plan --data votes --target C": "Class",
		"learn --data iris --star S":   "Species",
		"data fe":                      "fetch",
		"che":                          "check",
		"check --sep":                  "--separator",
		"release --encoding lat":       "latin-1",
		"data fetch iri":               "iris",
		"completion ":                  "fish",
	} {
		got := completions(strings.Split(line, " "))
		if !slices.Contains(got, want) {
			t.Errorf("%q: %v, want %s", line, got, want)
		}
		last := strings.TrimPrefix(line[strings.LastIndex(line, " ")+1:], "=")
		for _, w := range got {
			if !strings.HasPrefix(w, last) {
				t.Errorf("%q: %s", line, w)
			}
		}
	}
	if got := completions([]string{"data", "fetch", "s"}); !slices.Equal(got, []string{"spam", "shopper"}) {
		t.Errorf("data fetch s: %v", got)
	}
	for _, line := range []string{"release --out ", "release --data nofile", "verify ", "nothing "} {
		if got := completions(strings.Split(line, " ")); len(got) != 0 {
			t.Errorf("%q: %v, want the shell's own files", line, got)
		}
	}
	for _, args := range []string{"", "tcsh", "bash zsh"} {
		if code, _, errs := call(append([]string{"completion"}, strings.Fields(args)...)...); code != exitUsage {
			t.Errorf("%q: %d %s", args, code, errs)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		if out := mustCall(t, "completion", shell); !strings.Contains(out, "privbayes completion words") {
			t.Error(out)
		}
	}
}

// What "flags --json" tells programs is what the commands do: every flag is in the help, and one argument
// more than there are is refused.
func TestFlagsAsData(t *testing.T) {
	var list []commandJSON
	if err := json.Unmarshal([]byte(mustCall(t, "flags", "--json")), &list); err != nil || len(list) != len(commands()) {
		t.Fatal(err, len(list))
	}
	for _, c := range list {
		help := mustCall(t, c.Command, "--help")
		for _, i := range c.Flags {
			if !strings.Contains(help, "\n  --"+i.Name) || i.Type == "" || i.Words == "" ||
				!strings.Contains(strings.Join(strings.Fields(help), " "), i.Words) {
				t.Errorf("%s: %+v", c.Command, i)
			}
			for _, choice := range append([]string{i.Default}, i.Choices...) {
				if len(i.Choices) > 0 && choice != "" && !slices.Contains(i.Choices, choice) {
					t.Errorf("%s --%s: the default is no choice", c.Command, i.Name)
				}
			}
		}
		line := append([]string{c.Command}, append(c.Arguments, "more")...)
		code, _, errs := call(line...)
		if want := `unexpected argument "more"`; c.Command != "lab" && c.Command != "bind" &&
			(code != exitUsage || !strings.Contains(errs, want)) {
			t.Errorf("%v: %d %s", line, code, errs)
		}
	}
	for command, want := range map[string]flagInfo{
		"release --data":     {Type: "file", Repeats: true},
		"release --epsilon":  {Type: "float"},
		"release --features": {Type: "list", Of: "columns"},
		"release --seed":     {Type: "int"},
		"advise --time":      {Type: "duration", Default: "10s"},
		"plan --adjacency":   {Type: "text", Default: "replace-one", Choices: choices["adjacency"]()},
		"synthesize --json":  {Type: "bool"},
		"learn --algorithm":  {Type: "text", Default: "pairs", Choices: choices["algorithm"]()},
		"check --encoding":   {Type: "text", Choices: encodings},
		"audit --silence":    {Type: "duration", Default: "10s"},
		"prove --out":        {Type: "folder"},
		"learn --zero":       {Type: "combination", Repeats: true},
		"release --formula":  {Type: "formula", Models: formulaKinds(), InPlace: inPlaceOf["formula"][:4]},
		"plan --table":       {Type: "list", Of: "columns", InPlace: inPlaceOf["table"]},
		"release --at":       {Type: "list"},
		"budget --rho":       {Type: "float", InPlace: inPlaceOf["rho"][:3]},
	} {
		name, flag, _ := strings.Cut(command, " --")
		c := list[slices.IndexFunc(list, func(c commandJSON) bool { return c.Command == name })]
		got := c.Flags[slices.IndexFunc(c.Flags, func(i flagInfo) bool { return i.Name == flag })]
		if got.Type != want.Type || got.Repeats != want.Repeats || got.Default != want.Default ||
			!slices.Equal(got.Choices, want.Choices) || !slices.Equal(got.Models, want.Models) || got.Of != want.Of ||
			!slices.Equal(got.InPlace, want.InPlace) {
			t.Errorf("%s: %+v, want %+v", command, got, want)
		}
	}
	var v versionJSON
	if err := json.Unmarshal([]byte(mustCall(t, "version", "--json")), &v); err != nil || v.Protocol != 1 ||
		!strings.HasPrefix(v.Version, release.Version) || v.Formats["ledger"][0] != budget.Format ||
		v.Formats["release"][0] != release.Format {
		t.Errorf("%v: %+v", err, v)
	}
}

// The scripts work in the shells: what each would offer is what the program says. A value of several words is asked for
// with quotes or backslashes, and stays one word: bash inserts what it is given, zsh and fish quote it themselves.
func TestShellsComplete(t *testing.T) {
	const within, quoted = "replace-one within strata", `replace-one\ within\ strata`
	lines := []struct{ before, last, bash, others string }{
		{"", "rel", "release", "release"},
		{"release --mechanism", "discrete-", "discrete-gaussian", "discrete-gaussian"},
		{"release --out", "", "", ""}, // files are for the shell to complete
		{"plan --adjacency", `replace-one\ w`, quoted, within},
		{"plan --adjacency", `"replace-one w`, within, within},
		{"plan --adjacency", `'replace-one w`, within, within},
		{"plan --adjacency " + quoted + " --mechanism", "strat", "stratified", "stratified"},
	}
	asWord := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	for _, shell := range []struct{ name, option, start, line string }{
		{"bash", "--norc", "privbayes() { PRIVBAYES_AS_PROGRAM=1 \"$SELF\" \"$@\"; }\ncomplete -p privbayes >&2\n",
			"COMP_WORDS=(privbayes %s %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _privbayes; echo \"<${COMPREPLY[*]}>\"\n"},
		{"zsh", "-f", "privbayes() { PRIVBAYES_AS_PROGRAM=1 \"$SELF\" \"$@\" }\n_files() { print '<>' }\n" +
			"compadd() { print -r -- \"<${(P)@[-1]}>\" }\n", "words=(privbayes %s %s); CURRENT=$#words; _privbayes\n"},
		{"fish", "--no-config", "function privbayes; PRIVBAYES_AS_PROGRAM=1 $SELF $argv; end\n",
			"printf '<%%s>\\n' (complete -C WHOLE | string split -f 1 \\t) # %s %s\n"},
	} {
		path, err := exec.LookPath(shell.name)
		if err != nil {
			t.Log("there is no", shell.name)
			continue
		}
		script, want := shell.start+mustCall(t, "completion", shell.name), ""
		if shell.name == "zsh" {
			script = "compdef() { }\n" + script
		}
		for _, l := range lines {
			if shell.name == "fish" && l.others == "" {
				continue
			}
			line := fmt.Sprintf(shell.line, l.before, asWord(l.last))
			whole := "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace("privbayes "+l.before+" "+l.last) + "'"
			script += strings.Replace(line, "WHOLE", whole, 1)
			want += "<" + map[bool]string{true: l.bash, false: l.others}[shell.name == "bash"] + ">\n"
		}
		c := exec.CommandContext(t.Context(), path, shell.option, "-c", script)
		c.Dir, c.Env = t.TempDir(), append(os.Environ(), "SELF="+must.Get(os.Executable())(t))
		var errs strings.Builder
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s%s\nwant\n%s", shell.name, err, out, errs.String(), want)
		}
	}
}

// FuzzPlanFlags reads command lines of "plan", one word a line: whatever the words, they give a wrong usage, a typed
// refusal, or a mechanism, a shape within the model's limits and a valid target. What is planned with them is not run.
func FuzzPlanFlags(f *testing.F) {
	for _, s := range []string{
		"--levels 5 --n 1000 --epsilon 1", "--data votes --model naive-bayes --target Class --epsilon 1 --delta 1e-6",
		"--network asia --n 50 --mechanism fourier --rho .1 --omega 4",
		"--levels 3 --alpha 1,2,3 --n 10 --mechanism hellinger --nominal --epsilon 1 --delta 1e-3",
		"--data cps1988 --model exponential --target wage --range 0.01,10 --epsilon 2",
		"--data cps1988 --model linear-regression --target wage --features education,experience --radius 2 --epsilon " +
			"1", "--levels 2 --n -1 --adjacency add-remove --epsilon NaN",
		"--levels 2 --n 9 --adjacency metric: --lambda Inf --epsilon 1", "--data cps1988 --model normal-precision " +
			"--target wage --location 1e308 --range 0x1p-3,1 --epsilon 1", "-- --n",
		"--records -5 --mechanism records " +
			"--levels 2 --n 1",
		`--n 9 --levels 3 --spec {"model":{"kind":"binary","target":"a"},"level":{"notion":"renyi","epsilon":1,"order":2}}`,
	} {
		f.Add(strings.ReplaceAll(s, " ", "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "/\\") || strings.Contains(text, "-schema") { // reads no file of this machine
			return
		}
		fs, _ := newFlags("plan", "")
		var p planFlags
		p.add(fs)
		if _, err := parse(fs, strings.Split(text, "\n")); err != nil {
			return
		}
		if err := p.readSpec(); err != nil {
			return
		}
		m, sh, target, err := p.inputs()
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" || strings.Contains(err.Error(), "%!") {
				t.Fatalf("an error that says %q", err)
			}
			return
		}
		if (m == nil) != (p.mechanism == "") || sh == nil || target.Valid() != nil {
			t.Fatalf("%v, %v, %v", m, sh, target)
		}
		if n, public := sh.N(); public && n < 0 {
			t.Fatal("a public n of", n)
		}
	})
}

var updateAnswers = flag.Bool("update-answers", false, "write anew what the command lines of testdata/answers answer")

// home is the folder of this package, where tests are in others.
var home, _ = os.Getwd()

// list is a list of names, of which two are kept: a new mechanism changes no answer.
var list = regexp.MustCompile(`((?:[\w-]+, ){2})(?:[\w-]+, ){2,}[\w-]+(?: or [\w-]+)?`)

// answers runs the command lines of testdata/answers/NAME.txt, in the folder that the test is in, and compares the exit
// code and the first line of what each says: of its errors, else of its output. A new case is a line "$ privbayes …".
func answers(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(home, "testdata", "answers", name+".txt")
	want := must.Get(os.ReadFile(path))(t)
	folder := must.Get(os.Getwd())(t)
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ privbayes")
		if !ok {
			continue
		}
		code, out, errs := call(strings.Fields(command)...)
		if errs == "" {
			errs = out
		}
		said, _, _ := strings.Cut(strings.ReplaceAll(errs, folder, "FOLDER"), "\n")
		said = list.ReplaceAllString(said, "${1}…")
		if got.Len() > 0 {
			got.WriteString("\n")
		}
		fmt.Fprintf(&got, "$ privbayes%s\nexit %d: %s\n", command, code, said)
	}
	if *updateAnswers {
		must.Do(t, os.WriteFile(path, []byte(got.String()), 0o644))
	} else if got.String() != string(want) {
		t.Errorf("%s differs; go test ./cmd/privbayes -update-answers writes it anew:\n%s", path, got.String())
	}
}

// --progress json writes lines of JSON to standard error, whether or not it is a terminal, and no other form is taken.
func TestProgressForPrograms(t *testing.T) {
	code, _, errs := call("advise", "--levels", "2", "--n", "50", "--epsilon", "1", "--time", "2s", "--json",
		"--progress", "json")
	if code != exitDone || errs == "" {
		t.Fatal(code, errs)
	}
	for line := range strings.Lines(errs) {
		var j struct {
			Progress float64
			Text     string
		}
		if err := json.Unmarshal([]byte(line), &j); err != nil || j.Text != "compared" || j.Progress < 0 || j.Progress > 1 {
			t.Errorf("%v: %s", err, line)
		}
	}
	if code, _, errs := call("synthesize", "r.json", "--rows", "3", "--progress", "bar"); code != exitUsage ||
		!strings.Contains(errs, "want json") {
		t.Error(code, errs)
	}
	if code, _, errs := call("version", "--progress", "json"); code != exitUsage {
		t.Error(code, errs)
	}
}
