package warning

import "fmt"

// MostOutside is the greatest share of a latent normal outside the bounds of its column that raises no warning.
const MostOutside = 0.001

// Outside warns that a share of a latent normal lies outside the bounds that its column's values are moved to.
func Outside(share float64) Warning {
	return Warning{Kind: KindOutside, Value: share, Limit: MostOutside, Text: fmt.Sprintf("%s %% of the latent normal lies "+
		"outside the bounds: its mean and standard deviation are not those of the values, which MeanSD estimates, and hold "+
		"only where the column is normal before it is moved to the bounds.", number(100*share))}
}
