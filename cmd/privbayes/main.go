// Command privbayes makes, checks and uses differentially private releases without a line of Go.
//
//	privbayes plan       --data votes --model naive-bayes --target Class --epsilon 1
//	privbayes advise     --schema survey.schema.json --n 5000 --target answer --epsilon 1
//	privbayes budget     survey.budget --schema survey.schema.json --epsilon 2
//	privbayes release    --schema survey.schema.json --data survey.csv --target answer --epsilon 1 \
//	                     --budget survey.budget --out survey.release.json
//	privbayes learn      --schema survey.schema.json --data survey.csv --epsilon 3 --out survey.release.json
//	privbayes check      --schema survey.schema.json --data survey.csv
//	privbayes show       survey.release.json
//	privbayes intervals  survey.release.json --ask "P(answer=yes | age=old)"
//	privbayes verify     survey.release.json
//	privbayes entry      survey.release.json --ledger survey.budget --out survey.yaml
//	privbayes prove      survey.release.json --out survey.proof
//	privbayes audit      --cells 2 --n 4 --epsilon 1 -- python3 mechanism.py
//	privbayes report     survey.release.json --public --budget survey.budget --out report.html
//	privbayes report     survey.release.json --data survey.csv
//	privbayes predict    survey.release.json --data new.csv
//	privbayes synthesize survey.release.json --rows 1000
//	privbayes data       list | fetch NAME [--to DIR]
//	privbayes lab        [FOLDER]
//	privbayes bind
//	privbayes completion bash|zsh|fish
//	privbayes flags      --json
//	privbayes version    --json
//
// A flag has one spelling and one meaning in all of them. One that is given is used or refused by name, never ignored;
// one that has one value is refused when it is given twice. Every command but lab, bind and completion takes --json.
// Progress goes to standard error, and only where that is a terminal.
//
// Exit codes: 0 done; 1 refused or failed: a target cannot be met, a budget has too little left, a file keeps a release
// of another plan, the output could not be written; 2 wrong usage; 3 bad input (a file, a schema, a parameter outside
// its domain); 4 a verification or a claim that was audited failed; 70 a fault of the program. Under --json an error is
// one line of JSON on standard error.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// command is one of the program's.
type command struct {
	name, arguments, does string
	run                   func(args []string, out, errs io.Writer) error
	examples              []string // whole command lines
}

// commands lists them, in the order in which one uses them. It is a function since completion and help, which are among
// them, read it.
func commands() []command {
	return []command{
		{"plan", "", "calibrate and certify a release without data: noise, expected error, certificate", planCommand,
			planExamples},
		{"advise", "", "compare the mechanisms before anything is spent, over ε or over n, without data", adviseCommand,
			adviseExamples},
		{"budget", "FILE", "open a budget for a data set, or show what is spent and left", budgetCommand, budgetExamples},
		{"release", "", "draw a private release of a table once, keep it in a file, charge the budget", releaseCommand,
			releaseExamples},
		{"learn", "", "learn the structure of a table without a graph, and release a network of it", learnCommand,
			learnExamples},
		{"show", "RELEASE", "show a release, as release does", showCommand, showExamples},
		{"intervals", "RELEASE", "list intervals that account for the noise, or answer questions", intervalsCommand,
			intervalsExamples},
		{"verify", "FILE", "derive every check of a release file again", verifyCommand, verifyExamples},
		{"entry", "FILE", "draft the record of a release for a public registry of deployments", entryCommand, entryExamples},
		{"prove", "PLAN", "write a plan's numbers as files that a proof assistant checks", proveCommand, proveExamples},
		{"audit", "PROGRAM", "find out what a mechanism of any language spends, as a program that is spoken with",
			auditCommand, auditExamples},
		{"report", "RELEASE", "write the page for a data-protection officer; or score a release (private)", reportCommand,
			reportExamples},
		{"predict", "RELEASE", "predict the rows of a table by a release", predictCommand, predictExamples},
		{"synthesize", "RELEASE", "draw synthetic records from a release", synthesizeCommand, synthesizeExamples},
		{"schema", "FILE", "write a schema to fill in, from the header line of a table", schemaCommand, schemaExamples},
		{"check", "", "list every value of a table that does not fit its schema (private)", checkCommand, checkExamples},
		{"data", "list|fetch NAME", "list data sets, copy an embedded one out with its schema, or download a public original",
			dataCommand, dataExamples},
		{"lab", "FOLDER", "open a folder in Jupyter, with a kernel that finds the library there", labCommand,
			[]string{"privbayes lab", "privbayes lab ../mine --no-browser"}},
		{"bind", "", "give a notebook the library; for its first cell: !*privbayes bind", bindCommand,
			[]string{"!*privbayes bind"}},
		{"completion", "bash|zsh|fish", "print a script by which a shell completes commands, flags and values",
			completionCommand, completionExamples},
		{"flags", "", "list commands, arguments, flags and examples, for programs that call this one", flagsCommand,
			[]string{"privbayes flags", "privbayes flags --json"}},
		{"version", "", "name the version, and the formats that this program reads", versionCommand,
			[]string{"privbayes version --json"}},
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
Run "privbayes COMMAND --help" for its flags and examples. Every command but lab, bind and completion takes --json;
then an error is one line of JSON on standard error.
Exit codes: 0 done, 1 refused or failed (a target cannot be met, a budget has too little left, a file keeps a
release of another plan), 2 wrong usage, 3 bad input (a file, a schema, a parameter), 4 a verification, or a claim
that was audited, failed, 70 a fault of the program.
`)
	return b.String()
}

// dispatch runs the command that is named.
func dispatch(args []string, out, errs *output) error {
	if len(args) == 0 {
		return errNoCommand
	}
	switch args[0] {
	case "--version", "-version":
		args = []string{"version"}
	case "help", "-h", "--help":
		if len(args) < 2 {
			_, err := fmt.Fprint(out, usage())
			return err
		}
		args = []string{args[1], "--help"} // "help plan" is "plan --help"
	}
	if args[0] == "claims" || args[0] == "study" {
		return wrongUsage("%[1]s is a command of the program for readers of the papers: go install "+
			"%[2]s/papers/cmd/privbayes-papers@latest, then privbayes-papers %[1]s", args[0], jupyter.Module)
	}
	c, ok := named(args[0])
	if !ok {
		var names []string
		for _, c := range commands() {
			names = append(names, c.name)
		}
		return wrongUsage("unknown command %q; want %s%s", args[0], strings.Join(names, ", "), meant(args[0], names))
	}
	err := c.run(args[1:], out, errs)
	var help *helpError
	if errors.As(err, &help) {
		help.write(out, c)
		return nil
	}
	return err
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
