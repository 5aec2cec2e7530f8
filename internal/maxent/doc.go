// Package maxent fits a joint distribution of discrete variables to noisy tables over some of them.
//
// Tables y_c over sets c of variables, cells with variance σ_c² each, are to be explained by a distribution of maximum
// entropy, p_θ(x) = exp(Σ_c θ_c(x_c)) / Z(θ), with one potential for every cell of every table. θ minimises
//
//	N ln Z(θ) − Σ_c ⟨θ_c, ȳ_c⟩ + ½λ Σ_c σ_c² ‖θ_c‖²,  λ = Ridge,
//
// where N is the number of records and ȳ_c is y_c moved by a constant so that it adds up to N. The objective is
// strictly convex, its minimum is unique, and there every table satisfies N·p_θ(x_c) − ȳ_c = −λσ_c² θ_c: margins agree
// with the tables up to what their noise allows, and a table that is known better is met more closely. (Without the
// last term this is the maximum-likelihood fit of a log-linear model, whose minimum lies at infinity as soon as a noisy
// cell is below 0.)
//
// Z and the margins are exact: the sets are triangulated (package junction) and messages go up and down the junction
// forest. Upwards they are logarithms, so nothing overflows or vanishes; what is exponentiated is the conditional law
// of a clique given its separator, relative to its largest entry, and it is all that the way down needs: one
// exponential for each cell and evaluation. The minimum is sought by L-BFGS with memory 10, in coordinates scaled by
// (λσ² + max(ȳ, 1))^(−½), from the potentials of the last fit.
//
// Everything runs on one goroutine in a fixed order: the same tables give the same bits on every run of a machine.
//
// Cells that cannot be ([Model.Forbid]) have potential −∞. A fitted model gives margins over any variables
// ([Model.Margin], [Model.Pair]) and a Bayesian network ([Model.Net]), which makes records.
//
// Source: theory/structure.md §8.
//
// Place: numerics for learned structures; it knows neither data nor privacy.
package maxent
