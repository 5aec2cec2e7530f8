package warning

import "fmt"

// Floor warns that some of the eigenvalues of released moments were below the public floor, about the size of the
// noise, and were raised to it; effect says what that does to the estimate.
func Floor(raised, of int, floor float64, effect string) Warning {
	return Warning{Kind: KindFloor, Value: float64(raised), Limit: floor,
		Text: fmt.Sprintf("the noise drowns the data in "+
			"%d of the %d directions of the features: %s. Fewer features, tighter public bounds or a larger ε bring them out.",
			raised, of, effect)}
}
