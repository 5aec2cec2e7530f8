package bayesnet

import (
	"fmt"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Error is a wrong network, table, file or argument.
type Error struct {
	Node  string // the node concerned, "" if none
	Field string // the part of it: "name", "states", "parents", "edges", "table", …; for a method its argument
	Value string // what was found
	Want  string // what was expected
	Line  int    // the line of the file, from 1; 0 when there is no file
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("bayesnet: ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Node != "" {
		fmt.Fprintf(&b, "node %s: ", safetext.Short(e.Node))
	}
	if e.Field != "" {
		b.WriteString(safetext.Word(e.Field) + ": ")
	}
	b.WriteString(safetext.Line(e.Value) + "; want " + safetext.Line(e.Want))
	return b.String()
}

// at gives an *Error a line where it has none yet.
func at(err error, line int) error {
	if e, ok := err.(*Error); ok && e.Line == 0 {
		e.Line = line
	}
	return err
}

// WidthError says that an exact query needs a table above the limit. Nothing was allocated for it.
type WidthError struct {
	Node  string // the node whose elimination needs the table, "" for the table of the answer
	Width int    // variables in the table
	Cells int    // its cells, math.MaxInt when there are more
	Bytes int    // its memory at 8 bytes a cell, math.MaxInt when more
	Limit int    // the cells allowed

	AtLeast bool // the search for the widest table was cut short: another one may need more
	Graph   bool // it is not a table that is too large but the graph of the variables that an order is sought for
}

func (e *WidthError) Error() string {
	where, least := "the table of the answer", ""
	switch {
	case e.Graph:
		where = "finding an order of elimination"
	case e.Node != "":
		where = "eliminating node " + safetext.Short(e.Node)
	}
	if e.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("bayesnet: %s needs %s%d variables at once, %s cells or %s bytes; at most %d cells are "+
		"allowed (see Net.WithCells)",
		where, least, e.Width, orMore(e.Cells), orMore(e.Bytes), e.Limit)
}

func orMore(n int) string {
	if n == maxInt {
		return "more than 2^63"
	}
	return fmt.Sprint(n)
}

// ImpossibleError is evidence of probability 0: nothing can be said given it.
type ImpossibleError struct {
	Evidence map[string]string // node to state
}

func (e *ImpossibleError) Error() string {
	var parts []string
	for node, state := range e.Evidence {
		parts = append(parts, safetext.Word(node)+" = "+safetext.Word(state))
	}
	sort.Strings(parts)
	return fmt.Sprintf("bayesnet: the evidence %s has probability 0; want evidence that the network allows",
		strings.Join(parts, ", "))
}
