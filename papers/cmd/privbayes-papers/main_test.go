package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func call(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(args, &o, &e, io.Discard)
	return code, o.String(), e.String()
}

// broken takes so many bytes and then no more.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return b.left, errors.New("no space left")
	}
	b.left -= len(p)
	return len(p), nil
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "want claims or study"}, {"clams", exitUsage, `unknown command "clams"`},
		{"help", exitDone, "commands:"}, {"--help", exitDone, "commands:"}, {"help claims", exitDone, "--markdown"},
		{"claims -h", exitDone, "--only"}, {"study --help", exitDone, "--resume"},
		{"claims --nonsense", exitUsage, "nonsense"}, {"study gaussian", exitUsage, "want dirichlet"},
	} {
		code, out, errs := call(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+errs, c.want) || (code == exitDone) != (errs == "") {
			t.Errorf("%q: exit %d, %s%s", c.args, code, out, errs)
		}
	}
}

// Output that is not written is a failure, from the first byte or after some.
func TestOutputThatIsNotWritten(t *testing.T) {
	for _, line := range []string{"claims --only sampling/00", "claims --only sampling/00 --json",
		"claims --only sampling/00 --markdown", "help", "study --help"} {
		args := strings.Fields(line)
		for _, left := range []int{0, 30} {
			var errs strings.Builder
			if code := run(args, &broken{left}, &errs, io.Discard); code != exitFailed || !strings.Contains(errs.String(),
				"no space") {
				t.Errorf("%s after %d bytes: exit %d: %s", line, left, code, &errs)
			}
		}
		if code := run(args, io.Discard, io.Discard, io.Discard); code != exitDone {
			t.Errorf("%s: exit %d", line, code)
		}
	}
}
