package regression

import (
	_ "embed"
	"encoding/json"
)

//go:embed results.json
var results []byte

//go:embed results_acs.json
var salaryResults []byte

// Results are committed outcomes with what is needed to run them again.
type Results struct {
	Library    string  `json:"library"`
	Data       string  `json:"data"`
	DataSHA256 string  `json:"data_sha256"` // as package data tells it
	Command    string  `json:"command"`
	Seed       uint64  `json:"seed"`
	ByEpsilon  *Result `json:"by_epsilon"`
	ByPrior    *Result `json:"by_prior"`
}

// Committed reads the outcomes of the full runs on cps1988.
func Committed() (*Results, error) { return parse(results) }

// CommittedSalaries reads the outcomes of the large run on acs_gov2018.
func CommittedSalaries() (*Results, error) { return parse(salaryResults) }

func parse(b []byte) (*Results, error) {
	var r Results
	return &r, json.Unmarshal(b, &r)
}
