// Package budget is what was spent on a data set and what may still be: a [Budget] adds charges up under a limit that
// was fixed before the first of them, in memory or in a ledger file that outlives the process ([Open]), and a
// [RenyiFilter] does so at one Rényi order.
//
// The rules hold for charges that are chosen one by one, each after seeing what the releases before it published:
// theory/ledger.md.
//
// Place: above dp; the façade charges it before a draw.
package budget
