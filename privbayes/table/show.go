package table

import (
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Shown is a value that people may look at: it gives a table, and [Text], [HTML] and [Markdown] do the rest, in
// notebooks, too. They look for more methods:
//
//	Parts() []*Table         further tables, shown below the first, such as the numbers of a release
//	Warnings() warning.List   what is dangerous about it, shown below the table
//	Err() error               the first error of a chain, shown in place of both; Table is then not called
type Shown interface{ Table() *Table }

// Text is what v shows on a terminal.
func Text(v Shown) string {
	if err := failed(v); err != nil {
		return err.Error() + "\n"
	}
	out := v.Table().String()
	for _, t := range parts(v) {
		out += "\n" + t.String()
	}
	return out + warnings(v).String()
}

// HTML is what v shows on a page. All text is escaped.
func HTML(v Shown) string {
	if err := failed(v); err != nil {
		return "<p><b>Error:</b> " + safetext.HTML(err.Error()) + "</p>"
	}
	out := v.Table().HTML()
	for _, t := range parts(v) {
		out += t.HTML()
	}
	return out + warnings(v).HTML()
}

// Markdown is what v shows in a document.
func Markdown(v Shown) string {
	if err := failed(v); err != nil {
		return "**Error:** " + safetext.Markdown(err.Error()) + "\n"
	}
	out := v.Table().Markdown()
	for _, t := range parts(v) {
		out += "\n" + t.Markdown()
	}
	return out + warnings(v).Markdown()
}

func failed(v Shown) error {
	if c, ok := v.(interface{ Err() error }); ok {
		return c.Err()
	}
	return nil
}

func parts(v Shown) []*Table {
	if p, ok := v.(interface{ Parts() []*Table }); ok {
		return p.Parts()
	}
	return nil
}

func warnings(v Shown) warning.List {
	if w, ok := v.(interface{ Warnings() warning.List }); ok {
		return w.Warnings()
	}
	return nil
}
