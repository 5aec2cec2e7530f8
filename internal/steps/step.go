package steps

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/gram"
)

// pseudoRecord is one of the public records, at the point of a step.
type pseudoRecord struct {
	x, z           []float64 // the scaled row, and A_ps⁻¹x
	t, m, omega, a float64
	weight         float64 // min(a, cut)
}

// step is one released step and its likelihood, G̃ ~ N(A·m(u), V_d + τ²I) at w = w_k + u.
type step struct {
	d        *Design
	problem  *gram.Problem
	w        []float64 // √D times the point
	released []float64 // A, pulled until it is positive definite
	noise    []float64 // variances of the places of A
	tau2     float64
	records  []pseudoRecord
	root     *mat.Cholesky // of A_ps
}

// step of what was released, with no pseudo-records yet.
func (d *Design) step(r Released) *step {
	p, cut := d.layout(r.Point), float64(r.Point.Cut)/unit
	n := p.Dim
	s := &step{d: d, problem: p, tau2: r.Deviation * r.Deviation, noise: make([]float64, n*n)}
	for k := range p.Entries {
		e := &p.Entries[k]
		e.Noisy, e.Variance = r.Moments[k], cut*cut*s.tau2/float64(e.Ordered())
		for _, at := range e.Places {
			s.noise[at[0]*n+at[1]], s.noise[at[1]*n+at[0]] = e.Variance, e.Variance
		}
	}
	if k := p.Count; k >= 0 && d.Rows == 0 {
		p.Cap = math.Max(r.Moments[k], 0) + 8*math.Sqrt(p.Entries[k].Variance)
	}
	p.XY, p.NoiseXY, p.Precision = r.Gradient, s.tau2, d.precision()
	s.released = p.Released()
	for _, b := range r.Point.Beta {
		s.w = append(s.w, b*math.Sqrt(d.Terms))
	}
	return s
}

// layout is the problem of a step without what was released. Every weight of the first is the cut, so that there A₀₀
// is public with n.
func (d *Design) layout(at Point) *gram.Problem {
	cut := float64(at.Cut) / unit
	if at.First && d.Rows > 0 {
		p := gram.Layout(d.Columns, d.Terms, d.Rows)
		p.Cap *= cut
		p.Fixed = p.Cap
		return p
	}
	p := gram.Layout(d.Columns, d.Terms, 0)
	p.Cap = d.Rows / d.Terms * cut
	return p
}

// under takes the pseudo-records of one distribution of the rows.
func (s *step) under(rows [][]float64, at Point) {
	n := len(s.w)
	a, scale := mat.NewSymDense(n, nil), 1/math.Sqrt(s.d.Terms)
	s.records = make([]pseudoRecord, len(rows))
	for i, row := range rows {
		r := &s.records[i]
		r.t = at.Index(row)
		r.m, r.omega, r.a = s.d.Family.at(r.t)
		if r.weight = float64(at.Cut) / unit; !at.First {
			r.weight = math.Min(r.weight, r.a)
		}
		for _, v := range row {
			r.x = append(r.x, v*scale)
		}
		a.SymRankOne(a, r.weight, mat.NewVecDense(n, r.x))
	}
	s.root = cholesky(a, 1e-7)
	for i := range s.records {
		var z mat.VecDense
		_ = s.root.SolveVecTo(&z, mat.NewVecDense(n, s.records[i].x)) // only ill-conditioned, at worst
		s.records[i].z = z.RawVector().Data
	}
}

// cholesky of a positive semidefinite matrix, with so much of its trace added to the diagonal, or more if it takes
// more.
func cholesky(a *mat.SymDense, ridge float64) *mat.Cholesky {
	n := a.SymmetricDim()
	trace := math.Max(mat.Trace(a), 1e-300)
	for ; ; ridge = math.Max(10*ridge, 1e-16) {
		b := mat.NewSymDense(n, nil)
		b.CopySym(a)
		for i := range n {
			b.SetSym(i, i, b.At(i, i)+ridge*trace)
		}
		var c mat.Cholesky
		if c.Factorize(b) || ridge > 1 {
			return &c
		}
	}
}

