// Package learnednetworks measures the posterior of learned networks given noisy counts: how often its intervals hold
// the truth when the structure was chosen from the same rows, by noisy scores, and the intervals take it for given.
//
// Nothing promises their coverage, so it is counted: populations are fixed and known, records are drawn from them, a
// plan that always learns releases each table, and 95 % intervals are asked only of what was chosen: cells, conditional
// probabilities and risk differences of learned edges, and all columns ([Cover]). The hardest populations are those
// whose edges are weak or none: what is chosen there is what looks strong by chance. [Committed] are the points that
// were run.
//
// Place: at the top; docs/noise_aware.md shows its results.
package learnednetworks
