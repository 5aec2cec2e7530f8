// Command privbayes plans releases without data, verifies release files, lists, copies out and downloads data sets, and
// opens folders of notebooks.
//
//	privbayes plan   --data votes --model naive-bayes --target Class --epsilon 1
//	privbayes plan   --levels 5 --n 1000 --solve epsilon --error 0.01
//	privbayes plan   --network asia --n 5000 --mechanism fourier --epsilon 1
//	privbayes verify FILE
//	privbayes data   list | fetch NAME [--to DIR]
//	privbayes claims [--only sampling/] [--markdown]
//	privbayes study  dirichlet [--bins public|quantile] [--out FILE] [--resume]
//	privbayes lab    [FOLDER]
//	privbayes bind
//
// Every command but lab and bind takes --json. Exit codes: 0 done; 1 a verification failed or a target cannot be met; 2 wrong usage; 3
// bad input (a file, a schema, a parameter outside its domain).
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitInput  = 3
)

// usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// errFailed ends the program with exitFailed after its output was written.
var errFailed = errors.New("verification failed")

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const usage = `usage: privbayes COMMAND [flags]

commands:
  plan     calibrate and certify a release without data: noise, expected error, certificate
  verify   derive every check of a release file again
  data     list data sets, copy an embedded one out with its schema, or download a public original
  claims   execute every statement of the papers behind the library and show the verdicts
  study    repeat the experiments of a paper, with progress; an interrupted run can go on
  lab      open a folder in Jupyter, with a kernel that finds the library there
  bind     give a notebook the library; for its first cell: !*privbayes bind

Run "privbayes COMMAND --help" for the flags. Every command but lab and bind takes --json.
Exit codes: 0 done, 1 a verification failed or a target cannot be met, 2 wrong usage, 3 bad input.
`

// run is the program without the process around it.
func run(args []string, out, errs io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(errs, usage)
		return exitUsage
	}
	commands := map[string]func([]string, io.Writer, io.Writer) error{"plan": planCommand, "verify": verifyCommand,
		"data": dataCommand, "claims": claimsCommand, "study": studyCommand, "lab": labCommand, "bind": bindCommand}
	switch args[0] {
	case "help", "-h", "--help":
		if len(args) < 2 || commands[args[1]] == nil {
			fmt.Fprint(out, usage)
			return exitDone
		}
		args = []string{args[1], "--help"} // "help plan" is "plan --help"
	}
	c, ok := commands[args[0]]
	if !ok {
		fmt.Fprintf(errs, "privbayes: unknown command %q; want plan, verify, data, claims, study, lab or bind\n", args[0])
		return exitUsage
	}
	err := c(args[1:], out, errs)
	var use *usageError
	var unmet *mechanism.UnmetTarget
	var unreachable *unreachableError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case errors.Is(err, errFailed):
		return exitFailed
	}
	for i, line := range strings.Split(err.Error(), "\n") {
		if i == 0 {
			line = "privbayes: " + line
		}
		fmt.Fprintln(errs, table.Escape(line))
	}
	switch {
	case errors.As(err, &use):
		return exitUsage
	case errors.As(err, &unmet), errors.As(err, &unreachable):
		return exitFailed
	}
	return exitInput
}

// newFlags is a flag set that reports to errs and turns its errors into usage errors, with the flag --json.
func newFlags(name, synopsis string, errs io.Writer) (*flag.FlagSet, *bool) {
	f := plainFlags(name, synopsis, errs)
	return f, f.Bool("json", false, "write JSON")
}

// plainFlags is newFlags for a command that has no result to write.
func plainFlags(name, synopsis string, errs io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("privbayes "+name, flag.ContinueOnError)
	f.SetOutput(errs)
	f.Usage = func() {
		fmt.Fprintf(errs, "usage: privbayes %s\n\nflags:\n", synopsis)
		f.PrintDefaults()
	}
	return f
}

// parse reads flags and up to most arguments, which may stand before or after the flags.
func parse(f *flag.FlagSet, args []string, most int) ([]string, error) {
	var rest []string
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, &usageError{err.Error()}
		}
		if f.NArg() == 0 {
			break
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
	if len(rest) > most {
		return nil, &usageError{fmt.Sprintf("%s: unexpected argument %q", f.Name(), rest[most])}
	}
	return rest, nil
}

func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}
