package model_test

import (
	"context"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Who waits for draws that another one makes is not held up when its context ends, and the draws are made once.
func TestSampleWaits(t *testing.T) {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Real("x", 0, 1), frame.Real("y", 0, 1)}}
	sh := must.Get(model.NewShape(s, model.LinearRegression("y", "x"), 100, true, ""))(t)
	begun, end, made := make(chan struct{}), make(chan struct{}), 0
	draws := &model.Draws{Names: []string{"intercept", "x"}, Values: [][]float64{{0, 1}}}
	f := must.Get(model.Fit(sh, model.Estimate{Sampling: &model.Sampling{Without: draws,
		Draw: func(context.Context) (*model.Draws, error) {
			made++
			close(begun)
			<-end
			return draws, nil
		}}}))(t)
	first := make(chan error)
	go func() { first <- f.Sample(context.Background()) }()
	<-begun
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Sample(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(end)
	if err := <-first; err != nil || f.Draws() != draws || made != 1 {
		t.Errorf("%v, draws %v made %d times", err, f.Draws(), made)
	}
}
