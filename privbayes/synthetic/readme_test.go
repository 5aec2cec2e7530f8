package synthetic

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// The lines of the README, as they stand there, give what Combine gives.
func TestReadmeInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	net, path := pair(t), filepath.Join(t.TempDir(), "sets")
	s := setsOf(t, net, 6, 200, nil)
	must.Do(t, s.Write(t.Context(), path))
	lines := program(t, path, "python")
	if strings.Count(lines, "\n") > 12 {
		t.Fatal(lines)
	}
	got := run(t, path, python, lines)
	d := net.DAG()
	c := must.Get(s.Analyse(t.Context(), LogOddsRatio(Level{"ill", "да"}, Level{d.Node(0).Name, d.Node(0).States[1]})))(t)
	lo, hi, _ := c.Interval(.95)
	for i, want := range []float64{c.Value, c.SE(), lo, hi, c.Freedom} {
		if math.Abs(got[i]-want) > 1e-6*math.Abs(want) {
			t.Errorf("number %d: %v, want %v", i, got[i], want)
		}
	}
	// combine.py by itself: few and many degrees of freedom, and the fall-back.
	for _, q := range [][]float64{{1, 1.2}, {1, 1, 1}, {0, .7, 1.1}, {0, 3, 5, 1}, {0, .55, 0, .55}} {
		sets, text := []Estimate{}, []string{}
		for _, v := range q {
			sets, text = append(sets, Estimate{v, .1}), append(text, fmt.Sprint(v))
		}
		c := must.Get(Combine(Design{100, 500}, sets...))(t)
		lo, hi, _ := c.Interval(.9)
		got := run(t, path, python, fmt.Sprintf("from combine import combine\nprint(combine([%s], [0.1]*%d, 100, 500, 0.9))",
			strings.Join(text, ","), len(q)))
		for i, want := range []float64{c.Value, c.SE(), lo, hi, c.Freedom} {
			if got[i] != want && math.Abs(got[i]-want) > 2e-6*math.Abs(want) {
				t.Errorf("%v, number %d: %v, want %v", q, i, got[i], want)
			}
		}
	}
}

// program is what the README of a folder shows in a language.
func program(t *testing.T, path, language string) string {
	t.Helper()
	page := must.Get(os.ReadFile(filepath.Join(path, "README.md")))(t)
	lines := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(page)
	if lines == nil {
		t.Fatalf("%s", page)
	}
	return string(lines[1])
}

// run gives the five numbers that a program prints, or the one of a single set.
func run(t *testing.T, dir, python, program string) (out []float64) {
	t.Helper()
	cmd := exec.Command(python, "-B", "-c", program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "PYTHONIOENCODING=utf-8")
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, b, program)
	}
	text := strings.Split(strings.Trim(strings.TrimSpace(string(b)), "()"), ", ")
	if len(text) != 5 && len(text) != 1 {
		t.Fatalf("%s", b)
	}
	for _, x := range text {
		v := must.Get(strconv.ParseFloat(x, 64))(t)
		out = append(out, v)
	}
	return out
}

// R is not run here where it is missing: brackets and quotes of what is written must at least pair.
func TestReadmeInR(t *testing.T) {
	net, path := pair(t), filepath.Join(t.TempDir(), "sets")
	s := setsOf(t, net, 6, 200, nil)
	must.Do(t, s.Write(t.Context(), path))
	lines := program(t, path, "r")
	for name, text := range map[string]string{"README": lines, "combine.R": combineR} {
		if err := paired(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if paired("f(x[1)]") == nil || paired(`f("a)`) == nil {
		t.Error("what does not pair passes")
	}
	c := must.Get(s.Analyse(t.Context(), LogOddsRatio(Level{"ill", "да"}, Level{net.DAG().Node(0).Name,
		net.DAG().Node(0).States[1]})))(t)
	lo, hi, _ := c.Interval(.95)
	for i, got := range runR(t, path, lines) {
		if want := []float64{c.Value, c.SE(), lo, hi, c.Freedom}[i]; math.Abs(got-want) > 1e-4*math.Abs(want) {
			t.Errorf("number %d: %v, want %v", i, got, want)
		}
	}
}

// runR gives the numbers that a program's last expression has, none where there is no R: to six digits or so, and to
// what iterated fits agree to.
func runR(t *testing.T, dir, text string) (out []float64) {
	t.Helper()
	r, err := exec.LookPath("Rscript")
	if err != nil {
		return nil
	}
	file := filepath.Join(t.TempDir(), "readme.R")
	text = "options(digits = 10)\nfound_last <- {\n" + text + "}\ncat(found_last, \"\\n\")\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command(r, "--vanilla", file)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, b, text)
	}
	for _, x := range strings.Fields(string(b)) {
		v, err := strconv.ParseFloat(x, 64)
		if err != nil {
			t.Fatalf("%s", b)
		}
		out = append(out, v)
	}
	if len(out) != 5 && len(out) != 1 {
		t.Fatalf("%s", b)
	}
	return out
}

// paired checks brackets outside strings and comments.
func paired(program string) error {
	var open []rune
	pairs := map[rune]rune{')': '(', ']': '[', '}': '{'}
	for lines := bufio.NewScanner(strings.NewReader(program)); lines.Scan(); {
		quote, escaped := false, false
		for _, r := range lines.Text() {
			switch {
			case escaped:
				escaped = false
			case quote && r == '\\':
				escaped = true
			case r == '"':
				quote = !quote
			case quote:
			case r == '#':
				goto next
			case strings.ContainsRune("([{", r):
				open = append(open, r)
			case pairs[r] != 0:
				if len(open) == 0 || open[len(open)-1] != pairs[r] {
					return fmt.Errorf("%q closes nothing in %s", r, lines.Text())
				}
				open = open[:len(open)-1]
			}
		}
		if quote {
			return fmt.Errorf("an open string in %s", lines.Text())
		}
	next:
	}
	if len(open) > 0 {
		return fmt.Errorf("%q stays open", open)
	}
	return nil
}
