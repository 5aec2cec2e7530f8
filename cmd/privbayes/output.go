package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/question"
	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/terminal"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// output is a stream of the program. The first error of writing to it sticks and ends the writing: commands need not
// look at every write, and run says that what was to be read did not arrive.
type output struct {
	to  io.Writer
	err error
}

// Write writes, unless an earlier write failed.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.err = err
	return n, err
}

// Terminal reports whether the stream is a terminal.
func (o *output) Terminal() bool { return onTerminal(o.to) }

// stream is where a program that is started writes: not through this one.
func stream(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.to
	}
	return w
}

// run is the program without the process around it. A command whose output was not written has failed, whatever else it
// did.
func run(args []string, out, errs io.Writer) int {
	o, e := &output{to: out}, &output{to: errs}
	err := guarded(func() error { return dispatch(args, o, e) })
	if o.err != nil && (err == nil || errors.Is(err, o.err)) {
		err = &unwrittenError{o.err}
	}
	if err == nil {
		if e.err != nil {
			return exitInput
		}
		return exitDone
	}
	switch {
	case errors.Is(err, errNoCommand):
		fmt.Fprint(e, usage())
	case errors.Is(err, errUnverified), errors.Is(err, errUnfit):
	case asksJSON(args):
		line := json.NewEncoder(e)
		line.SetEscapeHTML(false)
		_ = line.Encode(map[string]*fault{"error": faultOf(err)}) // e keeps the error
	default:
		for i, line := range strings.Split(textOf(err), "\n") {
			if i == 0 {
				line = "privbayes: " + line
			}
			_ = tell(e, table.Escape(line)+"\n") // e keeps the error
		}
	}
	return code(err)
}

// unwrittenError is an output that did not arrive.
type unwrittenError struct{ err error }

func (e *unwrittenError) Error() string {
	return fmt.Sprintf("writing the output: %v; the command did everything else", e.err)
}

// onTerminal reports whether what is written to w is seen by a person at once: progress goes nowhere else, so that the
// standard error of a script or a job holds errors only.
func onTerminal(w io.Writer) bool {
	if t, ok := w.(interface{ Terminal() bool }); ok {
		return t.Terminal()
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// interruptible is a context that an interrupt ends, under which long work shows its progress: on a terminal, or as
// --progress says. end is to be called when the work is done.
func (f *flagSet) interruptible(errs io.Writer, what string) (ctx context.Context, end func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	line := &progressLine{out: errs, what: what, start: time.Now(), asJSON: f.progress != ""}
	return cert.WithProgress(ctx, line.report), func() {
		line.end()
		stop()
	}
}

// progressLine is one line about work under way, from its first second on; as JSON, a line now and then, at most twenty
// in a second.
type progressLine struct {
	out    io.Writer
	what   string
	start  time.Time
	shown  bool
	asJSON bool
	last   time.Time
}

func (l *progressLine) report(done, total int64) {
	switch {
	case total <= 0:
	case l.asJSON && time.Since(l.last) >= 50*time.Millisecond:
		l.last = time.Now()
		fmt.Fprintf(l.out, "{\"progress\":%.4f,\"text\":%q}\n", float64(done)/float64(total), l.what)
	case !l.asJSON && time.Since(l.start) > time.Second && onTerminal(l.out):
		fmt.Fprintf(l.out, "\r%3.0f %% %s, %v", 100*float64(done)/float64(total), l.what,
			time.Since(l.start).Round(time.Second))
		l.shown = true
	}
}

// end leaves the line.
func (l *progressLine) end() {
	if l.shown {
		fmt.Fprintln(l.out)
	}
}

// display writes what v shows, in the words of the command line and as wide as the terminal. It may hold names of the
// data, so whole sentences of the library are replaced and nothing else.
func display(out io.Writer, v table.Shown) error { return displayIn(out, v, shownWords.Replace) }

// displayIn is display with other words.
func displayIn(out io.Writer, v table.Shown, words func(string) string) error {
	text := terminal.Text(v, terminal.Columns(stream(out)), words)
	if w, ok := v.(interface{ Warnings() warning.List }); ok {
		text += words(worded(w.Warnings()).String())
	}
	return tell(out, text)
}

// tell writes what a person reads: on a terminal its sentences are as wide as that.
func tell(out io.Writer, text string) error {
	if onTerminal(out) {
		text = terminal.Wrapped(text, terminal.Columns(stream(out)))
	}
	_, err := io.WriteString(out, text)
	return err
}

// wrote names the files that were written, after what was told.
func wrote(out io.Writer, err error, files ...string) error {
	for _, path := range files {
		if path != "" && err == nil {
			_, err = fmt.Fprintf(out, "Wrote %s.\n", safetext.File(path))
		}
	}
	return err
}

// The exit codes.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitInput      = 3
	exitUnverified = 4
	exitInternal   = 70
)

// exits are the exit codes with their names in JSON, and what help and documents say about them.
var exits = []struct {
	code        int
	kind, means string
}{
	{exitDone, "", "done"},
	{exitFailed, "refused", "refused: a target cannot be met, a budget has too little left, a file holds a release of " +
		"another plan"},
	{exitUsage, "usage", "wrong usage: a command, a flag, its value, or flags that do not go together"},
	{exitInput, "input", "bad input or output: a file, a schema or a table that cannot be read or does not fit, an " +
		"output that cannot be written"},
	{exitUnverified, "unverified", "a verification failed, or a claim that was audited"},
	{exitInternal, "internal", "a fault of the program; values are not shown"},
}

// kindOf is the name of an exit code in JSON.
func kindOf(code int) string {
	for _, e := range exits {
		if e.code == code {
			return e.kind
		}
	}
	return ""
}

// usageError is a wrong command line, with the library's error that says so, if there is one. Where one flag is wrong
// it has the flag, the value and what is wanted in its place.
type usageError struct {
	text              string
	err               error
	flag, value, want string
}

func wrongUsage(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...)}
}

