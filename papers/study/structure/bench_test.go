package structure

import (
	"context"
	"math/rand/v2"
	"testing"
)

// BenchmarkLearn learns from tables in memory: counts, noise, rounds and the last fit. Adult needs data.External.
func BenchmarkLearn(b *testing.B) {
	for _, name := range []string{"votes", "shopper", "adult"} {
		b.Run(name, func(b *testing.B) {
			set, err := Load(context.Background(), name)
			if err != nil {
				b.Skip(err)
			}
			c, err := Code(set.Train)
			if err != nil {
				b.Fatal(err)
			}
			budget := Setting{name, false, 1}.budget()
			for b.Loop() {
				if _, _, err := Default(false, false).Run(context.Background(), c, budget, rand.NewPCG(1, 900)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHundredColumns learns from 100 columns of 2 to 16 levels, each dependent on one or two of the five before
// it, with a fit after every sixth round.
func BenchmarkHundredColumns(b *testing.B) {
	const columns, rows = 100, 100_000
	r := rand.New(rand.NewPCG(11, columns))
	c := &Coded{Rows: rows}
	for i := range columns {
		l, col := 2+r.IntN(15), make([]uint8, rows)
		var near, far []uint8
		if i > 0 {
			near, far = c.Columns[max(0, i-1-r.IntN(5))], c.Columns[max(0, i-1-r.IntN(5))]
		}
		for k := range col {
			switch {
			case i > 0 && r.IntN(2) == 0:
				col[k] = near[k] % uint8(l)
			case i > 0 && r.IntN(3) == 0:
				col[k] = (far[k] + 1) % uint8(l)
			default:
				col[k] = uint8(min(r.IntN(l), r.IntN(l)))
			}
		}
		c.Names, c.Levels, c.Columns = append(c.Names, ""), append(c.Levels, l), append(c.Columns, col)
	}
	loop := Default(false, false)
	loop.Batch, loop.Steps, loop.Last = 6, 20, 100
	for b.Loop() {
		if _, _, err := loop.Run(context.Background(), c, 0.15, rand.NewPCG(1, 1)); err != nil {
			b.Fatal(err)
		}
	}
}
