package budget

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// ledgerOf is the text of a ledger with charges that its limit counts.
func ledgerOf(tb testing.TB, limit dp.Request) (*Budget, []byte) {
	tb.Helper()
	b := must.Get(New("votes", Unit{}, limit))(tb)
	raw := must.Get(encodeLine(headOf(b)))(tb)
	for id, l := range []dp.Request{dp.PureDP(.1), dp.ZCDP(.001), dp.RenyiDP(50, .01), dp.TCDP(.001, 60),
		dp.ApproxDP(.1, 1e-7)} {
		c := Charge{ID: fmt.Sprint(id), What: "test", Level: l.Parameters, Unit: b.unit, State: Adaptive,
			Info: Info{"time": "2026-01-02T03:04:00Z", "why": "a study, by name"}}
		next, err := b.admit(b.charges, c)
		if err != nil {
			continue
		}
		b.charges = next
		line := must.Get(encodeLine(c))(tb)
		raw = append(raw, line...)
	}
	return b, raw
}

// What the parser takes has the level it says, can be shown, and reads the same when it has been mended and written
// again.
func FuzzLedger(f *testing.F) {
	for _, limit := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-5)} {
		_, raw := ledgerOf(f, limit)
		f.Add(raw)
		f.Add(raw[:len(raw)-1])
		f.Add(raw[:len(raw)-9])
		f.Add(append(raw, "{\"note\":\"x\"}\n"...))
		f.Add(bytes.Replace(raw, []byte("ledger-3"), []byte("ledger-2"), 1))
		f.Add(bytes.Replace(raw, []byte(`"why":`), []byte(`"part":"2 of 3","who":`), 1))
		f.Add(bytes.Replace(raw, []byte(`"state"`),
			[]byte(`"tool":"x","part":{"rule":"r","name":"n","across":{"notion":"pure",`+
				`"epsilon":0.1}},"state"`), 2))
		f.Add(bytes.Replace(raw, []byte(`"state"`), []byte(`"columns":{"class":["a"],"protected":["b"]},"state"`), 1))
		f.Add(bytes.Replace(raw, []byte(`"adjacency"`), []byte(`"info":{"who":"x"},"adjacency"`), 1))
		f.Add(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n")))
		f.Add(append([]byte("\ufeff"), raw...))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, limit := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-5)} {
			b := must.Get(New("votes", Unit{}, limit))(t)
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
			unsaid := slices.Clone(text.charges) // the same charges, without what they say to people
			for i := range unsaid {
				unsaid[i].Info = nil
			}
			if one, err := b.account.spend(text.charges); err == nil {
				if two, err := b.account.spend(unsaid); err != nil || b.account.total(one, nil) != b.account.total(two, nil) {
					t.Fatalf("info counts: %+v, %+v", one, two)
				}
			}
			seen := map[string]bool{}
			for _, c := range text.charges {
				if seen[c.ID] || c.valid(b) != nil || c.Adjacency != limit.Adjacency || c.Unit != b.unit {
					t.Fatalf("%+v", c)
				}
				seen[c.ID] = true
			}
			if _, err := b.admit(text.charges,
				Charge{ID: "fuzz: one more", Level: dp.PureDP(1e-9).Parameters, Unit: b.unit, State: Adaptive}); err == nil &&
				float64(s.Epsilon) > 1+1e-15 {
				t.Fatalf("spent %s of %s, and a charge was taken", s, limit.Parameters)
			}
		}
	})
}
