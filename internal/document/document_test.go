package document_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/document"
)

func TestUnique(t *testing.T) {
	for text, field := range map[string]string{
		`{"a": 1, "a": 2}`:                    "a",
		`{"a": [{"b": 1}, {"b": 1, "b": 1}]}`: "a[1].b",
		`{"a": {"\u0062": 1, "b": 2}}`:        "a.b",
		`{"x": 1, "a\nb": 1, "a\u000ab": 2}`:  `"a\nb"`,
	} {
		var e *document.KeyError
		if err := document.Unique([]byte(text), false); !errors.As(err, &e) || e.Field() != field ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, field)
		}
	}
	for _, text := range []string{`{"unit": 1, "Unit": 2}`, `{"dataset": 1, "datas\u0045t": 2}`,
		`{"unit_s": 1, "unit_ſ": 2}`} {
		var e *document.KeyError
		if err := document.Unique([]byte(text), true); !errors.As(err, &e) || e.Key == e.First {
			t.Errorf("%s: %v", text, err)
		}
		if err := document.Unique([]byte(text), false); err != nil {
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
		if _, err := document.Read([]byte(text), true); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{``, `{`, `{"a"`, `{"a":}`, `[1`, `{"a": [}`} {
		var e *document.SyntaxError
		if _, err := document.Read([]byte(text), true); !errors.As(err, &e) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
