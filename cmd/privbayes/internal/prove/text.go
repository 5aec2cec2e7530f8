package prove

import (
	"fmt"
	"math/big"
	"strings"
)

// width is where lists are broken.
const width = 118

// List writes a list of Coq, broken into lines.
func List(items []string) string {
	var b strings.Builder
	line := 1
	b.WriteByte('[')
	for i, s := range items {
		if i > 0 {
			b.WriteString("; ")
			line += 2
		}
		if line+len(s) > width {
			b.WriteByte('\n')
			line = 0
		}
		b.WriteString(s)
		line += len(s)
		if at := strings.LastIndexByte(s, '\n'); at >= 0 {
			line = len(s) - at
		}
	}
	b.WriteByte(']')
	return strings.ReplaceAll(b.String(), "; \n", ";\n")
}

// Numbers writes integers as a list.
func Numbers[T int | int64](v []T) string {
	items := make([]string, len(v))
	for i, n := range v {
		items[i] = fmt.Sprint(n)
	}
	return List(items)
}

// Fraction writes a float64 as the pair of integers that it is.
func Fraction(v float64) string {
	r := rational(v)
	return "(" + r.Num().String() + ", " + r.Denom().String() + ")"
}

// Dyadic writes a float64 as u and s of u/2^s.
func Dyadic(v float64) string {
	r := rational(v)
	return fmt.Sprintf("(%s, %d%%nat)", r.Num(), r.Denom().BitLen()-1)
}

// rational is a finite float64 as the fraction that it is.
func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// over writes a fraction as two arguments.
func over(r *big.Rat) string { return r.Num().String() + " " + r.Denom().String() }

// checked is a theorem that the kernel decides by computing.
func checked(name, statement string) string {
	return fmt.Sprintf("Theorem %s : %s = true.\nProof. vm_compute. reflexivity. Qed.\n", name, statement)
}
