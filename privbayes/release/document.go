package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/proofs"
)

// sameDocument compares a release file with the file that its plan and draw make: the same keys, each once and spelled
// alike, and the same values, numbers to a relative 1e-9, or a billionth of a record, as two machines may compute them.
// So a reader that takes the first of two equal keys, or minds upper case, reads what this library reads. The library's
// version may differ, and what checks derived (value, work), which verification derives itself. The error is *FileError
// and names the first field that differs.
func sameDocument(have, want []byte) error {
	a, err := readDocument(have)
	if err != nil {
		return err
	}
	b, err := readDocument(want)
	if err != nil {
		return err
	}
	return sameValue("", a, b)
}

// readDocument reads one JSON value and refuses an object with two equal keys, which encoding/json takes the last of.
func readDocument(b []byte) (any, error) {
	v, err := strictjson.Read(b, false)
	var key *strictjson.KeyError
	var syntax *strictjson.SyntaxError
	switch {
	case errors.As(err, &key):
		return nil, &FileError{Field: key.Field(), Want: "every field once"}
	case errors.As(err, &syntax):
		return nil, &FileError{Field: syntax.Path, Want: "a JSON value", Err: syntax.Err}
	}
	return v, err
}

// derived are the fields of a check that verification derives itself; verify them, do not compare them.
var derived = map[string]bool{"value": true, "work": true}

// cites are the fields of a check that name the machine proof behind it.
var cites = map[string]bool{"theorem": true, "assumes": true}

// sameCitation says whether the citation of a check in a file may differ from the one of today: a file that was written
// before the check had a machine proof has none, or one that had another statement.
func sameCitation(have map[string]any) bool {
	if _, ok := have["theorem"]; !ok {
		_, assumes := have["assumes"]
		return !assumes
	}
	of, _ := have["theorem"].(map[string]any)
	name, _ := of["name"].(string)
	hash, _ := of["sha256"].(string)
	return len(of) == 2 && proofs.Theorem{Name: name, SHA256: hash}.Earlier()
}

func sameValue(path string, have, want any) error {
	differ := func(field string) error {
		return &FileError{Field: field, Want: "what follows from plan and draw; the file was edited"}
	}
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return differ(path)
		}
		_, isCheck := w["bound"]
		for _, k := range keys(w, h) {
			field := strictjson.Join(path, k)
			if field == "library" || isCheck && (derived[k] || cites[k] && sameCitation(h)) {
				continue
			}
			hv, inFile := h[k]
			wv, due := w[k]
			if !inFile || !due {
				return differ(field)
			}
			if err := sameValue(field, hv, wv); err != nil {
				return err
			}
		}
		return nil
	case []any:
		h, ok := have.([]any)
		if !ok || len(h) != len(w) {
			return differ(path)
		}
		for i := range w {
			if err := sameValue(fmt.Sprintf("%s[%d]", path, i), h[i], w[i]); err != nil {
				return err
			}
		}
		return nil
	case json.Number:
		h, ok := have.(json.Number)
		if !ok {
			return differ(path)
		}
		if h == w {
			return nil
		}
		x, errX := h.Float64()
		y, errY := w.Float64()
		if errX != nil || errY != nil || !close(x, y) && !(records(path) && math.Abs(x-y) <= 1e-9) {
			return differ(path)
		}
		return nil
	}
	if have != want { // strings, truth values, null
		return differ(path)
	}
	return nil
}

// records reports whether a number of a file is one of records. What cancels to 0 on one machine leaves 1e-15 of a
// record on another.
func records(path string) bool {
	return strings.HasPrefix(path, "artifact.tables") || strings.HasPrefix(path, "artifact.class") ||
		strings.HasPrefix(path, "artifact.conditionals")
}

// keys are the keys of both objects in order, so that the first difference is always the same.
func keys(a, b map[string]any) []string {
	seen := map[string]bool{}
	var out []string
	for _, o := range []map[string]any{a, b} {
		for k := range o {
			if !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	sort.Strings(out)
	return out
}
