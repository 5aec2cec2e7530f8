package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/terminal"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// flagInfo is what there is to know about a flag: help, completion and other programs have it from here.
type flagInfo struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"` // float, int, text, bool, duration, list, or a word of its own such as file
	Repeats bool     `json:"repeats,omitempty"`
	Default string   `json:"default,omitempty"`
	Words   string   `json:"words"`
	Choices []string `json:"choices,omitempty"`     // all there are
	Of      string   `json:"of,omitempty"`          // of a list: what it is of, if not numbers
	Models  []string `json:"models,omitempty"`      // of a formula: the models that it can describe
	InPlace []string `json:"in_place_of,omitempty"` // the flags that go without it only
}

// infos are those of all flags, by name.
func (f *flagSet) infos() (list []flagInfo) {
	f.VisitAll(func(g *flag.Flag) {
		i := flagInfo{Name: g.Name, Default: g.DefValue}
		i.Type, i.Words = flag.UnquoteUsage(g)
		switch i.Type {
		case "":
			i.Type = "bool"
		case "string", "value":
			i.Type = "text"
		case "uint":
			i.Type = "int"
		case "columns":
			i.Type, i.Of = "list", i.Type
		}
		_, i.Repeats = g.Value.(interface{ repeats() })
		if i.Default == "0" || i.Default == "-1" || i.Default == "false" { // the words say what it means
			i.Default = ""
		}
		if list := choicesOf(commandOf(f), g.Name); list != nil {
			i.Choices = list()
		}
		if g.Name == "formula" {
			i.Models = formulaKinds()
		}
		i.InPlace = slices.DeleteFunc(slices.Clone(inPlaceOf[g.Name]), func(other string) bool {
			return f.Lookup(other) == nil
		})
		list = append(list, i)
	})
	return list
}

// placeholder stands for the value of a flag in the help: its choices where they are few.
func (i flagInfo) placeholder() string {
	if all := strings.Join(i.Choices, "|"); all != "" && len(all) <= 45 {
		return all
	}
	switch i.Type {
	case "bool":
		return ""
	case "float":
		return "NUMBER"
	case "int":
		return "N"
	case "text":
		return "NAME"
	}
	return strings.ToUpper(i.Type)
}

// choicesOf are the choices of a flag of a command, which may have fewer than others.
func choicesOf(command, flag string) func() []string {
	if list := choices[command+" --"+flag]; list != nil {
		return list
	}
	return choices[flag]
}

// choices are the values of the flags that have no others.
var choices = map[string]func() []string{
	"mechanism":    catalog.Flags,
	"model":        modelKinds,
	"post-process": postNames,
	"adjacency":    words("replace-one", "add-remove", "replace-value", "replace-one within strata"),
	"encoding":     words(encodings...),
	"solve":        words("epsilon", "n"),
	"algorithm":    words("pairs", "tree", "cliques", "privbayes"),
	"score":        words("I", "R", "F"),
	"width":        words("2", "3"),
	"tier":         words("1", "2", "3"),
	"progress":     words("json"),
	"rule": func() (list []string) {
		for _, r := range synthetic.Rules() {
			list = append(list, string(r))
		}
		return list
	},

	"learn --mechanism":  words("geometric", "discrete-gaussian", "laplace"),
	"learn --adjacency":  words("replace-one", "add-remove"),
	"totals --adjacency": words("replace-one", "add-remove"),
}

// inPlaceOf are the flags in whose place a flag of the model stands.
var inPlaceOf = map[string][]string{
	"formula": {"target", "features", "table", "network", "levels"},
	"table":   {"model", "target", "features", "levels"},
	"network": {"model"},
	"rho":     {"epsilon", "delta", "lambda", "nominal"}, // ε and what goes with it
	"lambda":  {"delta"},
}