// wrongFlag is a flag with a wrong value, or with none where value is nil; want is a format.
func wrongFlag(flag string, value any, want string, args ...any) error {
	e := &usageError{text: "--" + flag, flag: "--" + flag, want: fmt.Sprintf(want, args...)}
	if value == nil {
		e.text += ": want " + e.want
		return e
	}
	e.value = fmt.Sprint(value)
	e.text += " " + safetext.Clip(e.value, 200) + "; want " + e.want
	if e.value == "" {
		e.text = "--" + flag + " is empty; want " + e.want
	}
	return e
}

// inFlag is an error of the library about a parameter that a flag was given for: the flag is named.
func (f *flagSet) inFlag(err error) error {
	var p *dp.ParameterError
	if !errors.As(err, &p) || f.Lookup(p.Parameter) == nil {
		return err
	}
	wrong := wrongFlag(p.Parameter, f.Lookup(p.Parameter).Value, "%s", p.Want).(*usageError)
	wrong.err = err
	return wrong
}

func (e *usageError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *usageError) Unwrap() error { return e.err }

// Errors of commands whose output says what is wrong.
var (
	errUnverified = errors.New("verification failed")
	errUnfit      = errors.New("the table does not fit its schema")
	errNoCommand  = wrongUsage("no command")
)

// panicError is a fault of the program. What it panicked with may hold values of a table and is not shown, nor is the
// stack, unless PRIVBAYES_DEBUG asks for them.
type panicError struct{ stack string }

func (e *panicError) Error() string {
	return "the program has a fault and stopped; PRIVBAYES_DEBUG=1 shows where, and may show values of the table" + e.stack
}

// guarded runs f. A panic becomes an error.
func guarded(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			e := &panicError{}
			if os.Getenv("PRIVBAYES_DEBUG") == "1" {
				e.stack = fmt.Sprintf("\n%v\n%s", x, debug.Stack())
			}
			err = e
		}
	}()
	return f()
}

// asksJSON reports whether a command line asks for JSON, also one that cannot be read to its end.
func asksJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(a string) bool {
		a = strings.TrimPrefix(a, "-")
		return a == "-json" || a == "json" || a == "-json=true" || a == "json=true"
	})
}

// code is the exit code of an error.
func code(err error) int {
	switch {
	case has[*panicError](err):
		return exitInternal
	case has[*unverifiedError](err), errors.Is(err, errUnverified), unmatched(err):
		return exitUnverified
	case has[*keep.Error](err), has[*keep.DraftError](err):
		return exitFailed
	case has[*release.FileError](err):
		return exitInput
	case has[*usageError](err), has[*data.NameError](err), has[*mechanism.UnsupportedError](err):
		return exitUsage
	case has[*mechanism.UnmetTarget](err), has[*unreachableError](err), has[*budget.ExceededError](err),
		has[*budget.OverspentError](err), has[*dp.SlotError](err),
		unprovable(err), nothingFound(err), has[*entry.NotPrivateError](err), has[*entry.UnchargedError](err),
		has[*selection.NoneAcceptedError](err):
		return exitFailed
	}
	return exitInput
}

// fileError is an error of a file that the caller named.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return e.path + ": " + e.err.Error() }

// Unwrap returns the cause.
func (e *fileError) Unwrap() error { return e.err }

// has reports whether an error is or wraps one of a type.
func has[E error](err error) bool { return errors.As(err, new(E)) }

// fault is an error for programs. Value is of what the caller gave: a flag, or a file.
type fault struct {
	Kind   string         `json:"kind"`
	Text   string         `json:"text"`
	Step   string         `json:"step,omitempty"`
	Flag   string         `json:"flag,omitempty"`
	File   string         `json:"file,omitempty"`
	Line   int            `json:"line,omitempty"`
	Column string         `json:"column,omitempty"`
	Value  string         `json:"value,omitempty"`
	Want   string         `json:"want,omitempty"`
	Left   string         `json:"left,omitempty"`
	Limit  *dp.Parameters `json:"limit,omitempty"`
}

