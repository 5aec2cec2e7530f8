package nbtool

import (
	"fmt"
	"strings"
)

// Problems lists the cells that failed, with the compiler's messages where a cell
// does not compile.
//
// GoNB marks a failed Go cell with an error output, but a failed shell line, a
// failed %%bash cell and an unknown magic only write to stderr: so any text on
// stderr counts, unless the cell has the tag "allow-stderr". A cell with the tag
// "raises-exception" must fail.
func (n *Notebook) Problems() []string {
	var ps []string
	for i, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		where := fmt.Sprintf("cell %d (%s)", i+1, c.ID)
		tags := c.Tags()
		failed := false
		for _, o := range c.Outputs {
			switch {
			case o.Type == "error":
				failed = true
				if !tags["raises-exception"] {
					lines := append([]string{where + ": error: " + o.Ename + ": " + strings.TrimSpace(o.Evalue)},
						compilerErrors(c)...)
					ps = append(ps, strings.Join(lines, "\n        "))
				}
			case o.Type == "stream" && o.Name == "stderr" && !tags["allow-stderr"] && !tags["raises-exception"]:
				ps = append(ps, where+": stderr: "+strings.TrimSpace(string(o.Text)))
			}
		}
		if tags["raises-exception"] && !failed {
			ps = append(ps, where+": should fail and did not")
		}
	}
	return ps
}

// Diff lists the differences between n and want, cell by cell: sources, and the
// outputs of code cells. Both must be normalised. The outputs of a cell tagged
// "nondeterministic" are not compared.
func (n *Notebook) Diff(want *Notebook) []string {
	if ds := n.DiffSources(want); len(ds) > 0 {
		return ds
	}
	var ds []string
	for i, c := range n.Cells {
		if c.Type != "code" || c.Tags()["nondeterministic"] {
			continue
		}
		now, was := flat(c.Outputs), flat(want.Cells[i].Outputs)
		if now != was {
			ds = append(ds, fmt.Sprintf("cell %d (%s): output differs: %s", i+1, c.ID, firstDiff(now, was)))
		}
	}
	return ds
}

// DiffSources lists the cells whose type, id, tags or source differ from want's.
func (n *Notebook) DiffSources(want *Notebook) []string {
	if len(n.Cells) != len(want.Cells) {
		return []string{fmt.Sprintf("%d cells, want %d", len(n.Cells), len(want.Cells))}
	}
	var ds []string
	for i, c := range n.Cells {
		w := want.Cells[i]
		where := fmt.Sprintf("cell %d (%s)", i+1, c.ID)
		switch {
		case c.Type != w.Type:
			ds = append(ds, fmt.Sprintf("%s: is %s, want %s", where, c.Type, w.Type))
		case c.ID != w.ID:
			ds = append(ds, fmt.Sprintf("%s: id differs, want %s", where, w.ID))
		case fmt.Sprint(c.Tags()) != fmt.Sprint(w.Tags()):
			ds = append(ds, fmt.Sprintf("%s: tags %v, want %v", where, c.Tags(), w.Tags()))
		case c.Source != w.Source:
			ds = append(ds, fmt.Sprintf("%s: source differs: %s", where, firstDiff(string(c.Source), string(w.Source))))
		}
	}
	return ds
}

// KeepOutputs copies the outputs of old to n when every code cell of n is the
// same as in old, so that an edit of the prose does not cost a new execution.
// It reports whether it did.
func (n *Notebook) KeepOutputs(old *Notebook) bool {
	var from []Cell
	for _, c := range old.Cells {
		if c.Type == "code" {
			from = append(from, c)
		}
	}
	var to []*Cell
	for i := range n.Cells {
		if n.Cells[i].Type == "code" {
			to = append(to, &n.Cells[i])
		}
	}
	if len(from) != len(to) {
		return false
	}
	for i, c := range to {
		if c.Source != from[i].Source {
			return false
		}
	}
	for i, c := range to {
		c.Outputs, c.Count = from[i].Outputs, from[i].Count
	}
	return true
}

func flat(os []Output) string {
	if len(os) == 0 {
		return "[]" // nil and empty are the same
	}
	b, err := marshal(os)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// firstDiff shows both texts from shortly before the first difference.
func firstDiff(now, want string) string {
	i := 0
	for i < len(now) && i < len(want) && now[i] == want[i] {
		i++
	}
	lo := max(0, i-40)
	return fmt.Sprintf("now …%.120q, want …%.120q", now[lo:], want[lo:])
}
