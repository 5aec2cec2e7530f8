package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

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
		"":                           "advise",
		"rel":                        "release",
		"help ver":                   "verify",
		"prove --o":                  "--out",
		"release --mech":             "--mechanism",
		"release --mechanism k":      "k-norm",
		"plan --model naive":         "naive-bayes",
		"plan --data vo":             "votes",
		"plan --network as":          "asia",
		"plan --compare --adjacency": "--adjacency",
		"data fe":                    "fetch",
		"che":                        "check",
		"check --sep":                "--separator",
		"release --encoding lat":     "latin-1",
		"data fetch iri":             "iris",
		"completion ":                "fish",
	} {
		got := completions(strings.Split(line, " "))
		if !slices.Contains(got, want) {
			t.Errorf("%q: %v, want %s", line, got, want)
		}
		last := line[strings.LastIndex(line, " ")+1:]
		for _, w := range got {
			if !strings.HasPrefix(w, last) {
				t.Errorf("%q: %s", line, w)
			}
		}
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

// The script works in the shell: what bash would offer is what the program says.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	script := mustCall(t, "completion", "bash") + `
privbayes() { PRIVBAYES_AS_PROGRAM=1 "$SELF" "$@"; }
complete -p privbayes
for line in "privbayes rel" "privbayes release --mechanism discrete-" "privbayes release --out "; do
  COMP_WORDS=($line); [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _privbayes; echo "${#COMPREPLY[@]} ${COMPREPLY[*]}"
done`
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), bash, "--norc", "-c", script)
	c.Env = append(os.Environ(), "SELF="+self)
	out, err := c.CombinedOutput()
	want := "complete -o default -F _privbayes privbayes\n1 release\n1 discrete-gaussian\n0 \n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
