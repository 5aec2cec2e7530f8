package release

import (
	"encoding/json"
	"testing"
)

func TestParametersAreComparedAsValues(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"x":1}`, `{"x":1.0}`, true},
		{`{"x":1,"y":[1,2]}`, "{\n \"y\": [1, 2e0],\t\"x\": 10e-1}", true},
		{`{"x":1}`, `{"x":1,"x":1}`, false},
		{`{"x":1}`, `{"x":1,"y":1}`, false},
		{`{"x":1}`, `{"X":1}`, false},
		{`{"x":[1,2]}`, `{"x":[2,1]}`, false},
		{`{"x":[1,2]}`, `{"x":[1]}`, false},
		{`{"x":"1"}`, `{"x":1}`, false},
		{`{"x":null}`, `{"x":false}`, false},
		{`{"x":true}`, `{"x":true}`, true},
		{`0`, `-0.0`, true},
		{`-1`, `1`, false},
		{`0.1`, `0.10000000000000001`, true},
		{`0.1`, `0.10000000000000002`, true}, // another machine's
		{`0.1`, `0.100000001`, false},
		{`1e-400`, `0`, true}, // no float64 tells them apart
		{`9007199254740993`, `9007199254740992`, false},
		{`9007199254740993`, `9007199254740993.00`, true},
		{`100000000000000000000000`, `1e23`, true},
		{`99999999999999991611392`, `1e23`, false},
		{`1e400`, `1e400`, true},
		{`1e400`, `1e401`, false},
		{`1e99999999999999999999`, `1e99999999999999999998`, false},
		{`1000000000`, `1000000001`, false},
		{`{`, `{`, false},
	} {
		if got := sameParams(json.RawMessage(c.a), json.RawMessage(c.b)); got != c.same ||
			got != sameParams(json.RawMessage(c.b), json.RawMessage(c.a)) {
			t.Errorf("%s and %s: same = %v", c.a, c.b, got)
		}
	}
}
