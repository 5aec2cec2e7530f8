// Command privbayes makes, checks and uses differentially private releases without a line of Go.
//
//	privbayes plan       --data votes --model naive-bayes --target Class --epsilon 1
//	privbayes advise     --schema survey.schema.json --n 5000 --target answer --epsilon 1
//	privbayes budget     survey.budget --schema survey.schema.json --epsilon 2
//	privbayes release    --schema survey.schema.json --data survey.csv --target answer --epsilon 1 \
//	                     --budget survey.budget --out survey.release.json
//	privbayes publish    wishes.json --schema survey.schema.json --data survey.csv --out survey.publication.json
//	privbayes learn      --schema survey.schema.json --data survey.csv --epsilon 3 --out survey.release.json
//	privbayes check      --schema survey.schema.json --data survey.csv
//	privbayes show       survey.release.json
//	privbayes intervals  survey.release.json --ask "P(answer=yes | age=old)"
//	privbayes coefficients wages.release.json
//	privbayes draws      wages.release.json --out draws.csv
//	privbayes export     survey.release.json --to stan --out survey.stan
//	privbayes verify     survey.release.json
//	privbayes entry      survey.release.json --budget survey.budget --out survey.yaml
//	privbayes prove      survey.release.json --out survey.proof
//	privbayes audit      --cells 2 --n 4 --epsilon 1 -- python3 mechanism.py
//	privbayes report     survey.release.json --public --budget survey.budget --out report.html
//	privbayes report     survey.release.json --data survey.csv
//	privbayes predict    survey.release.json --data new.csv
//	privbayes synthesize survey.release.json --rows 1000
//	privbayes sets       survey.release.json --out survey.sets
//	privbayes combine    survey.sets --estimates odds.json
//	privbayes data       list | fetch NAME [--to DIR]
//	privbayes lab        [FOLDER]
//	privbayes bind
//	privbayes completion bash|zsh|fish
//	privbayes flags      --json
//	privbayes version    --json
//
// A flag has one spelling and one meaning in all of them. One that is given is used or refused by name, never ignored;
// one that has one value is refused when it is given twice. Every command but lab, bind and completion takes --json.
// Progress goes to standard error, and only where that is a terminal.
//
// An error is one line on standard error; under --json it is one line of JSON. The exit codes are in exits.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// command is one of the program's.
type command struct {
	name, arguments, does string
	run                   func(args []string, out, errs io.Writer) error
	examples              []string // whole command lines
}

// commandGroup is what the help of the program shows under one heading.
type commandGroup struct {
	title    string
	commands []command
}

