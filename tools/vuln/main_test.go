package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only what is called counts, once for each module, by its shortest way.
func TestCalled(t *testing.T) {
	const out = `{"config": {"protocol_version": "v1.0.0"}}
{"osv": {"id": "GO-1"}}
{"finding": {"osv": "GO-1", "trace": [{"module": "m", "version": "v1.0.0"}]}}
{"finding": {"osv": "GO-1", "trace": [{"module": "m", "version": "v1.0.0", "package": "m/p"}]}}
{"finding": {"osv": "GO-2", "fixed_version": "v1.1.0", "trace": [
	{"module": "m", "version": "v1.0.0", "package": "m/p", "receiver": "*T", "function": "F"},
	{"module": "u", "package": "u", "function": "g"}, {"module": "u", "package": "u", "function": "f"}]}}
{"finding": {"osv": "GO-2", "fixed_version": "v1.1.0", "trace": [
	{"module": "m", "version": "v1.0.0", "package": "m/p", "function": "F"},
	{"module": "u", "package": "u", "function": "f"}]}}`
	got, err := called(strings.NewReader(out))
	if err != nil || len(got) != 1 || got[0].String() != "GO-2: m@v1.0.0, mended in v1.1.0: u.f → m/p.F" {
		t.Errorf("%v %v", got, err)
	}
	if _, err := called(strings.NewReader(`{"finding": `)); err == nil {
		t.Error("half an output is read")
	}
}

func TestParseAccepted(t *testing.T) {
	a, err := parseAccepted("# why\n\nGO-2 m 2026-11-27 never given text of others\n")
	if err != nil || !a.has(finding{ID: "GO-2", Module: "m"}) || a.has(finding{ID: "GO-2", Module: "n"}) {
		t.Errorf("%v %v", a, err)
	}
	for _, line := range []string{"GO-2", "GO-2 m 2026-11-27", "GO-2 m 2026-11-27 harmless", "GO-2 m yesterday not ours"} {
		if _, err := parseAccepted(line); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
	text, err := os.ReadFile("accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseAccepted(string(text)); err != nil {
		t.Error(err)
	}
}

// A database that says that a function of this program is vulnerable is believed, one that names another is not.
func TestScanned(t *testing.T) {
	for symbol, want := range map[string]int{"Decoder.Decode": 1, "HTMLEscape": 0} {
		database := t.TempDir()
		entry := `{"schema_version": "1.3.1", "id": "GO-2026-0001", "modified": "2026-11-27T00:00:00Z", "affected": [{
			"package": {"name": "stdlib", "ecosystem": "Go"}, "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
			"ecosystem_specific": {"imports": [{"path": "encoding/json", "symbols": ["` + symbol + `"]}]}}]}`
		if err := os.WriteFile(filepath.Join(database, "GO-2026-0001.json"), []byte(entry), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := scanned(t.Context(), database, ".")
		if err != nil || len(got) != want {
			t.Fatalf("%s: %v, want %d (%v)", symbol, got, want, err)
		}
		if want == 1 && (got[0].ID != "GO-2026-0001" || got[0].Module != "stdlib") {
			t.Errorf("%v", got)
		}
	}
	if _, err := scanned(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there has no vulnerabilities")
	}
}
