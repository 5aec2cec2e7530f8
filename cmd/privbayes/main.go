// Command privbayes makes, checks and uses differentially private releases without a line of Go.
//
//	privbayes plan       --data votes --model naive-bayes --target Class --epsilon 1
//	privbayes advise     --schema survey.schema.json --n 5000 --target answer --epsilon 1
//	privbayes budget     survey.budget --schema survey.schema.json --epsilon 2
//	privbayes release    --schema survey.schema.json --data survey.csv --target answer --epsilon 1 \
//	                     --budget survey.budget --out survey.release.json
//	privbayes learn      --schema survey.schema.json --data survey.csv --epsilon 3 --out survey.release.json
//	privbayes check      --schema survey.schema.json --data survey.csv
//	privbayes verify     survey.release.json
//	privbayes entry      survey.release.json --ledger survey.budget --out survey.yaml
//	privbayes prove      survey.release.json --out survey.proof
//	privbayes audit      --cells 2 --n 4 --epsilon 1 -- python3 mechanism.py
//	privbayes report     survey.release.json --data survey.csv --out report.html
//	privbayes predict    survey.release.json --data new.csv
//	privbayes synthesize survey.release.json --rows 1000
//	privbayes data       list | fetch NAME [--to DIR]
//	privbayes lab        [FOLDER]
//	privbayes bind
//	privbayes completion bash|zsh|fish
//	privbayes --version
//
// A flag has one spelling and one meaning in all of them. One that is given is used or refused by name, never ignored;
// one that has one value is refused when it is given twice. Every command but lab, bind and completion takes --json.
// Progress goes to standard error, and only where that is a terminal.
//
// Exit codes: 0 done; 1 refused or failed: a target cannot be met, a budget has too little left, a file keeps a release
// of another plan, the output could not be written; 2 wrong usage; 3 bad input (a file, a schema, a parameter outside
// its domain); 4 a verification or a claim that was audited failed.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/coqexport"
	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The exit codes.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitInput      = 3
	exitUnverified = 4
)

// usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// errUnverified ends the program with exitUnverified after its output was written.
var errUnverified = errors.New("verification failed")

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// command is one of the program's.
type command struct {
	name, does string
	run        func(args []string, out, errs io.Writer) error
	examples   []string // whole command lines
}

// commands lists them, in the order in which one uses them. It is a function since completion and help, which are among
// them, read it.
func commands() []command {
	return []command{
		{"plan", "calibrate and certify a release without data: noise, expected error, certificate", planCommand,
			planExamples},
		{"advise", "compare the mechanisms before anything is spent, over ε or over n, without data", adviseCommand,
			adviseExamples},
		{"budget", "open a budget for a data set, or show what is spent and left", budgetCommand, budgetExamples},
		{"release", "draw a private release of a table once, keep it in a file, charge the budget", releaseCommand,
			releaseExamples},
		{"learn", "learn the structure of a table without a graph, and release a network of it", learnCommand,
			learnExamples},
		{"verify", "derive every check of a release file again", verifyCommand, verifyExamples},
		{"entry", "draft the record of a release for a public registry of deployments", entryCommand, entryExamples},
		{"prove", "write a plan's numbers as files that a proof assistant checks", proveCommand, proveExamples},
		{"audit", "find out what a mechanism of any language spends, as a program that is spoken with", auditCommand,
			auditExamples},
		{"report", "score a release on held-out rows beside the non-private model (private)", reportCommand,
			reportExamples},
		{"predict", "predict the rows of a table by a release", predictCommand, predictExamples},
		{"synthesize", "draw synthetic records from a release", synthesizeCommand, synthesizeExamples},
		{"schema", "write a schema to fill in, from the header line of a table", schemaCommand, schemaExamples},
		{"check", "list every value of a table that does not fit its schema (private)", checkCommand, checkExamples},
		{"data", "list data sets, copy an embedded one out with its schema, or download a public original", dataCommand,
			dataExamples},
		{"lab", "open a folder in Jupyter, with a kernel that finds the library there", labCommand,
			[]string{"privbayes lab", "privbayes lab ../mine --no-browser"}},
		{"bind", "give a notebook the library; for its first cell: !*privbayes bind", bindCommand,
			[]string{"!*privbayes bind"}},
		{"completion", "print a script by which a shell completes commands, flags and values", completionCommand,
			completionExamples},
	}
}

