package warner

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler is the private side: the only code that sees the counts.
type sampler struct {
	n int
	p params
}

// Draw asks every record and counts what is shown. It takes a random word a record, whatever the record.
func (d sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	first := data.Tables()[0][0]
	progress := cert.NewProgress(ctx, float64(d.n))
	shown := int64(0)
	for i := range int64(d.n) {
		if err := progress.Step(1); err != nil {
			return mechanism.Output{}, err
		}
		flip := src.Uint64()>>32 < uint64(d.p.Flips) // q exactly: the word is uniform on 2^32 values
		if (i < first) != flip {
			shown++
		}
	}
	return mechanism.Output{Raw: [][]int64{{shown}}}, nil
}

// Estimate inverts the mean, E shown = n·q + first·(1−2q), and cuts to [0, n]. It reads what was drawn, which may come
// from a file.
func (d sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	if len(raw) != 1 || len(raw[0]) != 1 || raw[0][0] < 0 || raw[0][0] > int64(d.n) {
		want := fmt.Sprintf("one count from 0 to %d", d.n)
		return model.Estimate{}, &dp.ParameterError{Of: "warner", Parameter: "raw", Value: raw, Want: want}
	}
	n, q := float64(d.n), d.p.q()
	first := min(max((float64(raw[0][0])-n*q)/(1-2*q), 0), n)
	return model.Estimate{Tables: [][]float64{{first, n - first}}}, nil
}
