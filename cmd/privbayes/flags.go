package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// flagSet is the flags of a command. It knows which of them the way that is taken reads: one that is given and not read
// would be dropped, and is refused.
type flagSet struct {
	*flag.FlagSet
	synopsis string
	read     map[string]bool
	progress string // of --progress
}

// newFlags are the flags of a command with a result: plainFlags and --json.
func newFlags(name, synopsis string) (*flagSet, *bool) {
	f := plainFlags(name, synopsis)
	f.reads("json")
	return f, f.Bool("json", false, "write JSON")
}

// longFlags are the flags of a command that may take long: newFlags and --progress.
func longFlags(name, synopsis string) (*flagSet, *bool) {
	f, asJSON := newFlags(name, synopsis)
	f.reads("progress")
	f.StringVar(&f.progress, "progress", "", "for programs: how far the work is, as lines of JSON on standard error")
	return f, asJSON
}

// plainFlags is an empty flag set of a command. synopsis is what its help begins with: the usage, a line for each form
// and without the name of the program, then an empty line and what there is to say.
func plainFlags(name, synopsis string) *flagSet {
	f := &flagSet{FlagSet: flag.NewFlagSet("privbayes "+name, flag.ContinueOnError), synopsis: synopsis,
		read: map[string]bool{}}
	f.SetOutput(io.Discard) // parse says what is wrong
	f.Usage = func() {}     // in one line, and not with the whole help
	return f
}

