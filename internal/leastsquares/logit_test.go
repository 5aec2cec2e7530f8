package leastsquares

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Without floor it solves the system; a floor raises what lies below, and only that.
func TestLogit(t *testing.T) {
	s := mat.NewSymDense(2, []float64{5, 1, 1, 2})
	w, raised, err := Logit(s, []float64{3, -1}, 1, 0)
	if err != nil || raised != 0 {
		t.Fatal(raised, err)
	}
	for i := range 2 { // (S + I)w = 2.4 s
		got := s.At(i, 0)*w[0] + s.At(i, 1)*w[1] + w[i]
		if want := 2.4 * []float64{3, -1}[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	indefinite := mat.NewSymDense(2, []float64{4, 0, 0, -3})
	w, raised, err = Logit(indefinite, []float64{5, 5}, 1, 2)
	if err != nil || raised != 1 || math.Abs(w[0]-2.4) > 1e-12 || math.Abs(w[1]-4) > 1e-12 {
		t.Error(w, raised, err)
	}
	var e *domain.Error
	for i, f := range []func() error{
		func() error { _, _, err := Logit(s, []float64{1}, 1, 0); return err },
		func() error { _, _, err := Logit(s, []float64{1, 1}, 0, 0); return err },
		func() error { _, _, err := Logit(s, []float64{1, 1}, 1, math.NaN()); return err },
		func() error { _, _, err := Logit(s, []float64{1, math.Inf(1)}, 1, 0); return err },
		func() error { _, _, err := Logit(nil, nil, 1, 0); return err },
	} {
		if err := f(); !errors.As(err, &e) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}
