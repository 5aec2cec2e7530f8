// Package junction triangulates graphs of discrete variables: elimination orders by min-fill, and junction forests over
// sets of columns.
//
// A set of variables, a scope, asks that its variables be joined. An elimination order takes variables out one after
// the other, joining the neighbours of each; the edges so added triangulate the graph. The largest sets {v} ∪
// neighbours of v are the cliques, and a forest on them has the running intersection property: the variables that a
// clique shares with all cliques before it lie in its parent, so that tables over the cliques which agree on the
// separators are the margins of a joint table, and a distribution with that graph factorises,
//
//	P(x) = ∏_C P(x_C) / ∏_S P(x_S).
//
// A table over variables v_1 < … < v_m has ∏ levels(v_i) cells. Every width is found, and refused where it is above the
// limit, before anything of that size is allocated.
//
// Place: numerics for bayesnet, noiseaware and structure fits; it knows neither data nor privacy.
package junction
