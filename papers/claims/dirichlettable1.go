package claims

import (
	"fmt"
	"strconv"

	"github.com/privbayes/privbayes-go/data"
)

// table1 has k times the printed numbers of instances.
func table1(t *trial, k float64) error {
	printed := map[string][4]string{ // instances, attributes, classes, positive
		"CreditCard": {"30000", "23", "2", "22"}, "Thyroid": {"7200", "21", "3", ""},
		"Shopper": {"12330", "17", "2", "15"}, "Digit": {"5620", "64", "10", ""},
		"GermanCredit": {"1000", "20", "2", "30"}, "Bank": {"41188", "20", "2", "11"},
		"Spam": {"4601", "57", "2", "39"}, "Adult": {"48842", "13", "2", "24"},
	}
	sets := data.Study()
	t.f.require(len(sets) == len(printed), "%d data sets", len(sets))
	for _, o := range sets {
		share := ""
		if o.Positive != "" {
			share = fmt.Sprintf("%.0f", 100*float64(o.ClassCounts[o.Positive])/float64(o.Rows))
		}
		have := [4]string{strconv.Itoa(o.Rows), strconv.Itoa(o.Features), strconv.Itoa(o.Classes), share}
		for i, want := range printed[o.PaperName] {
			if i == 0 {
				n, err := strconv.ParseFloat(want, 64)
				if err != nil {
					return err
				}
				want = fmt.Sprintf("%.0f", k*n)
			}
			if want != "" {
				t.printed(have[i] == want, float64(o.Rows), "%s: %s, not %s", o.PaperName, have[i], want)
			}
		}
	}
	return nil
}
