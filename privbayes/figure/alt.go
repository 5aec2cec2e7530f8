package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// described is what a reader of the screen says of a picture: the words given, or kind, title and numbers, in at most
// 250 characters; and whether it is private.
func described(alt string, private bool, kind, title string, numbers ...string) string {
	if alt == "" {
		if alt = kind + "."; title != "" {
			alt += " " + strings.TrimSuffix(title, ".") + "."
		}
		for _, n := range numbers {
			if longer := alt + " " + n + "."; len([]rune(longer)) <= 240 {
				alt = longer
			}
		}
	}
	if private {
		alt = "Private. " + alt
	}
	if r := []rune(alt); len(r) > 250 {
		alt = string(r[:249]) + "…"
	}
	return alt
}

// listed names the first few of a list.
func listed(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// measured is what the values of a figure are: those of its rows, where these differ in their unit.
func (f *Figure) measured() string {
	if !f.apart() {
		return f.YLabel
	}
	var units []string
	for _, u := range f.Units {
		if !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	return listed(units, 2)
}

// Words are the title and what the picture shows, in words: the ends of each series, or the first rows.
func (f *Figure) Words() (title, alt string) {
	kind := "Plot of " + f.YLabel + " against " + f.XLabel
	if len(f.XTicks) > 0 {
		kind = "Dot plot of " + f.measured()
	}
	var numbers []string
	for _, s := range f.Series {
		n := min(len(s.X), len(s.Y))
		if n == 0 || s.Guide {
			continue
		}
		say := func(k int) string {
			y := Number(s.Y[k])
			if f.YPercent {
				y = Share(s.Y[k])
			}
			if layout := f.layout(s.X[k]); layout != "" {
				y = date(s.Y[k], layout)
			}
			name, named := f.tick(s.X[k]).(string)
			switch {
			case f.XDates != "":
				return y + " at " + name
			case named:
				return y + " for " + name
			}
			return y + " at " + Number(s.X[k])
		}
		words := say(0)
		if m := s.Interval; m != nil {
			words = fmt.Sprintf("%s, interval from %s to %s", Between(m.At, m.From, m.To), Between(m.From, m.From, m.To),
				Between(m.To, m.From, m.To))
		} else if n > 1 {
			words += ", " + say(n-1)
		}
		if s.Name != "" {
			words = s.Name + ": " + words
		}
		numbers = append(numbers, words)
	}
	return f.Title, described(f.Alt, f.Private, kind, f.Title, numbers...)
}

// Words are the title and what the picture shows, in words: the first rows.
func (f *Forest) Words() (title, alt string) {
	var numbers []string
	for _, r := range f.Rows {
		if text := f.text(r); text != "" {
			numbers = append(numbers, r.Name+": "+text)
		}
	}
	var units []string
	for _, part := range f.parts() {
		units = append(units, part.XLabel)
	}
	return f.Title, described(f.Alt, f.Private, "Dot plot with intervals of "+listed(units, 2), f.Title, numbers...)
}

// Words are the title and what the picture shows, in words: the largest number.
func (h *HeatMap) Words() (title, alt string) {
	kind := fmt.Sprintf("Heat map of %s, %d by %d", h.Value, len(h.Rows), len(h.Columns))
	return h.Title, described(h.Alt, h.Private, kind, h.Title, "Largest: "+Number(h.most()))
}

// Words are the title and what the picture shows, in words: the edges.
func (g *Graph) Words() (title, alt string) {
	var edges []string
	for _, v := range g.Vertices {
		for _, p := range v.Parents {
			if p >= 0 && p < len(g.Vertices) {
				edges = append(edges, g.Vertices[p].Name+" to "+v.Name)
			}
		}
	}
	kind := fmt.Sprintf("Network of %s and %s", table.Count(len(g.Vertices), "node"), table.Count(len(edges), "edge"))
	return g.Title, described(g.Alt, g.Private, kind, g.Title, listed(edges, 6))
}
