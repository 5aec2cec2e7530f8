// Package privbayes2017 is PrivBayes as published, to stand beside the library's own learners: Zhang, Cormode, Procopiuc,
// Srivastava, Xiao, PrivBayes: Private Data Release via Bayesian Networks, ACM TODS 42(4), 2017 (SIGMOD 2014).
//
// # The algorithm
//
// A first column is drawn uniformly. Then, d − 1 times, a column X and parents Π among those that have been taken are
// chosen together by the exponential mechanism, P(X, Π) ∝ e^{ε′s(X, Π)/(2S)}, ε′ = βε/(d − 1), S the sensitivity of the
// score s. At last the table of every (X, Π) gets Laplace noise, negative counts become 0, and rows are divided by
// their sums. With a degree k, or where all columns have two levels, Π has k columns, the tables of the first k columns
// are margins of the next one's, and the d − k others have noise of scale 2(d − k)/((1 − β)ε) on counts; without it, Π
// is any largest set whose table is useful, |X|·|Π| ≤ n(1 − β)ε/(2dθ), and d tables have noise of scale 2d/((1 − β)ε).
//
// # Its privacy
//
// The paper takes n public: replace-one. Its sensitivities of I and F hold and are attained; that of R, 3/n + 2/n²,
// holds and is not: with a column of two levels R moves by at most 2/n − 2/n² ([moves]), so that AsPublished(ε) spends
// less than ε on such tables. PureDP(ε) takes what is proved. The first column and what follows from n cost nothing.
// Under add-remove nothing of it stands: rates, degree and sensitivities are functions of a private n. That is refused.
//
// Scores are whole numbers. R and F are so by themselves, up to a factor; I is rounded to steps of 1/1024 bit/n, for
// which the rate pays, but logarithms are taken in floating point: arithmetic ideal. Noise is Laplace on a lattice of
// 1/65536 of a record, exact.
//
// Place: above mechanism; package catalog lists it.
package privbayes2017
