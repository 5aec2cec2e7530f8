package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// What the command line learns is, byte for byte, what the façade learns of the same choices.
func TestLearnIsTheFacades(t *testing.T) {
	votes := privbayes.ReadFrame(data.Votes())
	for args, spec := range map[string]model.Learned{
		"--algorithm tree --target Class": privbayes.Tree().Classifying("Class"),
		"--target Class --always --workload Class --workload 3:V3,V4": privbayes.MaxEntropy().Classifying("Class").
			Workload(1, "Class").Workload(3, "V3", "V4").Always(),
		"--features V3,V4,V5 --target Class --always --zero V3=y,V4=n --zero \"V5=unrecorded\"": privbayes.MaxEntropy().
			Of("Class", "V3", "V4", "V5").Classifying("Class").Always().
			StructuralZeros(map[string]string{"V3": "y", "V4": "n"}, map[string]string{"V5": "unrecorded"}),
	} {
		dir := t.TempDir()
		ours, theirs := filepath.Join(dir, "ours.json"), filepath.Join(dir, "theirs.json")
		call := append([]string{"learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--out", ours},
			strings.Fields(args)...)
		if out := mustCall(t, call...); !strings.Contains(out, "drawn now") {
			t.Error(out)
		}
		if err := votes.Learn(spec).Privatize(privbayes.Geometric(), privbayes.PureDP(8), privbayes.Seeded(7),
			privbayes.KeepIn(theirs)).Err(); err != nil {
			t.Fatal(err)
		}
		have, err1 := os.ReadFile(ours)
		want, err2 := os.ReadFile(theirs)
		if err1 != nil || err2 != nil || !bytes.Equal(have, want) {
			t.Errorf("%s: another release than the façade's (%v, %v)", args, err1, err2)
		}
		if out := mustCall(t, "verify", ours); strings.Contains(args, "zero") &&
			!strings.Contains(string(have), `"structural_zeros"`) {
			t.Error(out)
		}
	}
}

// Structural zeros that are none are a wrong usage, which says what one looks like.
func TestZerosOfTheCommandLine(t *testing.T) {
	var l learnedFlags
	err := l.zero(`sex=male,"age=[0, 16)",note=a=b`)
	if err != nil || len(l.zeros) != 1 || l.zeros[0]["age"] != "[0, 16)" || l.zeros[0]["note"] != "a=b" {
		t.Error(l.zeros, err)
	}
	for _, zero := range []string{"", "V3", "V3=y,V3=n", "\"V3=y", "V3=y\nV4=n", "V3=maybe", "V99=y"} {
		code, out, errs := call("learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--zero", zero, "--out",
			filepath.Join(t.TempDir(), "x.json"))
		if code != exitUsage || out != "" || !strings.Contains(errs, "zero") {
			t.Errorf("%q: %d %s %s", zero, code, out, errs)
		}
	}
}

// Choices of PrivBayes beside another algorithm are a wrong usage: they would be passed over.
func TestChoicesOfPrivBayesOnTheCommandLine(t *testing.T) {
	for _, args := range []string{"--degree 2", "--score I --algorithm tree", "--degree 1 --algorithm cliques"} {
		code, out, errs := call(append([]string{"learn", "--data", "votes", "--epsilon", "8", "--seed", "7", "--out",
			filepath.Join(t.TempDir(), "x.json")}, strings.Fields(args)...)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, "want --algorithm privbayes") {
			t.Errorf("%s: %d %s %s", args, code, out, errs)
		}
	}
}
