// Command gate runs "go test" and says at the end how many tests passed, failed and were skipped, each skipped one with
// its reason, so that no test is left out unseen.
//
//	go run ./tools/nbtool/gate [-skipped FILE] -- [GO TEST'S ARGUMENTS]
//
// It prints what go test prints without -v: a line a package, and what a failed test wrote; and the tests that had
// begun when it was told to stop. FILE gets a line for every
// skipped test: package, test and reason, separated by tabs. The exit code is that of go test.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	file := flag.String("skipped", "", "file for the list of skipped tests")
	flag.Parse()
	code, err := run(*file, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(file string, args []string) (code int, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM) // go test gets it, too: what it wrote is read to the end
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	s, err := read(out, os.Stdout)
	wait := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(wait, &exit) {
		code, wait = exit.ExitCode(), nil
	}
	if err = errors.Join(err, wait); err != nil {
		return code, err
	}
	fmt.Print(s)
	select {
	case by := <-stop:
		return max(code, 1), fmt.Errorf("stopped by %v", by)
	default:
	}
	if file == "" {
		return code, nil
	}
	var list strings.Builder
	for _, k := range s.skipped {
		fmt.Fprintf(&list, "%s\t%s\t%s\n", k.pkg, k.test, k.reason)
	}
	return code, os.WriteFile(file, []byte(list.String()), 0o644)
}

// event is a line of "go test -json": see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
}

type skip struct{ pkg, test, reason string }

type summary struct {
	passed, failed int
	skipped        []skip
	running        []string // began and did not end
}

// read prints the events as go test would without -v, and counts the tests. Subtests are tests.
func read(from io.Reader, to io.Writer) (s summary, err error) {
	w := bufio.NewWriter(to)
	wrote, began := map[[2]string][]string{}, map[[2]string]bool{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(w, lines.Text()) // not of test2json
			continue
		}
		at := [2]string{e.Package, e.Test}
		switch e.Action {
		case "run":
			began[at] = true
		case "pass", "skip", "fail":
			delete(began, at)
		}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			_, _ = w.WriteString(e.Output)
			_ = w.Flush()
		case e.Action == "output" && e.Test != "":
			wrote[at] = append(wrote[at], e.Output)
		case e.Test == "":
		case e.Action == "pass":
			s.passed++
			delete(wrote, at)
		case e.Action == "skip":
			s.skipped = append(s.skipped, skip{e.Package, e.Test, reason(wrote[at])})
			delete(wrote, at)
		case e.Action == "fail":
			s.failed++
			_, _ = w.WriteString(strings.Join(wrote[at], ""))
			delete(wrote, at)
		}
	}
	for _, rest := range wrote { // of a test that ended its process, which has no event of its own
		_, _ = w.WriteString(strings.Join(rest, ""))
	}
	for at := range began {
		s.running = append(s.running, short(at[0], at[1]))
	}
	slices.Sort(s.running)
	return s, errors.Join(lines.Err(), w.Flush())
}

// short names a test by the last part of its package.
func short(pkg, test string) string { return pkg[strings.LastIndex(pkg, "/")+1:] + "." + test }

// reason is what a skipped test wrote, without places in files.
func reason(wrote []string) string {
	var out []string
	for _, line := range wrote {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		if at, text, ok := strings.Cut(line, ": "); ok && strings.Contains(at, ".go:") {
			line = text
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

// String lists the skipped tests by reason, and ends with the numbers.
func (s summary) String() string {
	var b strings.Builder
	by := map[string][]string{}
	var reasons []string
	for _, k := range s.skipped {
		if by[k.reason] == nil {
			reasons = append(reasons, k.reason)
		}
		by[k.reason] = append(by[k.reason], short(k.pkg, k.test))
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		fmt.Fprintf(&b, "skipped: %s (%s)\n", strings.Join(by[r], ", "), r)
	}
	for _, r := range s.running {
		fmt.Fprintf(&b, "began and did not end: %s\n", r)
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, len(s.skipped))
	return b.String()
}
