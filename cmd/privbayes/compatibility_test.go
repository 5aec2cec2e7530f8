package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// promised is the page that says what stays.
func promised(t *testing.T) string {
	t.Helper()
	return text(t, "docs", "reference", "compatibility.md")
}

// text is a file of the checkout.
func text(t *testing.T, path ...string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...)))(t))
}

// tableOf is the body of a page's table, by its first head: the cells of each row.
func tableOf(page, head string) (rows [][]string) {
	_, rest, _ := strings.Cut(page, "\n| "+head+" |")
	for i, line := range strings.Split(rest, "\n") {
		if i > 0 && !strings.HasPrefix(line, "|") {
			break
		}
		if i > 1 { // after the head and the dashes
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			for j, c := range cells {
				cells[j] = strings.TrimSpace(c)
			}
			rows = append(rows, cells)
		}
	}
	return rows
}

// lacking runs the commands that a page lists, each after the other, and names the fields that they do not give.
func lacking(t *testing.T, page string) (missing []string, fields int) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, row := range tableOf(page, "command") {
		line := strings.Trim(row[0], "`")
		var got map[string]any
		if code, out, errs := call(append(strings.Fields(line), "--json")...); code != exitDone ||
			json.Unmarshal([]byte(out), &got) != nil {
			t.Fatalf("%s: %d %s", line, code, errs)
		}
		for _, field := range strings.Split(row[1], ", ") {
			fields++
			if _, ok := got[strings.Trim(field, "`")]; !ok {
				missing = append(missing, fmt.Sprintf("%s: %s", line, field))
			}
		}
	}
	return missing, fields
}

// Every field that is promised is there, and one that is not there is missed.
func TestPromisedFields(t *testing.T) {
	page := promised(t)
	if missing, n := lacking(t, page); len(missing) > 0 || n < 40 {
		t.Errorf("of %d fields there are none of %q", n, missing)
	}
	mutant := strings.Replace(page, "`loaded`", "`laden`", 1)
	if missing, _ := lacking(t, mutant); len(missing) != 1 {
		t.Errorf("a field that nothing has: %q", missing)
	}
}

// The page names the exit codes, formats, protocol, platforms and Go that there are, and no others.
func TestPromisesAreTrue(t *testing.T) {
	page := promised(t)
	var codes []string
	for _, row := range tableOf(page, "exit code") {
		codes = append(codes, row[0])
	}
	_, help, _ := call("help")
	listed := regexp.MustCompile(`(?m)^  (\d+) +\w`).FindAllStringSubmatch(help, -1)
	if want := slices.Collect(func(yield func(string) bool) {
		for _, m := range listed {
			if !yield(m[1]) {
				return
			}
		}
	}); len(want) < 6 || !slices.Equal(codes, want) {
		t.Errorf("exit codes %v; help lists %v", codes, want)
	}
	var files []string
	for _, row := range tableOf(page, "file") {
		files = append(files, strings.Trim(row[1], "`"))
	}
	if want := []string{release.Format, budget.Format, publication.Format,
		totals.Format, selection.Format, discovery.Format, discovery.RangeFormat,
		"JSON"}; !slices.Equal(files, want) {
		t.Errorf("formats %q, want %q", files, want)
	}
	v, _ := version(nil, false)
	if want := fmt.Sprintf("now `%d`", v.Protocol); !strings.Contains(page, want) {
		t.Errorf("the page does not say %q", want)
	}
	platforms := map[string]bool{} // by whether something runs there
	for _, row := range tableOf(page, "platform") {
		platforms[strings.Trim(row[0], "`")] = strings.HasPrefix(row[1], "run: ")
	}
	want := map[string]bool{"js/wasm": true}
	built := regexp.MustCompile(`platforms=\$\{PLATFORMS:-(.*)\}`).FindStringSubmatch(text(t, "scripts", "release.sh"))
	machines := text(t, "scripts", "machines.sh")
	for _, p := range strings.Fields(built[1]) {
		system, machine, _ := strings.Cut(p, "/")
		want[p] = system == "linux" && strings.Contains(machines, "other="+machine)
	}
	if !strings.Contains(machines, "GOOS=js GOARCH=wasm") || !maps.Equal(platforms, want) {
		t.Errorf("platforms %v; scripts build and run %v", platforms, want)
	}
	module := text(t, "go.mod")
	for _, line := range []string{`(?m)^go (1\.\d+)`, `(?m)^toolchain go(\S+)`} {
		m := regexp.MustCompile(line).FindStringSubmatch(module)
		if m == nil || !strings.Contains(page, "Go "+m[1]+" ") {
			t.Errorf("go.mod says %v", m)
		}
	}
}

// A version that R does not take is refused before anything is written.
func TestReleaseVersions(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, command := range []string{"version", "publish"} {
		for _, version := range []string{"v1.2.3-rc.1", "v1.2.3+x", "v01.2.3", "v1.2.3.4", "v1.2.x"} {
			said, err := exec.Command(bash, "../../scripts/release.sh", command, version).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(said), "R has no other versions") {
				t.Errorf("%s %s: %v: %s", command, version, err, said)
			}
		}
	}
}

// Actions of others are pinned by their commits, with the version: a tag can be moved.
func TestActionsArePinned(t *testing.T) {
	uses := regexp.MustCompile(`(?m)uses: .*$`)
	pinned := regexp.MustCompile(`^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	files := must.Get(filepath.Glob("../../.github/workflows/*.yml"))(t)
	for _, file := range files {
		for _, line := range uses.FindAllString(string(must.Get(os.ReadFile(file))(t)), -1) {
			if !pinned.MatchString(line) {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
	if len(files) < 3 {
		t.Errorf("workflows: %v", files)
	}
}
