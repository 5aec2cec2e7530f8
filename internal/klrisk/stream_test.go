package klrisk

import "math/rand/v2"

// stream is a seeded source of words.
func stream(seed uint64) *rand.PCG { return rand.NewPCG(seed, 1) }
