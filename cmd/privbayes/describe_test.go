package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
)

// inGo finds a function of Go, or a name of the library's that is none of English: not a distribution with parameters.
var inGo = regexp.MustCompile(`\b(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]\w+\((?:[a-zA-Z]|\d+)?\)|\w+\.[A-Z]\w+|With[A-Z]\w+)`)

// Refusals name flags and not functions of Go: of every mechanism, for every model and every notion of privacy, and
// those that do not depend on them.
func TestRefusalsNameFlags(t *testing.T) {
	const wage = "--data cps1988 --target wage "
	models := []string{"--levels 3 --n 100", "--data votes --target Class --features V1 --model naive-bayes",
		wage + "--model histogram", wage + "--model cdf", wage + "--model mean",
		"--data votes --table Class,V1", wage + "--model group-means --features region",
		wage + "--model quantiles --at .5", wage + "--model exponential --range 0.01,10",
		wage + "--model linear-regression --features education",
		"--data breast_cancer --model logistic-regression --target benign --features mean_radius", "--network asia --n 50",
		"--levels 3 --adjacency add-remove"}
	levels := []string{"--epsilon 1", "--epsilon 1 --delta 1e-6", "--rho 1", "--epsilon 1 --lambda 2", "--rho 1 --omega 4",
		"--epsilon 1 --nominal"}
	seen := map[string]bool{}
	for _, m := range models {
		for _, l := range levels {
			for _, flag := range catalog.Flags() {
				line := "plan " + m + " " + l + " --mechanism " + flag
				code, _, errs := call(strings.Fields(line)...)
				if code == exitDone || seen[errs] {
					continue
				}
				seen[errs] = true
				if word := inGo.FindString(strings.ReplaceAll(errs, "PrivBayes, as published", "")); word != "" {
					t.Errorf("%s names %s: %s", line, word, errs)
				}
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d refusals; there are fewer models or mechanisms than there were", len(seen))
	}
}

// Nothing that a command writes for people names a function of Go: what it shows, and what it refuses.
func TestOutputsNameFlags(t *testing.T) {
	h := newTheatre(t)
	var lines []string
	for _, line := range append(slices.Clone(outputs), scenes...) {
		lines = append(lines, strings.TrimSuffix(strings.TrimPrefix(line, "one "), " --json"))
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "answers", "*.txt"))
	if err != nil || len(kept) == 0 {
		t.Fatal(err, kept)
	}
	for _, file := range kept {
		text := must.Get(os.ReadFile(file))(t)
		lines = append(lines, strings.Split(string(text), "\n")...)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "exit ") { // one that is kept is looked at as it stands
			if strings.HasPrefix(line, "$ ") || line == "" {
				continue
			}
			_, out, errs := call(h.paths(line, h.stage())...)
			line += "\n" + strings.ReplaceAll(out+errs, filepath.Dir(h.dir), "")
		}
		if strings.Contains(line, "\n{") || strings.Contains(line, "\n[") || strings.Contains(line, "completion bash") ||
			strings.Contains(line, `: {"error"`) {
			continue // for programs
		}
		if word := inGo.FindString(theorem.ReplaceAllString(notGo.Replace(line), "")); word != "" {
			t.Errorf("%s is named:\n%s", word, line)
		}
	}
}

// notGo leaves out names that are no functions.
var notGo = strings.NewReplacer("PrivBayes", "", "McSherry", "", "ChaCha8", "", "CreditCard", "", "Sepal.Length", "",
	"NaN",
	"", "NumPyro", "", "P_x(o)", "", "P_y(o)", "", "GermanCredit", "", "Sepal.Width", "")

// theorem is the name of a machine-checked theorem, such as GeometricText.text_private.
var theorem = regexp.MustCompile(`\b[A-Z]\w+\.[a-z]+_\w+`)

// What an interrupt ended says so.
func TestInterrupted(t *testing.T) {
	if got := textOf(fmt.Errorf("reading: %w", context.Canceled)); got != "reading: interrupted" {
		t.Error(got)
	}
}

// What the library says in Go is said in flags that the program has.
func TestSpoken(t *testing.T) {
	for text, want := range map[string]string{
		"use Geometric()": "use --mechanism geometric",
		"In Go: KNorm().WithPostProcess(counts.Clamp).": "Flags: --mechanism k-norm --post-process clamp.",
		"Geometric().WithPostProcess(Consistent), less": "--mechanism geometric --post-process consistent, less",
		"In Go: SufficientStatistics().Plain().":        "In Go: SufficientStatistics().Plain().",
		"In Go: Tree() with Laplace(). Next":            "Flags: --algorithm tree with --mechanism laplace. Next",
		"LinearSampler(10)":                             "--mechanism linear-sampler --draws 10",
		"PosteriorSample(1)":                            "--mechanism posterior-sample",
		`n is private since Present("a b"); want add-remove adjacency, under which n is private`: `n is private since ` +
			`--present "a b"; want --adjacency add-remove, under which n is private`,
		"a categorical column; want an integer or real column; Categorical for categories": "a categorical column; want " +
			"an integer or real column; --model categorical for categories",
		"use replace-one; or, under add-remove, Mean, and Histogram for the spread": "use --adjacency replace-one; or, " +
			"under add-remove, --model mean, and --model histogram for the spread",
		`use Mean or GroupMeans under a schema with a "unit_key"; NoisySums(), which allows`: `use --model mean or ` +
			`group-means under a schema with a "unit_key"; or no --by-unit, which allows`,
		"HistogramQuantiles(), or EM and Joint without intervals": "--mechanism histogram-quantiles, or no --intervals",
		`use Binary, Categorical, Histogram or ContingencyTable under a schema; without ByUnit(), `: `use --model ` +
			`binary, categorical or histogram, or --table, under a schema; without --by-unit, `,
		"SyntheticRecords(1000)":                        "--mechanism records --records 1000",
		"LinearSampler(N), or ApproxDP(ε, δ)":           "--mechanism linear-sampler, or --epsilon with --delta",
		"data: every distribution from Dirichlet(1, …)": "data: every distribution from Dirichlet(1, …)",
		"2 mechanisms do not apply at any of these levels; NotApplicable says why.": "2 mechanisms do not apply at any " +
			"of these levels; --why says why.",
	} {
		if got := spoken(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, d := range catalog.All() {
		if got := spoken("use " + d.Name + "()"); !strings.HasPrefix(got, "use --mechanism ") || strings.Contains(got, "(") {
			t.Errorf("%s: %s", d.Name, got)
		}
	}
}
