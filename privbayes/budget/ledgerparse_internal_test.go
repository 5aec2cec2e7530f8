package budget

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// longLedger is a live budget on a file with so many charges.
func longLedger(tb testing.TB, n int) *Budget {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "l")
	b := must.Get(Open(path, "d", Unit{}, dp.PureDP(1)))(tb)
	raw := must.Get(os.ReadFile(path))(tb)
	for i := range n {
		line, err := encodeLine(Charge{ID: fmt.Sprint(i), Level: dp.PureDP(1e-6).Parameters, Unit: Unit{}.filled(), State: Adaptive})
		if err != nil {
			tb.Fatal(err)
		}
		raw = append(raw, line...)
	}
	must.Do(tb, os.WriteFile(path, raw, 0o600))
	if err := b.Charge("d", Charge{ID: "first", Level: dp.PureDP(1e-6).Parameters}); err != nil || len(b.Charges()) != n+1 {
		tb.Fatal(err, len(b.Charges()))
	}
	return b
}

// A live budget parses a line once: what a charge costs does not grow with the lines before it, but for reading their
// bytes and adding their levels. Counted in allocations, of which one line takes more than twenty.
func TestALineIsParsedOnce(t *testing.T) {
	b := longLedger(t, 2000)
	again := Charge{ID: "7", Level: dp.PureDP(1e-6).Parameters}
	charged := testing.AllocsPerRun(3, func() {
		if err := b.Charge("d", again); err != nil {
			t.Error(err)
		}
	})
	read := testing.AllocsPerRun(1, func() {
		if _, err := Open(b.ledger.path, "d", Unit{}, dp.PureDP(1)); err != nil {
			t.Error(err)
		}
	})
	if charged > 2000 || read < 20*2000 {
		t.Errorf("%v allocations for a charge, %v for reading all", charged, read)
	}
}

// What is parsed once is known as if it had been read anew, also after lines that cannot be read, charges that are
// refused and writes of others.
func TestWhatIsKnownIsWhatIsRead(t *testing.T) {
	b := longLedger(t, 3)
	path := b.ledger.path
	other := must.Get(Open(path, "d", Unit{}, dp.PureDP(1)))(t)
	same := func() {
		t.Helper()
		fresh := must.Get(Open(path, "d", Unit{}, dp.PureDP(1)))(t)
		if fresh.String() != b.String() || len(fresh.Charges()) != len(b.Charges()) {
			t.Errorf("read anew\n%s, known\n%s", fresh, b)
		}
	}
	change := func(edit func(raw []byte) []byte) {
		t.Helper()
		raw := must.Get(os.ReadFile(path))(t)
		must.Do(t, os.WriteFile(path, edit(raw), 0o600))
	}
	charged := func(id string, epsilon float64) error {
		return b.Charge("d", Charge{ID: id, Level: dp.PureDP(epsilon).Parameters})
	}
	must.Do(t, other.Charge("d", Charge{ID: "others", Level: dp.PureDP(.1).Parameters}))
	must.Do(t, charged("mine", .1))
	same()
	var over *ExceededError
	if err := charged("more", .9); !errors.As(err, &over) {
		t.Error(err)
	}
	same()
	// a line of another's that repeats an identifier, whoever wrote it first
	for _, id := range []string{"others", "mine", "new"} {
		line, err := encodeLine(Charge{ID: id, Level: dp.PureDP(.01).Parameters, Unit: Unit{}.filled(), State: Adaptive})
		if err != nil {
			t.Fatal(err)
		}
		lines := append(append([]byte(nil), line...), line...)
		change(func(raw []byte) []byte { return append(raw, lines...) })
		for range 2 {
			var le *LedgerError
			if err := charged("next", .01); !errors.As(err, &le) || le.Line == 0 {
				t.Errorf("%s again: %v", id, err)
			}
		}
		change(func(raw []byte) []byte { return raw[:len(raw)-len(lines)] })
		if err := charged("after "+id, .01); err != nil {
			t.Errorf("after the line was taken away: %v", err)
		}
		same()
	}
	change(func(raw []byte) []byte { return append(raw, `{"id":"torn`...) })
	if err := charged("last", .01); err != nil || len(b.Warnings()) != 1 {
		t.Error(err, b.Warnings())
	}
	same()
	if err := charged("last", .01); err != nil {
		t.Error(err)
	}
	same()
}
