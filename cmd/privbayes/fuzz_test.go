package main

import (
	"strings"
	"testing"
)

// FuzzPlanFlags reads command lines of "plan", one word a line: whatever the words, they give a wrong usage, a typed
// refusal, or a mechanism, a shape within the model's limits and a valid target. What is planned with them is not run.
func FuzzPlanFlags(f *testing.F) {
	for _, s := range []string{
		"--levels 5 --n 1000 --epsilon 1", "--data votes --model naive-bayes --target Class --epsilon 1 --delta 1e-6",
		"--network asia --n 50 --mechanism fourier --rho .1 --omega 4",
		"--levels 3 --alpha 1,2,3 --n 10 --mechanism hellinger --nominal --epsilon 1 --delta 1e-3",
		"--data cps1988 --model exponential --target wage --range 0.01,10 --epsilon 2",
		"--data cps1988 --model linear-regression --target wage --features education,experience --radius 2 --epsilon " +
			"1", "--levels 2 --n -1 --adjacency add-remove --epsilon NaN",
		"--levels 2 --n 9 --adjacency metric: --lambda Inf --epsilon 1", "--data cps1988 --model normal-precision " +
			"--target wage --location 1e308 --range 0x1p-3,1 --epsilon 1", "-- --n",
		"--records -5 --mechanism records " +
			"--levels 2 --n 1",
	} {
		f.Add(strings.ReplaceAll(s, " ", "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "/\\") || strings.Contains(text, "-schema") { // reads no file of this machine
			return
		}
		fs, _ := newFlags("plan", "")
		var p planFlags
		p.add(fs)
		if _, err := parse(fs, strings.Split(text, "\n"), 0); err != nil {
			return
		}
		m, sh, target, err := p.inputs()
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" || strings.Contains(err.Error(), "%!") {
				t.Fatalf("an error that says %q", err)
			}
			return
		}
		if m == nil || sh == nil || target.Valid() != nil {
			t.Fatalf("%v, %v, %v", m, sh, target)
		}
		if n, public := sh.N(); public && n < 0 {
			t.Fatal("a public n of", n)
		}
	})
}