// given reports whether a flag was set on the command line.
func (f *flagSet) given(name string) bool {
	found := false
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

// reads notes that the way taken reads flags.
func (f *flagSet) reads(names ...string) {
	for _, name := range names {
		f.read[name] = true
	}
}

// unread refuses the first flag that was given and is not read. It is asked before anything is drawn or written.
func (f *flagSet) unread() (err error) {
	f.Visit(func(g *flag.Flag) {
		if err == nil && !f.read[g.Name] {
			_, what := flag.UnquoteUsage(g)
			err = &usageError{flag: "--" + g.Name, text: fmt.Sprintf("%s: --%s has no effect with the other flags; leave it "+
				"out. It is: %s", commandOf(f), g.Name, what)}
		}
	})
	return err
}

// excludes refuses a flag beside any of others.
func (f *flagSet) excludes(name string, others ...string) error {
	for _, other := range others {
		if f.given(name) && f.given(other) {
			return &usageError{flag: "--" + other, want: "one of --" + name + " and --" + other,
				text: fmt.Sprintf("%s: --%s and --%s; want one of them", commandOf(f), name, other)}
		}
	}
	return nil
}

// repeated is the value of a flag that may stand several times.
type repeated func(text string) error

// Set adds a value.
func (r repeated) Set(text string) error { return r(text) }

func (repeated) String() string { return "" }

func (repeated) repeats() {}

// once is the value of a flag that may stand once: of two values one would be dropped.
type once struct {
	flag.Value
	set bool
}

// Set sets the value the first time.
func (o *once) Set(text string) error {
	if o.set {
		return errors.New("it is given twice")
	}
	o.set = true
	return o.Value.Set(text)
}

// IsBoolFlag says whether the flag has no value, as package flag asks.
func (o *once) IsBoolFlag() bool {
	b, ok := o.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// parse reads flags and the arguments that the command has, which may stand before or after the flags.
func parse(f *flagSet, args []string) ([]string, error) {
	c, _ := named(commandOf(f))
	most := len(strings.Fields(c.arguments))
	var rest []string
	defer f.onlyOnce()()
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, &helpError{f}
			}
			return nil, spelled(f, err, args)
		}
		if f.NArg() == 0 {
			break
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
	want := argumentWords[c.arguments]
	switch {
	case want != "" && len(rest) == 0 && c.arguments == "RELEASE":
		return nil, wrongUsage("%s: want %s%s", c.name, want, releasesHere())
	case want != "" && len(rest) == 0:
		return nil, wrongUsage("%s: want %s", c.name, want)
	case len(rest) > 0 && most > 0 && rest[0] == "-":
		if c.arguments != "RELEASE" || !exists(standardInput) {
			return nil, wrongUsage("%s -: want the name of a file, which \"-\" is not", c.name)
		}
		rest[0] = standardInput
	}
	if len(rest) > most {
		return nil, wrongUsage("%s: unexpected argument %q", commandOf(f), rest[most])
	}
	if f.given("progress") && f.progress != "json" {
		return nil, wrongFlag("progress", f.progress, "json")
	}
	if f.given("details") && f.given("json") {
		return nil, f.excludes("json", "details")
	}
	return rest, noDash(f)
}

// argumentWords are the arguments that a command cannot do without.
var argumentWords = map[string]string{
	"RELEASE": "a release file, such as survey.release.json, or - for standard input",
	"BUDGET":  "a budget file, such as survey.budget",
	"TABLE":   "the file of a table, such as survey.csv",
	"SETS":    "a folder of synthetic sets, as the command sets writes it",
	"WISHES":  "a file that says what to publish, JSON",
}

// standardInput is the file that "-" stands for, where the system has it.
const standardInput = "/dev/stdin"

// onlyOnce lets every flag stand once that is not made to be repeated, until undo is called.
func (f *flagSet) onlyOnce() (undo func()) {
	own := map[*flag.Flag]flag.Value{}
	f.VisitAll(func(g *flag.Flag) {
		if _, ok := g.Value.(interface{ repeats() }); !ok {
			own[g], g.Value = g.Value, &once{Value: g.Value}
		}
	})
	return func() {
		for g, v := range own {
			g.Value = v
		}
	}
}

// noDash refuses "-" as a file to write: it would be a file of that name, not standard output.
func noDash(f *flagSet) (err error) {
	f.Visit(func(g *flag.Flag) {
		if (g.Name == "out" || g.Name == "figure") && g.Value.String() == "-" {
			err = wrongFlag(g.Name, "-", "the name of a file, which \"-\" is not")
		}
	})
	return err
}

// invalid is an error of package flag about a value.
var invalid = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^:]*): (.*)$`)

// spelled is an error of package flag about some arguments, in the spelling of this program: with the flag that was
// probably meant, and with what a flag wants.
func spelled(f *flagSet, err error, args []string) error {
	text := err.Error()
	if m := invalid.FindStringSubmatch(text); m != nil {
		value, _ := strconv.Unquote(m[1])
		g := *f.Lookup(m[2])
		if o, ok := g.Value.(*once); ok {
			g.Value = o.Value
		}
		kind, _ := flag.UnquoteUsage(&g)
		want := map[string]string{"float": "a number", "int": "a whole number", "uint": "a whole number from 0 on",
			"duration": "a duration such as 10s or 2m", "": "no value, or true or false"}[kind]
		if said, ok := strings.CutPrefix(m[3], "want "); ok { // by a flag of this program
			want = said
		} else if strings.HasPrefix(m[3], "it is") || want == "" {
			return &usageError{text: "--" + m[2] + " " + value + ": " + m[3], err: err, flag: "--" + m[2], value: value}
		}
		return wrongFlag(m[2], value, "%s", want)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return wrongFlag(name, nil, "a value")
	}
	name, ok := strings.CutPrefix(text, "flag provided but not defined: -")
	if !ok {
		return &usageError{text: text, err: err}
	}
	dashes := "--"
	if slices.ContainsFunc(args, func(a string) bool { a, _, _ = strings.Cut(a, "="); return a == "-"+name }) {
		dashes = "-"
	}
	var names, begun []string
	f.VisitAll(func(g *flag.Flag) {
		if names = append(names, g.Name); strings.HasPrefix(g.Name, name) {
			begun = append(begun, "--"+g.Name)
		}
	})
	near := strings.Replace(meant(name, names), "did you mean ", "did you mean --", 1)
	switch {
	case len(begun) > 0 && len(begun) <= 4:
		near = "; did you mean " + strings.Join(begun, " or ") + "?"
	case near == "":
		near = fmt.Sprintf("; privbayes %s --help lists them", commandOf(f))
	}
	return &usageError{text: commandOf(f) + ": no flag " + dashes + name + near, flag: dashes + name}
}

// commandOf is the name of the command whose flags these are.
func commandOf(f *flagSet) string { return strings.TrimPrefix(f.Name(), "privbayes ") }

// budgetWords is the flag --budget.
const budgetWords = "the `budget` file that is charged for the release, as the command budget makes it"

// dataWords is the flag --data of commands that read the table.
const dataWords = "the table: a CSV, CSV.gz, Arrow or Parquet `file`, by its first bytes; - for standard input; " +
	"or the name of an embedded data set; several files are one table, each with its own header: give --data for " +
	"each, or a pattern such as \"part-*.csv\" in quotes; of a schema with \"tables\", the files of both in its order"

// paths are the values of a flag that may stand several times.
type paths []string

func (p *paths) String() string { return strings.Join(*p, " ") }

func (*paths) repeats() {}

// Set adds a file or a pattern.
func (p *paths) Set(text string) error {
	if text == "" {
		return errors.New("want the name of a file")
	}
	*p = append(*p, text)
	return nil
}

// expand puts the files of a pattern in its place, in the order of their names.
func (p *paths) expand() error {
	var out paths
	for _, path := range *p {
		if !strings.ContainsAny(path, "*?[") || exists(path) {
			out = append(out, path)
			continue
		}
		found, err := filepath.Glob(path)
		if err != nil || len(found) == 0 {
			return wrongFlag("data", path, "a pattern of names: no file has a name like this")
		}
		out = append(out, found...)
	}
	*p = out
	return nil
}

// tableFlags say which files a table is in, and how they are written.
type tableFlags struct {
	data  paths
	flags *flagSet
	formatFlags
	rows   bool          // rows are needed, and not only their counts
	counts []model.Model // those that need counts of CSV files; none where they are read as rows
	piped  []byte        // the table of standard input, once it is read
	marked bool          // it ended with the mark of CSV
}

func (t *tableFlags) add(f *flagSet, words string) {
	t.flags = f
	f.Var(&t.data, "data", dataWords+words)
	t.formatFlags.add(f, "; that of the schema if it is not given")
}

// written are the flags that say how files are written.
var written = []string{"separator", "decimal", "encoding", "thousands", "trim"}

// formatFlags say how files are written.
type formatFlags struct {
	separator, decimal, encoding, thousands string
	trim                                    bool
}

func (t *formatFlags) add(f *flagSet, unless string) {
	f.StringVar(&t.separator, "separator", "", "the `character` between fields: a comma, or such as \";\" or tab"+unless)
	f.StringVar(&t.decimal, "decimal", "", "the decimal `mark`: a point, or a comma"+unless)
	f.StringVar(&t.thousands, "thousands", "", "the `mark` between groups of three digits, such as a comma or space"+
		unless)
	f.BoolVar(&t.trim, "trim", false, "leave out blanks at the ends of names and fields; so does a schema that says it")
	f.StringVar(&t.encoding, "encoding", "", "how characters are written"+unless)
}

// encodings are the values of --encoding.
var encodings = []string{string(frame.UTF8), string(frame.Latin1), string(frame.Windows1252), string(frame.UTF16)}

// format is what the flags say, and what the schema says where they do not.
func (t *formatFlags) format(of *frame.Format) frame.Format {
	var f frame.Format
	if of != nil {
		f = *of
	}
	f.Separator = cmp.Or(t.separator, f.Separator)
	if f.Separator == "tab" || f.Separator == `\t` {
		f.Separator = "\t"
	}
	f.Decimal = cmp.Or(t.decimal, f.Decimal)
	f.Thousands, f.Trim = cmp.Or(t.thousands, f.Thousands), t.trim || f.Trim
	f.Encoding = frame.Encoding(cmp.Or(t.encoding, string(f.Encoding)))
	return f
}

// options read files as the flags say.
func (t *formatFlags) options(s *frame.Schema) []frame.ReadOption {
	if *t == (formatFlags{}) {
		return nil
	}
	return []frame.ReadOption{frame.WithFormat(t.format(s.Format))}
}

// embedded is the data set of the library that --data names, where there is no such file.
func (t *tableFlags) embedded() (name string, ok bool) {
	if len(t.data) != 1 || exists(t.data[0]) || !slices.Contains(data.Names(), t.data[0]) {
		return "", false
	}
	return t.data[0], true
}

// find lists the files. An embedded data set is not written as flags say: only files are.
func (t *tableFlags) find() error {
	if err := t.data.expand(); err != nil {
		return err
	}
	t.flags.reads("data")
	if _, ok := t.embedded(); !ok {
		t.flags.reads(written...)
	}
	return nil
}

// schemaOf is the schema of --schema, or that of the embedded data set.
func (t *tableFlags) schemaOf(schema string) (*frame.Schema, error) {
	if err := cmp.Or(t.inputAlone(nil, nil), t.find()); err != nil {
		return nil, err
	}
	t.flags.reads("schema")
	_, embedded := t.embedded()
	switch {
	case len(t.data) == 0:
		return nil, wrongFlag("data", nil, "the table: a CSV, Arrow or Parquet file, or the name of an embedded data set: "+
			"%s", strings.Join(data.Names(), ", "))
	case schema == "" && !embedded:
		return nil, wrongFlag("schema", nil, "the schema of %s; or --data with an embedded set: %s%s",
			t.data.String(), strings.Join(data.Names(), ", "), meant(t.data[0], data.Names()))
	case schema == "":
		_, s, err := data.Open(t.data[0])
		return s, err
	}
	return readSchemaFile(schema)
}

// rowsOf is the public number of rows: that of --n, or if none was given of the strata that no unit leaves; below 0
// where neither says it.
func (p planFlags) rowsOf(s *frame.Schema) int {
	if rows := s.SampledRows(); p.n < 0 && rows > 0 && p.adjacency != "add-remove" {
		return rows
	}
	return p.n
}

// networkShape is the shape of a network file, with its nodes as columns.
func (p planFlags) networkShape() (*model.Shape, error) {
	if err := p.flags.excludes("network", "data", "schema", "levels", "model"); err != nil {
		return nil, err
	}
	d, err := p.graph()
	if err != nil {
		return nil, err
	}
	if p.n < 0 && p.adjacency != "add-remove" {
		return nil, wrongFlag("n", nil, "the public number of rows")
	}
	m, err := p.spec(nil)
	if err != nil {
		return nil, err
	}
	return model.NewShape(model.SchemaOf(filepath.Base(p.network), d), m, p.n, p.n >= 0, "--n was not given")
}

// graph reads the network: an embedded one by its name, else a file.
func (p planFlags) graph() (*bayesnet.DAG, error) {
	r, err := data.Network(p.network)
	if err != nil {
		f, err := os.Open(p.network)
		if err != nil {
			return nil, fmt.Errorf("--network: %w; want a BIF file, or one of %s", err,
				strings.Join(data.NetworkNames(), ", "))
		}
		defer func() { _ = f.Close() }()
		r = f
	}
	d, err := bayesnet.ReadBIFGraph(r)
	if err != nil {
		return nil, fmt.Errorf("--network %s: %w", p.network, err)
	}
	return d, nil
}

// numberFlags are the public inputs of models of numbers.
type numberFlags struct {
	bounds   string
	location float64
	radius   float64
	steps    int64
	at       string
}

func (n *numberFlags) add(fs *flagSet) {
	fs.StringVar(&n.bounds, "range", "", "rates, poisson: the range of the parameter, a `list` such as 0.01,10")
	fs.Float64Var(&n.location, "location", 0, "laplace-scale, normal-precision: the known location")
	fs.Int64Var(&n.steps, "resolution", 0, "means, rates, quantiles: steps K of the grid that records are rounded "+
		"to, if not the usual")
	fs.StringVar(&n.at, "at", "", "quantiles: which, a `list` such as .1,.5,.9")
	fs.Float64Var(&n.radius, "radius", 0, "linear-regression: bound on the norm of the weights, in scaled units, if "+
		"not 2")
}

// describe sets what was given.
func (n numberFlags) describe(f *flagSet, d *model.Description) (err error) {
	if f.given("resolution") {
		if d.Resolution = n.steps; n.steps == 0 {
			return wrongFlag("resolution", n.steps, "1 or more, or no such flag for the usual")
		}
	}
	if f.given("location") {
		d.Center = n.location
	}
	if f.given("radius") {
		d.Radius = n.radius
	}
	if n.bounds != "" {
		if d.Range, err = numbersIn(n.bounds); err != nil || len(d.Range) != 2 {
			return wrongFlag("range", n.bounds, "the two ends of the parameter's range, such as 0.01,10")
		}
	}
	if n.at != "" {
		if d.Quantiles, err = numbersIn(n.at); err != nil {
			return wrongFlag("at", n.at, "numbers in (0, 1) separated by commas, such as .1,.5,.9")
		}
	}
	return nil
}

// columnsWords is how a list of columns is written.
const columnsWords = "columns separated by commas, one with a comma in double quotes"

// columnsIn reads the list of columns of a flag, as a line of CSV.
func columnsIn(flag, list string) ([]string, error) {
	parts, err := partsOf(list)
	if err != nil {
		return nil, wrongFlag(flag, list, columnsWords)
	}
	return parts, nil
}

// listPart is one part of a list, in double quotes or without, with the comma after it.
var listPart = regexp.MustCompile(`^(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*)?)(,|$)`)

// partsOf are the parts of a list, as a line of CSV has them: a part with a comma stands in double quotes, with a quote
// in it twice. A quote within a part without them is itself.
func partsOf(list string) (parts []string, err error) {
	for rest, more := list, true; more; {
		m := listPart.FindStringSubmatch(rest)
		if m == nil || list == "" {
			return nil, fmt.Errorf("%q: want a part that is closed by the quote that opens it, on one line", rest)
		}
		parts = append(parts, strings.ReplaceAll(m[1], `""`, `"`)+m[2])
		rest, more = rest[len(m[0]):], m[3] != ""
	}
	return parts, nil
}

// numbersIn reads numbers separated by commas.
func numbersIn(list string) (numbers []float64, err error) {
	for word := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}
