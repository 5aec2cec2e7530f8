// Package bayesnet holds discrete Bayesian networks apart from any data: the graph, the conditional probability tables,
// exact queries, prediction, forward sampling, and the interchange format (BIF).
//
// A DAG has nodes with named states and, for each node, its parents in a given order. A Net adds one table per node:
//
//	P(x_1, …, x_k) = Π_i P(x_i | x_parents(i))
//
// Everywhere states and nodes are numbered from 0 as they were given, and a table over variables v_1, …, v_m is flat in
// mixed radix with the last variable running fastest: the cell of (c_1, …, c_m) is (…(c_1·r_2 + c_2)·r_3 + …)·r_m +
// c_m. The family of a node is its parents in order and then the node, so that row j of its table, the distribution
// under parent configuration j, is contiguous.
//
// DAG and Net are immutable and safe for concurrent use. Methods that take the number of a node panic, as slices do,
// where their result has no error and there is no such node; everything else that can be wrong is an error.
//
// Place: knows neither data nor privacy; package model takes its graphs, the façade reads its files.
package bayesnet
