package leastsquares

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// checkPositive refuses all but positive finite numbers.
func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return domain.Refuse("leastsquares", name, v, "a positive finite number")
	}
	return nil
}

func checkDim(d int) error {
	if d < 1 {
		return domain.Refuse("leastsquares", "dimension", float64(d), "at least 1")
	}
	return nil
}
