package gram

import "math"

// factor sets l to the Cholesky factor of the symmetric d × d matrix a and gives log |a|; ok is false where a is not
// positive definite.
func factor(a, l []float64, d int) (logDet float64, ok bool) {
	for i := range d {
		for j := 0; j <= i; j++ {
			v := a[i*d+j] - dot(l[i*d:i*d+j], l[j*d:j*d+j])
			if i != j {
				l[i*d+j] = v / l[j*d+j]
				continue
			}
			if !(v > 1e-13*math.Abs(a[i*d+i])) {
				return 0, false
			}
			l[i*d+i] = math.Sqrt(v)
			logDet += math.Log(v)
		}
	}
	return logDet, true
}

// floored is the factor of a matrix that is positive definite but for rounding.
func floored(a, l []float64, d int) {
	for i := range d {
		for j := 0; j <= i; j++ {
			v := a[i*d+j] - dot(l[i*d:i*d+j], l[j*d:j*d+j])
			if i == j {
				l[i*d+i] = math.Sqrt(math.Max(v, 1e-12*math.Abs(a[i*d+i])+1e-300))
			} else {
				l[i*d+j] = v / l[j*d+j]
			}
		}
	}
}

// inverse sets inv to (l·lᵀ)⁻¹; work has d² places.
func inverse(l, inv, work []float64, d int) {
	lower(l, work, d)
	for i := range d {
		for j := 0; j <= i; j++ {
			sum := 0.
			for k := i; k < d; k++ {
				sum += work[k*d+i] * work[k*d+j]
			}
			inv[i*d+j], inv[j*d+i] = sum, sum
		}
	}
}

// lower sets out to l⁻¹, zero above the diagonal.
func lower(l, out []float64, d int) {
	clear(out[:d*d])
	for i := range d {
		out[i*d+i] = 1 / l[i*d+i]
		for j := range i {
			sum := 0.
			for k := j; k < i; k++ {
				sum += l[i*d+k] * out[k*d+j]
			}
			out[i*d+j] = -sum / l[i*d+i]
		}
	}
}

// solve sets x to (l·lᵀ)⁻¹x, half to l⁻¹x.
func half(l, x []float64, d int) {
	for i := range d {
		x[i] = (x[i] - dot(l[i*d:i*d+i], x[:i])) / l[i*d+i]
	}
}

func otherHalf(l, x []float64, d int) {
	for i := d - 1; i >= 0; i-- {
		v := x[i]
		for k := i + 1; k < d; k++ {
			v -= l[k*d+i] * x[k]
		}
		x[i] = v / l[i*d+i]
	}
}

func solve(l, x []float64, d int) { half(l, x, d); otherHalf(l, x, d) }

func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// times sets out to a·x.
func times(a, x, out []float64, d int) {
	for i := range d {
		out[i] = dot(a[i*d:(i+1)*d], x)
	}
}

// downdate subtracts weight·y·yᵀ from a.
func downdate(a, y []float64, weight float64, d int) {
	for i := range d {
		v := weight * y[i]
		row := a[i*d : (i+1)*d]
		for j := range row {
			row[j] -= v * y[j]
		}
	}
}

// spectrum is what a change of a positive definite matrix of few rows and columns does, at all lengths at once. Given
// A⁻¹ on them, M = CCᵀ, and the symmetric change B, the eigenvalues λ of CᵀBC make |A + δB|/|A| = Π(1 + δλ_i). Its
// vectors are the columns of C⁻ᵀQ.
type spectrum struct {
	r             int
	lambda        []float64
	vector        []float64 // row i is that of λ_i
	c, e, q, work []float64
}

func newSpectrum(most int) *spectrum {
	n := most * most
	return &spectrum{lambda: make([]float64, most), vector: make([]float64, n), c: make([]float64, n),
		e: make([]float64, n), q: make([]float64, n), work: make([]float64, n)}
}

// of computes the spectrum of M and B, r × r.
func (s *spectrum) of(m, b []float64, r int) {
	s.r = r
	floored(m, s.c, r)
	for i := range r { // work = B·C
		for j := range r {
			sum := 0.
			for k := j; k < r; k++ {
				sum += b[i*r+k] * s.c[k*r+j]
			}
			s.work[i*r+j] = sum
		}
	}
	for i := range r { // e = Cᵀ·work
		for j := range r {
			sum := 0.
			for k := i; k < r; k++ {
				sum += s.c[k*r+i] * s.work[k*r+j]
			}
			s.e[i*r+j] = sum
		}
	}
	s.rotate()
	lower(s.c, s.work, r)
	for i := range r {
		for a := range r {
			sum := 0.
			for k := a; k < r; k++ {
				sum += s.work[k*r+a] * s.q[k*r+i]
			}
			s.vector[i*r+a] = sum
		}
	}
}

// rotate diagonalises e by Jacobi rotations; the columns of q are the eigenvectors.
func (s *spectrum) rotate() {
	r, e, q := s.r, s.e, s.q
	for i := range r {
		for j := range r {
			q[i*r+j] = 0
		}
		q[i*r+i] = 1
	}
	for range 60 {
		off, on := 0., 0.
		for i := range r {
			on += e[i*r+i] * e[i*r+i]
			for j := range i {
				off += e[i*r+j] * e[i*r+j]
			}
		}
		if off <= 1e-30*(on+off) {
			break
		}
		for i := range r {
			for j := i + 1; j < r; j++ {
				if e[i*r+j] == 0 {
					continue
				}
				ratio := (e[j*r+j] - e[i*r+i]) / (2 * e[i*r+j])
				t := math.Copysign(1/(math.Abs(ratio)+math.Sqrt(ratio*ratio+1)), ratio)
				c := 1 / math.Sqrt(t*t+1)
				turn(e, r, 1, i*r, j*r, c, t*c)
				turn(e, r, r, i, j, c, t*c)
				turn(q, r, r, i, j, c, t*c)
			}
		}
	}
	for i := range r {
		s.lambda[i] = e[i*r+i]
	}
}

// turn rotates two rows or columns, which start at a and b, by cosine and sine.
func turn(m []float64, r, step, a, b int, c, s float64) {
	for k := range r {
		x, y := m[a+k*step], m[b+k*step]
		m[a+k*step], m[b+k*step] = c*x-s*y, s*x+c*y
	}
}

// interval are the lengths δ at which the matrix stays positive definite: (−1/λ_max, −1/λ_min).
func (s *spectrum) interval() (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	for _, v := range s.lambda[:s.r] {
		if v > 0 {
			lo = math.Max(lo, -1/v)
		} else if v < 0 {
			hi = math.Min(hi, -1/v)
		}
	}
	return lo * (1 - 1e-9), hi * (1 - 1e-9)
}
