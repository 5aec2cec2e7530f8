package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/terminal"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Help fits into 80 columns, of the program, of every command and about every word; every command is in one group.
func TestHelpFits(t *testing.T) {
	calls := [][]string{{"help"}, {"help", "separator"}}
	seen := map[string]int{}
	for _, c := range commands() {
		calls = append(calls, []string{"help", c.name})
		seen[c.name]++
	}
	for _, p := range topics {
		for word := range strings.SplitSeq(p.words, ", ") {
			calls = append(calls, []string{"help", word})
		}
	}
	for _, args := range calls {
		for line := range strings.SplitSeq(mustCall(t, args...), "\n") {
			if utf8.RuneCountInString(line) > helpWidth {
				t.Errorf("%v: %d characters: %s", args, utf8.RuneCountInString(line), line)
			}
		}
	}
	for name, n := range seen {
		if n != 1 || !strings.Contains(usage(), "\n  "+name+" ") {
			t.Errorf("%s is in %d groups", name, n)
		}
	}
}

// A text that is wrapped has the same words, and no line that is too long but for a word.
func TestWrap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := strings.Join(someWords(r, 1+r.IntN(60), 30), " ")
		got := wrap(text, "  --flag: ", "    ")
		if strings.Join(strings.Fields(got), " ") != "--flag: "+text {
			t.Fatalf("%q became %q", text, got)
		}
		for line := range strings.Lines(got) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > helpWidth {
				t.Fatalf("%q", line)
			}
		}
	}
	for text, want := range map[string]string{"": "\n", "a\nb": "a b\n", "a\n\nb": "a\n\nb\n",
		"a\n  kept  as is\nb": "a\n  kept  as is\nb\n"} {
		if got := wrap(text, "", ""); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// someWords are so many words of at most so many letters.
func someWords(r *rand.Rand, count, most int) (list []string) {
	for range count {
		list = append(list, strings.Repeat([]string{"a", "b", "ε"}[r.IntN(3)], 1+r.IntN(most)))
	}
	return list
}

// An example that is broken is the same command line for a shell.
func TestExamplesAreWholeCommandLines(t *testing.T) {
	for _, c := range commands() {
		for _, line := range c.examples {
			got := example(line)
			if whole := strings.Fields(strings.ReplaceAll(got, "\\\n", "")); !slices.Equal(whole, strings.Fields(line)) {
				t.Errorf("%s became\n%s", line, got)
			}
			for l := range strings.Lines(got) {
				if utf8.RuneCountInString(l) > helpWidth+1 {
					t.Errorf("%s: %s", c.name, l)
				}
			}
		}
	}
}

// The words that people look for are found, with a page that is there and a command that is.
func TestHelpFindsWords(t *testing.T) {
	for word, want := range map[string]string{
		"crosstab": "--table", "postcode": "categorical", "confidence interval": "intervals", "weights": "--held-as-given",
		"missing": "on_missing", "margin of error": "--solve", "p-value": "diff(", "P-Value": "diff(",
		"separator": "--separator", "household": "unit_key", "jupyter": "privbayes lab",
		"areas": "--areas",
	} {
		if out := mustCall(t, append([]string{"help"}, strings.Fields(word)...)...); !strings.Contains(out, want) {
			t.Errorf("help %s has no %q:\n%s", word, want, out)
		}
	}
	for _, word := range []string{"qwerty", "xx"} {
		if code, _, errs := call("help", word); code != exitUsage || !strings.Contains(errs, "unknown command") {
			t.Errorf("%s: %d %s", word, code, errs)
		}
	}
	for _, p := range topics {
		name, section, _ := strings.Cut(p.page, "#")
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Error(err)
		}
		if section != "" && !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "#") && anchor(line) == section
		}) {
			t.Errorf("docs/%s has no such section", p.page)
		}
		c, ok := named(strings.Fields(p.command)[1])
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(p.command, -1) {
			if ok = ok && (flag[1] == "help" || flagsOf(c).Lookup(flag[1]) != nil); !ok {
				t.Errorf("%s: no such flag", p.command)
			}
		}
	}
}

