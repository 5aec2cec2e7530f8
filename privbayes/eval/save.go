package eval

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Save writes the whole report, public and private part, as one self-contained .html, .md or .json file with figures,
// tables, certificate and provenance, which its owner alone may read. It replaces an older report, and no other file.
// The same seed gives the same bytes. The private part is for the owner of the data: for anyone else use SavePublic.
// Errors: *dp.ParameterError, also for a file that is there and is no report; *figure.FigureError for a figure that
// cannot be drawn; or the file system's.
func (r *Report) Save(path string) error { return r.save(path, true) }

// SavePublic writes the public part only: release, plan, certificate, provenance. It holds nothing that the release
// does not.
func (r *Report) SavePublic(path string) error { return r.save(path, false) }

func (r *Report) save(path string, private bool) error {
	d, err := r.document(private)
	if err != nil {
		return err
	}
	var b []byte
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html":
		b, err = d.html()
	case ".md":
		b, err = d.markdown()
	case ".json":
		b, err = d.json()
	default:
		return domain.Refuse("eval", "file", safetext.File(path), "an ending of .html, .md or .json")
	}
	if err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if private && r.open == "" {
		mode = 0o600
	}
	return journal.ReplaceOwn("eval", "report", path, b, mode, marks...)
}

// marks are how the written forms begin: a file that begins otherwise is no report.
var marks = []string{"{\n \"title\": \"" + titleMark, "# " + titleMark,
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + titleMark}

const titleMark = "privbayes: "

// document is a report on its way to a file.
type document struct {
	Title      string            `json:"title"`
	Public     []*table.Table    `json:"public"`
	Private    []*table.Table    `json:"private_do_not_publish,omitempty"`
	Open       []*table.Table    `json:"public_data,omitempty"`
	Figures    []figureJSON      `json:"figures,omitempty"`
	Provenance [][2]string       `json:"provenance"`
	Check      *cert.Certificate `json:"certificate"`
	Release    json.RawMessage   `json:"release"`
	// Warnings are about the release, OwnWarnings about this run and the test rows.
	Warnings    warning.List `json:"warnings,omitempty"`
	OwnWarnings warning.List `json:"private_warnings,omitempty"`
	public      []drawn
	private     []drawn
	tables      []*table.Table // Private or Open
	open        public
}

// drawn is a figure, or the graph of a network.
type drawn struct {
	title   string
	private bool
	figure  interface {
		SVG() ([]byte, error)
		Table() *table.Table
		Words() (title, alt string)
	}
}

func drawnAll(list ...*figure.Figure) (out []drawn) {
	for _, f := range list {
		out = append(out, drawn{f.Title, f.Private, f})
	}
	return out
}

type figureJSON struct {
	Title   string       `json:"title"`
	Private bool         `json:"private"`
	Table   *table.Table `json:"table"`
}

// publicFigures are the estimates with their intervals. Where the release knows none, they are its posterior, and of a
// posterior sample nothing: the draws were flattened towards the prior, and their spread says little.
func (r *Report) publicFigures() ([]drawn, error) {
	if f, err := r.release.Figure(); err == nil {
		return []drawn{{f.Title, false, f}}, nil
	}
	if _, sampled := r.release.Plan().Sampled(); sampled {
		return nil, nil
	}
	f, err := PosteriorFigure(r.release, nil)
	if err != nil {
		return nil, err
	}
	return drawnAll(f), nil
}

func (r *Report) document(private bool) (*document, error) {
	raw, err := r.release.JSON()
	if err != nil {
		return nil, err
	}
	public, err := r.publicFigures()
	if err != nil {
		return nil, err
	}
	d := &document{
		Title: titleMark + r.release.Plan().Shape().Model().String(), Public: r.PublicTables(), Release: raw,
		Check: r.release.Certificate(), Provenance: r.provenance(),
		public: public,
	}
	if g := r.release.StructureGraph(); g != nil {
		if _, _, err := g.Size(); err == nil {
			d.public = append(d.public, drawn{g.Title, g.Private, g})
		} else { // too many columns for a picture: its twin says what it would
			d.Public = append(d.Public, g.Table().Note("Not drawn: "+err.Error()+"."))
		}
	}
	var own warning.List
	d.Warnings, own = r.parts()
	if private {
		d.tables, d.private, d.OwnWarnings = r.PrivateTables(), drawnAll(r.Figures()...), own
		if d.open = r.open; d.open == "" {
			d.Private = d.tables
		} else {
			d.Open = d.tables
		}
	}
	for _, f := range slices.Concat(d.public, d.private) {
		d.Figures = append(d.Figures, figureJSON{f.title, f.private, f.figure.Table()})
	}
	return d, nil
}

// provenance says how to get the same numbers again.
func (r *Report) provenance() [][2]string {
	sh := r.release.Plan().Shape()
	return [][2]string{
		{"library", "privbayes " + release.Version},
		{"made by", r.chain()},
		{"schema digest", sh.Schema().Digest()},
		{"randomness", r.release.Randomness()},
		{"release id", r.release.ID()},
		{"check it again", "privbayes verify FILE on the release file (the \"release\" field of the .json report)"},
	}
}

