// Package dp is the vocabulary of differential privacy: what is promised ([Parameters], [Guarantee]), between which data
// sets ([Adjacency]), what is asked for ([Request]), and where randomness comes from ([Stream]).
//
// All logarithms are natural. Conversions between notions ([Parameters.At]) only ever weaken a claim; they are the order of
// levels.
//
// Place: above cert; whatever states, asks for or adds up privacy imports it. How far two output laws are apart is
// dp/loss; what was spent is budget.
package dp
