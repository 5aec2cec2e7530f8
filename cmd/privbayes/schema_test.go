package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The skeleton holds the header and nothing of the rows; --inferred reads them and says so.
func TestSchemaCommand(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "towns.csv")
	if err := os.WriteFile(path, []byte("city;rain\nUlm;1,5\nBern;2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"schema", path, "--separator", ";", "--decimal", ","}, &out, &errs); code != exitDone {
		t.Fatal(code, errs.String())
	}
	text := out.String()
	if strings.Contains(text, "Ulm") || strings.Contains(text, "1.5") || !strings.Contains(text, `"dataset": "towns"`) ||
		!strings.Contains(text, `{"name": "city", "kind": "FILL IN"`) || !strings.Contains(text, `"decimal":","`) {
		t.Error(text)
	}
	to := filepath.Join(dir, "towns.schema.json")
	out.Reset()
	inferred := []string{"schema", path, "--separator", ";", "--decimal", ",", "--inferred", "--out", to}
	if code := run(inferred, &out, &errs); code != exitDone || out.String() != to+"\n" {
		t.Fatal(code, errs.String())
	}
	b, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := frame.ParseSchema(b); err != nil || !s.Inferred || !strings.Contains(string(b), "Ulm") {
		t.Errorf("%v: %s", err, b)
	}
	for want, args := range map[string][]string{
		"never overwritten":        inferred,
		"want the file of a table": {"schema"},
		"no such file":             {"schema", path + "x"},
		"has one field with":       {"schema", path},
	} {
		errs.Reset()
		if code := run(args, &out, &errs); code == exitDone || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: %d %s", args, code, errs.String())
		}
	}
}

// Without a file, or with one of another folder, verify says where it looked and what is here.
func TestVerifyFromAnotherFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"", "a.release.json"} {
		if name != "" {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, errs bytes.Buffer
		if code := run([]string{"verify"}, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), name) {
			t.Error(code, errs.String())
		}
		errs.Reset()
		if code := run([]string{"verify", "b.release.json"}, &out, &errs); code != exitInput ||
			!strings.Contains(errs.String(), "want a path that starts here, in ") || !strings.Contains(errs.String(), name) {
			t.Error(code, errs.String())
		}
	}
}
