package synthetic

// For tests outside, which may import packages above this one.
var (
	Run     = run
	Program = program
	RunR    = runR
)
