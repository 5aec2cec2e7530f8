package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// full takes so many bytes and then no more, as a device does.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return f.left, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

// outputs are command lines of every command that writes something when all is well.
var outputs = []string{
	"plan --levels 3 --n 12 --epsilon 1", "plan --levels 3 --n 12 --epsilon 1 --json",
	"advise --levels 2 --sizes 5 --epsilon 1", "advise --levels 2 --sizes 5 --epsilon 1 --json",
	"budget {new} --schema {schema} --epsilon 1", "budget {spent} --json",
	"release --schema {schema} --data {table} --target a --epsilon 1 --out {out}",
	"release --schema {schema} --data {table} --target a --epsilon 1 --out {out} --json",
	"learn --schema {schema} --data {table} --epsilon 1 --out {out}", "learn --plan --data {table} --schema {schema} " +
		"--epsilon 1",
	"verify {release}", "verify {release} --json",
	"entry {release}", "entry {release} --json", "entry {release} --out {out}",
	"prove {plan} --out {out}", "report {release} --data {table} --test {table}",
	"report {release} --data {table} --test {table} --out {out.md}", "predict {release} --data {table}",
	"predict {release} --data {table} --json", "synthesize {release} --rows 3", "synthesize {release} --rows 3 --out " +
		"{out}",
	"schema {table}", "schema {table} --out {out}", "check --schema {schema} --data {table}", "check --data iris --json",
	"data list", "data list --json", "data fetch iris --to {folder}",
	"completion bash", "completion words pl", "--version", "help", "--help", "help plan", "plan --help", "verify --help",
}

// What cannot be written is said, and is a failure, whether the stream is full from the first byte, after some, or
// closed: of every command, its JSON and its help.
func TestOutputThatIsNotWritten(t *testing.T) {
	h := newTheatre(t)
	seen := map[string]bool{}
	for _, line := range outputs {
		name, _, _ := strings.Cut(line, " ")
		seen[name] = true
		var size int
		for k, left := range []int{1 << 30, 0, 30} {
			args := h.paths(line, h.stage())
			var errs strings.Builder
			device := &full{left: left}
			code := run(args, device, &errs)
			switch {
			case k == 0:
				if size = left - device.left; code != exitDone || size == 0 {
					t.Errorf("%s: %d, %d bytes: %s", line, code, size, &errs)
				}
			case left < size && (code != exitFailed || strings.Count(errs.String(), "writing the output: no space left") != 1):
				t.Errorf("%s after %d bytes: exit %d: %q", line, left, code, &errs)
			}
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close()
		var errs strings.Builder
		code := run(h.paths(line, h.stage()), write, &errs)
		_ = write.Close()
		if code != exitFailed || !strings.Contains(errs.String(), "writing the output") {
			t.Errorf("%s to a closed pipe: exit %d: %q", line, code, &errs)
		}
	}
	for _, c := range commands() {
		if !seen[c.name] && c.name != "audit" && c.name != "lab" && c.name != "bind" {
			t.Errorf("%s is not tried", c.name)
		}
	}
}

// The help of every command is output, too; and what goes to standard error is looked at as well.
func TestHelpAndNotesThatAreNotWritten(t *testing.T) {
	for _, c := range commands() {
		if code := run([]string{c.name, "--help"}, &full{}, io.Discard); code != exitFailed {
			t.Errorf("%s --help: exit %d", c.name, code)
		}
	}
	h := newTheatre(t)
	if code := run(h.paths("synthesize {release} --rows 3", ""), io.Discard, &full{}); code != exitFailed {
		t.Error("notes that were not written:", code)
	}
}

// The process itself, on a full device and into a pipe that nobody reads, does not end with 0.
func TestProcessOnAFullDevice(t *testing.T) {
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer func() { _ = device.Close() }()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	defer func() { _ = write.Close() }()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]*os.File{"full": device, "closed": write} {
		for _, args := range []string{"plan --levels 3 --n 12 --epsilon 1", "--help", "data list"} {
			c := exec.Command(self, strings.Fields(args)...)
			c.Dir = filepath.Dir(self)
			c.Env = append(os.Environ(), "PRIVBAYES_AS_PROGRAM=1")
			c.Stdout = to
			if err := c.Run(); err == nil {
				t.Errorf("%s, %s: exit 0", name, args)
			}
		}
	}
}
