package claims

import (
	"slices"
	"strings"
	"testing"
)

// Every numbered item of the five documents has a row, and no row is about an item that does not exist.
func TestEveryItemHasARow(t *testing.T) {
	for _, d := range documents {
		document, name := d.name, d.file
		list, known := Items(document), map[string]bool{}
		if document == Library && len(list) == 0 {
			continue
		}
		if len(list) == 0 {
			t.Errorf("items/%s.json is empty", name)
		}
		for _, i := range list {
			if known[i.Item] {
				t.Errorf("%s: %q twice", name, i.Item)
			}
			known[i.Item] = true
			if i.Item == "" || i.Page == 0 && i.Section == "" || !slices.Contains(kinds, i.Kind) {
				t.Errorf("%s: %+v lacks its place or its kind", name, i)
			}
		}
		if missing := withoutRow(document); len(missing) > 0 {
			t.Errorf("%s: no row is about %s", name, strings.Join(missing, ", "))
		}
		for _, c := range Of(document) {
			for _, item := range c.Items {
				if !known[item] {
					t.Errorf("%s is about %q, which items/%s.json does not list", c.ID, item, name)
				}
			}
		}
	}
	for _, c := range Of(Library) {
		if len(c.Items) > 0 {
			t.Errorf("%s is about %q: the library has no numbered items", c.ID, c.Items)
		}
	}
}

// An item without a row is told.
func TestAMissingRowIsTold(t *testing.T) {
	if rows := rowsOf(NoteA, "Theorem 99"); len(rows) != 0 {
		t.Error(rows)
	}
	defer func(was []Claim) { registry = was }(registry)
	registry = nil
	if got, want := len(withoutRow(NoteA)), len(Items(NoteA)); got != want {
		t.Errorf("%d items of %d are without a row when there is none", got, want)
	}
}

// A row of our own is marked, and counts for the library, not for the document beside which it stands.
func TestOursCountsForTheLibrary(t *testing.T) {
	results := []Result{{ID: "a", Document: NetworkPaper, Verdict: Holds},
		{ID: "b", Document: NetworkPaper, Verdict: Holds, Ours: true}}
	if got := counted(results, NetworkPaper); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("counted for the paper: %v", got)
	}
	if got := counted(results, Library); len(got) != 1 || got[0].ID != "b" {
		t.Errorf("counted for the library: %v", got)
	}
	if got := counted(results, ""); len(got) != 2 {
		t.Errorf("counted in all: %v", got)
	}
	page := Markdown(results)
	if strings.Count(page, "(ours, not the document's)") != 1 {
		t.Error("the page marks other rows than ours")
	}
}
