package leastsquares

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// forms are the ways in which n rows, of d features in [−10, 10] and a response in [0, 100], become second moments:
// rows or columns taken as they are, and scaled, by Design.Row and row by row.
var forms = map[string]func(m *Moments, design *Design, rows []float64, cols [][]float64) error{
	"rows": func(m *Moments, _ *Design, rows []float64, _ [][]float64) error { return m.AddRows(rows) },
	"columns": func(m *Moments, _ *Design, _ []float64, cols [][]float64) error {
		return addColumns(m, cols[:m.d], cols[m.d])
	},
	"scaled-rows": func(m *Moments, d *Design, rows []float64, _ [][]float64) error {
		const at = 1024
		width := m.d + 1
		out := make([]float64, at*width)
		for len(rows) > 0 {
			n := min(at, len(rows)/width)
			for i := range n {
				row := rows[i*width : (i+1)*width]
				if _, err := d.Row(row[:m.d], row[m.d], out[i*width:(i+1)*width]); err != nil {
					return err
				}
			}
			if err := m.AddRows(out[:n*width]); err != nil {
				return err
			}
			rows = rows[n*width:]
		}
		return nil
	},
}

// addColumns adds rows stored as columns: the sums alone, without turning or scaling.
func addColumns(m *Moments, x [][]float64, y []float64) error {
	if err := checkColumns(x, y, m.d); err != nil {
		return err
	}
	for from := 0; from < len(y); from += block {
		to := min(from+block, len(y))
		for c := range x {
			copy(m.column(c), x[c][from:to])
		}
		copy(m.column(m.d), y[from:to])
		m.addBlock(to - from)
	}
	return nil
}

func columnsOf(rows []float64, width int) [][]float64 {
	cols := make([][]float64, width)
	for i, v := range rows {
		cols[i%width] = append(cols[i%width], v)
	}
	return cols
}

func BenchmarkMoments(b *testing.B) {
	const n = 20000
	for _, d := range []int{4, 10, 50} {
		rows := randomRows(d, n, 1)
		cols, design := columnsOf(rows, d+1), mustDesign(b, d, false)
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			add := forms[name]
			b.Run(fmt.Sprintf("%s/d=%d", name, d), func(b *testing.B) {
				m := mustMoments(b, d, nil)
				for b.Loop() {
					if err := add(m, design, rows, cols); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