// modelKinds are the models that have a name on the command line: a network has --network, a learned structure the
// command learn. Those of formulaKinds take --formula.
func modelKinds() []string {
	own := []string{"network", "learned"}
	return slices.DeleteFunc(model.Kinds(), func(k string) bool {
		return slices.Contains(own, k) || strings.HasPrefix(k, "weighted-") || strings.HasPrefix(k, "stratified-")
	})
}

// formulaKinds are the models of a --formula, the usual one first.
func formulaKinds() []string {
	return slices.DeleteFunc(model.Kinds(), func(k string) bool { return !model.ByFormula(k) })
}

func words(list ...string) func() []string { return func() []string { return slices.Clone(list) } }

// known are the values of other flags that the program has a list of.
var known = map[string]func() []string{"data": data.Names, "network": data.NetworkNames}

// values are those of a flag of a command, where there is a list of them.
func values(command, flag string) []string {
	for _, list := range []func() []string{choicesOf(command, flag), known[flag]} {
		if list != nil {
			return list()
		}
	}
	return nil
}

const flagsSynopsis = `flags [--json]

Lists every command with its arguments, flags and examples, as data: programs that call this one make their own
functions, help and completion from it.`

// commandJSON is a command as other programs read it.
type commandJSON struct {
	Command   string     `json:"command"`
	Does      string     `json:"does"`
	Arguments []string   `json:"arguments,omitempty"`
	Flags     []flagInfo `json:"flags"`
	Examples  []string   `json:"examples"`
}

func flagsCommand(args []string, out, _ io.Writer) error {
	f, asJSON := newFlags("flags", flagsSynopsis)
	if _, err := parse(f, args); err != nil {
		return err
	}
	var list []commandJSON
	t := table.New("Flags", "command", "flag", "type", "default")
	for _, c := range commands() {
		j := commandJSON{c.name, c.does, strings.Fields(c.arguments), flagsOf(c).infos(), c.examples}
		for _, i := range j.Flags {
			t.Add(c.name, "--"+i.Name, i.Type, i.Default)
		}
		list = append(list, j)
	}
	if *asJSON {
		return writeJSON(out, list)
	}
	return display(out, terminal.Tables{t})
}

const versionSynopsis = `version [--json]

Names the version of the program. With --json also the formats of the files that it reads and writes, and the protocol:
the number of the form in which this program speaks with others. It changes where something is no longer there or has
another meaning; what is added does not change it.`

// versionJSON is what version writes with --json.
type versionJSON struct {
	Version  string              `json:"version"`
	Commit   string              `json:"commit,omitempty"`
	Go       string              `json:"go"`
	Formats  map[string][]string `json:"formats"`
	Protocol int                 `json:"protocol"`
}

func versionCommand(args []string, out, _ io.Writer) error {
	f, asJSON := newFlags("version", versionSynopsis)
	if _, err := parse(f, args); err != nil {
		return err
	}
	v, words := version(debug.ReadBuildInfo())
	if *asJSON {
		return writeJSON(out, v)
	}
	_, err := fmt.Fprintln(out, words)
	return err
}

// version says which module the program was built from, with its commit where the build knows it.
func version(info *debug.BuildInfo, ok bool) (versionJSON, string) {
	v := versionJSON{Version: release.Version, Protocol: 1,
		Formats: map[string][]string{"release": {release.Format}, "ledger": {budget.Format},
			"publication": {publication.Format}, "totals": {totals.Format}}}
	if !ok {
		return v, "privbayes (built without module information)"
	}
	from := map[string]string{}
	for _, s := range info.Settings {
		from[s.Key] = s.Value
	}
	if v.Version, v.Go = info.Main.Version, info.GoVersion; v.Version == "" || v.Version == "(devel)" { // in a checkout
		v.Version = release.Version + " (devel)"
	}
	text := "privbayes " + v.Version
	if v.Commit = from["vcs.revision"]; v.Commit != "" {
		if from["vcs.modified"] == "true" {
			v.Commit += " with changes"
		}
		text += ", commit " + v.Commit
	}
	return v, text + ", " + v.Go
}

