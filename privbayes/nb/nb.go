// Package nb shows values in a GoNB notebook: figures, tables, text, warnings and
// progress. Outside a notebook the same calls print plain text, so that a program
// behaves the same in both places.
//
// A value is shown by what it can do:
//
//	Table() *table.Table    a table, with the value's warnings or the error of its chain: see [table.Shown]
//	*figure.Figure          a picture, with its table twin as text
//	Graph() *figure.Graph   a picture of a network
//	PNG() ([]byte, error)   a picture made by the value
//	HTML() string           a page made by the value
//	String() string         text; goes along with the others as their plain form
//
// A cell should use this package or fmt, not both: standard output and displays
// reach the notebook by different pipes and arrive in any order. [Printf] goes
// through the display pipe and keeps its place.
package nb

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// screen is where output goes; tests put their own in place of std.
type screen struct {
	notebook bool                        // whether a GoNB kernel started the program
	send     func(*protocol.DisplayData) // notebook: one bundle
	sync     func()                      // notebook: wait until everything sent has arrived
	out, err io.Writer                   // outside: text, and warnings and progress
	terminal bool                        // outside: whether err is a terminal
	now      func() time.Time            // clock of the progress bar
}

var std = &screen{
	notebook: gonbui.IsNotebook,
	send:     gonbui.SendData,
	sync:     syncKernel,
	out:      writer(func() io.Writer { return os.Stdout }),
	err:      writer(func() io.Writer { return os.Stderr }),
	terminal: isTerminal(os.Stderr),
	now:      time.Now,
}

// Show shows each value in its richest form: PNG, else HTML, else text, always
// with a plain-text form beside it for text readers and version control.
//
// An error is shown by its message, so that Show(f()) works for an f that returns
// a value and an error; a nil value then shows nothing. A value without any of
// these methods is shown only when it is made of numbers, booleans and
// strings: anything else could hold private data, and only its type is named.
//
// Show returns when the notebook has taken the output: a cell that ends right
// after a display would now and then lose it. It never panics; what goes wrong
// while drawing is shown in place of the value.
func Show(values ...any) { std.show(values) }

// Printf formats as fmt.Printf does and shows the text in its place among the
// displays of the cell.
func Printf(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !std.notebook {
		_, _ = io.WriteString(std.out, s)
		return
	}
	std.display(bundle{protocol.MIMETextPlain: strings.TrimSuffix(s, "\n")})
}

// Markdown shows s as Markdown with formulas; outside a notebook as it is.
func Markdown(s string) {
	if !std.notebook {
		_, _ = fmt.Fprintln(std.out, s)
		return
	}
	std.display(bundle{protocol.MIMETextMarkdown: s, protocol.MIMETextPlain: s})
}

// Warn shows a warning; outside a notebook on standard error. In a notebook it
// does not use standard error, which marks a cell as failed.
func Warn(s string) {
	if !std.notebook {
		_, _ = fmt.Fprintln(std.err, "warning: "+s)
		return
	}
	list := warning.List{{Text: s}}
	std.display(bundle{
		protocol.MIMETextHTML:  list.HTML(),
		protocol.MIMETextPlain: strings.TrimSuffix(list.String(), "\n"),
	})
}

func (s *screen) show(values []any) {
	failed := false
	for _, v := range values {
		if _, ok := v.(error); ok {
			failed = true
		}
	}
	for _, v := range values {
		if v == nil || failed && isNil(v) {
			continue
		}
		b := render(v)
		if !s.notebook {
			_, _ = fmt.Fprintln(s.out, strings.TrimSuffix(b[protocol.MIMETextPlain].(string), "\n"))
			continue
		}
		s.send(&protocol.DisplayData{Data: b})
	}
	if s.notebook {
		s.sync()
	}
}

// display sends one bundle to the notebook and waits for it to arrive.
func (s *screen) display(b bundle) {
	s.send(&protocol.DisplayData{Data: b})
	s.sync()
}

// syncKernel waits for the kernel, but not for ever: when the pipes to it break,
// the answer never comes.
func syncKernel() {
	done := make(chan struct{})
	go func() { gonbui.Sync(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
	}
}

// writer looks its target up at every write: os.Stdout may be replaced.
type writer func() io.Writer

func (w writer) Write(p []byte) (int, error) { return w().Write(p) }

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
