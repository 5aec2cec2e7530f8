package budget

import (
	"fmt"
	"io"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Existing opens the ledger file at path with the data set, the unit, the limit and the adjacency that it states: for
// programs whose user said them once, when the ledger was made. It makes no file. Errors: *LedgerError.
func Existing(path string) (*Budget, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &LedgerError{Path: path, Want: "a ledger that was opened with a limit", Err: err}
	}
	defer func() { _ = f.Close() }()
	raw, err := readLedger(f)
	if err != nil {
		return nil, &LedgerError{Path: path, Want: "a ledger that was opened with a limit", Err: err}
	}
	h, _, err := parseHead(raw)
	if err != nil {
		return nil, &LedgerError{path, 1, "the head of a ledger", err}
	}
	return Open(path, h.Dataset, h.Unit, dp.Request{Parameters: h.Limit}.Under(h.Adjacency))
}

// maxLedger is the length of the longest ledger that is read, in bytes: some hundred thousand charges.
const maxLedger = 1 << 28

// readLedger reads a whole ledger.
func readLedger(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxLedger+1))
	if err == nil && len(raw) > maxLedger {
		err = fmt.Errorf("more than %d bytes", maxLedger)
	}
	return raw, err
}
