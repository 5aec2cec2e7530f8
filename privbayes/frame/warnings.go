package frame

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// LookAlike is the kind of a warning about two names of a schema that are easily taken for each other.
const LookAlike warning.Kind = "look-alike names"

// lookAlikes is how many pairs of one list are named one by one.
const lookAlikes = 5

// Warnings lists names that are easily taken for each other: columns, and categories of one column, that differ only in
// case, or by letters of Latin, Greek, Cyrillic and Armenian and figures that most fonts draw alike. They may be meant,
// so they are not refused; records may also have come to be counted under two spellings, and a reader of a release may
// take one for the other. It is a function of the schema alone.
func (s *Schema) Warnings() warning.List {
	var out warning.List
	out = append(out, alike("columns", s.Names())...)
	for _, c := range s.Columns {
		if len(c.Categories) > 0 {
			out = append(out, alike("categories of column "+label.Short(c.Name), c.Labels())...)
		}
	}
	return out
}

func alike(what string, names []string) (out warning.List) {
	pairs := label.Alike(names)
	for i, p := range pairs {
		if i == lookAlikes {
			return append(out, warning.Warning{Kind: LookAlike, Value: float64(len(pairs)),
				Text: fmt.Sprintf("%s: %d more pairs of names are easily taken for each other", what, len(pairs)-i)})
		}
		text := fmt.Sprintf("%s %s and %s %s", what, label.Short(names[p.First]), label.Short(names[p.Second]),
			p.Likeness)
		if p.Likeness == label.Letters {
			text += fmt.Sprintf(": they are %+q and %+q", label.Clip(names[p.First], 40),
				label.Clip(names[p.Second], 40))
		}
		out = append(out, warning.Warning{Kind: LookAlike, Text: text})
	}
	return out
}
