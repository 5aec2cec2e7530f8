package nbtool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

// shell judges the commands of pages: what can be run in a folder without a network is run, of the rest every flag,
// target and file is looked up.
type shell struct {
	root, program string
	help          map[string]string // of the program's commands
	targets       []string          // of make
	dir           string            // where commands are run: a folder mine beside a checkout privbayes-go
	ran           int
}

func newShell(t *testing.T, root string) *shell {
	t.Helper()
	beside := t.TempDir()
	s := &shell{root: root, program: filepath.Join(beside, "bin", "privbayes"), help: map[string]string{},
		dir: filepath.Join(beside, "mine")}
	c := exec.CommandContext(t.Context(), "go", "build", "-o", s.program, "./cmd/privbayes")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must.Do(t, os.Mkdir(s.dir, 0o755))
	must.Do(t, os.Symlink(root, filepath.Join(beside, filepath.Base(root))))
	if filepath.Base(root) != "privbayes-go" {
		must.Do(t, os.Symlink(root, filepath.Join(beside, "privbayes-go")))
	}
	usage, _ := exec.CommandContext(t.Context(), s.program, "help").CombinedOutput()
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) +\S`).FindAllStringSubmatch(string(usage), -1) {
		out, err := exec.CommandContext(t.Context(), s.program, m[1], "--help").CombinedOutput()
		if err != nil {
			t.Fatalf("%s --help: %v", m[1], err)
		}
		s.help[m[1]] = string(out)
	}
	makefile := must.Get(os.ReadFile(filepath.Join(root, "Makefile")))(t)
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllStringSubmatch(string(makefile), -1) {
		s.targets = append(s.targets, m[1])
	}
	if len(s.help) < 5 || len(s.targets) < 8 {
		t.Fatalf("commands %v, targets %v", s.help, s.targets)
	}
	return s
}

var (
	remark   = regexp.MustCompile(`\s+#\s.*$`)
	variable = regexp.MustCompile(`^[A-Z_]+=\S+$`)
	flagOf   = regexp.MustCompile(`^--?([a-z][a-z-]*)`)
	upper    = regexp.MustCompile(`^[A-Z]+$`)
)

// judge says what is wrong with a line.
func (s *shell) judge(t *testing.T, line string) error {
	t.Helper()
	line = strings.TrimSpace(remark.ReplaceAllString(line, ""))
	words := strings.Fields(line)
	for len(words) > 0 && variable.MatchString(words[0]) {
		words = words[1:] // set for the command
	}
	if rest, ok := strings.CutPrefix(strings.Join(words, " "), "go run ./cmd/privbayes "); ok {
		words = append([]string{"privbayes"}, strings.Fields(rest)...)
	}
	if len(words) == 0 {
		return nil
	}
	switch words[0] {
	case "plan": // in a sentence about the command
		return s.privbayes(t, words)
	case "privbayes":
		return s.privbayes(t, words[1:])
	case "make":
		for _, w := range words[1:] {
			if !variable.MatchString(w) && !slices.Contains(s.targets, w) {
				return fmt.Errorf("make has no target %s", w)
			}
		}
		return s.run(t, s.root, "make", append([]string{"-n"}, words[1:]...)...)
	case "go":
		if words[1] == "install" || words[1] == "test" {
			return nil // of a release; changes the checkout, or the suite runs it
		}
		return s.run(t, s.dir, "go", words[1:]...)
	case "git", "cd", "jupyter", "export", "docker", "python3", "R":
		return nil // a network, the shell's own, or programs that a test of their own knows
	}
	return fmt.Errorf("no test knows the command %s", words[0])
}

