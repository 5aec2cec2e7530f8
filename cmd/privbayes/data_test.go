package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

func TestDataList(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("PRIVBAYES_DATA", dir)
	if err := os.WriteFile(filepath.Join(dir, "bank.csv.gz"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("data", "list")
	if code != exitDone {
		t.Fatal(code, errs)
	}
	for _, part := range []string{"votes", "GermanCredit", "privbayes data fetch adult",
		filepath.Join(dir, "bank.csv.gz"), "CC BY 4.0", "embedded", "acs_gov2018", "not here: put"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	code, out, _ = call("data", "list", "--json")
	var sets []listed
	if err := json.Unmarshal([]byte(out), &sets); err != nil || code != exitDone || len(sets) != len(data.Names())+9 {
		t.Fatal(code, err, len(sets))
	}
	if s := sets[len(sets)-1]; s.Name != "acs_gov2018" || s.Rows != 204309 || s.SHA256 == "" || s.Path != "" {
		t.Errorf("%+v", s)
	}
	for _, s := range sets[len(data.Names()) : len(sets)-1] {
		// in the folder, or embedded
		here := map[string]bool{"bank": true, "creditcard": true, "shopper": true, "spam": true}
		if s.URL == "" || s.PaperName == "" || (s.Path != "") != here[s.Name] {
			t.Errorf("%+v", s)
		}
	}
}

// spamOriginal writes the publisher's archive from the embedded table.
func spamOriginal(t *testing.T) []byte {
	t.Helper()
	r, _ := data.Spam()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	csv, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := bytes.Cut(csv, []byte("\n"))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("spambase.data")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(bytes.ReplaceAll(rows, []byte("\n"), []byte("\r\n"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDataFetchDownloads(t *testing.T) {
	archive := spamOriginal(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(archive)))
		_, _ = w.Write(archive)
	}))
	defer server.Close()
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("PRIVBAYES_DATA", filepath.Join(dir, "cache"))
	var shown screen
	var stdout bytes.Buffer
	want := filepath.Join(dir, "cache", "spam.csv.gz")
	if code := run([]string{"data", "fetch", "spam", "--download", "--url", server.URL}, &stdout,
		&shown); code != exitDone ||
		stdout.String() != want+"\n" || !strings.Contains(shown.String(), "100 %") {
		t.Fatal(code, stdout.String(), shown.String())
	}
	if path, err := data.FindStudy("spam"); err != nil || path != want {
		t.Error(path, err)
	}
	code, out, errs := call("data", "fetch", "spam", "--download", "--url", server.URL, "--to", dir, "--json")
	var files map[string]string
	if err := json.Unmarshal([]byte(out), &files); err != nil || code != exitDone || errs != "" { // no progress
		t.Fatal(code, err, errs)
	}
	b, err := os.ReadFile(files["schema"])
	if err != nil {
		t.Fatal(err)
	}
	s, err := privbayes.ParseSchema(b)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Columns); n != 58 || s.Dataset != "spam" {
		t.Error(n, s.Dataset)
	}
	// Without --download the embedded copy needs no network.
	if code, out, errs := call("data", "fetch", "spam", "--dir", t.TempDir()); code != exitDone || errs != "" ||
		!strings.Contains(out, "schema") {
		t.Error(code, out, errs)
	}
}

func TestDataFetchFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other.zip" {
			z := zip.NewWriter(w)
			if f, err := z.Create("other"); err == nil {
				_, _ = f.Write([]byte("other"))
			}
			_ = z.Close()
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	for path, says := range map[string]string{"/none.zip": "404", "/other.zip": "adult.data"} {
		code, out, errs := call("data", "fetch", "adult", "--to", dir, "--url", server.URL+path)
		if code != exitInput || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %q %s", path, code, out, errs)
		}
	}
	if code, _, errs := call("data", "fetch", "nothing"); code != exitInput || !strings.Contains(errs, "iris") ||
		!strings.Contains(errs, "adult") {
		t.Error(code, errs)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Error("files left behind:", files, err)
	}
	if code, out, errs := call("data", "--help"); code != exitDone || !strings.Contains(out, "publisher") {
		t.Error(code, errs)
	}
}
