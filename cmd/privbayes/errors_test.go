package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Under --json an error is one line of JSON, with what its type says: place, value, and what was wanted.
func TestFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"s.json": `{"dataset":"d","columns":[{"name":"answer","kind":"categorical","categories":["yes","no"]},` +
			`{"name":"x","kind":"real","min":0,"max":3,"edges":[0,1,3]}]}`,
		"bad.json":    "{\n#",
		"upside.json": `{"dataset":"d","columns":[{"name":"x","kind":"real","edges":[3,0]}]}`,
		"good.csv":    "answer,x\nyes,1\nno,2\n", "bad.csv": "answer,x\nyes,1\nnever,2\n",
		"empty.csv": "answer\n",
	}
	for name, text := range files {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	mustCall(t, "budget", "b.budget", "--schema", "s.json", "--epsilon", "1")
	mustCall(t, "release", "--schema", "s.json", "--data", "good.csv", "--target", "answer", "--epsilon", "1",
		"--seed", "1", "--out", "r.json")
	made := must.Get(os.ReadFile("r.json"))(t)
	for name, change := range map[string][2]string{"weaker.json": {`"num": 1`, `"num": 2`},
		"edited.json": {`"epsilon": 1`, `"epsilon": 0.1`}} {
		edited := bytes.Replace(made, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(edited, made) {
			t.Fatalf("%s is not another release", name)
		}
		must.Do(t, os.WriteFile(name, edited, 0o600))
	}
	answers(t, "faults")
}

// panics is an output that panics with a value of a table.
type panics struct{}

func (panics) Write([]byte) (int, error) { panic("a secret") }

// A panic is no wrong usage: it has an exit code of its own, and shows no value unless it is asked to.
func TestPanics(t *testing.T) {
	for _, asked := range []bool{false, true} {
		if asked {
			t.Setenv("PRIVBAYES_DEBUG", "1")
		}
		for _, line := range []string{"plan --levels 3 --n 10 --epsilon 1", "plan --levels 3 --n 10 --epsilon 1 --json",
			"help", "plan --help", "version"} {
			var errs bytes.Buffer
			if code := run(strings.Fields(line), panics{}, &errs); code != exitInternal {
				t.Errorf("%s: exit %d", line, code)
			}
			if shown := strings.Contains(errs.String(), "a secret"); shown != asked ||
				asked != strings.Contains(errs.String(), "errors_test.go") {
				t.Errorf("%s: %s", line, &errs)
			}
			var j struct{ Error fault }
			if err := json.Unmarshal(errs.Bytes(), &j); strings.Contains(line, "--json") &&
				(err != nil || j.Error.Kind != "internal" || strings.Count(errs.String(), "\n") != 1) {
				t.Errorf("%s: %v: %s", line, err, &errs)
			}
		}
	}
}

// An output that is not written is an error for programs, too.
func TestUnwrittenIsAFault(t *testing.T) {
	var errs bytes.Buffer
	code := run(strings.Fields("plan --levels 3 --n 10 --epsilon 1 --json"), &full{}, &errs)
	want := `{"error":{"kind":"input","text":"writing the output: no space left; ` +
		`the command did everything else"}}`
	if code != exitInput || strings.TrimSpace(errs.String()) != want {
		t.Errorf("%d %s", code, &errs)
	}
}

// Of an error and its causes, all that they say is taken; of two, what the outer one says. A value of a table is told
// where it stands in a file.
func TestCausesOfAFault(t *testing.T) {
	inner := &dp.ParameterError{Value: 7, Want: "inner"}
	f := faultOf(errors.Join(errors.New("no more"), &release.FileError{Path: "a", Want: "outer", Err: inner}))
	if f.Kind != "input" || f.File != "a" || f.Want != "outer" || f.Value != "7" {
		t.Errorf("%+v", f)
	}
	for file, want := range map[string]string{"": "", "t.csv": "secret"} {
		if f := faultOf(&frame.ValueError{File: file, Line: 3, Value: "secret"}); f.Value != want || f.Line != 3 {
			t.Errorf("%q: %+v", file, f)
		}
	}
}
