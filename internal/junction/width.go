package junction

import (
	"fmt"
	"math"
	"slices"
)

// WidthError says that a table, or the graph itself, is above the limit. Nothing was allocated for it.
type WidthError struct {
	Vars  []int // the variables of the table; nil of a graph
	Width int   // how many variables
	Cells int   // its cells, of a graph its words; math.MaxInt when there are more
	Limit int   // the cells allowed
	Graph bool  // it is not a table that is too large but the graph of the variables

	AtLeast bool // the search for the widest table was cut short: another one may need more
}

func (e *WidthError) Error() string {
	if e.Graph {
		return fmt.Sprintf("junction: the graph of %d variables needs %d words; at most %d are allowed", e.Width,
			e.Cells, e.Limit)
	}
	least := ""
	if e.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("junction: a clique of %s%d variables has %s cells; at most %d are allowed", least, e.Width,
		CellText(e.Cells), e.Limit)
}

// CellText writes a number of cells that Times made.
func CellText(cells int) string {
	if cells == math.MaxInt {
		return "more than 2^63"
	}
	return fmt.Sprint(cells)
}

// ScopeError is a scope or a number of levels that cannot be: Scope is its place, −1 for the levels.
type ScopeError struct {
	Scope int
	Value string
	Want  string
}

func (e *ScopeError) Error() string {
	what := fmt.Sprintf("scope %d", e.Scope)
	if e.Scope < 0 {
		what = "levels"
	}
	return fmt.Sprintf("junction: %s: %s; want %s", what, e.Value, e.Want)
}

// check refuses variables without a state and scopes of unknown or repeated variables.
func check(levels []int, scopes [][]int) error {
	for v, l := range levels {
		if l < 1 {
			return &ScopeError{-1, fmt.Sprintf("%d of variable %d", l, v), "at least 1"}
		}
	}
	for i, s := range scopes {
		for k, v := range s {
			switch {
			case v < 0 || v >= len(levels):
				return &ScopeError{i, fmt.Sprintf("variable %d", v), fmt.Sprintf("0 to %d", len(levels)-1)}
			case slices.Contains(s[:k], v):
				return &ScopeError{i, fmt.Sprintf("variable %d twice", v), "each variable once"}
			}
		}
	}
	return nil
}

// Times is a·b for a, b ≥ 1, or math.MaxInt when that is larger.
func Times(a, b int) int {
	if a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// Cells is the number of cells of a table over variables, math.MaxInt when there are more.
func Cells(vars, levels []int) int {
	cells := 1
	for _, v := range vars {
		cells = Times(cells, levels[v])
	}
	return cells
}