// packages are the names of Go that errors of the library begin with: of its packages and of its functions.
var packages = regexp.MustCompile(`^(privbayes|dp|mechanism|model|budget|cert|release|noiseaware|` +
	`sensitivity|question|selection|totals|discovery|partition|Discover|FindRange|CountOpen|CountNumbers|` +
	`RunningTotals|NextTotals|Accept|synthetic|` +
	`LoadFrame|LoadShards|LoadTables|CheckTables|ReadFrame|WrapFrame|From|Model|` +
	`Present|Split|Holdout|WithoutN|WithBudget|Privatize|OpenBudget): `)

// textOf is what an error says, in the words of the command line.
func textOf(err error) string {
	text := err.Error()
	if u, ok := err.(*usageError); ok && u.err == nil { // its words are the program's own
		return text
	}
	for packages.MatchString(text) {
		text = packages.ReplaceAllString(text, "")
	}
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	return spoken(text)
}

func faultOf(err error) *fault {
	f := &fault{Kind: kindOf(code(err)), Text: textOf(err)}
	f.add(err)
	f.Want = spoken(f.Want)
	return f
}

// add takes what an error and its causes say; of two, what the outer one says.
func (f *fault) add(err error) {
	f.fill(fileFault(err))
	switch e := err.(type) {
	case *usageError:
		f.fill(fault{Flag: e.flag, Value: e.value, Want: e.want})
	case *privbayes.StepError:
		f.fill(fault{Step: strings.TrimPrefix(e.Step, "WrapFrame")}) // the program's own
	case *frame.ValueError:
		g := fault{File: e.File, Line: e.Line, Column: e.Column, Want: e.Want}
		if e.File != "" {
			g.Value = e.Value
		}
		f.fill(g)
	case *frame.OutOfDomainError:
		f.fill(fault{File: e.Source, Column: e.Column, Want: e.Want})
	case *frame.ColumnError:
		f.fill(fault{Column: e.Column, Want: e.Want})
	case *frame.SchemaError:
		f.fill(fault{Step: "schema", Column: e.Column, Value: e.Value, Want: e.Want}) // and not the table
	case *frame.FileError:
		f.fill(fault{File: e.File, Want: e.Want})
	case *model.Error:
		f.fill(fault{Column: e.Column, Value: fmt.Sprint(e.Value), Want: e.Want})
	case *model.MismatchError:
		f.fill(fault{Column: e.Column, Want: e.Want})
	case *dp.ParameterError:
		f.fill(fault{Value: fmt.Sprint(e.Value), Want: e.Want})
	case *data.NameError:
		f.fill(fault{Value: e.Name, Want: "one of " + strings.Join(e.Have, ", ")})
	case *mechanism.UnsupportedError:
		f.fill(fault{Want: e.Use})
	case *mechanism.UnmetTarget:
		f.fill(fault{Want: e.Reachable})
	case *mechanism.RowsError:
		f.fill(fault{Want: e.Want})
	case *budget.ExceededError:
		f.fill(fault{Left: e.Left.String(), Limit: &e.Limit})
	case *budget.OverspentError:
		f.fill(fault{Limit: &e.Limit})
	case *budget.LedgerError:
		f.fill(fault{File: e.Path, Line: e.Line, Want: e.Want})
	case *release.FileError:
		f.fill(fault{File: e.Path, Want: e.Want})
	case *entry.FileError:
		f.fill(fault{Line: e.Line, Want: e.Want})
	case *keep.Error:
		f.fill(fault{File: e.Path, Value: e.Have, Want: e.Want})
	case *keep.DraftError:
		f.fill(fault{File: e.Path, Want: e.Want})
	case *question.Error:
		f.fill(fault{Column: e.Column, Value: e.Found, Want: e.Want})
	case *noiseaware.UnsupportedError:
		f.fill(fault{Want: e.Want})
	case *export.UnsupportedError:
		f.fill(fault{Want: e.Want})
	case *cert.LimitError:
		f.fill(fault{Value: fmt.Sprint(e.Figure, " ", e.Unit), Want: fmt.Sprint("at most ", e.Limit, " ", e.Unit)})
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		if cause := u.Unwrap(); cause != nil {
			f.add(cause)
		}
	case interface{ Unwrap() []error }:
		for _, cause := range u.Unwrap() {
			f.add(cause)
		}
	}
}

// fill takes the fields of g that are not there yet.
func (f *fault) fill(g fault) {
	for _, p := range []struct {
		to   *string
		text string
	}{{&f.Step, g.Step}, {&f.Flag, g.Flag}, {&f.File, g.File}, {&f.Column, g.Column}, {&f.Value, g.Value},
		{&f.Want, g.Want}, {&f.Left, g.Left}} {
		if *p.to == "" {
			*p.to = p.text
		}
	}
	if f.Line == 0 {
		f.Line = g.Line
	}
	if f.Limit == nil {
		f.Limit = g.Limit
	}
}
