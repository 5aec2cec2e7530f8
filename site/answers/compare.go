package answers

import (
	"cmp"
	"context"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Row is one mechanism of a comparison, sent as soon as it is worked out.
type Row struct {
	Kind      string   `json:"kind"` // "row"
	Mechanism string   `json:"mechanism"`
	Choice    string   `json:"choice,omitempty"`
	Certified string   `json:"certified,omitempty"`
	Error     *float64 `json:"error,omitempty"`
	SE        *float64 `json:"se,omitempty"`
	How       string   `json:"how,omitempty"`
	Refused   string   `json:"refused,omitempty"`
	LeftOut   bool     `json:"left_out,omitempty"`
}

// Comparison is what follows from all rows.
type Comparison struct {
	Measure  string   `json:"measure"`
	Best     string   `json:"best,omitempty"`
	Choice   string   `json:"choice,omitempty"`
	Reason   string   `json:"reason"`
	LeftOut  []string `json:"left_out,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// seconds is what a comparison may take unless asked otherwise, by the steps of a machine outside a browser; inside one
// it takes about three times that.
const seconds = 3

// Compare compares every mechanism at the level asked for, and emits every row.
func (q *Question) Compare(ctx context.Context, emit func(any)) (*Comparison, error) {
	sh, err := q.shape()
	if err != nil {
		return nil, err
	}
	t, err := q.target()
	if err != nil {
		return nil, err
	}
	a, err := advise.For(ctx, sh, []dp.Request{t}, advise.Options{
		Time:   time.Duration(cmp.Or(q.Seconds, seconds) * float64(time.Second)),
		Memory: Memory,
		Row:    func(_ int, r advise.Row) { emit(row(r)) },
	})
	if err != nil {
		return nil, err
	}
	out := &Comparison{Measure: a.Measure(), Reason: a.Reason(0), LeftOut: a.LeftOut()}
	if best, ok := a.Best(0); ok {
		out.Best, out.Choice = best.Mechanism, best.Choice
	}
	for _, w := range a.Warnings() {
		out.Warnings = append(out.Warnings, w.Text)
	}
	return out, nil
}

func row(r advise.Row) Row {
	out := Row{Kind: "row", Mechanism: r.Mechanism, Refused: r.Refused, LeftOut: r.LeftOut}
	if r.Refused == "" {
		out.Choice, out.Certified, out.Error, out.SE, out.How = r.Choice, r.Certified.String(), number(r.Error),
			number(r.SE), string(r.How)
	}
	return out
}
