package safetext

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClosest(t *testing.T) {
	names := []string{"Survived", "Sex", "Class", "age group"}
	for s, want := range map[string]string{
		"sex": "Sex", "survived": "Survived", "Survivd": "Survived", "Age_Group": "age group", "clas": "Class",
		"Fare": "", "": "",
		"Sox": "Sex", "Sax ": "", "Srvivd": "Survived", "Srvvd": "",
	} {
		if got := Closest(s, names); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestList(t *testing.T) {
	if got := List([]string{"a", `b"`, "c"}, 2); got != `"a", "b\u0022", … (3 in all)` {
		t.Error(got)
	}
	if got := List(nil, 3); got != "none" {
		t.Error(got)
	}
	if got := OneOf("sex", []string{"Sex", "Age"}); got != `one of "Sex", "Age"; did you mean "Sex"?` {
		t.Error(got)
	}
	if got := OneOf("fare", []string{"Sex"}); got != `one of "Sex"` {
		t.Error(got)
	}
}

// edits is the Levenshtein distance, cut at the limit, against its recursive definition.
func TestEdits(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		cost := 1
		if a[0] == b[0] {
			cost = 0
		}
		return min(slow(a[1:], b[1:])+cost, slow(a[1:], b)+1, slow(a, b[1:])+1)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[ab]{0,5}`).Draw(t, "a"), rapid.StringMatching(`[abc]{0,5}`).Draw(t, "b")
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		if got, want := edits(a, b, limit), min(slow(a, b), limit); got != want {
			t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
		}
	})
	if long := strings.Repeat("x", 201); edits(long, long, 3) != 3 {
		t.Error("long texts are compared")
	}
}
