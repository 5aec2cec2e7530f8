package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// acceptRules accept nearly every candidate of the theatre's table.
const acceptRules = `{"level":{"epsilon":4},"model":{"kind":"naive-bayes","target":"a"},"criteria":{"cells":{"ways":1,
	"within":0.99}},"test":{"epsilon":0.5,"wrong":0.1},"stop":{"one_in":10,"most":3},"report":0.3}`

// scenes are command lines beside which the pairs of a command's flags are tried; after "one" single flags are.
// {name} is a file or folder.
var scenes = []string{
	"plan --levels 3 --n 12 --epsilon 1 --json",
	"one plan --levels 3 --n 12 --rho 1 --mechanism discrete-gaussian --json",
	"one plan --levels 3 --n 12 --epsilon 1 --nominal --mechanism dirichlet-raw --json",
	"one plan --levels 3 --n 12 --epsilon 1 --mechanism posterior-sample --json",
	"one plan --levels 3 --n 12 --epsilon 1 --mechanism records --json",
	"one plan --levels 2 --n 50 --solve epsilon --error 0.1 --json",
	"one plan --data cps1988 --model linear-regression --target wage --features education --mechanism moments --epsilon " +
		"1 --json",
	"one plan --schema {schema} --n 30 --formula x~b --epsilon 1 --delta 0.01",
	"one plan --data cps1988 --model poisson --target education --mechanism noisy-sums --range 1,9 --epsilon 1 --json",
	"one plan --network asia --n 50 --epsilon 1 --json",
	"one plan --schema {schema} --n 12 --epsilon 1 --target x --model quantiles",
	"one advise --levels 2 --n 5 --epsilon 1",
	"one plan --schema {schema} --n 12 --epsilon 1 --target a --json",
	"one advise --schema {schema} --n 12 --epsilon 1 --target a --time 400ms --json",
	"one plan --schema {schema} --n 12 --epsilon 1 --target x --model quantiles --json",
	"one advise --levels 2 --n 5 --epsilon 1 --json",
	"one advise --levels 2 --sizes 5,9 --epsilon 1 --json",
	"budget {new} --schema {schema} --epsilon 1",
	"budget {spent}", "budget {paid}",
	"budget {spent} --charge run-7 --tool t --released means --adjacency replace-one --epsilon 0.1",
	"budget {spent} --charge run-7 --tool t --released means --adjacency replace-one --loss {losses2}",
	"release --schema {schema} --data {table} --target a --epsilon 1 --seed 3 --out {out}",
	"one release --schema {schema} --data {table} --target a --rho 1 --mechanism discrete-gaussian --seed 3 --out {out}",
	"one release --schema {schema} --data {table} --model mean --target x --mechanism noisy-sums --epsilon 1 --seed 3 " +
		"--out {out}",
	"one release --schema {schema} --data {table} --model categorical --target a --mechanism posterior-sample --epsilon " +
		"1 --seed 3 --out {out}",
	"one release --schema {schema} --data {table} --model categorical --target a --mechanism records --epsilon 1 " +
		"--seed 3 --out {out}",
	"one release --data iris --target Species --epsilon 1 --seed 3 --out {out}",
	"one learn --schema {schema} --data {table} --epsilon 1 --seed 3 --out {out}",
	"learn --schema {schema} --plan --n 30 --epsilon 1 --json",
	"one learn --schema {schema} --data {table} --adjacency add-remove --epsilon 1 --seed 3 --out {out}",
	"one learn --schema {schema} --data {table} --epsilon 1 --seed 3 --out {out} --algorithm privbayes " +
		"--mechanism laplace",
	"show {release}",
	"one intervals {release}",
	"draws {drawn}",
	"coefficients {line}",
	"export {release} --to bif",
	"one export {release} --to numpyro --out {out}",
	"one export {publication} --to csv --json",
	"publish {wishes} --schema {schema} --data {table} --seed 3 --out {out}",
	"publish {wishes} --plan --schema {schema} --n 30",
	"one show {publication}",
	"one accept --rules {rules} --schema {schema} --data {table} --seed 3 --out {out}",
	"one accept --rules {rules} --plan --schema {schema} --n 30 --json",
	"one show {selection}",
	"one synthesize {selection}",
	"one discover --column c --epsilon 1 --delta 0.01 --schema {open} --data {codes} --seed 3 --out {out}",
	"one discover --column c --epsilon 1 --delta 0.01 --schema {open} --plan --json",
	"one show {found}",
	"one discover --column x --epsilon 1 --schema {unbounded} --data {table} --seed 3 --out {out}",
	"one show {range}",
	"one totals --period a --rho 1 --schema {schema} --data {table} --budget {wide} --seed 3 --out {out}",
	"one totals --period a --rho 1 --plan --schema {schema} --json",
	"one totals --after {totals} --schema {schema} --data {table} --budget {wide} --seed 3 --out {out}",
	"one show {totals}",
	"verify {release}",
	"entry {release}",
	"prove {plan} --out {out}",
	"report {release} --data {table} --test {table}",
	"one report {release} --public",
	"predict {release} --data {table}",
	"synthesize {release} --rows 3 --seed 4",
	"combine {pair} --estimates {estimates}",
	"schema {table}",
	"check --schema {schema} --data {table}",
	"check --data iris",
	"data list",
	"data fetch iris --to {folder}",
}

