package warning

import "fmt"

// MostOutside is the greatest share of a distribution outside the bounds of its column that raises no warning.
const MostOutside = 0.001

// Outside warns that a share of a distribution, of values before they are moved to the bounds of their column, lies
// outside these; instead is the model of the values themselves.
func Outside(share float64, of, instead string) Warning {
	return Warning{Kind: KindOutside, Value: share, Limit: MostOutside, Text: fmt.Sprintf("%s %% of the %s lies outside the "+
		"bounds of the column. The estimate describes values before they are moved to the bounds, and holds only if they "+
		"follow that distribution. %s describes the values of the column.", number(100*share), of, instead)}
}
