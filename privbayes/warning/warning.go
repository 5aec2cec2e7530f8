// Package warning holds what a user should know at the place where it matters: typed, listed, and shown as text and HTML.
//
// A warning is not an error: the work was done. Before a draw it is a function of public inputs only, so that it tells nothing about the
// data; after one it may also read what was released. What read private rows is no warning but a diagnostic, and does not come here.
//
// Place: on the ground floor, beside table; every room that can be misused warns with it.
package warning

import (
	"html"
	"strings"
)

// Kind names what a warning is about; a program that lists warnings switches on it.
type Kind string

// Warning is one thing to know.
type Warning struct {
	Kind  Kind    `json:"kind"`
	Value float64 `json:"value,omitempty"` // the figure that gave rise to it, in the unit of Kind; 0 if there is none
	Limit float64 `json:"limit,omitempty"` // what the figure was held against
	Text  string  `json:"text"`            // a sentence for people
}

// String is the sentence.
func (w Warning) String() string { return w.Text }

// List is several warnings, in the order in which they arose.
type List []Warning

// String has a line for each, none if there are no warnings.
func (l List) String() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString("warning: " + w.Text + "\n")
	}
	return b.String()
}

// HTML has a coloured box for each, by the class that notebooks and reports style.
func (l List) HTML() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString(`<div class="alert alert-block alert-warning"><b>Warning:</b> ` + html.EscapeString(w.Text) + "</div>\n")
	}
	return b.String()
}
