// Package simulate is the engine of the studies that simulate data, draw releases, make intervals and count how many
// hold the truth.
//
// A study names its points, each with randomness of its own ([Stream]), says what one replicate does, and counts with
// [Held] and [Moments]; [Plans] and [Release] make the release, and a posterior that is wrong on purpose;
// [Replicates] and [Each] run it. Package full runs and resumes the points of a file.
//
// Place: below the studies of coverage, numbers, wholenetworks and learnednetworks.
package simulate
