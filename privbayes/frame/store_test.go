package frame

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func sameNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// Whatever the numbers, and in whatever parts they come, a packed column gives them back, also row by row, chosen and
// put together.
func TestPackedNumbers(t *testing.T) {
	kinds := map[string]struct {
		col  Column
		draw func(*rand.Rand) float64
	}{
		"bytes":       {Integer("x", -3, 250), func(r *rand.Rand) float64 { return float64(r.IntN(254) - 3) }},
		"few":         {Integer("x", 0, 1e9), func(r *rand.Rand) float64 { return 1e6 * float64(r.IntN(200)) }},
		"two bytes":   {Integer("x", -30000, 30000), func(r *rand.Rand) float64 { return float64(r.IntN(60001) - 30000) }},
		"widest two":  {Integer("x", 0, 65534), func(r *rand.Rand) float64 { return float64(65534 - r.IntN(400)) }},
		"four bytes":  {Integer("x", 0, 65535), func(r *rand.Rand) float64 { return float64(65535 - r.IntN(400)) }},
		"half bounds": {Integer("x", -0.5, 1e6+0.5), func(r *rand.Rand) float64 { return float64(r.IntN(1e6)) }},
		"most":        {Integer("x", -1e15, 1e15), func(r *rand.Rand) float64 { return float64(r.Int64N(2e15) - 1e15) }},
		"beyond": {Integer("x", -math.MaxFloat64, math.MaxFloat64),
			func(r *rand.Rand) float64 { return math.Ldexp(1, r.IntN(1000)) }},
		"halves":    {Real("x", 0, 1e6), func(r *rand.Rand) float64 { return float64(r.IntN(1e6)) / 4 }},
		"reals":     {Real("x", 0, 1), func(r *rand.Rand) float64 { return r.Float64() }},
		"few reals": {Real("x", 0, 100), func(r *rand.Rand) float64 { return float64(r.IntN(100)) / 10 }},
		"late reals": {Real("x", 0, 1e6),
			func(r *rand.Rand) float64 { return float64(r.IntN(900)) + float64(r.IntN(5000)/4999)*0.1 }},
		"more than 24": {Real("x", 0, 1<<30), func(r *rand.Rand) float64 { return float64(1<<24 + r.IntN(2000)) }},
	}
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				all := make([]float64, rapid.IntRange(0, 3000).Draw(t, "n"))
				missing := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "missing")
				for i := range all {
					if all[i] = k.draw(rng); rng.Float64() < missing {
						all[i] = math.NaN()
					}
				}
				p := newPacked(k.col)
				for rest := all; len(rest) > 0; {
					n := rapid.IntRange(1, len(rest)).Draw(t, "part")
					p.add(rest[:n])
					rest = rest[n:]
				}
				if p.len() != len(all) || !sameNumbers(p.all(), all) {
					t.Fatalf("%d numbers of %d came back, or others", p.len(), len(all))
				}
				idx := make([]int, len(all)/2)
				var want []float64
				for i := range idx {
					idx[i] = rng.IntN(len(all))
					want = append(want, all[idx[i]])
				}
				q := p.pick(idx)
				if !sameNumbers(q.all(), want) || !sameNumbers(q.then(p).all(), slices.Concat(want, all)) ||
					!sameNumbers(p.then(q).all(), slices.Concat(all, want)) {
					t.Fatal("chosen numbers are others")
				}
			})
		})
	}
}

// Numbers take as few bytes as they need.
func TestPackedSizes(t *testing.T) {
	values := func(n int, draw func(i int) float64) (out []float64) {
		for i := range n {
			out = append(out, draw(i))
		}
		return out
	}
	for _, c := range []struct {
		col    Column
		values []float64
		bytes  int
	}{
		{Integer("age", 17, 100), values(1000, func(i int) float64 { return float64(17 + i%80) }), 1},
		{Integer("gain", 0, 99999), values(1000, func(i int) float64 { return float64(i % 120 * 800) }), 1},
		{Integer("pay", 0, 60000), values(1000, func(i int) float64 { return float64(i) }), 2},
		{Integer("pay", 0, 99999), values(1000, func(i int) float64 { return float64(i) }), 4},
		{Real("half", 0, 1e6), values(1000, func(i int) float64 { return float64(i) / 2 }), 4},
		{Real("tenth", 0, 1e6), values(1000, func(i int) float64 { return float64(i) / 10 }), 8},
	} {
		p := pack(c.col, c.values)
		if got := len(p.u8) + 2*len(p.u16) + 4*len(p.u32) + 4*len(p.f32) + 8*len(p.f64); got != c.bytes*len(c.values) {
			t.Errorf("%s: %d bytes for %d numbers, want %d each", c.col.Name, got, len(c.values), c.bytes)
		}
	}
}
