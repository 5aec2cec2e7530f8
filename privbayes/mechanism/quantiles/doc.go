// Package quantiles releases quantiles of a column of numbers by the exponential mechanism on a public lattice: each on
// its own ([EM]), or several at once ([Joint]); or it reads them off noisy counts ([Histogram]). All draw exactly; the
// guarantee holds for every lattice and all data, ties included (theory/numbers.md §3, §4, referee's correction 8).
//
// # One quantile
//
// Records are rounded to the points 0, …, K of the lattice. For the quantile a/b of n records, with F⁻(v) of them below
// the point v and F(v) at or below it, the cost of v is
//
//	D(v) = max(0, b·F⁻(v) − a·n, a·n − b·F(v)),
//
// b times the distance of a·n/b from the ranks that v has: where many records tie, they all count. Replacing one record
// changes D by at most b, adding or removing one by at most max(a, b − a). A release draws v with P(v) ∝ e^{−x·D(v)};
// at sensitivity s, neighbouring data change log P from point to point by at most 2xs, which is its bounded range.
//
// # Several quantiles
//
// For quantiles a_1/b < … < a_m/b the cost of v_1 ≤ … ≤ v_m is Σ_i |b·c_i − (a_{i+1} − a_i)·n|, c_i the records between
// v_i and v_{i+1}. Moving one record changes two counts: replace-one sensitivity 2b; adding one changes one count and
// n, at most 2(b − min_i (a_{i+1} − a_i)). One draw gives all quantiles at the price of one.
//
// Records that tie with a quantile must not all fall on one side of it. Every record is therefore placed at random
// among the cells that each lattice point is divided into, before the draw and independently of everything: for each
// placing the guarantee holds, neighbouring data sharing the places of the records that they share, hence on the
// average, too. The candidates lie between the cells of a point.
//
// # Noisy counts
//
// The points of the lattice are the leaves of a tree, several to a leaf where that is enough, and every node's records
// are counted. A row is counted once on each of the L levels: adding one changes L counts by one, replacing one 2L at
// most. All counts get the same two-sided geometric noise, or discrete Gaussian noise where its tails are allowed.
// Then, as anyone may do with what was released, the counts are made consistent by least squares ([tree.consistent]),
// the counts up to every leaf are made to increase, and the quantiles are where these reach their ranks.
//
// The noise of a rank has variance σ²·Σ_l V_l·(b − 1)/6, σ² that of a count, which grows with L² under pure ε and with
// L under zCDP, V_l < 1 what consistency makes of it ([tree.variance]). The branching b is chosen by this formula, and
// so is the width of leaves where n is public: few wide ones at a small n·ε, within which records are taken to be
// spread evenly, all points at a large one.
//
// Place: above mechanism; package catalog lists it.
package quantiles
