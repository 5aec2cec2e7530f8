// Package posterior holds the conjugate posteriors of counts: the Beta law of one probability and the Dirichlet law of
// several.
//
// Each distribution stands in its own file with the same verbs in the same order: update with counts, moments,
// predictive probabilities, log-density, evidence, quantiles and credible intervals, summary, sampling. KL, Hellinger,
// Renyi and TotalVariation compare two posteriors in closed form, and keep their digits when the two differ by one
// record in a billion.
//
// Values are immutable. Constructors and verbs that take counts return a *dp.ParameterError that names the parameter,
// its value and what was expected. Functions of real numbers that cannot fail otherwise answer NaN outside their
// domain; nothing panics on a number. Logarithms are natural.
//
// Place: above the numerics; package model is made of it.
package posterior