// flagValues are the values that a flag is tried with: not the usual one, nor that of a scene.
var flagValues = map[string]string{
	"epsilon": "0.7", "delta": "0.001", "rho": "0.3", "omega": "9", "lambda": "4", "adjacency": "add-remove",
	"mechanism": "k-norm", "draws": "3", "records": "50", "model": "categorical", "target": "b", "features": "b",
	"table": "a,b", "formula": "x~b",
	"schema": "{schema2}", "network": "sachs", "alpha": "2", "range": "0.5,5", "location": "0.3", "resolution": "7",
	"radius": "1.5", "data": "{table2}", "levels": "4", "n": "13", "solve": "n", "error": "0.2", "time": "9s",
	"sizes": "6,8", "figure": "{figure}", "split": "0.5,2", "present": "b", "budget": "{spent}",
	"out": "{out2}", "seed": "9",
	"separator": "tab", "decimal": ",", "encoding": "latin-1", "dataset": "other", "algorithm": "tree", "degree": "1",
	"score": "I", "star": "b", "width": "2", "max-cells": "7", "size": "40", "zero": "a=yes,b=né", "workload": "a",
	"reserve": "a,b", "ordered": "a,c", "determines": "{pairs}", "evenly-columns": "x",
	"work": "7", "entry": "{entry}", "tier": "1", "rows": "2", "test": "{table2}", "to": "{folder2}",
	"thousands": "'",
	"rule":      "T_m", "rules": "{rules2}", "estimates": "{estimates2}",
	"spec": "{spec}", "post-process": "flat-posterior-mean", "at": ".2,.7", "ask": "P(a=yes)", "level": ".5",
	"item": "a", "answers": "{answers}", "sets": "{folder2}",
	"charge": "run-8", "tool": "u", "released": "counts", "loss": "{losses}", "part": "quarter=2",
	"amplified": "{sampled}",
	"column":    "d", "at-most": "2", "into": "{into}",
	"slot": "survey.publication.json#later", "period": "x", "columns": "b", "until": "no", "after": "{totals}",
	"url": "http://127.0.0.1:1/", "export to": "json", "format": "arrow",
}

// silent are the flags that change no output where they are used, with the reason.
var silent = map[string]string{
	"plan time": "a limit that is not reached", "advise time": "a limit that is not reached",
	"verify work": "a limit that is not reached",
	"plan model":  "the usual one of one column", "advise model": "the usual one of one column",
	"schema json":  "a schema is JSON",
	"check schema": "the same schema under another name", "advise schema": "the same schema under another name",
	"thousands": "no number has such a mark: see TestMarksAndBlanks",
	"trim":      "no field has blanks at its ends: see TestMarksAndBlanks",
}

// dryRun are the flags that learn --plan takes although it draws, charges and writes nothing: a call is tried as it
// stands, and where --n is given no rows are read.
var dryRun = append([]string{"budget", "out", "seed", "split", "data"}, written...)

