// Package answers is what the site's pages "plan" and "verify" ask: a question in JSON, answers in JSON, some of them
// while the work goes on. Package wasm next to it runs it in a browser's worker; tests run it here. It reads no file,
// keeps nothing between two questions and sends nothing anywhere.
package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Memory is what one answer may hold, in bytes: a browser's worker has little, and files come from strangers.
const Memory = 256 << 20

// asked is what every question has.
type asked struct {
	Op string `json:"op"`
}

// Answer is the final answer to a question, ready for JSON. Ops: "verify" reads file and gives a [Verdict]; "describe",
// "point", "compare", "solve" and "copy" read a [Question], and give a [Description], a [Point], a [Comparison], a
// [Solution] and [Copies]. emit gets what is known earlier: [Progress], and the rows of a comparison. An error is a
// sentence for the person who asked.
func Answer(ctx context.Context, question, file []byte, emit func(any)) (any, error) {
	var head asked
	if err := strictjson.Shallow(question); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	if err := json.Unmarshal(question, &head); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	if head.Op == "verify" {
		return VerifyOnly(ctx, question, file, emit)
	}
	ctx = limited(ctx, emit)
	var q Question
	d := json.NewDecoder(bytes.NewReader(question))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	switch head.Op {
	case "describe":
		return q.Describe(ctx)
	case "point":
		return q.Point(ctx)
	case "compare":
		return q.Compare(ctx, emit)
	case "solve":
		return q.Solve(ctx, emit)
	case "copy":
		return q.Copy(ctx)
	}
	return nil, fmt.Errorf("question: op %q; want verify, describe, point, compare, solve or copy", head.Op)
}

// VerifyOnly is [Answer] to the question "verify", whatever the question says. A program that calls nothing else of
// this package holds no planner.
func VerifyOnly(ctx context.Context, _, file []byte, emit func(any)) (any, error) {
	return Verify(limited(ctx, emit), file), nil
}

// limited is a context with the memory of an answer, whose progress is emitted.
func limited(ctx context.Context, emit func(any)) context.Context {
	return cert.WithProgress(cert.WithMemoryLimit(ctx, Memory), func(done, total int64) {
		emit(Progress{Kind: "progress", Share: float64(done) / math.Max(1, float64(total))})
	})
}

// Progress says how far the work is, as a share of 1.
type Progress struct {
	Kind  string  `json:"kind"` // "progress"
	Share float64 `json:"share"`
	Text  string  `json:"text,omitempty"`
}

// number is x, or nil where JSON has no number for it.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Copies are the question as a program and as a command.
type Copies struct {
	Go      string `json:"go"`
	Command string `json:"command"`
	Note    string `json:"note,omitempty"` // what the command cannot say
}

// Copy writes the plan asked for as a Go program that draws the release, and as the command line that makes the plan.
func (q *Question) Copy(ctx context.Context) (*Copies, error) {
	sh, err := q.shape()
	if err != nil {
		return nil, err
	}
	if _, err := q.target(); err != nil {
		return nil, err
	}
	s, g, err := q.schema()
	if err != nil {
		return nil, err
	}
	_, md, err := q.spec(s, g)
	if err != nil {
		return nil, err
	}
	c, d, err := q.chosen(sh)
	if err != nil {
		return nil, err
	}
	command, note := q.command(ctx, sh, md, c, d)
	return &Copies{q.program(sh, md, c), command, note}, nil
}

// schemaFile is the file that a schema or network is in, for who copies.
func (q *Question) schemaFile() string {
	switch {
	case q.File != "":
		return q.File
	case q.Network != "":
		return "network.bif"
	}
	return "table.schema.json"
}