// anchor is the name of a section as code hosts make it.
func anchor(heading string) string {
	s := strings.ToLower(strings.TrimLeft(heading, "# "))
	return strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(s, ""), " ", "-")
}

// Every exit code has one line, and the help has it.
func TestExitsAreDocumented(t *testing.T) {
	help := strings.Join(strings.Fields(usage()), " ")
	seen := map[int]bool{}
	for _, e := range exits {
		if seen[e.code] || (e.kind == "") != (e.code == exitDone) ||
			!strings.Contains(help, fmt.Sprint(e.code, " ", e.means)) {
			t.Errorf("%+v", e)
		}
		seen[e.code] = true
	}
	for _, code := range []int{exitDone, exitFailed, exitUsage, exitInput, exitUnverified, exitInternal} {
		if !seen[code] {
			t.Errorf("%d is not told", code)
		}
	}
}

// rules are the lines below the heads of tables, which are as wide as these.
var rules = regexp.MustCompile(`(?m)^-+(?:  -+)+$`)

// Tables are as wide as COLUMNS says, else as 80 columns: of every command, and a change of one number moves them.
func TestTablesFit(t *testing.T) {
	h := newTheatre(t)
	wide := map[string]int{}
	for columns, most := range map[string]int{"": 80, "no": 80, "0": 80, "72": 72, "100": 100, "9": 40} {
		t.Setenv("COLUMNS", columns)
		for _, line := range outputs {
			if strings.Contains(line, "json") || strings.Contains(line, "--public") ||
				columns == "9" && !strings.HasPrefix(line, "verify") {
				continue
			}
			for _, rule := range rules.FindAllString(mustCall(t, h.paths(line, h.stage())...), -1) {
				if len(rule) > most && columns != "9" {
					t.Errorf("COLUMNS=%s %s: a table of %d characters", columns, line, len(rule))
				}
				wide[columns] = max(wide[columns], len(rule))
			}
		}
	}
	if wide["100"] <= 80 || wide["72"] <= 60 || wide[""] <= 72 || wide[""] != wide["0"] {
		t.Errorf("the widest tables: %v", wide)
	}
}

// Names of the data are not translated.
func TestNamesAreShownAsTheyAre(t *testing.T) {
	var b bytes.Buffer
	if err := display(&b, terminal.Tables{table.New("", "x").Add("Tree()").Add("KNorm()")}); err != nil ||
		!strings.Contains(b.String(), "Tree()\nKNorm()") {
		t.Errorf("%v %q", err, &b)
	}
}

// "-" is standard input, of every command that reads a release file, and gives what the file gives; of other files it
// is refused.
func TestReleaseFromStandardInput(t *testing.T) {
	if !exists(standardInput) {
		t.Skip("no " + standardInput)
	}
	h := newTheatre(t)
	self := must.Get(os.Executable())(t)
	for _, line := range []string{"show -", "intervals -", "verify -", "verify - --entry {entry}",
		"entry -", "prove - --out {out}",
		"report - --public",
		"report - --data {table} --test {table}", "predict - --data {table}", "synthesize - --rows 3"} {
		file := must.Get(os.ReadFile(filepath.Join(h.dir, "release")))(t)
		c := exec.Command(self, h.paths(line, h.stage())...)
		c.Env = append(os.Environ(), "PRIVBAYES_AS_PROGRAM=1")
		c.Stdin = bytes.NewReader(file) // a pipe, which can be read once
		out, err := c.Output()
		entry := strings.Contains(line, "--entry") // of another release: it does not belong to this one
		if (err != nil) != entry || len(out) == 0 {
			t.Errorf("%s: %v %s", line, err, out)
		}
		if strings.HasPrefix(line, "verify") {
			if _, want, _ := call(h.paths(strings.Replace(line, "-", "{release}", 1), h.stage())...); string(out) != want {
				t.Errorf("%s: %s\nof the file %s", line, out, want)
			}
		}
	}
	for line, want := range map[string]string{"budget -": "budget -: want the name",
		"schema -": "schema -: want the name"} {
		if code, _, errs := call(h.paths(line, h.stage())...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}
