// Package bugs holds defects that have been found in published differential-privacy code, each rebuilt as a small
// mechanism of our own: what it claims, what it really spends, and the checker of this library that tells them apart.
//
// Every entry is one function with a switch: the defective and the right version go through the same checker, so an
// entry whose mutant is rejected while its right version is accepted shows that the checker sees the defect and nothing
// else.
//
//	for _, b := range bugs.All() {
//		f, err := b.Run(ctx) // recomputes: f.Spent, f.Rejected, f.Accepted, f.Counterexample
//	}
//	t, figure, err := bugs.Run(ctx)
//
// The entries concern mechanisms, not data: nothing here reads private records, and everything may be published.
//
// Place: at the top; notebook 09_caught_bugs shows it.
package bugs
