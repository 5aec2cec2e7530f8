package must

import (
	"crypto/rand"
	chacha "math/rand/v2"
	"sync"
)

// Repeatable has this process take what [rand.Reader] gives from one seed. A suite that draws releases then fails again
// where it failed; one test alone draws others than among its suite, unless it calls this first, too. Call it while
// nothing draws. The order of a map stays as random as it is.
func Repeatable(seed byte) {
	rand.Reader = &given{src: chacha.NewChaCha8([32]byte{seed})}
}

type given struct {
	sync.Mutex
	src *chacha.ChaCha8
}

func (g *given) Read(p []byte) (int, error) {
	g.Lock()
	defer g.Unlock()
	return g.src.Read(p)
}
