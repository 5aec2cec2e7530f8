// Package must is for tests: it unwraps calls that are not to fail, and ends the test where one does.
package must

import (
	"crypto/rand"
	chacha "math/rand/v2"
	"sync"
)

// T is what it needs of a test: a [testing.TB] and a rapid.T are both one.
type T interface {
	Helper()
	Fatal(...any)
}

// Get is the value of a call that returns an error too, as in must.Get(os.ReadFile(name))(t).
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Get2 is [Get] of a call that returns two values.
func Get2[V, W any](v V, w W, err error) func(T) (V, W) {
	return func(t T) (V, W) {
		t.Helper()
		Do(t, err)
		return v, w
	}
}

// Do ends the test with the error, if there is one.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