// privbayes runs a line of the library's own command when all it needs is there, and looks up its flags in any case.
func (s *shell) privbayes(t *testing.T, words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("no command")
	}
	if words[0] == "--version" || words[0] == "help" {
		return s.run(t, s.dir, s.program, words...)
	}
	help, known := s.help[words[0]]
	if !known {
		return fmt.Errorf("privbayes has no command %s", words[0])
	}
	whole := words[0] == "plan" || words[0] == "advise" // they read no file
	for _, w := range words[1:] {
		if m := flagOf.FindStringSubmatch(w); m != nil && !regexp.MustCompile(`(?m)^  --`+m[1]+`\b`).MatchString(help) {
			return fmt.Errorf("privbayes %s has no flag %s", words[0], w)
		}
		if upper.MatchString(w) || strings.ContainsAny(w, "…[|") || strings.HasSuffix(w, ".schema.json") {
			whole = false // a place holder, or a file of the reader's
		}
	}
	if !whole || !slices.ContainsFunc(words, func(w string) bool { return w == "--epsilon" || w == "--solve" }) {
		return nil
	}
	compares := words[0] == "advise" || slices.Contains(words, "--compare")
	if compares && !slices.Contains(words, "--time") {
		words = append(words, "--time", "1s") // what takes longer is left out of the comparison, by name
	}
	return s.run(t, s.dir, s.program, words...)
}

func (s *shell) run(t *testing.T, dir, name string, args ...string) error {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off")
	start := time.Now()
	out, err := c.CombinedOutput()
	t.Logf("%5.1f s  %s %s", time.Since(start).Seconds(), filepath.Base(name), strings.Join(args, " "))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out[max(0, len(out)-2000):])
	}
	s.ran++
	return nil
}

// page judges the commands of a page, and says how many it has and how many of them were run.
func (s *shell) page(t *testing.T, file string) (lines, ran int) {
	t.Helper()
	before := s.ran
	text := must.Get(os.ReadFile(file))(t)
	for _, b := range blocks(string(text)) {
		if b.lang == "" {
			t.Errorf("line %d: a block of no language: sh is run, text is read", b.line)
		}
		if b.lang != "sh" {
			continue
		}
		for i, line := range strings.Split(b.text, "\n") {
			lines++
			if err := s.judge(t, line); err != nil {
				t.Errorf("line %d: %s: %v", b.line+i, line, err)
			}
		}
	}
	for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
		lines++
		if err := s.judge(t, strings.ReplaceAll(m[1], "\n", " ")); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	return lines, s.ran - before
}

var inline = regexp.MustCompile("`((?:go run \\./cmd/)?privbayes [^`]+|plan --[^`]+|make [^`]+)`")

// TestShellCommands: every command for the shell in the READMEs and the pages of docs/ can be run, or at least has the
// flags and targets that are there.
func TestShellCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command: not with -short")
	}
	root := checkout.Of(t)
	s := newShell(t, root)
	main := "package main\n\nimport \"github.com/privbayes/privbayes-go/privbayes\"\n\n" +
		"func main() { println(privbayes.PureDP(1).String()) }\n"
	must.Do(t, os.WriteFile(filepath.Join(s.dir, "main.go"), []byte(main), 0o600))
	for _, file := range shownPages(t, root) {
		name := must.Get(filepath.Rel(root, file))(t)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			lines, ran := s.page(t, file)
			if name != "README.md" {
				return
			}
			if lines < 10 || ran < 3 {
				t.Errorf("%d commands, %d of them run", lines, ran)
			}
			text, err := os.ReadFile(file)
			const edit = "go mod edit -replace github.com/privbayes/privbayes-go=../privbayes-go"
			if err != nil || !strings.Contains(string(text), "`"+edit+"`") {
				t.Errorf("the README has no %s (%v)", edit, err)
			}
			for _, c := range []string{"go mod init example.org/mine", edit, "go mod tidy"} {
				if err := s.judge(t, c); err != nil {
					t.Error(err)
				}
			}
			out, err := exec.CommandContext(t.Context(), "go", "-C", s.dir, "run", ".").CombinedOutput()
			if err != nil || !strings.Contains(string(out), "ε = 1") {
				t.Errorf("the program beside the checkout: %v\n%s", err, out)
			}
		})
	}
	for _, wrong := range []string{"privbayes plna --data votes", "privbayes plan --dta votes", "make tuor",
		"privbayes verify --deep FILE", "rm -rf x", "privbayes plan --data vtoes --epsilon 1"} {
		if s.judge(t, wrong) == nil {
			t.Errorf("passes: %s", wrong)
		}
	}
}
