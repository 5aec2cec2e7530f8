// Package num is the ground floor of the numerics: gamma-function ratios that keep their relative accuracy when the
// arguments are large or close to each other, the incomplete beta function, log-space sums, outward rounding, bracketed
// roots and quadrature.
//
// Nothing here panics or returns an error for a real argument: outside its domain a function answers NaN. ε below is
// the unit roundoff 2^-53 ≈ 1.1e-16; the accuracies stated were measured against 50-digit arithmetic.
//
// Place: imported by every room that computes; imports none of them.
package num
