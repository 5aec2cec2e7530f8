package budget

import (
	"bytes"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Existing opens the ledger file at path with the data set, the limit and the adjacency that it states: for programs
// whose user said them once, when the ledger was made. It makes no file. Errors: *LedgerError.
func Existing(path string) (*Budget, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, &LedgerError{Path: path, Want: "a ledger that was opened with a limit", Err: err}
	}
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	var h ledgerHead
	if err := strictJSON(line, &h); err != nil {
		return nil, &LedgerError{path, 1, "a ledger's head", err}
	}
	return Open(path, h.Dataset, dp.Target{Level: h.Limit}.Under(h.Adjacency))
}
