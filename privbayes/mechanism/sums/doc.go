// Package sums releases means, rates and other models of numbers by integer noise on integer sums: [Noisy].
//
// Every record is rounded to a place k in {0, …, K} between the public bounds of its column (model.Lattice). Whatever
// the rounding does, one record then moves Σk by at most K, so that no floating-point error enters a guarantee, and the
// sums are exact in whatever order the rows come. What is released, and the noise it gets, depend on the model and on
// what neighbouring data sets differ in:
//
//	model          one record replaced                 one record added or removed
//	Mean, rates    Σk: geometric, or staircase         Σk and Σ(K−k): geometric
//	MeanSD         Σc, Σc²: K-norm of the parabola     –
//	Means          Σk of every column: the cube        Σ(2k−K) of every column, K·n: the cube
//	GroupMeans     Σk, Σ(K−k) of every group           Σk, Σ(K−k) of every group: geometric
//
// with discrete Gaussian noise in their place where a target other than pure ε makes it the smaller. c is k about the
// middle of the lattice, in half steps where K is odd: a middle rounded to the lattice would change records by more
// than is charged for.
//
// # The dominating pairs, and why they dominate
//
// Noise P(z) ∝ e^{−ε‖z‖/r} is ε-DP when a unit's r records move the sums by at most r in the norm: by the triangle
// inequality ‖o − S‖ and ‖o − S′‖ differ by at most r. Randomised response at ε dominates whatever is ε-DP. The norm is
// ‖z‖₁/Δ₁ for geometric noise, max|z_i|/K for the cube, and for (Σc, Σc²) the gauge of the convex hull of what a record
// can change (sample.ParabolaNorm): the smallest norm there is. Geometric noise is dominated by one count shifted by
// rΔ₁ (loss.GeometricPair's theorem). Discrete Gaussian noise has ρ = r²Δ₂²/(2σ²) (Canonne, Kamath, Steinke 2020,
// Proposition 5), with Σc² free beside Σc: d²/σ₁² + e²/σ₂² ≤ 4M²/σ₁² for all d = c − c′, e = c² − c′², as long as
// (M·σ₁/σ₂)² ≤ ((1 + √5)/2)⁵/4 = 2.77; 11/4 is used.
//
// # Estimates
//
// What a release estimates are posteriors given the noisy sums, which know the noise, the rounding and the clipping at
// the bounds (internal/roundedsum). They are made from public numbers only.
//
// Source: theory/numbers.md §§1, 2 with its corrections; every sensitivity is enumerated again by the certificate.
//
// Place: the façade makes it; catalog lists it.
package sums
