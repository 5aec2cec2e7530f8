package notebooks_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// fenced is the text of a page's first block of a language.
func fenced(page, lang string) string {
	_, text, _ := strings.Cut(page, "```"+lang+"\n")
	text, _, _ = strings.Cut(text, "```")
	return text
}

// TestReadmeRelease: the commands of the README's first release run as they stand, and its picture and its text are
// those that the same command shows of the release kept beside them. -update writes the picture.
func TestReadmeRelease(t *testing.T) {
	page := must.Get(os.ReadFile("../README.md"))(t)
	_, section, _ := strings.Cut(string(page), "\n## Your first release, on the command line\n")
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin", "privbayes"), "./cmd/privbayes")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(in string, script string) string {
		c := exec.CommandContext(t.Context(), "bash", "-ec", script)
		c.Dir, c.Env = in, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	said := run(dir, fenced(section, "sh"))
	if !strings.Contains(said, "VERIFIED") || !strings.Contains(said, "Estimates of the means") {
		t.Errorf("the commands say\n%s", said)
	}
	kept := must.Get(filepath.Abs("../docs/examples/wages.release.json"))(t)
	shown := run(dir, "privbayes show '"+kept+"' --figure kept.svg")
	if text := fenced(section, "text"); text == "" || !strings.Contains(shown, text) {
		t.Errorf("the README shows\n%s\nthe command\n%s", text, shown)
	}
	const picture = "../docs/wage_by_region.svg"
	want := must.Get(os.ReadFile(filepath.Join(dir, "kept.svg")))(t)
	if *update {
		must.Do(t, os.WriteFile(picture, want, 0o644))
	}
	if have, err := os.ReadFile(picture); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not that of the release: %v; run go test ./tools/nbtool/notebooks -run Readme -update", picture, err)
	}
	if fresh, err := os.ReadFile(filepath.Join(dir, "wages.svg")); err != nil || bytes.Equal(fresh, want) {
		t.Errorf("the commands drew no release of their own: %v", err)
	}
}
