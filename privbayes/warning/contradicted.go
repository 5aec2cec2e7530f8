package warning

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
)

// Contradicted warns that the noisy tables have more records in cells that are declared impossible than noise would
// make there: noisy is their number, sd the standard deviation of its noise.
func Contradicted(columns []string, cells int, noisy, sd float64) Warning {
	var names []string
	for _, c := range columns {
		names = append(names, label.Word(c))
	}
	return Warning{Kind: KindContradicted, Value: noisy, Limit: sd, Text: fmt.Sprintf("the noisy tables have %s ± %s records "+
		"in %s of %s that are declared structural zeros: either records break the rule, or it is none. The release gives them "+
		"no probability.", number(noisy), number(sd), count(cells, "cell"), strings.Join(names, " × "))}
}
