package nbtool_test

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

// TestOwnMechanismIsCompiled: the code of the page about mechanisms of one's own is that of a module, which is compiled
// and run by TestAMechanismOfAnotherModule.
func TestOwnMechanismIsCompiled(t *testing.T) {
	root := checkout.Of(t)
	page := must.Get(os.ReadFile(filepath.Join(root, "docs", "contributing", "own_mechanism.md")))(t)
	var files []string
	for _, file := range globbed(t, filepath.Join(root, "privbayes", "mechanism", "testdata", "thirdparty", "*.go")) {
		text := must.Get(os.ReadFile(file))(t)
		files = append(files, string(text))
	}
	code := strings.Join(files, "\n")
	seen := 0
	for _, b := range blocks(string(page)) {
		if b.lang != "go" {
			continue
		}
		seen++
		if !strings.Contains(code, b.text) {
			t.Errorf("docs/contributing/own_mechanism.md:%d: the code is not that of privbayes/mechanism/testdata/thirdparty",
				b.line)
		}
	}
	if seen < 8 {
		t.Errorf("the page has %d pieces of code", seen)
	}
}

// piece is a block of a page with the file that it makes or edits.
type piece struct {
	block
	path string
	made bool
}

var pieceOf = regexp.MustCompile("^`([^`]+)`(, a new file)?:$")

// pieces lists the blocks of a section under a line that names a file.
func pieces(section string) (out []piece) {
	lines := strings.Split(section, "\n")
	for _, b := range blocks(section) {
		if b.line < 4 {
			continue
		}
		if m := pieceOf.FindStringSubmatch(lines[b.line-4]); m != nil { // above an empty line and the fence
			out = append(out, piece{b, m[1], m[2] != ""})
		}
	}
	return out
}

// edited is a text with a block of changes made: lines that begin with + go in after those that begin with a blank,
// which the text has once.
func edited(t *testing.T, text string, p piece) string {
	t.Helper()
	var context, added string
	for line := range strings.Lines(p.text) {
		switch {
		case line[0] == ' ' && added == "":
			context += line[1:]
		case line[0] == '+':
			added += line[1:]
		default:
			t.Fatalf("%s: want context and then added lines, not %q", p.path, line)
		}
	}
	if context == "" || strings.Count(text, "\n"+context) != 1 {
		t.Fatalf("%s: not there once: %q", p.path, context)
	}
	return strings.Replace(text, "\n"+context, "\n"+context+added, 1)
}

// walk releases the model of one worked example by the mechanism of the other, keeps the file, and verifies it.
const walk = `package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

func main() {
	path := filepath.Join(os.Args[1], "share.release.json")
	votes := privbayes.ReadFrame(data.Votes())
	r, err := votes.Model(privbayes.Share("Class")).
		Privatize(privbayes.EveryCell(), privbayes.PureDP(1), privbayes.KeepIn(path)).
		Evaluate(votes)
	if err != nil {
		log.Fatal(err)
	}
	loaded, err := privbayes.LoadRelease(path)
	if err != nil {
		log.Fatal(err)
	}
	verdict, err := privbayes.Verify(path)
	if err != nil || !verdict.OK() {
		log.Fatal(verdict, err)
	}
	plan := loaded.Plan()
	if r.Private.Accuracy < .6 || plan.Mechanism() != "every-cell" || len(loaded.Raw()[0]) != 2 {
		log.Fatal(r, plan)
	}
}
`

// TestWorkedExamples: the files and edits of CONTRIBUTING.md make a mechanism and a model, in as many files as it says.
// They are laid over the library, which is compiled with them, tested and used.
func TestWorkedExamples(t *testing.T) {
	root, dir := checkout.Of(t), t.TempDir()
	page := must.Get(os.ReadFile(filepath.Join(root, "CONTRIBUTING.md")))(t)
	over := map[string]string{}
	touched := map[string]map[string]bool{}
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		for _, p := range pieces(section) {
			if touched[title] == nil {
				touched[title] = map[string]bool{}
			}
			touched[title][p.path] = true
			path := filepath.Join(root, filepath.FromSlash(p.path))
			if p.made {
				if tidied, err := format.Source([]byte(p.text)); err != nil || string(tidied) != p.text {
					t.Errorf("%s is not as gofmt has it: %v", p.path, err)
				}
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s is there already", p.path)
				}
				over[path] = p.text
				continue
			}
			if _, twice := over[path]; !twice {
				text := must.Get(os.ReadFile(path))(t)
				over[path] = string(text)
			}
			over[path] = edited(t, over[path], p)
		}
	}
	for title, most := range map[string]int{
		"Adding a mechanism: a worked example": 5, "Adding a model: a worked example": 3,
	} {
		if n := len(touched[title]); n != most {
			t.Errorf("%s: %d files are touched, want %d: %v", title, n, most, touched[title])
		}
	}
	if testing.Short() {
		t.Skip("compiles and links: not with -short")
	}
	over[filepath.Join(root, "cmd", "walk", "main.go")] = walk
	file := overlay(t, dir, over)
	for _, args := range [][]string{
		{"test", "-overlay", file, "-vet=off", "-run", "EveryCell", "-v", "./privbayes/mechanism/counts"},
		{"run", "-overlay", file, "./cmd/walk", dir},
	} {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Dir = root
		out, err := c.CombinedOutput()
		if err != nil || args[0] == "test" && !strings.Contains(string(out), "--- PASS: TestEveryCellByEnumeration") {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
	}
}

// overlay writes the file that makes the go command read other texts in place of files, and the texts.
func overlay(t *testing.T, dir string, over map[string]string) string {
	t.Helper()
	replace := map[string]string{}
	for path, text := range over {
		replace[path] = filepath.Join(dir, strings.ReplaceAll(path, string(filepath.Separator), "_"))
		must.Do(t, os.WriteFile(replace[path], []byte(text), 0o600))
	}
	text := must.Get(json.Marshal(map[string]any{"Replace": replace}))(t)
	file := filepath.Join(dir, "overlay.json")
	must.Do(t, os.WriteFile(file, text, 0o600))
	return file
}
