package eval

import (
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// public is why all rows that a diagnostic read are public, as frame.Frame.AsPublic was told; empty: they are private.
// It changes words alone: those of titles, captions and headings.
type public string

// ofRows is why rows are public.
func ofRows(f *frame.Frame) public {
	why, _ := f.Public()
	return public(why)
}

// ofBoth is why the rows of statistics and others are public, if both are.
func ofBoth(st *model.Statistics, f *frame.Frame) public { return ofRows(f).and(public(st.Public())) }

// and is why both are public, if both are.
func (p public) and(o public) public {
	switch {
	case p == "" || o == "":
		return ""
	case p == o:
		return p
	}
	return o + "; " + p
}

// title stamps the title of a table.
func (p public) title(of string) string {
	if p != "" {
		return of + " (public data)"
	}
	return of + " (private: do not publish)"
}

// caption says of which rows something is.
func (p public) caption(of string) string {
	if p == "" {
		return of
	}
	return strings.TrimSuffix(of, ".") + ". Public data: " + string(p) + "."
}

// opened takes the band off figures of public rows.
func (p public) opened(figures ...*figure.Figure) {
	for _, f := range figures {
		if p != "" && f.Private {
			f.Private, f.Caption = false, p.caption(f.Caption)
		}
	}
}

// heading is that of the part of a report that read the rows, and what its reader must know.
func (p public) heading() (heading, note string) {
	if p != "" {
		return "Part that read the rows, public data: " + string(p), choosing
	}
	return "Private part: do not publish", "The part below read the raw data. It is for the owner of the data: do not " +
		"publish it. " + choosing
}

const choosing = "Choosing the model, the bins or the mechanism by this part voids the guarantee."
