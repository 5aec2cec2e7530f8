package release_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// Whatever is wrong with a file, Load and Verify say which file it is, once.
func TestErrorsNameTheFile(t *testing.T) {
	good := jsonOf(t, votes(t, counts.Geometric(), model.Binary("Class"), dp.PureDP(1), dp.Seeded(1)))
	replaced := func(from, to string) []byte {
		out := bytes.Replace(good, []byte(from), []byte(to), 1)
		if bytes.Equal(out, good) {
			t.Fatalf("no %q in the file", from)
		}
		return out
	}
	dir := t.TempDir()
	for name, b := range map[string][]byte{
		"absent":           nil,
		"empty":            {},
		"text":             []byte("# a page\n"),
		"other JSON":       []byte("{}"),
		"other version":    replaced("privbayes-release-3", "privbayes-release-9"),
		"unknown field":    replaced(`"library"`, `"libary"`),
		"two files":        append(append([]byte(nil), good...), good...),
		"no draw":          replaced(`"draw"`, `"Drawn"`),
		"a wrong plan":     replaced(`"mechanism": "geometric"`, `"mechanism": "geo"`),
		"an invalid shape": replaced(`"unit":`, `"units":`),
		"a wrong raw list": replaced(`"raw": [`, `"raw": [ [1, 2, 3],`),
	} {
		path := filepath.Join(dir, name+".release.json")
		if b != nil {
			must.Do(t, os.WriteFile(path, b, 0o600))
		}
		_, loaded := release.Load(t.Context(), path)
		_, verified := release.Verify(t.Context(), path)
		for verb, err := range map[string]error{"Load": loaded, "Verify": verified} {
			var fe *release.FileError
			if !errors.As(err, &fe) || fe.Path != path {
				t.Errorf("%s of %s: %v", verb, name, err)
			} else if strings.Count(err.Error(), path) != 1 &&
				name != "absent" { // the system's own error names it, too
				t.Errorf("%s of %s names the file %d times: %v", verb, name, strings.Count(err.Error(), path), err)
			}
		}
	}
	edited := filepath.Join(dir, "edited.release.json")
	must.Do(t, os.WriteFile(edited, replaced(`"counts": [`, `"counts": [ 1,`), 0o600))
	if _, err := release.Load(t.Context(), edited); err == nil ||
		!strings.HasPrefix(err.Error(), "release "+edited+": artifact") {
		t.Error(err)
	}
}

// Files of formats that no published version wrote are refused, by a sentence that says so: their certificates are not
// those of today, and nothing of them may be believed.
func TestEarlierFormatsAreRefused(t *testing.T) {
	good := jsonOf(t, votes(t, counts.Geometric(), model.Binary("Class"), dp.PureDP(1), dp.Seeded(1)))
	for old, want := range map[string]string{
		"privbayes-release-1": "written before any version was published",
		"privbayes-release-2": "written before any version was published",
		"privbayes-release-9": "written by another version of the library",
		"":                    "names no format",
	} {
		b := bytes.Replace(good, []byte("privbayes-release-3"), []byte(old), 1)
		_, parsed := release.Parse(t.Context(), b)
		_, verified := release.VerifyBytes(t.Context(), b)
		for verb, err := range map[string]error{"Parse": parsed, "VerifyBytes": verified} {
			var fe *release.FileError
			if !errors.As(err, &fe) || fe.Field != "format" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of format %q: %v", verb, old, err)
			}
		}
	}
}

// Who gives another file of the library for a release is told what it is, and which command reads it.
func TestOtherFilesNameTheirCommands(t *testing.T) {
	form := func(format string) string { return "{\n \"format\": \"" + format + "\"\n}" }
	record := "{\"deployment\": {}}"
	for file, want := range map[string][]string{
		form(publication.Format):                                   {"a publication", "show --item NAME", "report --public"},
		form(selection.Format):                                     {"a selection", "entry", "report --public"},
		form(discovery.Format):                                     {"categories of a column", "discover --into"},
		form(discovery.RangeFormat):                                {"a range of a column", "discover --into"},
		form(totals.Format):                                        {"running totals", "report --public and entry"},
		form("privbayes-privacy-report-1"):                         {"a privacy report", "report --public wrote"},
		form("privbayes-synthetic-sets-1"):                         {"synthetic sets", "combine"},
		"{\"format\":\"" + budget.Format + "\"}\n{\"id\":\"a\"}\n": {"a budget", "budget reads it"},
		record: {"a record for a registry", "verify RELEASE --entry FILE"},
		"# A draft for a registry of deployments: answer\n": {"a record for a registry", "entry drafted"},
	} {
		_, parsed := release.Parse(t.Context(), []byte(file))
		_, verified := release.VerifyBytes(t.Context(), []byte(file))
		for verb, err := range map[string]error{"Parse": parsed, "VerifyBytes": verified} {
			var fe *release.FileError
			if !errors.As(err, &fe) || fe.Field != "format" {
				t.Errorf("%s of %s: %v", verb, file, err)
				continue
			}
			for _, w := range want {
				if !strings.Contains(fe.Want, w) {
					t.Errorf("%s of %s: %v, without %q", verb, file, err, w)
				}
			}
		}
	}
	for _, none := range []string{"", "{", "[]", "null", "# A page", strings.Repeat("[", 1<<20)} {
		var fe *release.FileError
		_, err := release.Parse(t.Context(), []byte(none))
		if !errors.As(err, &fe) || strings.Contains(err.Error(), "reads") {
			t.Errorf("%.20q: %v", none, err)
		}
	}
}
