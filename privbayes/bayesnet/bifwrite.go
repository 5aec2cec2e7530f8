package bayesnet

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// WriteBIF writes the network in the form that ReadBIF reads, one row for each parent configuration, numbers in full
// precision: reading it back gives the same network, to the bit. Errors: those of w.
func (n *Net) WriteBIF(w io.Writer) error { return n.dag.writeBIF(w, n.cpts) }

// WriteBIF writes the structure alone: probability blocks without numbers, which ReadBIF reads as a structure.
func (d *DAG) WriteBIF(w io.Writer) error { return d.writeBIF(w, nil) }

func (d *DAG) writeBIF(w io.Writer, cpts [][]float64) error {
	b := bufio.NewWriter(w) // it keeps the first error for Flush
	b.WriteString("network unknown {\n}\n")
	for _, n := range d.nodes {
		b.WriteString("variable " + bifWord(n.Name) + " {\n  type discrete [ " + strconv.Itoa(len(n.States)) +
			" ] { " + bifWords(n.States) + " };\n}\n")
	}
	for i, n := range d.nodes {
		b.WriteString("probability ( " + bifWord(n.Name))
		if len(n.Parents) > 0 {
			b.WriteString(" | " + bifWords(n.Parents))
		}
		b.WriteString(" ) {\n")
		if cpts != nil {
			d.writeRows(b, i, cpts[i])
		}
		b.WriteString("}\n")
	}
	return b.Flush()
}

func (d *DAG) writeRows(b *bufio.Writer, i int, cpt []float64) {
	r := d.arity[i]
	states := make([]string, len(d.parents[i]))
	for row := range len(cpt) / r {
		if len(states) == 0 {
			b.WriteString("  table")
		} else {
			left := row
			for j := len(states) - 1; j >= 0; j-- {
				p := d.parents[i][j]
				states[j] = d.nodes[p].States[left%d.arity[p]]
				left /= d.arity[p]
			}
			b.WriteString("  (" + bifWords(states) + ")")
		}
		for x, p := range cpt[row*r : row*r+r] {
			if x > 0 {
				b.WriteByte(',')
			}
			b.WriteByte(' ')
			b.WriteString(strconv.FormatFloat(p, 'g', -1, 64))
		}
		b.WriteString(";\n")
	}
}

func bifWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = bifWord(w)
	}
	return strings.Join(quoted, ", ")
}

// bifWord quotes a name that would not be read back as one word.
func bifWord(s string) string {
	plain := s != "" && !strings.Contains(s, "//") && !strings.Contains(s, "/*")
	for i := range len(s) {
		plain = plain && !isMark(s[i]) && !isSpace(s[i]) && s[i] != '"'
	}
	if plain {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
