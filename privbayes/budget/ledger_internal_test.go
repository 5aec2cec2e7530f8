package budget

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// ledgerOf is the text of a ledger with charges that its limit counts.
func ledgerOf(tb testing.TB, limit dp.Target) (*Budget, []byte) {
	tb.Helper()
	b, err := New("votes", limit)
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := encodeLine(ledgerHead{ledgerFormat2, b.dataset, b.limit.Level, b.limit.Adjacency, b.account.conversion})
	if err != nil {
		tb.Fatal(err)
	}
	for id, l := range []dp.Target{dp.PureDP(.1), dp.ZCDP(.001), dp.RenyiDP(50, .01), dp.TCDP(.001, 60),
		dp.ApproxDP(.1, 1e-7)} {
		c := Charge{ID: fmt.Sprint(id), What: "test", Level: l.Level, Rows: 1, State: Adaptive}
		next, err := b.admit(b.charges, c)
		if err != nil {
			continue
		}
		b.charges = next
		line, err := encodeLine(c)
		if err != nil {
			tb.Fatal(err)
		}
		raw = append(raw, line...)
	}
	return b, raw
}

// What the parser takes has the level it says, can be shown, and reads the same when it has been mended and written
// again.
func FuzzLedger(f *testing.F) {
	for _, limit := range []dp.Target{dp.PureDP(1), dp.ApproxDP(1, 1e-5)} {
		_, raw := ledgerOf(f, limit)
		f.Add(raw)
		f.Add(raw[:len(raw)-1])
		f.Add(raw[:len(raw)-9])
		f.Add(append(raw, "{\"note\":\"x\"}\n"...))
		f.Add(bytes.Replace(raw, []byte("ledger-2"), []byte("ledger-1"), 1))
		f.Add([]byte(strings.Replace(strings.Replace(string(raw), "ledger-2", "ledger-1", 1),
			`,"conversion":{"order":26.6,"delta":0.000005}`, "", 1)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, limit := range []dp.Target{dp.PureDP(1), dp.ApproxDP(1, 1e-5)} {
			b, err := New("votes", limit)
			if err != nil {
				t.Fatal(err)
			}
			text, err := parseLedger("l", raw, b, false)
			if err != nil {
				continue
			}
			mended := append(append([]byte(nil), raw[:text.whole]...), text.mend...)
			again, err := parseLedger("l", mended, b, false)
			if err != nil || len(again.mend) > 0 || !reflect.DeepEqual(again.charges, text.charges) ||
				!reflect.DeepEqual(again.notes, text.notes) {
				t.Fatalf("%+v, read again %+v (%v)", text, again, err)
			}
			b.account, b.charges, b.notes = text.account, text.charges, text.notes
			s := b.Spent()
			if !(s.Epsilon >= 0 && s.Delta >= 0 && s.Delta < math.Inf(1)) ||
				strings.ContainsAny(b.String(), "\x1b\r\u202e\u200b") {
				t.Fatalf("%s\n%s", s, b)
			}
			seen := map[string]bool{}
			for _, c := range text.charges {
				if seen[c.ID] || c.valid(b.limit) != nil || c.Adjacency != limit.Adjacency {
					t.Fatalf("%+v", c)
				}
				seen[c.ID] = true
			}
			if _, err := b.admit(text.charges,
				Charge{ID: "fuzz: one more", Level: dp.PureDP(1e-9).Level, State: Adaptive}); err == nil &&
				float64(s.Epsilon) > 1+1e-15 {
				t.Fatalf("spent %s of %s, and a charge was taken", s, limit.Level)
			}
		}
	})
}
