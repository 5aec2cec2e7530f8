package table

import (
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Shown is a value that people may look at: it gives a table, and [Text], [HTML] and [Markdown] do the rest, in
// notebooks, too. They look for two more methods:
//
//	Warnings() warning.List   what is dangerous about it, shown below the table
//	Err() error               the first error of a chain, shown in place of both; Table is then not called
type Shown interface{ Table() *Table }

// Text is what v shows on a terminal.
func Text(v Shown) string {
	if err := failed(v); err != nil {
		return err.Error() + "\n"
	}
	return v.Table().String() + warnings(v).String()
}

// HTML is what v shows on a page. All text is escaped.
func HTML(v Shown) string {
	if err := failed(v); err != nil {
		return "<p><b>Error:</b> " + label.HTML(err.Error()) + "</p>"
	}
	return v.Table().HTML() + warnings(v).HTML()
}

// Markdown is what v shows in a document.
func Markdown(v Shown) string {
	if err := failed(v); err != nil {
		return "**Error:** " + label.Markdown(err.Error()) + "\n"
	}
	return v.Table().Markdown() + warnings(v).Markdown()
}

func failed(v Shown) error {
	if c, ok := v.(interface{ Err() error }); ok {
		return c.Err()
	}
	return nil
}

func warnings(v Shown) warning.List {
	if w, ok := v.(interface{ Warnings() warning.List }); ok {
		return w.Warnings()
	}
	return nil
}