// program is a Go program that reads the table and draws the release once.
func (q *Question) program(sh *model.Shape, md model.Description, c mechanism.Choice) string {
	m := "privbayes." + model.Expression(sh.Model())
	mech := "privbayes." + c.Go
	var imports, body []string
	std := func(name string) { imports = append(imports, strconv.Quote(name)) }
	std("fmt")
	std("log")
	if q.Preset == "" || q.Network != "" {
		std("os")
	}
	ours := []string{strconv.Quote("github.com/privbayes/privbayes-go/privbayes")}
	add := func(lines ...string) { body = append(body, lines...) }
	failed := []string{"\tif err != nil {", "\t\tlog.Fatal(err)", "\t}"}
	extra := "" // the room of the library that is named beside the façade
	frame := `privbayes.LoadFrame("table.csv", schema)`
	switch {
	case q.Network != "":
		if q.Preset != "" {
			ours = append([]string{strconv.Quote("github.com/privbayes/privbayes-go/data")}, ours...)
			imports = imports[:2]
			add(fmt.Sprintf("\tfile, err := data.Network(%q)", q.Preset))
		} else {
			add(fmt.Sprintf("\tfile, err := os.Open(%q)", q.schemaFile()))
		}
		add(failed...)
		add("\tgraph, _, err := privbayes.ReadNetwork(file)")
		add(failed...)
		m = fmt.Sprintf("privbayes.NetworkOf(%s, graph)", strconv.Quote(md.Target))
		add("\t// The table's columns are the nodes, its categories their states.")
		add(fmt.Sprintf("\tschema := model.SchemaOf(%s, graph)", strconv.Quote(q.name())))
		extra = "/model"
	case q.Preset != "":
		ours = append([]string{strconv.Quote("github.com/privbayes/privbayes-go/data")}, ours...)
		add(fmt.Sprintf("\trows, schema, err := data.Open(%q)", q.Preset))
		add(failed...)
		frame = "privbayes.ReadFrame(rows, schema)"
	default:
		add(fmt.Sprintf("\ttext, err := os.ReadFile(%q)", q.schemaFile()))
		add(failed...)
		add("\tschema, err := privbayes.ParseSchema(text)")
		add(failed...)
	}
	if strings.Contains(mech, "counts.") {
		ours = append(ours, strconv.Quote("github.com/privbayes/privbayes-go/privbayes/mechanism/counts"))
	}
	if extra != "" {
		ours = append(ours, strconv.Quote("github.com/privbayes/privbayes-go/privbayes"+extra))
	}
	add("\trelease, err := "+frame+".", "\t\tModel("+m+").",
		fmt.Sprintf("\t\tPrivatize(%s, %s,", mech, q.goTarget()),
		`			privbayes.KeepIn("table.release.json")).`, "\t\tRelease()")
	add(failed...)
	add("\tfmt.Print(release.Summary())")
	return "package main\n\nimport (\n\t" + strings.Join(imports, "\n\t") + "\n\n\t" + strings.Join(ours, "\n\t") +
		"\n)\n\nfunc main() {\n" + strings.Join(body, "\n") + "\n}\n"
}

// goTarget is the privacy asked for in Go.
func (q *Question) goTarget() string {
	level := plain(q.Level)
	var s string
	switch q.Notion {
	case "approx":
		s = fmt.Sprintf("privbayes.ApproxDP(%s, %s)", level, plain(q.Delta))
	case "zcdp":
		s = fmt.Sprintf("privbayes.ZCDP(%s)", level)
	case "tcdp":
		s = fmt.Sprintf("privbayes.TCDP(%s, %s)", level, plain(q.Order))
	case "renyi":
		s = fmt.Sprintf("privbayes.RenyiDP(%s, %s)", plain(q.Order), level)
	default:
		s = fmt.Sprintf("privbayes.PureDP(%s)", level)
	}
	switch q.Adjacency {
	case "add-remove":
		s += ".Under(privbayes.AddRemove)"
	case "replace-value":
		s += ".Under(privbayes.ReplaceValue)"
	}
	return s
}

