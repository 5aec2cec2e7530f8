package privbayes_test

import (
	"encoding/json"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/proofs"
)

// Whatever a certificate cites is a statement that proofs/statements keeps, with what its proof assumes; and the checks
// that are known to rest on a machine proof cite it.
func TestCitationsAreStatements(t *testing.T) {
	cited := map[string]int{}
	for name, b := range readGolden(t, goldenReleases) {
		var file struct {
			Certificate *cert.Certificate `json:"certificate"`
		}
		must.Do(t, json.Unmarshal(b, &file))
		for _, k := range file.Certificate.All() {
			if k.Theorem == nil {
				continue
			}
			theorem, assumes, ok := proofs.Cited(k.Theorem.Name)
			if !ok || theorem != *k.Theorem || assumes != k.Assumes {
				t.Errorf("%s: %q cites %s, which proofs/statements does not keep", name, k.Statement, k.Citation)
			}
			cited[k.Kind]++
		}
	}
	for _, kind := range []string{"sensitivity/counts", "geometric/pair", "k-norm/pair", "fourier/odd", "fourier/pair",
		"hellinger/theorem-1", "hellinger/global-interval"} {
		if cited[kind] == 0 {
			t.Errorf("no check of %s cites a theorem: %v", kind, cited)
		}
	}
}