// theatre has the files of the scenes.
type theatre struct {
	t    *testing.T
	dir  string
	seen map[string]string // what a command line gives, by itself
	runs int
}

func newTheatre(t *testing.T) *theatre {
	h := &theatre{t: t, dir: t.TempDir(), seen: map[string]string{}}
	schema := `{"dataset":"toy","columns":[{"name":"a","kind":"categorical","categories":["yes","no"]},
		{"name":"b","kind":"categorical","categories":["né","oui"],"missing":["-"],
			"on_missing":"category"},
		{"name":"x","kind":"real","min":0,"max":3,"edges":[0,1,3]}]}`
	var codes strings.Builder
	for i := range 90 {
		fmt.Fprintf(&codes, "%d,pé%d,q%d\n%d,pé%d,q%d\n", i, i%2, i%3, i, i%3, i%2)
	}
	for name, text := range map[string]string{
		"spec": `{"model":{"kind":"naive-bayes","target":"a","features":["x"],"alpha":3}}`,
		"wishes": `{"publication":"two tables","level":{"epsilon":1},"items":[{"model":{"kind":"categorical","target":"a"},
			"within":"5pp"},{"model":{"kind":"mean","target":"x"},"weight":2}]}`,
		"rules":      acceptRules,
		"rules2":     strings.Replace(acceptRules, `"most":3`, `"most":4`, 1),
		"estimates2": `[{"value": 1, "variance": 2}, {"value": 5, "variance": 1}]`,
		"estimates":  `[{"value": 1, "variance": 2}, {"value": 2, "variance": 1}]`,
		"pairs":      "a,b\nyes,oui\n",
		"losses":     `{"losses": [[0.5, 0.6224593312018546], [-0.5, 0.3775406687981454]]}`,
		"losses2":    `{"losses": [[0.25, 0.5621765008857981], [-0.25, 0.4378234991142019]]}`,
		"open":       `{"dataset":"toy","unit_key":"u","columns":[{"name":"c","kind":"open"},{"name":"d","kind":"open"}]}`,
		"unbounded":  `{"dataset":"d","columns":[{"name":"x","kind":"real","bounds":"unknown"}],"extra_columns":true}`,
		"codes":      "u,c,d\n" + codes.String(),
		"drawnby": strings.Replace(schema, "}]}", `}],"population":100,"design":{"method":"srs","rate":"1/2",`+
			`"secret":true}}`, 1),
		"schema": schema, "schema2": strings.Replace(schema, "toy", "tyo", 1),
		"table":  "a,b,x\n" + strings.Repeat("yes,né,0.5\nno,oui,1.5\nyes,oui,2.5\n", 10),
		"table2": "a,b,x\n" + strings.Repeat("no,né,0.5\nno,oui,2.75\nyes,oui,2.5\n", 12)} {
		must.Do(t, os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600))
	}
	h.must("release --schema {schema} --data {table} --target a --epsilon 1 --out {release}")
	h.must("discover --column c --epsilon 1 --delta 0.01 --schema {open} --data {codes} --seed 5 --out {found}")
	h.must("discover --column x --epsilon 1 --schema {unbounded} --data {table} --seed 5 --out {range}")
	h.must("release --schema {schema} --data {table} --target a --epsilon 2 --out {other}")
	h.must("release --schema {schema} --data {table} --model categorical --target a --mechanism posterior-sample " +
		"--epsilon 1 --out {drawn}")
	h.must("release --schema {schema} --data {table} --formula x~b --epsilon 1 --delta 0.01 --out {line}")
	h.must("entry {other} --out {entry}")
	h.must("budget {spent} --schema {schema} --epsilon 5")
	h.must("budget {paid} --schema {drawnby} --epsilon 2")
	h.must("release --schema {drawnby} --data {table} --table a --epsilon 1 --budget {paid} --out {sampled}")
	h.must("sets {release} --sets 2 --rows 9 --out {pair}")
	h.must("publish {wishes} --schema {schema} --data {table} --out {publication}")
	h.must("accept --rules {rules} --schema {schema} --data {table} --out {selection}")
	h.must("budget {wide} --schema {schema} --epsilon 40 --delta 0.001")
	h.must("totals --period a --rho 1 --schema {schema} --data {table} --budget {wide} --seed 5 --out {totals}")
	plan := h.must("plan --schema {schema} --n 30 --target a --epsilon 1 --json")
	must.Do(t, os.WriteFile(filepath.Join(h.dir, "plan"), []byte(plan), 0o600))
	return h
}

