// Command privbayes-papers is for readers of the papers behind the library: it executes their statements, and repeats
// their experiments.
//
//	privbayes-papers claims [--only sampling/] [--markdown | --json]
//	privbayes-papers study  dirichlet [--bins public|decile|quantile] [--out FILE] [--resume] [--json]
//
// Exit codes: 0 done; 1 the output could not be written; 2 wrong usage; 3 bad input (a parameter outside its domain, a
// file, a data set that is not there), or stopped; 4 execution disagrees with a verdict.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// The exit codes.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitInput      = 3
	exitUnverified = 4
)

// usage is what the program says about itself.
const usage = `usage: privbayes-papers COMMAND [flags]

commands:
  claims      execute every statement of the papers behind the library and show the verdicts
  study       repeat the experiments of a paper, with progress; an interrupted run can go on

Run "privbayes-papers COMMAND --help" for its flags. Both take --json.
Exit codes: 0 done, 1 the output could not be written, 2 wrong usage, 3 bad input, or stopped, 4 execution disagrees
with a verdict.
`

// usageError is a wrong command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// errUnverified ends the program with exitUnverified after its output was written.
var errUnverified = errors.New("verification failed")

func main() {
	progress := io.Discard // so that the standard error of a script or a job holds errors only
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
		progress = os.Stderr
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, progress))
}

// output is the stream of results. Its first error sticks.
type output struct {
	to  io.Writer
	err error
}

// Write writes, unless an earlier write failed.
func (o *output) Write(b []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.to.Write(b)
	}
	return n, o.err
}

// run is the program without the process around it.
func run(args []string, out, errs, progress io.Writer) int {
	o := &output{to: out}
	err := dispatch(args, o, progress)
	var use *usageError
	switch {
	case o.err != nil:
		fmt.Fprintf(errs, "privbayes-papers: writing the output: %v\n", o.err)
		return exitFailed
	case err == nil:
		return exitDone
	case errors.Is(err, errUnverified):
		return exitUnverified
	case errors.As(err, &use):
		fmt.Fprintln(errs, "privbayes-papers:", err)
		return exitUsage
	}
	fmt.Fprintln(errs, "privbayes-papers:", err)
	return exitInput
}

// dispatch runs the command that is named.
func dispatch(args []string, out, progress io.Writer) error {
	if len(args) > 1 && args[0] == "help" {
		args = []string{args[1], "--help"}
	}
	name := strings.Join(args[:min(len(args), 1)], "")
	var err error
	switch name {
	case "claims":
		err = claimsCommand(args[1:], out)
	case "study":
		err = studyCommand(args[1:], out, progress)
	case "help", "-h", "-help", "--help":
		_, err = io.WriteString(out, usage)
	default:
		err = &usageError{fmt.Sprintf("unknown command %q; want claims or study", name)}
	}
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	return err
}

// newFlags are the flags of a command, of which parse says what is wrong.
func newFlags(synopsis string) (*flag.FlagSet, *bool) {
	f := flag.NewFlagSet(synopsis, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f, f.Bool("json", false, "write JSON")
}

// parse reads flags and words, in any order. Where help is asked for it is written, and flag.ErrHelp returned.
func parse(f *flag.FlagSet, args []string, out io.Writer) (words []string, err error) {
	for {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(out, "usage: privbayes-papers %s\n\nflags:\n", f.Name())
			f.VisitAll(func(g *flag.Flag) { fmt.Fprintf(out, "  --%-9s %s\n", g.Name, g.Usage) })
			return nil, flag.ErrHelp
		} else if err != nil {
			return nil, &usageError{err.Error()}
		}
		if f.NArg() == 0 {
			return words, nil
		}
		words, args = append(words, f.Arg(0)), f.Args()[1:]
	}
}
