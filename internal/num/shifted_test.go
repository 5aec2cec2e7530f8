package num

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A shift is a product with a power of two, also of negative sums.
func TestShiftedIsAProduct(t *testing.T) {
	big128 := func(a Int128) *big.Int {
		out := new(big.Int).Lsh(big.NewInt(a.Hi), 64)
		return out.Add(out, new(big.Int).SetUint64(a.Lo))
	}
	rapid.Check(t, func(t *rapid.T) {
		a := Int128{rapid.Int64Range(-1<<30, 1<<30).Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
		n := uint(rapid.IntRange(1, 32).Draw(t, "n"))
		if got, want := big128(a.Shifted(n)), new(big.Int).Lsh(big128(a), n); got.Cmp(want) != 0 {
			t.Fatalf("%v·2^%d = %v, want %v", a, n, got, want)
		}
	})
}
