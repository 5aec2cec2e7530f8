package dp_test

import (
	"bytes"
	crand "crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// swapSource puts another source in the place of the operating system's for one test.
func swapSource(t *testing.T, r io.Reader) {
	t.Helper()
	old := crand.Reader
	crand.Reader = r
	t.Cleanup(func() { crand.Reader = old })
}

// zeros never ends, and never changes.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A source that fails, ends early or repeats itself gives no stream.
func TestAFailingSourceGivesNoStream(t *testing.T) {
	boom := errors.New("no entropy")
	for name, c := range map[string]struct {
		source io.Reader
		want   error
	}{
		"fails at once": {iotest.ErrReader(boom), boom},
		"fails in the midst": {io.MultiReader(strings.NewReader(strings.Repeat("x", 40)), iotest.ErrReader(boom)),
			boom},
		"ends at once":        {strings.NewReader(""), io.EOF},
		"ends in the midst":   {strings.NewReader("sixteen bytes..."), io.ErrUnexpectedEOF},
		"zeros":               {zeros{}, nil},
		"the same bits twice": {bytes.NewReader(bytes.Repeat([]byte{'a', 'b', 'c', 'd'}, 16)), nil},
	} {
		swapSource(t, c.source)
		s, err := dp.Secure()
		var typed *dp.RandomnessError
		if s != nil || !errors.As(err, &typed) || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// A stream has its key from the start: a source that fails afterwards changes nothing of what it gives. One that gives
// its bytes one by one works, and two keys give two streams.
func TestASourceThatFailsLaterDoesNotMatter(t *testing.T) {
	bits := strings.Repeat("a", 32) + strings.Repeat("b", 32)
	draw := func(source io.Reader, then io.Reader) (out [5000]uint64) {
		swapSource(t, source)
		s := must.Get(dp.Secure())(t)
		for i := range out {
			if i == 100 && then != nil {
				swapSource(t, then)
			}
			out[i] = s.Uint64()
		}
		return out
	}
	calm := draw(strings.NewReader(bits), nil)
	if calm != draw(iotest.OneByteReader(strings.NewReader(bits)), iotest.ErrReader(errors.New("gone"))) ||
		calm != draw(strings.NewReader(bits), zeros{}) {
		t.Error("the stream depends on its source after the start")
	}
	if calm == draw(strings.NewReader("c"+bits[1:]), nil) {
		t.Error("another key gives the same stream")
	}
}