// groups lists the commands, in the order in which one uses them. It is a function since completion and help, which are
// among them, read it.
func groups() []commandGroup {
	return []commandGroup{
		{"Before a release, without data", []command{
			{"schema", "TABLE", "write a schema to fill in, from the header line of a table", schemaCommand, schemaExamples},
			{"advise", "", "compare the mechanisms, over ε or over n", adviseCommand, adviseExamples},
			{"plan", "", "calibrate one mechanism, prove its guarantee, state its error", planCommand, planExamples},
			{"budget", "BUDGET", "open a budget file, or show what is used and left", budgetCommand, budgetExamples},
		}},
		{"Release, from the table", []command{
			{"check", "", "list the values that do not fit the schema (private)", checkCommand, checkExamples},
			{"release", "", "add the noise once, save the release, charge the budget", releaseCommand, releaseExamples},
			{"publish", "WISHES", "release a list of models as one, under one guarantee", publishCommand, publishExamples},
			{"accept", "", "release the first of several candidates that meets criteria", acceptCommand, acceptExamples},
			{"discover", "", "release a column's categories or range where none is public", discoverCommand, discoverExamples},
			{"totals", "", "release running totals, period by period, at one charge", totalsCommand, totalsExamples},
			{"learn", "", "learn the structure of a table, and release a network of it", learnCommand, learnExamples},
		}},
		{"Use a release, at no cost", []command{
			{"show", "RELEASE", "show a release, as release does", showCommand, showExamples},
			{"intervals", "RELEASE", "list intervals that account for the noise; answer questions", intervalsCommand,
				intervalsExamples},
			{"coefficients", "RELEASE", "list the coefficients of a regression", coefficientsCommand, coefficientsExamples},
			{"draws", "RELEASE", "write posterior draws of a regression, for other programs", drawsCommand, drawsExamples},
			{"export", "RELEASE", "write tables or a network for others, or a program for Stan", exportCommand,
				exportExamples},
			{"predict", "RELEASE", "predict the rows of a table", predictCommand, predictExamples},
			{"synthesize", "RELEASE", "draw synthetic records", synthesizeCommand, synthesizeExamples},
			{"sets", "RELEASE", "write synthetic sets that can be analysed", setsCommand, setsExamples},
			{"combine", "SETS", "combine the estimates of synthetic sets", combineCommand, combineExamples},
			{"report", "RELEASE", "write the page for a data-protection officer; or score (private)", reportCommand,
				reportExamples},
		}},
		{"Check what was released", []command{
			{"verify", "RELEASE", "derive every check of a release file again", verifyCommand, verifyExamples},
			{"entry", "RELEASE", "draft the record for a public registry of deployments", entryCommand, entryExamples},
			{"prove", "RELEASE", "write the numbers of a plan for the proof assistant Coq", proveCommand, proveExamples},
			{"audit", "PROGRAM", "find out the privacy loss of a mechanism in any language", auditCommand, auditExamples},
		}},
		{"Data, notebooks, shells and programs", []command{
			{"data", "list|fetch NAME", "list data sets; copy or download one with its schema", dataCommand, dataExamples},
			{"lab", "FOLDER", "open a folder in Jupyter, with a kernel that finds the library", labCommand,
				[]string{"privbayes lab", "privbayes lab ../mine --no-browser"}},
			{"bind", "", "connect a notebook to the library, in its first cell", bindCommand, []string{"!*privbayes bind"}},
			{"completion", "bash|zsh|fish", "print the script by which a shell completes", completionCommand,
				completionExamples},
			{"flags", "", "list commands, arguments and flags, for programs", flagsCommand,
				[]string{"privbayes flags", "privbayes flags --json"}},
			{"version", "", "name the version, and the formats that it reads", versionCommand,
				[]string{"privbayes version --json"}},
		}},
	}
}

// commands lists the commands of all groups.
func commands() (list []command) {
	for _, g := range groups() {
		list = append(list, g.commands...)
	}
	return list
}

// named is the command of a name.
func named(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// dispatch runs the command that is named.
func dispatch(args []string, out, errs *output) error {
	if len(args) == 0 {
		return errNoCommand
	}
	switch args[0] {
	case "--version", "-version", "-V", "-v":
		args = []string{"version"}
	case "help", "-h", "--help":
		if len(args) < 2 {
			_, err := fmt.Fprint(out, usage())
			return err
		}
		if found := topicsOf(strings.Join(args[1:], " ")); found != "" {
			_, err := io.WriteString(out, found)
			return err
		}
		args = []string{args[1], "--help"} // "help plan" is "plan --help"
	}
	if args[0] == "claims" || args[0] == "study" {
		return wrongUsage("%[1]s is a command of the program for readers of the papers: go install "+
			"%[2]s/papers/cmd/privbayes-papers@latest, then privbayes-papers %[1]s", args[0], module)
	}
	c, ok := named(args[0])
	if !ok {
		var names []string
		for _, c := range commands() {
			names = append(names, c.name)
		}
		near := meant(args[0], names)
		if near == "" {
			near = "; privbayes help lists them"
		}
		return wrongUsage("unknown command %q; want %s%s", args[0], strings.Join(names, ", "), near)
	}
	err := c.run(args[1:], out, errs)
	var help *helpError
	if errors.As(err, &help) {
		help.write(out, c)
		return nil
	}
	return err
}

// meant asks back where a wrong word is nearly a right one.
func meant(word string, words []string) string {
	if near := safetext.Closest(word, words); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// helpWidth is the longest line of a help, in characters: that of the narrowest terminal in use.
const helpWidth = 80

// usage is what the program says about itself.
func usage() string {
	var b strings.Builder
	b.WriteString("usage: privbayes COMMAND [flags]\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		for _, c := range g.commands {
			fmt.Fprintf(&b, "  %-12s %s\n", c.name, c.does)
		}
	}
	b.WriteString("\n" + wrap(`"privbayes COMMAND --help" shows flags and examples, "privbayes help WORD" finds a word `+
		`such as crosstab or missing. RELEASE is a release file, or - for standard input. Every command but lab, bind and `+
		`completion takes --json; then an error is one line of JSON on standard error.`, "", ""))
	b.WriteString("\nExit codes\n")
	for _, e := range exits {
		b.WriteString(wrap(e.means, fmt.Sprintf("  %-4d", e.code), "      "))
	}
	return b.String()
}

// wrap breaks a text between words into lines of at most helpWidth, the first after a label and the others after an
// indentation. A paragraph is what stands between empty lines. A line that begins with a blank stays as it is.
func wrap(text, first, rest string) string {
	var b strings.Builder
	line, empty := first, true
	end := func() {
		if !empty {
			b.WriteString(line + "\n")
		}
		line, empty = rest, true
	}
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if l == "" || l[0] == ' ' {
			end()
			b.WriteString(l + "\n")
			continue
		}
		for _, w := range strings.Fields(l) {
			if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > helpWidth {
				end()
			}
			if !empty {
				line += " "
			}
			line, empty = line+w, false
		}
	}
	end()
	return b.String()
}

