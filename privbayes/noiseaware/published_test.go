package noiseaware

import (
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/privbayes2017"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A release of PrivBayes as published is refused, and not answered by the prior as if nothing had been measured.
func TestPrivBayesIsRefused(t *testing.T) {
	r := learnt(t, model.PrivBayes(), privbayes2017.New(), threeNodes(t), 400, dp.PureDP(3))
	var refused *UnsupportedError
	if p, err := OfNetwork(t.Context(), r); !errors.As(err, &refused) {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := OfContext(t.Context(), r); !errors.As(err, &refused) {
		t.Errorf("%v, %v", p, err)
	}
}
