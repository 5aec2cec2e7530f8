package boxed

import "fmt"

// ParameterError is a public input outside its domain.
type ParameterError struct {
	Name  string
	Value float64
	Want  string
}

// Error names the parameter, its value and its domain.
func (e *ParameterError) Error() string {
	return fmt.Sprintf("boxed: %s = %g; want %s", e.Name, e.Value, e.Want)
}

// EmptyBoxError says that the floor w leaves no conditional distribution on r states: r·w must be below 1.
type EmptyBoxError struct {
	Floor  float64 // w
	States int     // r
}

// Error says which floors leave room.
func (e *EmptyBoxError) Error() string {
	return fmt.Sprintf("boxed: floor %g leaves no probabilities for %d states; want 0 < floor < %g", e.Floor, e.States, 1/float64(e.States))
}

func checkFloor(w float64, r int) error {
	switch {
	case r < 2:
		return &ParameterError{"states", float64(r), "at least 2"}
	case !(w > 0):
		return &ParameterError{"floor", w, fmt.Sprintf("0 < floor < 1/%d", r)}
	case !(w*float64(r) < 1):
		return &EmptyBoxError{w, r}
	}
	return nil
}

func checkCount(name string, v int) error {
	if v < 1 {
		return &ParameterError{name, float64(v), "at least 1"}
	}
	return nil
}

func checkTarget(eps float64) error {
	if !(eps > 0 && eps <= 1e6) {
		return &ParameterError{"epsilon", eps, "0 < epsilon ≤ 1e6"}
	}
	return nil
}
