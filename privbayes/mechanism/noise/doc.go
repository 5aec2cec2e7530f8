// Package noise holds integer noise distributions: how they are drawn, what reads them, what they cost, and the least
// of them that meets a privacy level. A [Distribution] is one, with its parameters; a [Family] is all of one name.
//
//	d, met, err := noise.GeometricFamily.Least(ctx, 2, 1, level) // one unit changes two counts by one row each
//	z := d.Draw(stream)
//
// A distribution of another module states the same methods and registers its family. It is then added to counts by
// counts.Adding, and gets estimates, intervals, advice and verification like those of this package.
//
// Privacy follows from the dominating pair of a distribution (package dp/loss), so that the search needs nothing else:
// it takes the greatest rate, or the least variance, at which the pair meets the level, and rounds toward privacy. No
// floating-point number enters a draw; probabilities, tails and variances are floating point, with stated errors.
//
// Place: above dp/loss; mechanisms and noiseaware know no other noise.
package noise