const completionSynopsis = `completion bash|zsh|fish

Prints a script that completes commands, flags and the values of flags. It asks the program itself, so that it stays
true when the program changes. Where nothing is known the shell completes files.`

var completionExamples = []string{
	`eval "$(privbayes completion bash)"        # in ~/.bashrc`,
	`eval "$(privbayes completion zsh)"         # in ~/.zshrc, after compinit`,
	"privbayes completion fish | source         # in ~/.config/fish/config.fish",
}

// scripts ask "privbayes completion words" with the words up to the cursor, without the quotes and backslashes that
// keep a value of several words together. What is inserted is quoted again: by bash only here, unless a quote is open.
var scripts = map[string]string{
	"bash": `_privbayes() {
  local IFS=$'\n' marks=$'[\\\\\'"]' space='\ '
  local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(privbayes completion words "${words[@]//$marks/}" 2>/dev/null))
  [[ ${COMP_WORDS[COMP_CWORD]} == [\'\"]* ]] || COMPREPLY=("${COMPREPLY[@]// /$space}")
}
complete -o default -F _privbayes privbayes
`,
	"zsh": `_privbayes() {
  local -a found
  found=(${(f)"$(privbayes completion words "${(@)words[2,CURRENT]//[\\\'\"]/}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _privbayes privbayes
`,
	"fish": `function __privbayes_words
  set -l before (commandline -opc)
  set -e before[1]
  set -l current (commandline -ct | string replace -ra '[\\\\\'"]' '')
  privbayes completion words $before "$current" 2>/dev/null
end
complete -c privbayes -a '(__privbayes_words)'
`,
}

func completionCommand(args []string, out, errs io.Writer) error {
	if len(args) > 0 && args[0] == "words" {
		for _, w := range completions(args[1:]) {
			fmt.Fprintln(out, w)
		}
		return nil
	}
	f := plainFlags("completion", completionSynopsis)
	rest, err := parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 || scripts[rest[0]] == "" {
		return wrongUsage("completion: want bash, zsh or fish")
	}
	_, err = io.WriteString(out, scripts[rest[0]])
	return err
}

// completions are the ways to go on with a command line: its last word is the one under the cursor, maybe empty.
func completions(line []string) []string {
	if len(line) == 0 {
		line = []string{""}
	}
	last, before := line[len(line)-1], line[:len(line)-1]
	flag, value, joined := strings.Cut(last, "=")
	if joined = joined && strings.HasPrefix(last, "-"); joined { // --flag=value in one word
		before, last = append(slices.Clone(before), flag), value
	} else if k := len(before); last == "=" { // a shell that takes the mark for a word of its own
		last = ""
	} else if k > 1 && before[k-1] == "=" {
		before = before[:k-1]
	}
	var list []string
	for _, w := range following(before, last) {
		if strings.HasPrefix(w, last) && !slices.Contains(list, w) {
			if joined {
				w = flag + "=" + w
			}
			list = append(list, w)
		}
	}
	return list
}

// following are the words that may stand after others. A flag is offered where one is begun.
func following(before []string, last string) []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if len(before) == 0 && strings.HasPrefix(last, "-") {
		return []string{"--help", "--version"}
	}
	if len(before) == 0 {
		return append(names, "help")
	}
	c, ok := named(before[0])
	if !ok {
		if before[0] == "help" {
			return names
		}
		return nil
	}
	flags := flagsOf(c)
	previous := before[len(before)-1]
	if g := flags.Lookup(strings.TrimLeft(previous, "-")); strings.HasPrefix(previous, "-") && g != nil && !isBool(g) {
		if takesColumns[g.Name] {
			return columnsNamed(before)
		}
		return values(c.name, g.Name)
	}
	if strings.HasPrefix(last, "-") {
		var list []string
		flags.VisitAll(func(g *flag.Flag) { list = append(list, "--"+g.Name) })
		return append(list, "--help")
	}
	return arguments(c, before[1:])
}

