// Command vuln looks for known vulnerabilities that a module's code calls:
//
//	vuln DATABASE ACCEPTED DIRECTORY...
//
// DATABASE is a folder of OSV files, such as data/osv of the module golang.org/x/vulndb, which this module's go.mod
// pins: what a commit gets is found out from the commit alone, without a network. govulncheck follows the calls of the
// packages of each directory's module. A vulnerability of a module that is required and whose code is not called is
// none here.
// ACCEPTED lists those that are called and do no harm: see [parseAccepted].
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/vuln/scan"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("vuln: ")
	if len(os.Args) < 4 {
		log.Fatal("want DATABASE ACCEPTED DIRECTORY...")
	}
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	accepted, err := parseAccepted(string(text))
	if err != nil {
		log.Fatalf("%s: %v", os.Args[2], err)
	}
	database, err := filepath.Abs(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	bad := false
	for _, dir := range os.Args[3:] {
		t0 := time.Now()
		found, err := scanned(context.Background(), database, dir)
		if err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
		open := slices.DeleteFunc(slices.Clone(found), accepted.has)
		for _, f := range open {
			fmt.Println(f)
		}
		bad = bad || len(open) > 0
		fmt.Printf("%s: %d called, %d accepted (%.0f s)\n", dir, len(found), len(found)-len(open), time.Since(t0).Seconds())
	}
	if bad {
		log.Fatal("raise the module, or say in ", os.Args[2], " why the call does no harm")
	}
}

// scanned is what govulncheck finds in a module's packages.
func scanned(ctx context.Context, database, dir string) ([]finding, error) {
	var out, errs bytes.Buffer
	c := scan.Command(ctx, "-C", dir, "-db", "file://"+filepath.ToSlash(database), "-format", "json", "./...")
	c.Stdout, c.Stderr = &out, &errs
	err := c.Start()
	if err == nil {
		err = c.Wait() // findings are no error in this format
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, errs.String())
	}
	return called(&out)
}

// finding is a vulnerability with the shortest way to it from the module's own code.
type finding struct {
	ID, Module, Version, Fixed string
	Calls                      []string // from the module's code to the vulnerable function
}

// String is one line: what is called, where it was mended, and how it is reached.
func (f finding) String() string {
	return fmt.Sprintf("%s: %s@%s, mended in %s: %s", f.ID, f.Module, f.Version, cmp.Or(f.Fixed, "no version"),
		strings.Join(f.Calls, " → "))
}

// message is the part of govulncheck's output that is read here. What a finding calls is its first frame's function.
type message struct {
	Finding *struct {
		OSV          string `json:"osv"`
		FixedVersion string `json:"fixed_version"`
		Trace        []struct {
			Module, Version, Package, Receiver, Function string
		} `json:"trace"`
	} `json:"finding"`
}

// called reads govulncheck's output: each vulnerability of a module once, in the order of their names.
func called(out io.Reader) ([]finding, error) {
	shortest := map[string]finding{}
	for d := json.NewDecoder(out); ; {
		var m message
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 || m.Finding.Trace[0].Function == "" {
			continue
		}
		first := m.Finding.Trace[0]
		f := finding{ID: m.Finding.OSV, Module: first.Module, Version: first.Version, Fixed: m.Finding.FixedVersion}
		for _, t := range slices.Backward(m.Finding.Trace) {
			f.Calls = append(f.Calls, strings.Join(slices.DeleteFunc([]string{t.Package, t.Receiver, t.Function},
				func(s string) bool { return s == "" }), "."))
		}
		key := f.ID + " " + f.Module
		if old, ok := shortest[key]; !ok || len(f.Calls) < len(old.Calls) {
			shortest[key] = f
		}
	}
	var all []finding
	for _, f := range shortest {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Module, b.Module))
	})
	return all, nil
}

// acceptances are the vulnerabilities that do no harm, by ID and module.
type acceptances map[[2]string]bool

func (a acceptances) has(f finding) bool { return a[[2]string{f.ID, f.Module}] }

// parseAccepted reads lines of an ID, a module, the day on which it was looked at, and the reason:
//
//	GO-2026-0001 golang.org/x/net 2026-11-27 only our own server's answers are parsed
//
// Lines that start with # and empty ones are comments.
func parseAccepted(text string) (acceptances, error) {
	a := acceptances{}
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		part := strings.Fields(line)
		if len(part) < 5 {
			return nil, fmt.Errorf("line %d: %q: want an ID, a module, a day and a reason", n+1, line)
		}
		if _, err := time.Parse(time.DateOnly, part[2]); err != nil {
			return nil, fmt.Errorf("line %d: %q: want a day such as 2026-11-27", n+1, part[2])
		}
		a[[2]string{part[0], part[1]}] = true
	}
	return a, nil
}
