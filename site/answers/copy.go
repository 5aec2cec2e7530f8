package answers

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Copies are the question as a program and as a command.
type Copies struct {
	Go      string `json:"go"`
	Command string `json:"command"`
	Note    string `json:"note,omitempty"` // what the command cannot say
}

// counted is the last number in an expression such as PosteriorSample(10).
var counted = regexp.MustCompile(`^\w+\((\d+)\)$`)

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
	if m := counted.FindStringSubmatch(c.Go); m != nil {
		count, _ = strconv.Atoi(m[1])
		flag := "draws"
		if d.Flag == "records" {
			flag = "records"
		}
		add(flag, m[1])
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

// harmless are words that a shell leaves as they are.
var harmless = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a shell.
func shellWord(s string) string {
	if harmless.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
