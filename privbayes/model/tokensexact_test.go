package model

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Tokens are T·ω·b/(W·K²), rounded down, whatever the way to them: by floating point, and by integers next to one.
func TestDealIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.OneOf(rapid.Int64Range(1, 1<<22), rapid.SampledFrom([]int64{1, 1 << 12, 1 << 22, 1000})).Draw(t, "K")
		steps := rapid.OneOf(rapid.Int64Range(1, 1<<24), rapid.SampledFrom([]int64{1, 8, 800, 1 << 24})).Draw(t, "W")
		of := Tokens{rapid.SampledFrom([]Boxes{BoxesShare, BoxesMean}).Draw(t, "boxes"), steps, k,
			rapid.SampledFrom([]int64{1, 97, LeastTokens, MaxTokens}).Draw(t, "T")}
		w, x := rapid.Int64Range(0, steps).Draw(t, "ω"), rapid.Int64Range(0, k).Draw(t, "k")
		parts, whole := []int64{1}, int64(1)
		if of.Boxes == BoxesMean {
			parts, whole = []int64{(k - x) * (k - x), 2 * x * (k - x), x * x}, k*k
		}
		got := make([]int64, of.Boxes.Each())
		of.Deal(w, x, got)
		floor := func(factors []int64, by ...int64) int64 {
			a, b := big.NewInt(of.T), big.NewInt(1)
			for _, f := range factors {
				a.Mul(a, big.NewInt(f))
			}
			for _, f := range by {
				b.Mul(b, big.NewInt(f))
			}
			return a.Quo(a, b).Int64()
		}
		for j, b := range parts {
			if a, q := floor([]int64{w, b}, steps, whole), floor([]int64{w, steps - w, b}, steps, steps, whole); got[j] != a ||
				got[len(parts)+j] != q {
				t.Fatalf("%+v deals %v of (%d, %d); want %d and %d", of, got, w, x, a, q)
			}
		}
	})
}

// Sums at every T are those of rows that are halved one by one.
func TestHalves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h halves
		var want [tokenLevels]int64
		rows := rapid.SampledFrom([]int{0, 1, 254, 255, 256, 511, 3000}).Draw(t, "rows")
		few := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, MaxTokens), rapid.Just(int64(MaxTokens)),
			rapid.Just(int64(MaxTokens-1))), 1, 9).Draw(t, "tokens")
		for r := range rows {
			v := few[r%len(few)]
			h.add(v)
			for l := range want {
				want[l] += v >> l
			}
		}
		if got := h.at(); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