// takesColumns are the flags whose values are columns, or begin with one.
var takesColumns = map[string]bool{"target": true, "features": true, "present": true, "star": true, "table": true,
	"workload": true, "reserve": true}

// columnsNamed are the columns of the schema that the words name, by --schema or as an embedded data set. No row
// is read.
func columnsNamed(words []string) []string {
	for i := range len(words) - 1 {
		var s *frame.Schema
		var err error
		switch words[i] {
		case "--schema":
			s, err = readSchemaFile(words[i+1])
		case "--data":
			_, s, err = data.Open(words[i+1])
		default:
			continue
		}
		if err == nil {
			return s.Names()
		}
	}
	return nil
}

// flagsOf asks a command for its flags.
func flagsOf(c command) *flagSet {
	var help *helpError
	if errors.As(c.run([]string{"--help"}, io.Discard, io.Discard), &help) {
		return help.flags
	}
	return plainFlags(c.name, "")
}

// arguments are the words of a command that are no flags.
func arguments(c command, before []string) []string {
	if c.name == "data" && slices.Equal(before, []string{"fetch"}) {
		return append(data.Names(), data.StudyNames()...)
	}
	if want := strings.Fields(c.arguments); len(before) < len(want) && strings.Contains(want[len(before)], "|") {
		return strings.Split(want[len(before)], "|")
	}
	return nil
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// goWords are what the library's errors and advice say in Go, and the flags of this program that say the same, in the
// order in which they are looked for.
var goWords = func() (list []goWord) {
	const end = `(\z|[^.]|\.\z|\.[^A-Za-z])` // no method follows, which may have no flag
	add := func(pattern, flags string) { list = append(list, goWord{regexp.MustCompile(pattern), flags}) }
	for _, w := range [][2]string{
		{`Mean, or Table of one column without a prior; or "moves"`, `--model mean, or --table of one column; or "moves"`},
		{`Mean, or Table of one column, under`, `--model mean, or --table of one column, under`},
		{`Mean, GroupMeans, Table without a prior, Quantiles, or Total; or Unweighted\(\)`,
			"--model mean, group-means, quantiles or total, or --table without --alpha; or --unweighted"},
		{`Mean, GroupMeans, Table, Quantiles or Total under a schema with a "weight"; NoisySums\(\) or Geometric\(\)`,
			`--model mean, group-means, quantiles or total, or --table, under a schema with a "weight"; ` +
				"--mechanism noisy-sums or geometric"},
		{`\bwant GroupMeans, or Table of two columns or more`, "want --model group-means, or --table of two columns or more"},
		{`Tokens\(\)\.HeldAsGiven\(\), or --held-as-given,`, "--held-as-given"},
		{`\bUnweighted\(\)`, "--unweighted"}, {`Tokens\(\)\.HeldAsGiven\(\)`, "--held-as-given"},
		{`\bHeldAsGiven\(\) of`, "--held-as-given of"}, {`\bTokens\(\)`, "--mechanism tokens"},
		{`a lower bound ≥ 0; or Mean, which`, "a lower bound ≥ 0; or --model mean, which"},
		{`Mean, MeanSD, Means, GroupMeans, Poisson or a rate`,
			"--model mean, mean-sd, means, group-means, poisson or a rate"},
		{`Quantiles\(column, p…?\)`, "--model quantiles"},
		{`\bLinearRegression\b`, "--model linear-regression"},
		{`LearnedGeometric\(\) or LearnedGaussian\(\), as Learn does`, "the command learn"},
		{`MaxEntropy\(\), Tree\(\) or Cliques\(\)(: PrivBayes is as published)?`,
			"the command learn with --algorithm pairs, tree or cliques$1"},
		{`a model such as Tree\(\)`, "the command learn"},
		{`a learned structure such as Tree\(\)`, "a release of the command learn"},
		{`\bMaxEntropy\(\)` + end, "--algorithm pairs$1"}, {`\bTree\(\)` + end, "--algorithm tree$1"},
		{`\bCliques\((\d)\)` + end, "--algorithm cliques --width $1$2"},
		{`\bPrivBayes\(\)`, "the command learn with --algorithm privbayes"},
		{`\bAsPublished\(ε(, δ)?\)`, "--nominal"},
		{`\bPureDP\b(\(ε\))?`, "--epsilon alone"}, {`\bApproxDP\b(\(ε, δ\))?`, "--epsilon with --delta"},
		{`\ban \(ε, δ\), Rényi or zCDP target`, "--epsilon with --delta, such as 1e-6, or --rho"},
		{`("format": \{"separator": "([;|,])"\} in the schema)( \(--separator\))?`, `$1 (--separator "$2")`},
		{`("format": \{"separator": "\\t"\} in the schema)( \(--separator\))?`, "$1 (--separator tab)"},
		{`\bSplitTables: (column .*: want) rows with all columns of both tables, as Learn releases them`,
			"--tables: $1 a release of all columns of both tables, as the command learn makes one"},
		{`leave a constant column out: Of\(…\)`, "leave a constant column out by --features"},
		{`\bRenyiDP\b`, "--epsilon with --lambda"}, {`\bZCDP\b(\(ρ\))?`, "--rho"},
		{`\bTCDP\b(\(ρ, ω\))?`, "--rho with --omega"},
		{`(?:the model's )?\bWithRange\(c1, c2\)`, "--range c1,c2"}, {`\bWithResolution\(K\)`, "--resolution K"},
		{`\bAnyway\(\)`, "--anyway"},
		{`\bWithPosteriorScore\(\)`, "the posterior score, which only the library has"},
		{`\bMean under a schema`, "--model mean under a schema"},
		{`use replace-one; or, under add-remove, Mean, and Histogram for`,
			"use --adjacency replace-one; or, under add-remove, --model mean, and --model histogram for"},
		{`\bBinary, Categorical, Histogram or ContingencyTable under`,
			"--model binary, categorical or histogram, or --table, under"},
		{`\bMean or GroupMeans under a schema with a "unit_key"; NoisySums\(\), which`,
			`--model mean or group-means under a schema with a "unit_key"; or no --by-unit, which`},
		{`\bwithout ByUnit\(\)`, "without --by-unit"}, {`, or EM and Joint without intervals`, ", or no --intervals"},
		{`\bCategorical for (categories|more)\b`, "--model categorical for $1"},
		{`\bn is private since Present\(("[^"]*")\)`, "n is private since --present $1"},
		{`\bwant add-remove adjacency, under`, "want --adjacency add-remove, under"},
		{`labels that tell cells apart: Recode those that`, "labels that tell cells apart: rename those that"},
		{`\bWithIntervals\(\)`, "--intervals"},
		{`\bdirichlet\.New\(\)`, "--mechanism dirichlet"},
		{`(the rows that have a value) by Present\b`, "$1 by --present"},
		{`OpenBudget\(file, schema, limit\), or `, ""},
		{`More Options\.Time or Memory compares it`, "A larger --time includes it"},
		{`NotApplicable says why`, "--why says why"},
		{`its release's own Summary and Intervals, .* where NoisySums\(\) made it`,
			"the command show, which has the intervals of the release itself"},
		{`a nominal scale: it has no paper mode`, "--nominal: it has no paper mode"}, {` Its Log has both\.`, ""},
		{`\bmore Options\.Time\b`, "more --time"}, {` \(see Net\.WithCells\)`, ""},
		{`raise it with cert\.WithMemoryLimit`, "the library can raise it"},
		{`\(cert\.WithWorkLimit\)`, "(--work of verify)"},
		{`ExtraColumns to ignore others`, `"extra_columns": true in the schema, to ignore others`},
		{`shards of one table: LoadShards`, "one table: --data for each"},
		{`\bWithEveryFamily\b`, `"every_family" of a --spec`},
		{`a smaller Degree, or MaxCells`, "a smaller --degree, or --max-cells"}, {`\bMaxCells\b`, "--max-cells"},
		{`\bStatements\b`, "--statements"},
		{`\bEvenly\(("[^"]*")\)`, "--evenly-columns $1"}, {`\bEvenly of`, "--evenly-columns of"},
		{`Degree\(1\) or Degree\(2\), a larger Theta, or fewer columns: Of`, "--degree 1 or 2, or fewer --features"},
		{`\bByInformation, ByDistance or ByMaximum`, "--score I, R or F"},
		{`\bByDistance or ByInformation`, "--score R or I"},
		{`Binary, Categorical, Histogram, CDF or NaiveBayes`, "--model binary, categorical, histogram, cdf or naive-bayes"},
		{`a NaiveBayes model`, "a naive Bayes model"}, {`\bNaiveBayes\b`, "--model naive-bayes"},
		{`\bLogisticRegression\b`, "--model logistic-regression"}, {`\bPoissonRegression\b`, "--model poisson-regression"},
		{`\bLogistic\b`, "--model logistic"}, {`\bMeanSD\b`, "--model mean-sd"},
	} {
		add(w[0], w[1])
	}
	for _, p := range postProcesses {
		add(`\.?WithPostProcess\((?:counts\.)?`+camel(p.flag)+`\)`, " --post-process "+p.flag)
	}
	for _, d := range catalog.All() {
		if d.Flag == "dirichlet-raw" { // of two with one name in Go the other is first
			continue
		}
		add(`\b`+d.Name+`\((?:[A-Za-z]|1)?\)`+end, "--mechanism "+d.Flag+"$1")
		for flag, counted := range map[string]bool{"draws": strings.Contains(d.Flag, "sample"),
			"records": d.Flag == "records"} {
			if counted {
				add(`\b`+d.Name+`\((\d+)\)`+end, "--mechanism "+d.Flag+" --"+flag+" $1$2")
			}
		}
	}
	add(`\bIn Go: ((?:--algorithm [a-z]+(?: --width \d)? with )?--mechanism [a-z0-9 -]+\.)`, "Flags: $1")
	return list
}()

// shownWords are the same for what a release shows, which may hold names of the data: whole sentences only.
var shownWords = strings.NewReplacer("public structure (Star or Network), or use fewer columns (Of)",
	"public structure (--star, or release --network), or use fewer columns (--features)",
	"Reserve them, or raise MaxCells.", "--reserve them, or raise --max-cells.",
	"; reserve pairs that matter", "; --reserve pairs that matter",
	"NoiseAware() has intervals with it", "the command intervals gives some that include it",
	"Conditionals(feature) has them", "the command intervals lists them",
	"Conditionals(node) has them", "the command intervals lists them", "Intervals(ctx, level) has them",
	"the command intervals lists them",
	"Conditional probabilities are in Model().Network(). Those of a pair that was measured have intervals by "+
		"MeasuredShares, and a test by TestPair.", "The command export has the conditional probabilities. The command "+
		"intervals answers about a pair that was measured (--ask), and tests it (--test).",
	"Areas(ctx, feature, level) estimates", "The command intervals with --areas estimates",
	"WithIntervals() draws its ends", "--intervals draws its ends",
	"HistogramQuantiles() has intervals", "--mechanism histogram-quantiles has intervals",
	" Draws().Summary() has it.", " The library has it.", "higher limit (cert.WithWorkLimit)", "higher limit (--work)",
	". MeanSD describes the values", ". --model mean-sd describes the values")

type goWord struct {
	is    *regexp.Regexp
	flags string
}

// camel is a name with hyphens as Go writes it.
func camel(name string) (s string) {
	for word := range strings.SplitSeq(name, "-") {
		s += strings.ToUpper(word[:1]) + word[1:]
	}
	return s
}

// spoken is a text of the library in the words of the command line.
func spoken(text string) string {
	for _, w := range goWords {
		text = w.is.ReplaceAllString(text, w.flags)
	}
	return text
}
