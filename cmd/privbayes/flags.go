package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// flagSet is the flags of a command. It knows which of them the way that is taken reads: one that is given and not read
// would be dropped, and is refused.
type flagSet struct {
	*flag.FlagSet
	read map[string]bool
}

// newFlags are the flags of a command with a result: plainFlags and --json.
func newFlags(name, synopsis string) (*flagSet, *bool) {
	f := plainFlags(name, synopsis)
	f.reads("json")
	return f, f.Bool("json", false, "write JSON")
}

// plainFlags is an empty flag set of a command. synopsis is the rest of the usage line, and what there is to say below
// it.
func plainFlags(name, synopsis string) *flagSet {
	f := &flagSet{flag.NewFlagSet("privbayes "+name, flag.ContinueOnError), map[string]bool{}}
	f.SetOutput(io.Discard) // parse says what is wrong
	f.Usage = func() { fmt.Fprintf(f.Output(), "usage: privbayes %s\n", synopsis) }
	return f
}

// given reports whether a flag was set on the command line.
func (f *flagSet) given(name string) bool {
	found := false
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

// reads notes that the way taken reads flags.
func (f *flagSet) reads(names ...string) {
	for _, name := range names {
		f.read[name] = true
	}
}

// unread refuses the first flag that was given and is not read. It is asked before anything is drawn or written.
func (f *flagSet) unread() (err error) {
	f.Visit(func(g *flag.Flag) {
		if err == nil && !f.read[g.Name] {
			_, what := flag.UnquoteUsage(g)
			err = &usageError{fmt.Sprintf("%s: --%s has no effect beside the other flags, and is not ignored; leave it "+
				"out. It is: %s", commandOf(f), g.Name, what)}
		}
	})
	return err
}

// excludes refuses a flag beside any of others.
func (f *flagSet) excludes(name string, others ...string) error {
	for _, other := range others {
		if f.given(name) && f.given(other) {
			return &usageError{fmt.Sprintf("%s: --%s and --%s; want one of them", commandOf(f), name, other)}
		}
	}
	return nil
}

// repeated is the value of a flag that may stand several times.
type repeated func(text string) error

// Set adds a value.
func (r repeated) Set(text string) error { return r(text) }

func (repeated) String() string { return "" }

func (repeated) repeats() {}

// once is the value of a flag that may stand once: of two values one would be dropped.
type once struct {
	flag.Value
	set bool
}

// Set sets the value the first time.
func (o *once) Set(text string) error {
	if o.set {
		return errors.New("it is given twice")
	}
	o.set = true
	return o.Value.Set(text)
}

// IsBoolFlag says whether the flag has no value, as package flag asks.
func (o *once) IsBoolFlag() bool {
	b, ok := o.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// helpError says that help was asked for. It knows the flags, for help and for completion.
type helpError struct{ flags *flagSet }

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
func parse(f *flagSet, args []string, most int) ([]string, error) {
	var rest []string
	words := f.Usage
	f.Usage = func() {} // an error is one line, not the whole help
	defer func() { f.Usage = words }()
	defer f.onlyOnce()()
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

// onlyOnce lets every flag stand once that is not made to be repeated, until undo is called.
func (f *flagSet) onlyOnce() (undo func()) {
	own := map[*flag.Flag]flag.Value{}
	f.VisitAll(func(g *flag.Flag) {
		if _, ok := g.Value.(interface{ repeats() }); !ok {
			own[g], g.Value = g.Value, &once{Value: g.Value}
		}
	})
	return func() {
		for g, v := range own {
			g.Value = v
		}
	}
}

// noDash refuses "-" as a file to write: it would be a file of that name, not standard output.
func noDash(f *flagSet) (err error) {
	f.Visit(func(g *flag.Flag) {
		if (g.Name == "out" || g.Name == "figure") && g.Value.String() == "-" {
			err = &usageError{fmt.Sprintf("%s: --%s -; want the name of a file, which \"-\" is not", commandOf(f), g.Name)}
		}
	})
	return err
}

// spelled is an error of package flag in the spelling of this program, with the flag that was probably meant.
func spelled(f *flagSet, err error) string {
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
func commandOf(f *flagSet) string { return strings.TrimPrefix(f.Name(), "privbayes ") }
