package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
func (o *output) Terminal() bool { return terminal(o.to) }

// lost reports whether an error is that of writing to the stream.
func (o *output) lost(err error) bool { return o.err != nil && errors.Is(err, o.err) }

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
	code := dispatch(args, o, e)
	if o.err != nil {
		fmt.Fprintf(e, "privbayes: writing the output: %v; what the command does besides is done\n", o.err)
	}
	if code == exitDone && (o.err != nil || e.err != nil) {
		return exitFailed
	}
	return code
}

// terminal reports whether what is written to w is seen by a person at once: progress goes nowhere else, so that the
// standard error of a script or a job holds errors only.
func terminal(w io.Writer) bool {
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

// interruptible is a context that an interrupt ends, under which long work shows its progress on a terminal. end is to
// be called when the work is done.
func interruptible(errs io.Writer, what string) (ctx context.Context, end func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	line := &progressLine{out: errs, what: what, start: time.Now()}
	return cert.WithProgress(ctx, line.report), func() {
		line.end()
		stop()
	}
}

// progressLine is one line about work under way, from its first second on.
type progressLine struct {
	out   io.Writer
	what  string
	start time.Time
	shown bool
}

func (l *progressLine) report(done, total int64) {
	if time.Since(l.start) > time.Second && total > 0 && terminal(l.out) {
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

const completionSynopsis = `completion bash|zsh|fish

Prints a script that completes commands, flags and the values of flags. It asks the program itself, so that it stays
true when the program changes. Where nothing is known the shell completes files.`

var completionExamples = []string{
	`eval "$(privbayes completion bash)"        # in ~/.bashrc`,
	`eval "$(privbayes completion zsh)"         # in ~/.zshrc, after compinit`,
	"privbayes completion fish | source         # in ~/.config/fish/config.fish",
}

// scripts ask "privbayes completion words" with the words up to the cursor.
var scripts = map[string]string{
	"bash": `_privbayes() {
  local IFS=$'\n'
  COMPREPLY=($(privbayes completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _privbayes privbayes
`,
	"zsh": `_privbayes() {
  local -a found
  found=(${(f)"$(privbayes completion words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _privbayes privbayes
`,
	"fish": `function __privbayes_words
  set -l before (commandline -opc)
  set -e before[1]
  set -l current (commandline -ct)
  privbayes completion words $before "$current" 2>/dev/null
end
complete -c privbayes -a '(__privbayes_words)'
`,
}

func completionCommand(args []string, out, errs io.Writer) error {
	if len(args) > 0 && args[0] == "words" {
		for _, w := range completions(args[1:]) {
			fmt.Fprintln(out, w)
		}
		return nil
	}
	f := plainFlags("completion", completionSynopsis)
	rest, err := parse(f, args, 1)
	if err != nil {
		return err
	}
	if len(rest) == 0 || scripts[rest[0]] == "" {
		return &usageError{"completion: want bash, zsh or fish"}
	}
	_, err = io.WriteString(out, scripts[rest[0]])
	return err
}

// completions are the ways to go on with a command line: its last word is the one under the cursor, maybe empty.
func completions(line []string) []string {
	if len(line) == 0 {
		line = []string{""}
	}
	last, before := line[len(line)-1], line[:len(line)-1]
	var list []string
	for _, w := range following(before, last) {
		if strings.HasPrefix(w, last) {
			list = append(list, w)
		}
	}
	return list
}

// following are the words that may stand after others. A flag is offered where one is begun.
func following(before []string, last string) []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if len(before) == 0 {
		return append(names, "help")
	}
	c, ok := named(before[0])
	if !ok {
		if before[0] == "help" {
			return names
		}
		return nil
	}
	flags := flagsOf(c)
	if flag := flags[strings.TrimLeft(before[len(before)-1], "-")]; strings.HasPrefix(before[len(before)-1], "-") &&
		flag != nil && !isBool(flag) {
		return values(flag.Name)
	}
	if strings.HasPrefix(last, "-") {
		var list []string
		for name := range flags {
			list = append(list, "--"+name)
		}
		slices.Sort(list)
		return append(list, "--help")
	}
	return arguments(before)
}

// flagsOf asks a command for its flags.
func flagsOf(c command) map[string]*flag.Flag {
	out := map[string]*flag.Flag{}
	var help *helpError
	if errors.As(c.run([]string{"--help"}, io.Discard, io.Discard), &help) {
		help.flags.VisitAll(func(f *flag.Flag) { out[f.Name] = f })
	}
	return out
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// values are those of a flag, where there is a list of them.
func values(flag string) []string {
	switch flag {
	case "mechanism":
		return catalog.Flags()
	case "model":
		return slices.DeleteFunc(model.Kinds(), func(k string) bool { return k == "network" }) // has --network
	case "adjacency":
		return []string{"replace-one", "add-remove", "replace-value"}
	case "data":
		return data.Names()
	case "encoding":
		return encodings
	case "network":
		return data.NetworkNames()
	case "solve":
		return []string{"epsilon", "n"}
	}
	return nil
}

// arguments are the words of a command that are no flags.
func arguments(before []string) []string {
	switch strings.Join(before, " ") {
	case "data":
		return []string{"list", "fetch"}
	case "data fetch":
		return append(data.Names(), data.StudyNames()...)
	case "completion":
		return []string{"bash", "zsh", "fish"}
	}
	return nil
}
