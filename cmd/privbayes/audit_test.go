//go:build !browser

package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// noisyCount is the example in Python.
const noisyCount = "../../docs/examples/noisy_count.py"

// python is Python 3, which the gate installs.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	return path
}

// The example is exact in its law, agrees with it in its draws, and is caught at twice the rate: by the law, and by
// draws alone (false alarm 1e-9, a fixed seed).
func TestAuditOfThePythonExample(t *testing.T) {
	python := python(t)
	for _, c := range []struct {
		args []string // of the program
		code int
		want string
	}{
		{nil, exitDone, "they agree"},
		{[]string{"2"}, exitUnverified, "ε = 1? the claim is FALSE"},
		{[]string{"1", "law"}, exitDone, "is not checked"},
		{[]string{"1", "draw"}, exitDone, "no proof"},
		{[]string{"2", "draw"}, exitUnverified, "at most 1e-9"},
	} {
		args := []string{"audit", "--cells", "2", "--n", "4", "--epsilon", "1", "--silence", "1m"}
		if !slices.Contains(c.args, "law") {
			args = append(args, "--samples", "3000")
		}
		args = append(append(args, "--", python, noisyCount), c.args...)
		code, out, errs := call(args...)
		if code != c.code || !strings.Contains(out, c.want) || errs != "" {
			t.Errorf("%v: %d %s %s", c.args, code, out, errs)
		}
		code, out, _ = call(append([]string{"audit", "--json"}, args[1:]...)...)
		var j auditJSON
		if err := json.Unmarshal([]byte(out), &j); err != nil || code != c.code || j.OK != (c.code == exitDone) ||
			len(j.Law)+len(j.Draws) == 0 {
			t.Errorf("%v: %d %v %s", c.args, code, err, out)
		}
	}
}

// A flag about what the program does not have is refused by name: draws of one that states a law alone, and the other
// way round.
func TestAuditRefusesFlagsOfWhatIsNotThere(t *testing.T) {
	python := python(t)
	for _, c := range [][]string{{"--samples", "300", "law"}, {"--false-alarm", "1e-9", "law"},
		{"--tolerance", "1e-9", "draw"}} {
		code, out, errs := call("audit", "--cells", "2", "--n", "2", "--epsilon", "1", c[0], c[1], "--", python, noisyCount,
			"1", c[2])
		if code != exitUsage || out != "" || !strings.Contains(errs, c[0]+": it is about") {
			t.Errorf("%v: %d %s%s", c, code, out, errs)
		}
	}
}

// Wrong words are wrong usage, and a program that is none is bad input: typed, and said in one line.
func TestAuditRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--cells", "2", "--n", "4", "--epsilon", "1"}, exitUsage, "after --"},
		{[]string{"--n", "4", "--epsilon", "1", "--", "true"}, exitUsage, "--cells"},
		{[]string{"--cells", "2", "--n", "4", "--epsilon", "1", "more", "--", "true"}, exitUsage, `"more" before --`},
		{[]string{"--cells", "2", "--n", "4", "--", "true"}, exitUsage, "epsilon"},
		{[]string{"--cells", "2", "--n", "4", "--epsilon", "1", "--", "/no/such/program"}, exitInput,
			"could not be started"},
		{[]string{"--cells", "2", "--n", "4", "--epsilon", "1", "--", "true"}, exitInput, "it ended"},
	} {
		code, out, errs := call(append([]string{"audit"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d %q %q", c.args, code, out, errs)
		}
	}
}
