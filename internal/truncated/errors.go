package truncated

import "fmt"

// ParameterError is a parameter outside its domain. It reads public inputs only: parameters of a law are what the caller chose.
type ParameterError struct {
	Law   string  // "Beta", "Gamma" or "Dirichlet"
	Name  string  // the parameter
	Value float64 // what was given
	Want  string  // the domain
}

// Error names law, parameter, value and domain.
func (e *ParameterError) Error() string {
	return fmt.Sprintf("truncated: %s: %s = %g; want %s", e.Law, e.Name, e.Value, e.Want)
}

// EmptyBoxError says that no point of the simplex of Size cells has every coordinate ≥ Floor.
type EmptyBoxError struct {
	Floor float64 // w
	Size  int     // r
}

// Error says which floors leave room.
func (e *EmptyBoxError) Error() string {
	return fmt.Sprintf("truncated: no point of the simplex has all %d coordinates ≥ %g; want 0 < floor < %g", e.Size, e.Floor, 1/float64(e.Size))
}
