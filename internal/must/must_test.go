package must

import (
	"crypto/rand"
	"errors"
	"io"
	"testing"
)

// ended counts how often a test was ended, and with what.
type ended []any

func (e *ended) Helper()           {}
func (e *ended) Fatal(args ...any) { *e = append(*e, args...) }

// A call that succeeds gives its values, and one that fails ends the test with its error.
func TestMust(t *testing.T) {
	var e ended
	one := Get(7, nil)(&e)
	two, three := Get2("x", true, nil)(&e)
	Do(&e, nil)
	if one != 7 || two != "x" || !three || e != nil {
		t.Errorf("%v %v %v, and the test was ended with %v", one, two, three, e)
	}
	want := errors.New("refused")
	Get(0, want)(&e)
	Get2(0, 0, want)(&e)
	Do(&e, want)
	if len(e) != 3 || e[0] != want || e[1] != want || e[2] != want {
		t.Errorf("three errors ended the test with %v", e)
	}
}

// Of one seed the same is drawn again, and of another something else.
func TestRepeatable(t *testing.T) {
	defer func(r io.Reader) { rand.Reader = r }(rand.Reader)
	var drawn [3][16]byte
	for i, seed := range []byte{1, 1, 2} {
		Repeatable(seed)
		Get(io.ReadFull(rand.Reader, drawn[i][:]))(t)
	}
	if drawn[0] != drawn[1] || drawn[0] == drawn[2] {
		t.Errorf("%x", drawn)
	}
}
