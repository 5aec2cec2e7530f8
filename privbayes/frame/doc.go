// Package frame holds tables: what is public about them ([Schema]) and their private rows ([Frame]).
//
// The schema comes first and from outside the data: names, categories, bounds, bin edges, what missing marks mean, and
// what happens to a value outside the domain. Reading a file under a schema can refuse the file, but never change the
// schema.
//
// Place: at the bottom, without a notion of privacy; package model counts its rows, and the façade wraps it.
package frame
