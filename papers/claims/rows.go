package claims

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed rows
var rowFiles embed.FS

// registry, overviews and guarantees are what the files of the folder rows say, one file for each document.
var registry, overviews, guarantees = embedded()

func embedded() ([]Claim, map[string]overview, []guarantee) {
	all := rows{}
	summaries := map[string]overview{}
	for _, d := range documents {
		text, err := rowFiles.ReadFile("rows/" + d.file + ".txt")
		if err == nil {
			all.overview = overview{}
			err = all.read(d, string(text))
		}
		if err != nil {
			panic(fmt.Sprintf("claims: %v", err)) // a file of this package, which a test reads
		}
		summaries[d.name] = all.overview
	}
	return all.claims, summaries, all.guarantees
}

// rows is what files say of documents.
type rows struct {
	overview   overview
	guarantees []guarantee
	claims     []Claim
}

// read adds what the file of a document says. It is made of blocks between empty lines; a block is lines "key: text",
// where a text goes on in lines that begin with two spaces. The first key says what the block is: about, reproduced,
// mended and beside make the summary, mechanism is a line of the table of guarantees, row is a claim.
//
// A row names its check with the parameter of the statement as printed, and the parameter of a changed statement, about
// which the same check must disagree; a row with the verdict NotAClaim gives its reason instead.
func (r *rows) read(d document, text string) error {
	blocks, err := split(d.file, text)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		switch b.fields[0].key {
		case "about":
			err = b.into(map[string]*string{"about": &r.overview.about}, nil)
		case "reproduced":
			err = b.sentence(&r.overview.reproduced)
		case "mended":
			err = b.sentence(&r.overview.mended)
		case "beside":
			err = b.sentence(&r.overview.beside)
		case "mechanism":
			g, list := guarantee{}, ""
			err = b.into(map[string]*string{"mechanism": &g.mechanism, "level": &g.level, "how": &g.how, "rows": &list}, nil)
			g.claims = strings.Split(list, ", ")
			r.guarantees = append(r.guarantees, g)
		case "row":
			err = r.claim(d, b)
		default:
			err = b.fails("no block begins with %q", b.fields[0].key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claim adds a row.
func (r *rows) claim(d document, b block) error {
	c := Claim{Document: d.name}
	var ours, check, changed, weaker string
	err := b.into(map[string]*string{"row": &c.ID, "place": &c.Place, "ours": &ours, "assumes": &c.Assumes,
		"says": &c.Statement, "verdict": (*string)(&c.Verdict), "true": &c.True, "counterexample": &c.Counterexample,
		"remark": &c.Remark, "reason": &c.Reason, "source": &c.Source, "notebook": &c.notebook, "check": &check,
		"changed": &changed, "weaker": &weaker}, map[string]*[]string{"item": &c.Items})
	if err != nil {
		return err
	}
	if check != "" {
		err = c.bind(check, changed, weaker)
	}
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return b.fails("%s: %w", c.ID, err)
	}
	if slices.ContainsFunc(r.claims, func(other Claim) bool { return other.ID == c.ID }) {
		return b.fails("%s stands twice", c.ID)
	}
	if c.Ours = ours == "yes"; ours != "" && !c.Ours {
		return b.fails("%s: ours is %q; want yes, or no such line", c.ID, ours)
	}
	r.claims = append(r.claims, c)
	return nil
}

// bind gives a row the check that it names.
func (c *Claim) bind(words, changed, weaker string) (err error) {
	name, printed, _ := strings.Cut(words, " ")
	if run, ok := ofTwo[name]; ok {
		var s scale
		if printed != "" || weaker != "" {
			return fmt.Errorf("check %s holds both statements and takes no parameter", name)
		}
		if err := decode(changed, &s); err != nil {
			return err
		}
		c.turn(s, run)
		return nil
	}
	e, ok := ofFindings[name]
	if run, is := ofNumber[name]; is {
		e, ok = with(func(_ context.Context, f *Finding, k float64) error { return run(f.trial(), k) }), true
	} else if run, is := ofCurves[name]; is {
		e, ok = with(func(_ context.Context, f *Finding, swapped bool) error { return run(f.trial(), swapped) }), true
	}
	if !ok {
		return fmt.Errorf("there is no check %q", name)
	}
	if c.check, err = e(printed); err != nil {
		return fmt.Errorf("check %s: %w", words, err)
	}
	if changed != "" {
		if c.mutant, err = e(changed); err != nil {
			return fmt.Errorf("changed %s: %w", changed, err)
		}
	}
	if weaker != "" {
		if c.weakened, err = e(weaker); err != nil {
			return fmt.Errorf("weaker %s: %w", weaker, err)
		}
	}
	return nil
}

// complete says what a row lacks.
func (c *Claim) complete() error {
	contradicted := c.Verdict == False || c.Verdict == Corrected || c.Verdict == ProofWrong || c.Verdict == Outside
	switch {
	case c.Place == "" || c.Statement == "" || c.Source == "":
		return fmt.Errorf("it lacks its place, what it says or its source")
	case !slices.Contains(Verdicts(), c.Verdict):
		return fmt.Errorf("there is no verdict %q", c.Verdict)
	case c.Verdict == NotAClaim && (c.Reason == "" || c.check != nil || c.mutant != nil):
		return fmt.Errorf("a definition or remark has a reason and no check")
	case c.Verdict == NotAClaim && c.Counterexample == "":
		return nil
	case c.Reason != "":
		return fmt.Errorf("a claim has no reason for being none")
	case c.Assumes == "" || c.check == nil || c.mutant == nil:
		return fmt.Errorf("it lacks its assumptions, its check or the changed statement")
	case contradicted && (c.True == "" || c.Counterexample == ""):
		return fmt.Errorf("it is %s, without a true form or a counterexample", c.Verdict)
	case !contradicted && c.Counterexample != "":
		return fmt.Errorf("it is %s, with a counterexample", c.Verdict)
	}
	return nil
}

// engine makes a check of a parameter, which is JSON.
type engine func(parameter string) (check, error)

// with is the engine of a check with a parameter of its own type.
func with[P any](run func(ctx context.Context, f *Finding, p P) error) engine {
	return func(parameter string) (check, error) {
		var p P
		if err := decode(parameter, &p); err != nil {
			return nil, err
		}
		return func(ctx context.Context, f *Finding) error { return run(ctx, f, p) }, nil
	}
}

// decode reads one JSON value and nothing else.
func decode(text string, to any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("parameter %q: %w", text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("parameter %q is followed by something", text)
	}
	return nil
}

// block is the lines of a file between two empty ones.
type block struct {
	file   string
	line   int // of its first line
	fields []field
}

type field struct{ key, text string }

func (b block) fails(format string, args ...any) error {
	return fmt.Errorf("rows/%s.txt:%d: %w", b.file, b.line, fmt.Errorf(format, args...))
}

// split makes blocks of a file.
func split(file, text string) ([]block, error) {
	var out []block
	b := block{file: file, line: 1}
	for i, line := range strings.Split(text+"\n", "\n") {
		key, value, ok := strings.Cut(line, ": ")
		rest, more := strings.CutPrefix(line, "  ")
		switch {
		case line == "":
			if len(b.fields) > 0 {
				out = append(out, b)
			}
			b = block{file: file, line: i + 2}
			continue
		case more && len(b.fields) > 0:
			value, ok = rest, true
			b.fields[len(b.fields)-1].text += " " + value
		default:
			b.fields = append(b.fields, field{key, value})
		}
		if !ok || value == "" || strings.TrimSpace(value) != value {
			return nil, fmt.Errorf("rows/%s.txt:%d: want \"key: text\", or a text that goes on after two spaces", file, i+1)
		}
	}
	return out, nil
}

// into puts the texts of a block where their keys say: one by key of single, any number by key of many.
func (b block) into(single map[string]*string, many map[string]*[]string) error {
	for _, f := range b.fields {
		to := single[f.key]
		switch list := many[f.key]; {
		case list != nil:
			*list = append(*list, f.text)
		case to == nil:
			return b.fails("a block that begins with %q has no line %q", b.fields[0].key, f.key)
		case *to != "":
			return b.fails("%q stands twice", f.key)
		default:
			*to = f.text
		}
	}
	return nil
}

// sentence adds a sentence of a summary.
func (b block) sentence(to *[]sentence) error {
	s, list := sentence{}, ""
	err := b.into(map[string]*string{b.fields[0].key: &s.text, "rows": &list}, nil)
	if err == nil && list == "" {
		err = b.fails("a sentence without its rows")
	}
	s.rows = strings.Split(list, ", ")
	*to = append(*to, s)
	return err
}