// paths puts files in the place of {names}: those of the folder of one run where they are written, else the theatre's.
func (h *theatre) paths(line, own string) []string {
	words := strings.Fields(line)
	for i, w := range words {
		name, ok := strings.CutPrefix(w, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		if words[i] = filepath.Join(h.dir, name); own != "" {
			if _, err := os.Stat(words[i]); err != nil || slices.Contains(ledgers, name) {
				words[i] = filepath.Join(own, name)
			}
		}
	}
	return words
}

func (h *theatre) must(line string) string {
	h.t.Helper()
	code, out, errs := call(h.paths(line, "")...)
	if code != exitDone {
		h.t.Fatalf("%s: %d %s", line, code, errs)
	}
	return out
}

// ledgers are the budgets of the theatre, of which every run has its own copy.
var ledgers = []string{"spent", "wide", "paid"}

// stage is the folder of one run, with budgets of its own.
func (h *theatre) stage() string {
	own := h.t.TempDir()
	for _, name := range ledgers {
		budget := must.Get(os.ReadFile(filepath.Join(h.dir, name)))(h.t)
		must.Do(h.t, os.WriteFile(filepath.Join(own, name), budget, 0o600))
	}
	return own
}

// outcome is all that a command line gives: its exit code, what it prints, and what stands in the files it writes.
func (h *theatre) outcome(line string) string {
	if text, ok := h.seen[line]; ok {
		return text
	}
	h.runs++
	own := h.stage()
	code, out, errs := call(h.paths(line, own)...)
	text := fmt.Sprintf("exit %d\n%s\n%s", code, out, errs)
	must.Do(h.t, filepath.WalkDir(own, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		text += path + "\n" + string(b)
		return err
	}))
	h.seen[line] = strings.ReplaceAll(text, own, "")
	return h.seen[line]
}

// with is a scene with flags, which stand in the place of the scene's own.
func with(scene string, flags *flagSet, names ...string) string {
	words := strings.Fields(scene)
	for _, name := range names {
		for i := 0; i < len(words); i++ {
			if words[i] == "--"+name {
				end := i + 2
				if isBool(flags.Lookup(name)) {
					end = i + 1
				}
				words = slices.Delete(words, i, end)
				i--
			}
		}
		if words = append(words, "--"+name); !isBool(flags.Lookup(name)) {
			words = append(words, cmp.Or(flagValues[words[0]+" "+name], flagValues[name]))
		}
	}
	return strings.Join(words, " ")
}

