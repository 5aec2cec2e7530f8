package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

const tables = `[{"Name": "iris", "Title": "Iris", "Licence": "CC BY 4.0", "Citation": "Fisher (1936)"},
	{"Name": "creditcard", "Title": "Card", "URL": "https://example.org", "Path": "embedded", "Citation": "Yeh (2009)"},
	{"Name": "adult", "Title": "Adult", "URL": "https://example.org", "Citation": "Becker (1996)"},
	{"Name": "acs_gov2018", "Title": "ACS", "Citation": "Census"}]`

// Named are the tables that the program holds and no others, Go, and other people's modules.
func TestNotices(t *testing.T) {
	var out strings.Builder
	info := &debug.BuildInfo{GoVersion: "go1.99", Deps: []*debug.Module{{Path: ours, Version: "v1.0.0"},
		{Path: ours + "/sources/arrow", Version: "v1.0.0"}}}
	if err := notices(&out, info, []byte(tables)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Fisher (1936)", "Yeh (2009)", "Go go1.99: LICENSE", "The Go Authors"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q", part)
		}
	}
	for _, part := range []string{"Becker", "Census", "arrow"} {
		if strings.Contains(out.String(), part) {
			t.Errorf("%q is not in the program", part)
		}
	}
	if err := notices(&out, info, []byte("{")); err == nil {
		t.Error("half a list is read")
	}
}

func TestLicences(t *testing.T) {
	dir := t.TempDir()
	if err := licences(&strings.Builder{}, "m", dir); err == nil {
		t.Error("a module without a licence passes")
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENCE.txt"), []byte("Do as you like."), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := licences(&out, "m v1", dir)
	if err != nil || !strings.Contains(out.String(), "m v1: LICENCE.txt\n\nDo as you like.\n") {
		t.Error(err, out.String())
	}
}
