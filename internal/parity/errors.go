package parity

import (
	"fmt"
	"math"
)

// FamilyError is a family or a set of variables that cannot be used.
type FamilyError struct {
	Family int    // its place in the list, −1 for a set given alone
	Vars   []int  // its variables
	Reason string // what is wrong with it
	Want   string // what was expected
}

func (e *FamilyError) Error() string {
	name := "set"
	if e.Family >= 0 {
		name = fmt.Sprintf("family %d", e.Family)
	}
	return fmt.Sprintf("parity: %s %v: %s; want %s", name, e.Vars, e.Reason, e.Want)
}

// ArityError is a variable with a number of states that cannot be used.
type ArityError struct {
	Variable, Arity int
	Want            string
}

func (e *ArityError) Error() string {
	return fmt.Sprintf("parity: variable %d has %d states; want %s", e.Variable, e.Arity, e.Want)
}

// SizeError says that a table, or what is kept of all of them, would be too large. Nothing was allocated for it.
type SizeError struct {
	What  string  // "cells of a family", "cells of all families", "coefficients"
	Vars  []int   // the family concerned
	Count float64 // how many there would be
	Limit float64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("parity: family %v: %.6g %s; want at most %.6g", e.Vars, e.Count, e.What, e.Limit)
}

// ShapeError is an argument of the wrong length.
type ShapeError struct {
	What      string // "tables", "cells of table 3", "coefficients", …
	Got, Want int
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("parity: %d %s; want %d", e.Got, e.What, e.Want)
}

// ValueError is a number outside its domain.
type ValueError struct {
	What  string
	Value float64
	Want  string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("parity: %s is %g; want %s", e.What, e.Value, e.Want)
}

// InconsistentError says that two tables cannot come from the same records: they disagree on the margin of Vars.
type InconsistentError struct {
	FamilyA, FamilyB int
	Vars             []int // the support of the coefficient they disagree on, empty for the total
	A, B             int64 // the coefficient in either
}

func (e *InconsistentError) Error() string {
	return fmt.Sprintf("parity: tables %d and %d disagree on the margin of variables %v (coefficients %d and %d); "+
		"want tables of the same records",
		e.FamilyA, e.FamilyB, e.Vars, e.A, e.B)
}

// finite refuses NaN and infinities among the cells.
func finite(what string, x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &ValueError{fmt.Sprintf("%s %d", what, i), v, "a finite number"}
		}
	}
	return nil
}
