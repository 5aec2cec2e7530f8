package truncatednet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// EmptyBoxError says that the floor w leaves no conditional distribution on r states: r·w must be below 1.
type EmptyBoxError struct {
	Floor  float64 // w
	States int     // r
}

// Error says which floors leave room.
func (e *EmptyBoxError) Error() string {
	return fmt.Sprintf("truncatednet: floor %g leaves no probabilities for %d states; want 0 < floor < %g", e.Floor, e.States,
		1/float64(e.States))
}

func checkFloor(w float64, r int) error {
	switch {
	case r < 2:
		return domain.Refuse("truncatednet", "states", float64(r), "at least 2")
	case !(w > 0):
		return domain.Refuse("truncatednet", "floor", w, fmt.Sprintf("0 < floor < 1/%d", r))
	case !(w*float64(r) < 1):
		return &EmptyBoxError{w, r}
	}
	return nil
}

func checkCount(name string, v int) error {
	if v < 1 {
		return domain.Refuse("truncatednet", name, float64(v), "at least 1")
	}
	return nil
}

func checkTarget(eps float64) error {
	if !(eps > 0 && eps <= 1e6) {
		return domain.Refuse("truncatednet", "epsilon", eps, "0 < epsilon ≤ 1e6")
	}
	return nil
}