// same reports whether two command lines have the same words: a flag without a value that stands in the scene.
func same(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// Every flag that is given is used or refused by name: of all pairs of flags of all commands, beside those of a scene,
// a command that does not refuse says something else without either.
func TestPairsOfFlags(t *testing.T) {
	h := newTheatre(t)
	var refused, used int
	taken := map[string]bool{"data --url": true, "data --download": true} // of downloads, which are no scene
	for _, scene := range scenes {
		scene, single := strings.CutPrefix(scene, "one ")
		name, _, _ := strings.Cut(scene, " ")
		c, _ := named(name)
		flags := flagsOf(c)
		var names []string
		for _, i := range flags.infos() {
			names = append(names, i.Name)
		}
		for i, a := range names {
			for _, b := range names[i:] {
				if single && a != b {
					break
				}
				line := with(scene, flags, slices.Compact([]string{a, b})...)
				got := h.outcome(line)
				if !strings.HasPrefix(got, "exit 0") {
					refused++
					if a == b && !strings.Contains(got, "--"+a+" has no effect") {
						taken[name+" --"+a] = true // but not with this value
					}
					if a == b || !strings.HasPrefix(h.outcome(with(scene, flags, a)), "exit 0") ||
						!strings.HasPrefix(h.outcome(with(scene, flags, b)), "exit 0") || !strings.HasPrefix(got, "exit 2") {
						continue
					}
					if !strings.Contains(got, "--"+a) && !strings.Contains(got, "--"+b) && a != "features" { // a column is named
						t.Errorf("%s: refused, and neither flag is named: %s", line, got)
					}
					continue
				}
				used++
				taken[name+" --"+a], taken[name+" --"+b] = true, true
				for _, f := range []struct{ flag, other string }{{a, b}, {b, a}} {
					rest := scene
					if f.other != f.flag {
						rest = with(scene, flags, f.other)
					}
					free := silent[name+" "+f.flag] != "" || silent[f.flag] != "" ||
						strings.Contains(line, "--plan") && slices.Contains(dryRun, f.flag)
					if !free && !same(line, rest) && got == h.outcome(rest) {
						t.Errorf("%s: --%s is dropped", line, f.flag)
					}
				}
			}
		}
	}
	for _, scene := range scenes {
		name, _, _ := strings.Cut(strings.TrimPrefix(scene, "one "), " ")
		c, _ := named(name)
		for _, i := range flagsOf(c).infos() {
			flag := i.Name
			if !taken[name+" --"+flag] {
				taken[name+" --"+flag] = true
				t.Errorf("%s --%s has no effect in any scene", name, flag)
			}
		}
	}
	t.Logf("%d command lines; %d pairs refused, %d used", h.runs, refused, used)
}

// Two privacy levels, and what belongs to another, are refused with both names, by every command that takes a level; so
// is a flag twice. None draws or charges.
func TestTwoLevelsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, level := range []struct{ flags, want string }{
		{"--epsilon 0.1 --rho 1", "--rho and --epsilon"},
		{"--rho 1 --delta 1e-6", "--rho and --delta"},
		{"--rho 1 --lambda 2", "--rho and --lambda"},
		{"--epsilon 1 --lambda 2 --delta 1e-6", "--lambda and --delta"},
		{"--epsilon 1 --omega 3", "--omega: want it with --rho"},
		{"--epsilon 1 --epsilon 2", "--epsilon 2: it is given twice"},
	} {
		for _, command := range []string{
			"plan --levels 3 --n 10", "advise --levels 3 --n 10", "budget b.budget --data votes",
			"release --data votes --target Class --out r.json", "learn --data votes --out r.json", "learn --plan --data votes",
			"audit --cells 2 --n 2",
		} {
			args := strings.Fields(command + " " + level.flags)
			if strings.HasPrefix(command, "audit") {
				args = append(args, "--", "true")
			}
			code, out, errs := call(args...)
			if code != exitUsage || out != "" || !strings.Contains(errs, level.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s %s: %d %s%s; want %s", command, level.flags, code, out, errs, level.want)
			}
		}
	}
	if files, _ := os.ReadDir("."); len(files) > 0 {
		t.Error("there are files now:", files)
	}
}

// A flag that the way taken does not read is refused, and the sentence says what it is for.
func TestUnreadFlagsAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"plan --levels 3 --n 10 --epsilon 1 --draws 3":   "--draws has no effect",
		"plan --levels 3 --n 10 --epsilon 1 --error 0.1": "--error has no effect",
		"plan --levels 3 --n 10 --epsilon 1 --location 2": "--location: model categorical has " +
			"no such",
		"plan --levels 3 --n 10 --solve n --error 0.1 --epsilon 1":                   "--solve n and --n",
		"plan --levels 3 --solve epsilon --error 0.1 --rho 1":                        "--solve epsilon and --rho",
		"plan --levels 3 --n 10 --epsilon 1 --adjacency add-remove":                  "--n and --adjacency add-remove",
		"advise --levels 3 --n 10 --epsilon 1 --sizes 5":                             "--sizes and --n",
		"check --data iris --separator ;":                                            "--separator has no effect",
		"data list --to here":                                                        "--to has no effect",
		"data fetch iris --url http://127.0.0.1:1/":                                  "--url has no effect",
		"data fetch creditcard --url http://127.0.0.1:1/":                            "--url has no effect",
		"budget b.budget --delta 1e-6":                                               "--delta has no effect",
		"learn --plan --data votes --epsilon 1 --width 2":                            "--width with --algorithm pairs",
		"learn --plan --data votes --epsilon 1 --size 9":                             "--size with --adjacency replace-one",
		"release --data votes --network asia --epsilon 1 --features V1 --out r.json": "--features has no effect",
		"plan --data cps1988 --model group-means --target wage --epsilon 1":          "--features: want the column of",
		"plan --levels 3 --n 10 --epsilon 1 --mechanism posterior-sample --draws 0":  "--draws 0; want at least 1",
	} {
		code, out, errs := call(strings.Fields(args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s%s; want %s", args, code, out, errs, want)
		}
	}
}