// chain is the call that makes the release again: the same numbers if it was seeded, another draw if it was not.
func (r *Report) chain() string {
	p := r.release.Plan()
	t := p.Target()
	target := map[dp.Notion]string{
		dp.Pure:                  fmt.Sprintf("PureDP(%v)", float64(t.Epsilon)),
		dp.Approximate:           fmt.Sprintf("ApproxDP(%v, %v)", float64(t.Epsilon), t.Delta),
		dp.Renyi:                 fmt.Sprintf("RenyiDP(%v, %v)", t.Order, float64(t.Epsilon)),
		dp.Concentrated:          fmt.Sprintf("ZCDP(%v)", t.Rho),
		dp.TruncatedConcentrated: fmt.Sprintf("TCDP(%v, %v)", t.Rho, t.Order),
	}[t.Notion]
	seed := ""
	if s, ok := r.release.Seed(); ok {
		seed = fmt.Sprintf(", Seeded(%d)", s)
	}
	return fmt.Sprintf("Model(%s).Privatize(%s, %s, adjacency %s%s)", model.Expression(p.Shape().Model()),
		p.Mechanism(), target, t.Adjacency, seed)
}

func (d *document) json() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// provenanceTable is the provenance as a table.
func (d *document) provenanceTable() *table.Table {
	t := table.New("Provenance", "item", "value")
	for _, p := range d.Provenance {
		t.Add(p[0], p[1])
	}
	return t
}

const (
	style = "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 " +
		"1rem;color:#222}table{border-collapse:collapse;margin:1rem " +
		"0;font-size:.85rem}caption{text-align:left;font-weight:bold;padding:.3rem 0}td,th{border-bottom:1px solid " +
		"#ddd;padding:.25rem .7rem;text-align:left;vertical-align:top}th{border-bottom:2px solid " +
		"#999}.private{border-left:4px solid #a11;padding-left:1rem}.private>p:first-of-type{color:#a11}img{max-width:100%}"
)

// part is the public or the private part of a saved report.
type part struct {
	Heading, Note string
	Private       bool
	Warnings      warning.List
	Tables        []*table.Table
	Figures       []picture
}

// picture is a figure with its drawing, as base64.
type picture struct {
	Title, Alt, SVG string
	Table           *table.Table
}

// parts are what every written form shows, in this order.
func (d *document) parts() ([]part, error) {
	out := []part{{Heading: "Public part", Warnings: d.Warnings,
		Tables: append(slices.Clone(d.Public), d.provenanceTable())}}
	if d.tables != nil {
		heading, note := d.open.heading()
		out = append(out, part{Heading: heading, Note: note, Private: d.open == "", Warnings: d.OwnWarnings,
			Tables: d.tables})
	}
	for i, figures := range [][]drawn{d.public, d.private}[:len(out)] {
		for _, f := range figures {
			svg, err := f.figure.SVG()
			if err != nil {
				return nil, err
			}
			_, alt := f.figure.Words()
			out[i].Figures = append(out[i].Figures, picture{f.title, alt, base64.StdEncoding.EncodeToString(svg),
				f.figure.Table()})
		}
	}
	return out, nil
}

func (d *document) html() ([]byte, error) {
	parts, err := d.parts()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title><style>%s</style></head><body>
<h1>%s</h1>
`, html.EscapeString(d.Title), style+warning.Style, safetext.HTML(d.Title))
	for _, p := range parts {
		p.html(&b)
	}
	b.WriteString("</body></html>\n")
	return b.Bytes(), nil
}

// html writes the part as HTML. What gives HTML itself has escaped its texts.
func (p *part) html(b *bytes.Buffer) {
	if p.Private {
		b.WriteString(`<div class="private">`)
	}
	fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(p.Heading))
	if p.Note != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", html.EscapeString(p.Note))
	}
	b.WriteString(p.Warnings.HTML())
	for _, t := range p.Tables {
		b.WriteString(t.HTML() + "\n")
	}
	for _, f := range p.Figures {
		fmt.Fprintf(b, "<figure><img alt=\"%s\" src=\"data:image/svg+xml;base64,%s\"></figure>\n"+
			"<details><summary>the numbers of the figure</summary>%s</details>\n", html.EscapeString(f.Alt), f.SVG,
			f.Table.HTML())
	}
	if p.Private {
		b.WriteString("</div>\n")
	}
}

func (d *document) markdown() ([]byte, error) {
	parts, err := d.parts()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# " + safetext.Markdown(d.Title) + "\n\n")
	for _, p := range parts {
		b.WriteString("## " + safetext.Markdown(p.Heading) + "\n\n")
		if p.Note != "" {
			b.WriteString(p.Note + "\n\n")
		}
		b.WriteString(p.Warnings.Markdown())
		for _, t := range p.Tables {
			b.WriteString(t.Markdown() + "\n")
		}
		for _, f := range p.Figures {
			fmt.Fprintf(&b, "![%s](data:image/svg+xml;base64,%s)\n\n%s\n", safetext.Markdown(f.Title), f.SVG,
				f.Table.Markdown())
		}
	}
	return b.Bytes(), nil
}
