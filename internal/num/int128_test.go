package num

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func (a Int128) big() *big.Int {
	x := new(big.Int).Lsh(big.NewInt(a.Hi), 64)
	return x.Add(x, new(big.Int).SetUint64(a.Lo))
}

func TestInt128AgreesWithBigIntegers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var a Int128
		want := new(big.Int)
		parts := [4]int64{}
		for range rapid.IntRange(0, 20).Draw(r, "terms") {
			u, v := rapid.Int64().Draw(r, "u"), rapid.Int64Range(-1<<57, 1<<57).Draw(r, "v")
			w := rapid.Int64().Draw(r, "w")
			one := Int128{}.AddProduct(u, v).Add(w)
			for i, l := range one.Limbs() {
				parts[i] += l
			}
			a = a.Plus(one)
			want.Add(want, new(big.Int).Mul(big.NewInt(u), big.NewInt(v)))
			want.Add(want, big.NewInt(w))
		}
		if a.big().Cmp(want) != 0 || FromLimbs(a.Limbs()) != a || FromLimbs(parts) != a {
			r.Fatalf("%v, want %v", a.big(), want)
		}
		exp := rapid.IntRange(-200, 200).Draw(r, "exp")
		exact := new(big.Float).SetPrec(300).SetInt(want)
		exact.SetMantExp(exact, exp)
		if x, _ := exact.Float64(); a.Float(exp) != x {
			r.Fatalf("%v·2^%d is %v, want %v", want, exp, a.Float(exp), x)
		}
	})
}