// named is the command of a name.
func named(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// usage is what the program says about itself.
func usage() string {
	var b strings.Builder
	b.WriteString("usage: privbayes COMMAND [flags]\n\ncommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.does)
	}
	b.WriteString(`
Run "privbayes COMMAND --help" for its flags and examples, "privbayes --version" for the version. Every command
but lab, bind and completion takes --json.
Exit codes: 0 done, 1 refused or failed (a target cannot be met, a budget has too little left, a file keeps a
release of another plan), 2 wrong usage, 3 bad input (a file, a schema, a parameter), 4 a verification, or a claim
that was audited, failed.
`)
	return b.String()
}

// dispatch runs the command that is named, and says what went wrong.
func dispatch(args []string, out, errs *output) int {
	if len(args) == 0 {
		fmt.Fprint(errs, usage())
		return exitUsage
	}
	switch args[0] {
	case "--version", "-version":
		fmt.Fprintln(out, version(debug.ReadBuildInfo()))
		return exitDone
	case "help", "-h", "--help":
		if len(args) < 2 {
			fmt.Fprint(out, usage())
			return exitDone
		}
		args = []string{args[1], "--help"} // "help plan" is "plan --help"
	}
	if args[0] == "claims" || args[0] == "study" {
		fmt.Fprintf(errs, "privbayes: %[1]s is a command of the program for readers of the papers: go install "+
			"%[2]s/papers/cmd/privbayes-papers@latest, then privbayes-papers %[1]s\n", args[0], jupyter.Module)
		return exitUsage
	}
	c, ok := named(args[0])
	if !ok {
		var names []string
		for _, c := range commands() {
			names = append(names, c.name)
		}
		fmt.Fprintf(errs, "privbayes: unknown command %q; want %s%s\n", args[0], strings.Join(names, ", "),
			meant(args[0], names))
		return exitUsage
	}
	err := c.run(args[1:], out, errs)
	var help *helpError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &help):
		help.write(out, c)
		return exitDone
	case errors.Is(err, errUnverified):
		return exitUnverified
	case errors.Is(err, errUnfit):
		return exitInput
	case out.lost(err):
		return exitFailed
	}
	for i, line := range strings.Split(err.Error(), "\n") {
		if i == 0 {
			line = "privbayes: " + strings.TrimPrefix(line, "privbayes: ")
		}
		fmt.Fprintln(errs, table.Escape(line))
	}
	return code(err)
}

// code is the exit code of an error.
func code(err error) int {
	var use *usageError
	var unmet *mechanism.UnmetTarget
	var unreachable *unreachableError
	var exceeded *budget.ExceededError
	var overspent *budget.OverspentError
	var unverified *unverifiedError
	var kept *keep.Error
	var draft *keep.DraftError
	var nothing *coqexport.NothingError
	var public *entry.NotPrivateError
	var uncharged *entry.UnchargedError
	switch {
	case errors.As(err, &unverified):
		return exitUnverified
	case errors.As(err, &use):
		return exitUsage
	case errors.As(err, &unmet), errors.As(err, &unreachable), errors.As(err, &exceeded), errors.As(err, &overspent),
		errors.As(err, &kept), errors.As(err, &draft), errors.As(err, &nothing),
		errors.As(err, &public), errors.As(err, &uncharged):
		return exitFailed
	}
	return exitInput
}

// version says which module the program was built from, with its commit where the build knows it.
func version(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "privbayes (built without module information)"
	}
	from := map[string]string{}
	for _, s := range info.Settings {
		from[s.Key] = s.Value
	}
	text := "privbayes " + info.Main.Version
	if info.Main.Version == "" || info.Main.Version == "(devel)" { // built in a checkout
		text = "privbayes " + release.Version + " (devel)"
	}
	if commit := from["vcs.revision"]; commit != "" {
		text += ", commit " + commit
		if from["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	return text + ", " + info.GoVersion
}

// meant asks back where a wrong word is nearly a right one.
func meant(word string, words []string) string {
	if near := safetext.Closest(word, words); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}
