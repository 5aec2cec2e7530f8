package families

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Table compares families, a row each: parameters, oscillation, pure ε of one sample, the paper's 2Lρ for one record,
// their ratio, δ(ε) at ε = 1, and what is wrong or loose in the paper's value.
func Table(families ...Family) *table.Table {
	t := table.New("One posterior sample: how much one record changes it", "family", "parameters", "osc", "ε",
		"paper's 2Lρ", "paper/ε", "δ at ε = 1", "note")
	bounds := false
	for _, f := range families {
		d, p := f.Describe(), f.Paper()
		var parameters []string
		for _, q := range d.Parameters {
			parameters = append(parameters, fmt.Sprintf("%s = %s", q.Name, table.Number(q.Value)))
		}
		epsilon := f.Epsilon()
		shown := table.Number(epsilon)
		if !d.Tight {
			shown, bounds = "≤ "+shown, true
		}
		var ratio any
		if !math.IsInf(epsilon, 1) && !math.IsInf(p.Epsilon, 1) {
			ratio = p.Epsilon / epsilon
		}
		t.Add(d.Name, strings.Join(parameters, ", "), f.Oscillation(), shown, p.Epsilon, ratio, Profile(f, 1),
			p.Source+": "+p.Verdict)
	}
	t.Note("Replacement of one record, n public. ε is exact for the stated prior; a ratio below 1 is a false claim.")
	if bounds {
		t.Note("≤: attained over all priors on the parameter set, or a bound.")
	}
	return t
}

// Examples is one family of each kind with round parameters: the rows of the families' table.
func Examples() ([]Family, error) {
	var out []Family
	var first error
	add := func(f Family, err error) {
		if err != nil && first == nil {
			first = err
		}
		out = append(out, f)
	}
	bits := []NetworkNode{{States: 2}, {States: 2}}
	chain := []NetworkNode{{States: 2}, {States: 2, Parents: []int{0}}, {States: 2, Parents: []int{1}}}
	add(NewGridBernoulli(100, 5, false))
	add(NewGridBernoulli(100, 20, true))
	add(NewTrimmedBeta(100, 1, 1, .05, .95))
	add(NewTemperedBeta(100, 1, 1, .05, .95, .25))
	add(NewUntrimmedBeta(100, 16, 16))
	add(NewExponential(20, 1, .5, 2, 1))
	add(NewLaplace(20, 1, .5, 2, 0, 1))
	add(NewNormalPrecision(20, 1, .5, 2, 0, 1))
	add(NewNormalMean(100, 1, 0, 1, .5))
	add(NewMVNPrecision(20, 2, .5, 2, 1))
	add(NewMVNMean(20, 2, 1, 1, 1))
	add(NewNetwork(20, bits, 1, .1, OneRecord))
	add(NewNetwork(20, chain, 1, .1, OneRecord))
	add(NewNetwork(20, chain, 1, .1, OneCell))
	add(NewMarkov(2, 1, 12, 1, .1, OneStep))
	add(NewMarkov(2, 1, 12, 1, .1, WholeSequence))
	return out, first
}
