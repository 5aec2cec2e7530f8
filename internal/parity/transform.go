package parity

import "math"

// hadamard is the unnormalised Walsh–Hadamard transform in place: x[g] becomes Σ_c x[c] (−1)^{⟨g,c⟩}, the bits of c
// being the digits of a binary table. len(x) is a power of two. 2^s·s additions; its own inverse up to 2^s.
func hadamard[T int32 | int64 | float64](x []T) {
	for h := 1; h < len(x); h *= 2 {
		for lo := 0; lo < len(x); lo += 2 * h {
			a, b := x[lo:lo+h], x[lo+h:lo+2*h]
			for i, u := range a {
				v := b[i]
				a[i], b[i] = u+v, u-v
			}
		}
	}
}

// helmertScale is √(r/(j(j+1))), the norming of the Helmert function
//
//	u_j(x) = scale·1 for x < j, −scale·j for x = j, 0 for x > j,  1 ≤ j < r.
func helmertScale(r, j int) float64 { return math.Sqrt(float64(r) / (float64(j) * float64(j+1))) }

// Helmert is the basis of a variable with r states, row j the function u_j: u_0 = 1, Σ_x u_j(x) u_k(x) = r·1[j = k].
// For r = 2 it is (1, 1), (1, −1). It is empty for r < 1.
func Helmert(r int) [][]float64 {
	u := make([][]float64, max(r, 0))
	norms := scales(r)
	for j := range u {
		u[j] = make([]float64, r)
		helmertRow(u[j], j, norms)
	}
	return u
}

// helmertRow is the function u_j on the states of a variable with the given scales.
func helmertRow(row []float64, j int, scale []float64) {
	if j == 0 {
		for x := range row {
			row[x] = 1
		}
		return
	}
	for x := range j {
		row[x] = scale[j]
	}
	row[j] = -scale[j] * float64(j)
	clear(row[j+1:])
}

// forward is the tensor transform in place: t[γ] becomes Σ_c t[c] u_γ(c). One pass over the table per variable, in
// which partial sums serve all the functions of a fibre.
func (s *Spectrum) forward(f *family, t []float64) {
	if s.binary {
		hadamard(t)
		return
	}
	stride := 1
	for k := len(f.arities) - 1; k >= 0; k-- {
		r := f.arities[k]
		scale := scales(r)
		for lo := 0; lo < len(t); lo += r * stride {
			for at := lo; at < lo+stride; at++ {
				sum := t[at]
				for j := 1; j < r; j++ {
					p := &t[at+j*stride]
					x := *p
					*p = scale[j] * (sum - float64(j)*x)
					sum += x
				}
				t[at] = sum
			}
		}
		stride *= r
	}
}

// backward undoes forward: t[c] becomes (1/Π r_v) Σ_γ t[γ] u_γ(c).
func backward(arities []int, t []float64) {
	stride := 1
	for k := len(arities) - 1; k >= 0; k-- {
		r := arities[k]
		scale, norm := scales(r), float64(r)
		for lo := 0; lo < len(t); lo += r * stride {
			for at := lo; at < lo+stride; at++ {
				sum := t[at] // φ_0 + Σ_{k>j} u_k(j) φ_k
				for j := r - 1; j > 0; j-- {
					p := &t[at+j*stride]
					x := *p * scale[j]
					*p = (sum - float64(j)*x) / norm
					sum += x
				}
				t[at] = sum / norm
			}
		}
		stride *= r
	}
}

func scales(r int) []float64 {
	out := make([]float64, max(r, 0))
	for j := 1; j < r; j++ {
		out[j] = helmertScale(r, j)
	}
	return out
}
