package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// newFlags are the flags of a command with a result: plainFlags and --json.
func newFlags(name, synopsis string) (*flag.FlagSet, *bool) {
	f := plainFlags(name, synopsis)
	return f, f.Bool("json", false, "write JSON")
}

// plainFlags is an empty flag set of a command. synopsis is the rest of the usage line, and what there is to say below
// it.
func plainFlags(name, synopsis string) *flag.FlagSet {
	f := flag.NewFlagSet("privbayes "+name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // parse says what is wrong
	f.Usage = func() { fmt.Fprintf(f.Output(), "usage: privbayes %s\n", synopsis) }
	return f
}

// helpError says that help was asked for. It knows the flags, for help and for completion.
type helpError struct{ flags *flag.FlagSet }

func (e *helpError) Error() string { return flag.ErrHelp.Error() }

// write shows usage, flags and examples of a command.
func (e *helpError) write(out io.Writer, c command) {
	e.flags.SetOutput(out)
	e.flags.Usage()
	fmt.Fprint(out, "\nflags:\n")
	e.flags.VisitAll(func(f *flag.Flag) {
		kind, text := flag.UnquoteUsage(f)
		if kind != "" {
			kind = " " + strings.ToUpper(kind)
		}
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(out, "  --%s%s\n        %s\n", f.Name, kind, text)
	})
	fmt.Fprint(out, "\nexamples:\n")
	for _, line := range c.examples {
		fmt.Fprintln(out, "  "+strings.ReplaceAll(line, "\n", "\n    "))
	}
}

// parse reads flags and up to most arguments, which may stand before or after the flags.
func parse(f *flag.FlagSet, args []string, most int) ([]string, error) {
	var rest []string
	words := f.Usage
	f.Usage = func() {} // an error is one line, not the whole help
	defer func() { f.Usage = words }()
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, &helpError{f}
			}
			return nil, &usageError{spelled(f, err)}
		}
		if f.NArg() == 0 {
			break
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
	if i := slices.Index(rest, "-"); i >= 0 && i < most {
		return nil, &usageError{fmt.Sprintf("%s -: want the name of a file, which \"-\" is not", commandOf(f))}
	}
	if len(rest) > most {
		return nil, &usageError{fmt.Sprintf("%s: unexpected argument %q", commandOf(f), rest[most])}
	}
	return rest, noDash(f)
}

// noDash refuses "-" as a file to write: it would be a file of that name, not standard output.
func noDash(f *flag.FlagSet) (err error) {
	f.Visit(func(g *flag.Flag) {
		if (g.Name == "out" || g.Name == "figure") && g.Value.String() == "-" {
			err = &usageError{fmt.Sprintf("%s: --%s -; want the name of a file, which \"-\" is not", commandOf(f), g.Name)}
		}
	})
	return err
}

// spelled is an error of package flag in the spelling of this program, with the flag that was probably meant.
func spelled(f *flag.FlagSet, err error) string {
	const unknown = "flag provided but not defined: -"
	text := err.Error()
	name, ok := strings.CutPrefix(text, unknown)
	if !ok {
		return strings.NewReplacer("for flag -", "for flag --", "argument: -", "argument: --").Replace(text)
	}
	var names []string
	f.VisitAll(func(g *flag.Flag) { names = append(names, g.Name) })
	near := meant(name, names)
	if near == "" {
		near = fmt.Sprintf("; privbayes %s --help lists them", commandOf(f))
	}
	return fmt.Sprintf("%s: no flag --%s%s", commandOf(f), name,
		strings.Replace(near, "did you mean ", "did you mean --", 1))
}

// commandOf is the name of the command whose flags these are.
func commandOf(f *flag.FlagSet) string { return strings.TrimPrefix(f.Name(), "privbayes ") }

// given are the flags that were set on the command line.
func given(f *flag.FlagSet) map[string]bool {
	set := map[string]bool{}
	f.Visit(func(g *flag.Flag) { set[g.Name] = true })
	return set
}