func plain(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// command is the command line that makes the plan, and what it cannot say of it.
func (q *Question) command(ctx context.Context, sh *model.Shape, md model.Description, c mechanism.Choice,
	d mechanism.Descriptor) (line, note string) {
	words := []string{"privbayes", "plan"}
	add := func(flag, value string) { words = append(words, "--"+flag, shellWord(value)) }
	switch {
	case q.Network != "" && q.Preset != "":
		add("network", q.Preset)
	case q.Network != "":
		add("network", q.schemaFile())
	case q.Preset != "":
		add("data", q.Preset)
	case q.Levels != 0:
		add("levels", strconv.Itoa(q.Levels))
	default:
		add("schema", q.schemaFile())
	}
	if q.Network == "" {
		add("model", q.Model)
	}
	add("target", md.Target)
	if len(md.Features) > 0 {
		add("features", strings.Join(md.Features, ","))
	}
	if len(md.Range) == 2 {
		add("range", plain(md.Range[0])+","+plain(md.Range[1]))
	}
	if md.Center != 0 {
		add("location", plain(md.Center))
	}
	if q.Adjacency != "add-remove" {
		add("n", strconv.Itoa(q.N))
	}
	add("mechanism", d.Flag)
	count := 0
	_, argument, _ := strings.Cut(strings.TrimSuffix(c.Go, ")"), "(")
	if number, err := strconv.Atoi(argument); err == nil { // as in PosteriorSample(10)
		count = number
		flag := "draws"
		if d.Flag == "records" {
			flag = "records"
		}
		add(flag, argument)
	}
	if q.Notion == "zcdp" || q.Notion == "tcdp" {
		add("rho", plain(q.Level))
	} else {
		add("epsilon", plain(q.Level))
	}
	switch q.Notion {
	case "approx":
		add("delta", plain(q.Delta))
	case "tcdp":
		add("omega", plain(q.Order))
	case "renyi":
		add("lambda", plain(q.Order))
	}
	if q.Adjacency != "" && q.Adjacency != "replace-one" {
		add("adjacency", q.Adjacency)
	}
	usual := d.New(mechanism.Options{Delta: q.Delta, Count: count})
	if !q.samePlan(ctx, sh, c.Mechanism, usual) {
		note = "The command line plans this mechanism with its usual choice, not with “" + c.Name + "”: the Go code has it."
	}
	return strings.Join(words, " "), note
}

// samePlan reports whether two mechanisms plan the same.
func (q *Question) samePlan(ctx context.Context, sh *model.Shape, a, b mechanism.Mechanism) bool {
	t, err := q.target()
	if err != nil {
		return false
	}
	var texts [2]string
	for i, m := range []mechanism.Mechanism{a, b} {
		p, err := m.Plan(ctx, sh, t)
		if err != nil {
			texts[i] = err.Error()
			continue
		}
		text, err := json.Marshal(p)
		if err != nil {
			return false
		}
		texts[i] = string(text)
	}
	return texts[0] == texts[1]
}

// shellWord quotes a word for a shell, unless the shell leaves it as it is.
func shellWord(s string) string {
	const harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"
	if s != "" && strings.Trim(s, harmless) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Description is what a page offers once it knows the table: columns, models, mechanisms.
type Description struct {
	Dataset    string          `json:"dataset"`
	Unit       string          `json:"unit"`
	Columns    []Column        `json:"columns"`
	Models     []Fit           `json:"models"`     // that fit the column asked for; those that do not say why
	Model      string          `json:"model"`      // the one described, with what was completed
	Mechanisms []Offer         `json:"mechanisms"` // for the model asked for
	Measure    string          `json:"measure"`    // the error that is predicted, such as "a probability"
	Numbers    int             `json:"numbers"`    // that a release of counts or sums holds
	Schema     json.RawMessage `json:"schema"`     // as a file has it
	Missing    *Mistake        `json:"missing,omitempty"`
}

// Column is a column of the schema.
type Column struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Levels int    `json:"levels"`
}

// Fit is a kind of model, and why it does not fit if it does not.
type Fit struct {
	Kind string `json:"kind"`
	Why  string `json:"why,omitempty"`
}

// Offer is a mechanism with its choices.
type Offer struct {
	Title   string   `json:"title"`
	Choices []string `json:"choices"`
}

// Describe says what there is to choose. What is still missing of a question is part of the answer; an error is about
// the table itself.
func (q *Question) Describe(context.Context) (*Description, error) {
	s, g, err := q.schema()
	if err != nil {
		return nil, err
	}
	d := &Description{Dataset: s.Dataset, Unit: s.Unit, Schema: s.JSON()}
	for i := range s.Columns {
		c := &s.Columns[i]
		d.Columns = append(d.Columns, Column{c.Name, string(c.Kind), len(c.Labels())})
	}
	for _, kind := range model.Kinds() {
		if (kind == "network") != (g != nil) {
			continue
		}
		d.Models = append(d.Models, Fit{kind, q.fits(s, kind)})
	}
	sh, err := q.shape()
	if err != nil {
		d.Missing = &Mistake{"question", err.Error()}
		var m *Mistake
		if errors.As(err, &m) {
			d.Missing = m
		}
		return d, nil
	}
	d.Model, d.Measure = model.Expression(sh.Model()), sh.Words().Error
	for _, t := range sh.Tables() {
		d.Numbers += t.Cells()
	}
	for _, m := range catalog.All() {
		if m.Choices == nil {
			continue
		}
		o := Offer{Title: m.Title}
		for _, c := range q.fitting(m, sh) {
			o.Choices = append(o.Choices, c.Name)
		}
		if len(o.Choices) > 0 {
			d.Mechanisms = append(d.Mechanisms, o)
		}
	}
	return d, nil
}

// fits says why a kind of model does not fit the column asked for.
func (q *Question) fits(s *frame.Schema, kind string) (why string) {
	own := Question{Schema: q.Schema, Network: q.Network, Levels: q.Levels, Target: q.Target, Model: kind, N: 1}
	if own.Target == "" {
		own.Target = s.Columns[0].Name
	}
	if _, err := own.shape(); err != nil {
		return err.Error()
	}
	return ""
}
