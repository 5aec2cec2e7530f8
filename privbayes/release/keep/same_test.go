package keep

import (
	"encoding/json"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// The first field that differs is named, with both values.
func TestDifference(t *testing.T) {
	for _, c := range [][5]string{ // two texts, the field, and what it has in both
		{`{"a":1,"b":{"c":[1,2],"d":3}}`, `{"a":1,"b":{"c":[1,3],"d":4}}`, "x.b.c", "[1,2]", "[1,3]"},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, "x.a", "9007199254740993", "9007199254740992"},
		{`{"a":{"b":1}}`, `{}`, "x.a", `{"b":1}`, "not given"},
		{`{}`, `{"z":"y"}`, "x.z", "not given", `"y"`},
		{`{"a":1}`, `[1]`, "x", `{"a":1}`, "[1]"},
	} {
		a, b := must.Get(decoded(json.RawMessage(c[0])))(t), must.Get(decoded(json.RawMessage(c[1])))(t)
		if field, have, want := difference("x", a, b); field != c[2] || have != c[3] || want != c[4] {
			t.Errorf("%s, %s: %s is %s; want %s", c[0], c[1], field, have, want)
		}
		if _, have, want := difference("x", a, a); have != want {
			t.Errorf("%s: %s, %s", c[0], have, want)
		}
	}
}