// mean sets out to m(u) = A_ps⁻¹·Σ x_i·ω_i(μ(t_i + uᵀx_i) − m_i).
func (s *step) mean(u, out []float64) {
	clear(out)
	for i := range s.records {
		r := &s.records[i]
		v := s.d.Family.moved(r.t, r.m, r.omega, r.a, dot(r.x, u))
		for j, z := range r.z {
			out[j] += v * z
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// slope is J = dm/du = A_ps⁻¹·Σ ω_iμ′_i·x_ix_iᵀ.
func (s *step) slope(u []float64) *mat.Dense {
	n := len(u)
	out := mat.NewDense(n, n, nil)
	for i := range s.records {
		r := &s.records[i]
		slope, _ := s.d.Family.response(r.t + dot(r.x, u))
		out.RankOne(out, r.omega*slope, mat.NewVecDense(n, r.z), mat.NewVecDense(n, r.x))
	}
	return out
}

// variance is V_d, the sampling variance of G at w + u: Σ ω²·Var(y)·xxᵀ over pseudo-records, carried from their A_ps =
// LLᵀ to the released Â = L̂L̂ᵀ, L̂L⁻¹(·)L⁻ᵀL̂ᵀ.
func (s *step) variance(u []float64) *mat.SymDense {
	n := len(u)
	v := mat.NewSymDense(n, nil)
	for i := range s.records {
		r := &s.records[i]
		_, variance := s.d.Family.response(r.t + dot(r.x, u))
		v.SymRankOne(v, r.omega*r.omega*variance, mat.NewVecDense(n, r.x))
	}
	var from, to mat.TriDense
	s.root.LTo(&from)
	cholesky(mat.NewSymDense(n, s.released), 1e-9).LTo(&to)
	var carry, half, full mat.Dense // carry = L̂L⁻¹, from Lᵀ·carryᵀ = L̂ᵀ
	_ = carry.Solve(from.T(), to.T())
	half.Mul(v, &carry)
	full.Mul(carry.T(), &half)
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
	return out
}

// mode is that of u with A at Â, the noise on A counted as variance, and the curvature H = JᵀÂV⁻¹ÂJ + Λ there. V =
// V_d + τ²I + diag_j(Σ_i T_ji·m_i²) is held through a Gauss–Newton run, then taken anew, four times.
func (s *step) mode() (u []float64, curvature *mat.SymDense) {
	n := len(s.w)
	u = make([]float64, n)
	for range 4 {
		curvature = s.climb(u, s.total(u))
	}
	return u, curvature
}

// total is V at u.
func (s *step) total(u []float64) *mat.Cholesky {
	n := len(u)
	m, v := make([]float64, n), s.variance(u)
	s.mean(u, m)
	for j := range n {
		own := v.At(j, j) + s.tau2
		for i := range n {
			own += s.noise[j*n+i] * m[i] * m[i]
		}
		v.SetSym(j, j, own)
	}
	return cholesky(v, 0)
}

// climb moves u to the mode under one V, by Gauss–Newton steps that move no index by more than 2, halved until the
// objective falls.
func (s *step) climb(u []float64, v *mat.Cholesky) (curvature *mat.SymDense) {
	n := len(u)
	a, residual := mat.NewDense(n, n, s.released), mat.NewVecDense(n, nil)
	objective := func(u []float64) float64 {
		m := make([]float64, n)
		s.mean(u, m)
		residual.MulVec(a, mat.NewVecDense(n, m))
		residual.SubVec(mat.NewVecDense(n, s.problem.XY), residual)
		var solved mat.VecDense
		_ = v.SolveVecTo(&solved, residual)
		sum := mat.Dot(residual, &solved)
		for j, b := range s.problem.Precision {
			sum += b * (s.w[j] + u[j]) * (s.w[j] + u[j])
		}
		return sum / 2
	}
	at := objective(u)
	for range 30 {
		var k, solved mat.Dense
		k.Mul(a, s.slope(u))
		_ = v.SolveTo(&solved, &k) // V⁻¹K
		objective(u)               // the residual at u
		var gradient, move mat.VecDense
		gradient.MulVec(solved.T(), residual)
		var full mat.Dense
		full.Mul(k.T(), &solved)
		curvature = mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				curvature.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
			}
			curvature.SetSym(i, i, curvature.At(i, i)+s.problem.Precision[i])
			gradient.SetVec(i, gradient.AtVec(i)-s.problem.Precision[i]*(s.w[i]+u[i]))
		}
		_ = cholesky(curvature, 0).SolveVecTo(&move, &gradient)
		most := 1e-9
		for i := range s.records {
			most = math.Max(most, math.Abs(dot(s.records[i].x, move.RawVector().Data)))
		}
		next, now := make([]float64, n), at
		for length := math.Min(1, 2/most); length > 1e-6; length /= 2 {
			for j := range u {
				next[j] = u[j] + length*move.AtVec(j)
			}
			if now = objective(next); now <= at {
				copy(u, next)
				break
			}
		}
		if !(at-now >= 1e-7) {
			break
		}
		at = now
	}
	return curvature
}

// weightQuantile is the q-quantile of the weights of the pseudo-records before the cut, interpolated.
func (s *step) weightQuantile(q float64) float64 {
	var a []float64
	for i := range s.records {
		a = append(a, s.records[i].a)
	}
	slices.Sort(a)
	at := q * float64(len(a)-1)
	k := min(int(at), len(a)-2)
	return a[k] + (at-float64(k))*(a[k+1]-a[k])
}
