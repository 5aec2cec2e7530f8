package study

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// BoundRow is one t of [AccuracyBound].
type BoundRow struct {
	Mechanism string
	S         float64 // its sensitivity at x
	T         float64
	Threshold float64 // (2S/ε)(ln|R| + t)
	Bound     float64 // e^−t
	Exact     float64 // P[H ≥ Threshold]
	Vacuous   bool    // Threshold > 1, which no distance exceeds
}

// AccuracyBound sets the notes' accuracy bound beside the exact tail, for the exponential mechanism with rate ε/(2S)
// and S = Δ_g, LS, S_β (N = n) at the setting's data:
//
//	P[H(x, r) ≥ (2S/ε)(ln|R| + t)] ≤ e^−t,
//
// because the truth has weight 1 and the at most |R| candidates that far away weigh at most e^−(ln|R| + t) each.
// Errors: *SettingError, also for no t or a t that is not finite; ctx.Err(). Source: notes, utility of the exponential
// mechanism.
func AccuracyBound(ctx context.Context, s Setting, ts []float64) ([]BoundRow, error) {
	b, err := newBench(ctx, s)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, &SettingError{"len(ts)", 0, "at least one t"}
	}
	for i, t := range ts {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return nil, &SettingError{fmt.Sprintf("ts[%d]", i), t, "a finite number"}
		}
	}
	var out []BoundRow
	for _, m := range mechanisms()[:3] { // Δ_g, LS, S_β with N = n
		l, p := m.law(b)
		for _, t := range ts {
			at := 2 * p.scale / s.Epsilon * (b.space.LogSize() + t)
			out = append(out, BoundRow{m.name, p.scale, t, at, math.Exp(-t), l.tail(at), at > 1})
		}
	}
	return out, nil
}

// BoundTable shows the rows of [AccuracyBound].
func BoundTable(s Setting, rows []BoundRow) *table.Table {
	t := table.New("Accuracy bound of the notes: "+s.Label, "mechanism", "S", "t", "threshold (2S/ε)(ln|R| + t)",
		"bound e^−t", "exact P[H ≥ threshold]", "says something")
	for _, r := range rows {
		says := "yes"
		switch {
		case r.Bound >= 1:
			says = "no: bound ≥ 1"
		case r.Vacuous:
			says = "no: H ≤ 1"
		}
		t.Add(r.Mechanism, r.S, r.T, r.Threshold, r.Bound, r.Exact, says)
	}
	return t.Note(fmt.Sprintf("x = %v, prior %v, ε = %v, δ = %v", s.X, s.Prior, s.Epsilon, s.Delta))
}