// helpError says that help was asked for. It knows the flags, for help and for completion.
type helpError struct{ flags *flagSet }

func (e *helpError) Error() string { return "help was asked for" }

// write shows usage, flags and examples of a command.
func (e *helpError) write(out io.Writer, c command) {
	first, about, _ := strings.Cut(e.flags.synopsis, "\n\n")
	label := "usage: "
	for form := range strings.SplitSeq(first, "\n") {
		fmt.Fprint(out, wrap("privbayes "+form, label, strings.Repeat(" ", len("usage: privbayes "))))
		label = "       "
	}
	if about != "" {
		fmt.Fprint(out, "\n"+wrap(about, "", ""))
	}
	if list := e.flags.infos(); len(list) > 0 {
		fmt.Fprint(out, "\nflags:\n")
		for _, i := range list {
			text := i.Words
			if i.Default != "" {
				text += fmt.Sprintf(" (default %s)", i.Default)
			}
			fmt.Fprint(out, "  "+strings.TrimSpace("--"+i.Name+" "+i.placeholder())+"\n"+wrap(text, "        ", "        "))
		}
	}
	fmt.Fprint(out, "\nexamples:\n")
	for _, line := range c.examples {
		fmt.Fprint(out, example(line))
	}
}

// example is command lines for a shell. One that is too long goes on behind a backslash, with the next flag.
func example(lines string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(lines, "\n") {
		line := "  "
		for i, part := range strings.Split(l, " --") {
			switch {
			case i == 0:
				line += part
				continue
			case utf8.RuneCountInString(line+" --"+part+" \\") > helpWidth:
				b.WriteString(line + " \\\n")
				line = "     "
			}
			line += " --" + part
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// topic is what one looks for under another word than that of a command or a flag.
type topic struct {
	words   string // separated by commas
	say     string
	command string // a whole line to begin with
	page    string // of docs/, with its section
}

// topics are the words of statisticians that no command has for its name.
var topics = []topic{
	{"crosstab, cross-tabulation, contingency table, pivot, two-way table",
		"A crosstab is a contingency table of some columns. Release it with --table, a list of columns; its margins agree.",
		"privbayes release --schema S --data D --table sex,region --epsilon 1 --out R",
		"reference/counts.md#contingency-tables"},
	{"postcode, zip code, postal code, region, address",
		"A postcode is a categorical column. Its categories come from a public list, never from the rows. Use areas rather " +
			"than full postcodes: the noise of a count does not shrink with the area.",
		"privbayes schema TABLE", "howto/schema.md#what-a-schema-can-say-about-files"},
	{"confidence interval, credible interval, interval, standard error, uncertainty",
		"Most numbers of a release have an interval that accounts for the noise, for the population and for the rows.",
		"privbayes intervals RELEASE --level .95", "howto/intervals.md"},
	{"areas, small area estimation, partial pooling, shrinkage",
		"Means and rates of five groups or more are estimated together on request, next to each by itself: those with much " +
			"noise are drawn towards the others. From 20 groups on a release shows both.",
		"privbayes intervals RELEASE --areas ill=yes", "reference/numbers.md#intervals-of-means"},
	{"margin of error, accuracy, sample size, power, error",
		"The expected error follows from n, ε and the model, before any data are read. plan finds the ε, or the n, that " +
			"meets an error; intervals shows the margin of a release.",
		"privbayes plan --levels 2 --n 1000 --solve epsilon --error 0.01", "howto/choosing.md#the-number-compared"},
	{"p-value, significance, hypothesis test, test, difference, odds ratio",
		"Terms of a regression have a p-value that accounts for the noise: --test region. Elsewhere ask for a difference, " +
			"a ratio or an odds ratio: where its interval leaves out 0 (or 1), the groups differ at that level (not of a " +
			"structure learned from the same rows).",
		`privbayes intervals RELEASE --ask "diff(P(a=x | c=y), P(a=x | c=z))"`, "howto/intervals.md#questions-to-a-network"},
	{"weights, weight, survey, survey weights, design weights, sampling weights, weighting",
		"A \"weight\" in the schema makes means, shares and totals those of the population: --model mean, group-means or " +
			"total, or --table. --unweighted sets it aside. --held-as-given is for weights computed from the respondents.",
		"privbayes plan --schema FILE --n 5000 --model mean --target income --epsilon 1", "howto/survey.md#the-schema"},
	{"missing, missing values, na, null, blank, imputation, nonresponse",
		"on_missing of a column in the schema says what becomes of a missing value: error, category, omit (numbers, for " +
			"means and quantiles), or impute with a public number. --present keeps the rows that have a value.",
		"privbayes release --present wage --adjacency add-remove", "howto/schema.md#missing-values"},
	{"mean, average, median, quantile, percentile, total, sum, histogram, regression",
		"--model says what is estimated: mean, group-means, quantiles, histogram, linear-regression and more. plan --help " +
			"lists the models.",
		"privbayes plan --data cps1988 --model quantiles --target wage --at .1,.5,.9 --epsilon 1", "reference/numbers.md"},
	{"household, repeated measures, visits, several rows, clustered, unit",
		"The unit is who is protected. A schema with unit_key and rows_per_unit protects one that has several rows.",
		"privbayes schema TABLE", "howto/sources.md#units-of-several-rows"},
	{"dpo, gdpr, data-protection officer, privacy officer, documentation",
		"report --public writes a page about a release that may be published.",
		"privbayes report RELEASE --public --out report.html", "howto/report.md#the-page-for-a-data-protection-officer"},
}

// topicsOf is what there is to know about a word: its topic, else the commands and flags that speak of it. It is empty
// for the name of a command, whose own help says more, and for a word that nothing speaks of.
func topicsOf(word string) string {
	if _, command := named(word); command {
		return ""
	}
	like := strings.ToLower(word)
	var b strings.Builder
	for _, t := range topics {
		if slices.Contains(strings.Split(t.words, ", "), like) || slices.Contains(strings.Split(t.words, ", "), like+"s") {
			fmt.Fprintf(&b, "%s\n%s\n%s", wrap(t.say, "", ""), example(t.command), wrap("docs/"+t.page, "  ", "  "))
		}
	}
	if b.Len() > 0 || len(like) < 3 {
		return b.String()
	}
	var found []string // what commands and flags say, each once
	of := map[string][]string{}
	for _, c := range commands() {
		if strings.Contains(strings.ToLower(c.does), like) {
			b.WriteString(wrap(c.does, "  privbayes "+c.name+": ", "    "))
		}
		for _, i := range flagsOf(c).infos() {
			says := "--" + i.Name + ": " + i.Words
			if strings.Contains(strings.ToLower(says), like) {
				if of[says] == nil {
					found = append(found, says)
				}
				of[says] = append(of[says], c.name)
			}
		}
	}
	for _, says := range found {
		b.WriteString(wrap(says+" ("+strings.Join(of[says], ", ")+")", "  ", "    "))
	}
	return b.String()
}
