package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/strictjson"
)

func TestUnique(t *testing.T) {
	for text, field := range map[string]string{
		`{"a": 1, "a": 2}`:                    "a",
		`{"a": [{"b": 1}, {"b": 1, "b": 1}]}`: "a[1].b",
		`{"a": {"\u0062": 1, "b": 2}}`:        "a.b",
		`{"x": 1, "a\nb": 1, "a\u000ab": 2}`:  `"a\nb"`,
	} {
		var e *strictjson.KeyError
		if _, err := strictjson.Read([]byte(text), false); !errors.As(err, &e) || e.Field() != field ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, field)
		}
	}
	for _, text := range []string{`{"unit": 1, "Unit": 2}`, `{"dataset": 1, "datas\u0045t": 2}`,
		`{"unit_s": 1, "unit_ſ": 2}`} {
		var e *strictjson.KeyError
		if err := strictjson.Unique([]byte(text)); !errors.As(err, &e) || e.Key == e.First {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := strictjson.Read([]byte(text), false); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		// and that is how encoding/json reads it: the fold is its own
		var v struct {
			Unit    int `json:"unit"`
			Dataset int `json:"dataset"`
			UnitS   int `json:"unit_s"`
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil || v.Unit+v.Dataset+v.UnitS != 2 {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
	}
	for _, text := range []string{`{"a": 1, "b": {"a": 2}}`, `[{"a": 1}, {"a": 2}]`, `1`, `null`, `"a"`} {
		if _, err := strictjson.Read([]byte(text), true); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{``, `{`, `{"a"`, `{"a":}`, `[1`, `{"a": [}`} {
		var e *strictjson.SyntaxError
		_, err := strictjson.Read([]byte(text), true)
		if !errors.As(err, &e) || strings.HasPrefix(err.Error(), ":") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Depth is bounded before anything is built, brackets in texts do not count, and the error of a fault in the deepest
// place names the whole way to it.
func TestDepth(t *testing.T) {
	nested := func(n int, inner string) string {
		return strings.Repeat(`[{"a":`, n/2) + inner + strings.Repeat(`}]`, n/2)
	}
	for text, deep := range map[string]bool{nested(strictjson.MaxDepth, "1"): false, nested(strictjson.MaxDepth+2, "1"): true,
		strings.Repeat("[", 1<<20): true, "\n\n" + strings.Repeat(`{"a":`, 1<<20): true,
		`"` + strings.Repeat("[", 1000) + `"`: false, `["\"", "` + strings.Repeat(`[\"`, 1000) + `"]`: false,
		"[" + strings.Repeat("[],", 1000) + "1]": false} {
		var e *strictjson.DepthError
		_, err := strictjson.Read([]byte(text), true)
		if errors.As(err, &e) != deep || !deep && err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
		if deep && e.Line != 1+strings.Count(text, "\n") {
			t.Errorf("%.40q: line %d", text, e.Line)
		}
		built := testing.AllocsPerRun(1, func() { _, _ = strictjson.Read([]byte(text), true) })
		if deep && built > 10 {
			t.Errorf("%.40q: %v allocations before it was refused", text, built)
		}
	}
	var twice *strictjson.KeyError
	_, err := strictjson.Read([]byte(nested(strictjson.MaxDepth-2, `{"x": 1, "x": 2}`)), false)
	if !errors.As(err, &twice) || strings.Count(twice.Path, "[0].a") != strictjson.MaxDepth/2-1 ||
		!strings.HasSuffix(twice.Field(), "[0].a.x") {
		t.Errorf("%v", err)
	}
}
