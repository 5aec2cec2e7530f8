// Package loss is the arithmetic of privacy loss: how far two output laws are apart. A dominating pair ([Pair]) stands
// for the worst two neighbouring data sets; its privacy profile δ(ε), its Rényi divergences, its composition with other
// pairs ([Declare]) and its trade-off function follow from it, each as an upper bound.
//
// All logarithms are natural. Certified numbers are inflated by stated factors.
//
// Place: above dp; mechanisms calibrate and certify with it.
package loss
