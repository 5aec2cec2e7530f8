package dirichlet

import (
	"bytes"
	"embed"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
)

//go:embed results
var committed embed.FS

var parsed = map[Bins]func() (*Report, error){Public: load(Public), Quantile: load(Quantile)}

func load(b Bins) func() (*Report, error) {
	return sync.OnceValues(func() (*Report, error) {
		text, err := committed.ReadFile("results/" + string(b) + ".json")
		if err != nil {
			return nil, err
		}
		return Read(bytes.NewReader(text))
	})
}

// Results is the committed report of the whole study with ten splits. The report names the command that makes it again;
// it is shared: do not change it. *dp.ParameterError for other bins.
func Results(b Bins) (*Report, error) {
	get, ok := parsed[b]
	if !ok {
		return nil, domain.Refuse("dirichlet", "bins", string(b), "public or quantile")
	}
	return get()
}
