// Package klrisk holds the expected loss of one draw of the Dirichlet mechanism, before it is drawn, and the posterior
// mean of a count given a gamma draw. It reads parameters and released numbers only.
//
// Throughout y ~ Dir(r·N·p + α), α > 0 per cell, p a point of the simplex with d ≥ 2 cells, N ≥ 0 records and r > 0;
// u_i = rNp_i + α, u₀ = rN + dα. Losses are in nats. Nothing returns an error: outside its domain a function answers
// NaN. p that depends on data makes the value private; [Average] takes no data.
//
//   - [ExpectedKL], [ExpectedLogLoss], [VarKL]: the loss on a known p, from the moments of ln y_i.
//   - [Average]: the loss averaged over p.
//   - [GammaMean]: the posterior mean of a count, the post-processing that removes the bias α/r.
//
// Place: for mechanism/dirichlet, and the studies of its error.
package klrisk
