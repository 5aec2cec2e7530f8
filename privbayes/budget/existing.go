package budget

import (
	"os"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Existing opens the ledger file at path with the data set, the unit, the limit and the adjacency that it states: for programs
// whose user said them once, when the ledger was made. It makes no file. Errors: *LedgerError.
func Existing(path string) (*Budget, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, &LedgerError{Path: path, Want: "a ledger that was opened with a limit", Err: err}
	}
	h, _, err := parseHead(raw)
	if err != nil {
		return nil, &LedgerError{path, 1, "the head of a ledger", err}
	}
	return Open(path, h.Dataset, h.Unit, dp.Target{Level: h.Limit}.Under(h.Adjacency))
}
