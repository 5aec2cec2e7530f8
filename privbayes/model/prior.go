package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Prior holds prior hyperparameters, all > 0: one value for every cell, or, for a single posterior, one per level of
// the target in the schema's order.
type Prior []float64

// MarshalJSON writes a single value as a number.
func (p Prior) MarshalJSON() ([]byte, error) {
	if len(p) == 1 {
		return json.Marshal(p[0])
	}
	return json.Marshal([]float64(p))
}

// UnmarshalJSON reads a number or a list.
func (p *Prior) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var one float64
	if json.Unmarshal(b, &one) == nil {
		*p = Prior{one}
		return nil
	}
	var list []float64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*p = list
	return nil
}

// At is the hyperparameter of cell i.
func (p Prior) At(i int) float64 {
	if len(p) == 1 {
		return p[0]
	}
	return p[i]
}

// String shows the hyperparameters, separated by commas.
func (p Prior) String() string {
	words := make([]string, len(p))
	for i, a := range p {
		words[i] = fmt.Sprint(a)
	}
	return strings.Join(words, ", ")
}

// valid checks the values against the number of cells they are for.
func (p Prior) valid(cells int, single bool) (want string, ok bool) {
	if len(p) != 1 && (!single || len(p) != cells) {
		want = "one prior hyperparameter"
		if single {
			want += fmt.Sprintf(", or one for each of the %d levels", cells)
		}
		return want, false
	}
	for _, a := range p {
		if !(a > 0) || math.IsInf(a, 1) {
			return "finite α > 0", false
		}
	}
	return "", true
}