// Marks for thousands and blanks at the ends of fields are read as the flags say, by every command that reads a table.
func TestMarksAndBlanks(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"s.json": `{"dataset":"d","columns":[{"name":"k","kind":"categorical","categories":["a","b"]},
			{"name":"x","kind":"real","min":0,"max":9000,"edges":[0,2000,9000]}]}`,
		"t.csv":     "k ,x\na , 1'500\n b,2'500 \n",
		"plain.csv": "k,x\na,1500\nb,2500\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, command := range []string{
		"check --schema s.json --data TABLE", "release --schema s.json --data TABLE --target k --epsilon 1 --seed 1 --out " +
			"OUT",
		"learn --schema s.json --data TABLE --epsilon 1 --seed 1 --out OUT", "predict release.OUT --data TABLE",
		"report release.OUT --data TABLE --test TABLE --json",
	} {
		name, _, _ := strings.Cut(command, " ")
		run := func(table, out string, more ...string) string {
			line := strings.NewReplacer("TABLE", table, "release.OUT", "release."+out, "OUT", name+"."+out).Replace(command)
			code, shown, errs := call(append(strings.Fields(line), more...)...)
			if code != exitDone {
				t.Fatalf("%s: %d %s%s", line, code, shown, errs)
			}
			return strings.ReplaceAll(shown, name+"."+out, name)
		}
		want := run("plain.csv", "plain")
		if got := run("t.csv", "marked", "--trim", "--thousands", "'"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A release of a table whose missing marks are dates and numbers of their columns is paid for and can be used: what
// synthesize writes is read under the same schema, with marks for what is missing and no other value that is one.
func TestSynthesizeWithMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"s.json": `{"dataset":"d","columns":[
			{"name":"day","kind":"integer","date":"2006-01-02","date_edges":["1900-01-01","1900-01-03","1900-01-05"],
			 "missing":["1900-01-02","9999-12-31",""],"on_missing":"category","on_out_of_domain":"clamp"},
			{"name":"k","kind":"categorical","categories":["a","b"]},
			{"name":"x","kind":"integer","edges":[0,3,6],"missing":["1","9"],"on_missing":"category"}]}`,
		"t.csv": "day,k,x\n" + strings.Repeat(
			"1900-01-01,a,0\n1900-01-02,b,1.0\n9999-12-31,a,+9\n,b,5\n2024-05-05,a,2\n", 60),
	} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	mustCall(t, "budget", "b.json", "--schema", "s.json", "--epsilon", "9")
	for command, args := range map[string][]string{"release": {"--target", "k", "--epsilon", "3"},
		"learn": {"--epsilon", "3", "--always"}} {
		mustCall(t, append([]string{command, "--schema", "s.json", "--data", "t.csv", "--budget", "b.json", "--out", command},
			args...)...)
		mustCall(t, "synthesize", command, "--rows", "500", "--seed", "1", "--out", command+".csv")
		text := must.Get(os.ReadFile(command + ".csv"))(t)
		code, out, errs := call("check", "--schema", "s.json", "--data", command+".csv")
		if code != exitDone || !strings.Contains(out, "All 500 rows fit the schema.") {
			t.Errorf("%s: %d %s%s", command, code, out, errs)
		}
		for value, there := range map[string]bool{"1900-01-01": true, "1900-01-02": true, "1900-01-03": true,
			"1900-01-05": true, "9999-12-31": false, "1900-01-06": false, "2024-05-05": false} {
			if strings.Contains(string(text), value) != there {
				t.Errorf("%s: %s is there: %v", command, value, !there)
			}
		}
	}
}
