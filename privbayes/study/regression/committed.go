package regression

import (
	_ "embed"
	"encoding/json"
)

//go:embed results.json
var results []byte

// Results are committed outcomes with what is needed to run them again.
type Results struct {
	Library   string  `json:"library"`
	Data      string  `json:"data"`
	Command   string  `json:"command"`
	Seed      uint64  `json:"seed"`
	ByEpsilon *Result `json:"by_epsilon"`
	ByPrior   *Result `json:"by_prior"`
}

// Committed reads the outcomes of the full runs.
func Committed() (*Results, error) {
	var r Results
	return &r, json.Unmarshal(results, &r)
}
