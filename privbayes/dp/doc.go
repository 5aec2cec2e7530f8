// Package dp is the vocabulary of differential privacy: what is promised ([Level], [Guarantee]), between which data sets
// ([Adjacency]), what is asked for ([Target]), how far two output laws are apart ([Pair]), where randomness comes from ([Stream])
// and how much has been spent ([Budget]).
//
// All logarithms are natural. Conversions between notions only ever weaken a claim.
//
// Place: above cert; whatever states, asks for or adds up privacy imports it.
package dp
