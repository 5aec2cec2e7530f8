package truncated

import "fmt"

// EmptyBoxError says that no point of the simplex of Size cells has every coordinate ≥ Floor.
type EmptyBoxError struct {
	Floor float64 // w
	Size  int     // r
}

// Error says which floors leave room.
func (e *EmptyBoxError) Error() string {
	return fmt.Sprintf("truncated: no point of the simplex has all %d coordinates ≥ %g; want 0 < floor < %g", e.Size,
		e.Floor, 1/float64(e.Size))
}
