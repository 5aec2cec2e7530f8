package nbtool

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/image/draw"
)

// Files of a gallery, relative to the folder of the notebooks.
const (
	galleryPage    = "README.md"
	galleryFolder  = "thumbnails"
	galleryChoices = "thumbnails/choices.json"
)

// Choice says what a gallery shows of one notebook, where the first figure or the first headline is not the best one.
type Choice struct {
	Learn    int    `json:"learn,omitempty"`    // place among those to learn from, from 1; the papers' follow
	Cell     string `json:"cell,omitempty"`     // id of the cell with the figure; empty: the first figure of all
	Figure   int    `json:"figure,omitempty"`   // which of the cell's figures, from 0
	Headline string `json:"headline,omitempty"` // "words = value"; empty: the first headline of the notebook
	From     string `json:"from,omitempty"`     // the output text with the value; empty: a headline of the notebook
}

// Gallery is the page that shows a folder of notebooks: for each its title, a sentence, a headline number and a small
// figure. It is made from the executed notebooks, as they stand.
type Gallery struct {
	Page       string                 // Markdown
	Thumbnails map[string]*image.RGBA // by notebook: "00_tour"
}

// GalleryError says what a gallery cannot show of a notebook, and why.
type GalleryError struct{ Notebook, Reason string }

// Error names the notebook and the reason.
func (e *GalleryError) Error() string { return "nbtool: gallery: " + e.Notebook + ": " + e.Reason }

// NewGallery reads the notebooks NN_name.ipynb of a folder, and thumbnails/choices.json in it. A notebook without
// title, figure or headline, and a choice that names what is not there, are a [*GalleryError].
func NewGallery(dir string) (*Gallery, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[0-9][0-9]_*.ipynb"))
	if err != nil {
		return nil, err
	}
	choices, err := readChoices(filepath.Join(dir, galleryChoices))
	if err != nil {
		return nil, err
	}
	g := &Gallery{Thumbnails: map[string]*image.RGBA{}}
	var b strings.Builder
	b.WriteString(galleryHead)
	named := func(file string) string { return strings.TrimSuffix(filepath.Base(file), ".ipynb") }
	rank := func(file string) int { return cmp.Or(choices[named(file)].Learn, len(files)+1) }
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	section, learned := "", 0
	for learned < len(files) && rank(files[learned]) <= len(files) {
		learned++
	}
	for i, file := range files {
		name := named(file)
		heading := galleryPapers
		if i < learned {
			heading = galleryLearn
		}
		if heading != section {
			if section != "" {
				b.WriteString("</table>\n")
			}
			b.WriteString("\n" + heading + "\n<table>\n")
			section = heading
		}
		n, err := Read(file)
		if err != nil {
			return nil, err
		}
		e, err := n.entry(name, choices[name])
		if err != nil {
			return nil, err
		}
		delete(choices, name)
		g.Thumbnails[name] = e.picture
		fmt.Fprintf(&b, row, name, name, ThumbnailWidth, name, html.EscapeString(e.title),
			html.EscapeString(e.sentence), strong(e.headline))
	}
	for name := range choices {
		return nil, &GalleryError{name, "has a choice in " + galleryChoices + " and no notebook"}
	}
	if section != "" {
		b.WriteString("</table>\n")
	}
	g.Page = b.String()
	return g, nil
}

const galleryHead = `# Notebooks

Executed, with their outputs: GitHub shows them as they are, ` + "`make lab`" + ` opens them for work. Each is built
from the ` + "`.md`" + ` file next to it, is seeded, uses embedded data only and runs in a few seconds. The ` +
	`theory behind them:
[docs](../docs/README.md).

This page is written by ` + "`go run ./tools/nbtool gallery`" + ` from the notebooks' outputs; a test fails when it is
stale.
`

// The parts of the page.
const (
	galleryLearn = `## Analyses, to learn from

In this order: the tour, a table of your own, intervals, the choice of a mechanism, numbers, a regression, networks, a ` +
		`table without a graph,
a table that does not fit.
`
	galleryPapers = `## The papers, and what mechanisms really spend

Each says what a paper says, what is true, and what we recommend.
`
)

// row is one notebook: HTML, since the cells of a Markdown table cannot keep a picture from being squeezed.
const row = `<tr>
<td width="300"><a href="%s.ipynb"><img src="` + galleryFolder + `/%s.png" width="%d" alt=""></a></td>
<td><a href="%s.ipynb"><b>%s</b></a><br>%s<br><br>%s</td>
</tr>
`

func readChoices(path string) (map[string]Choice, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Choice{}, nil
	}
	if err != nil {
		return nil, err
	}
	c := map[string]Choice{}
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// entry is one row of the page.
type entry struct {
	title, sentence, headline string
	picture                   *image.RGBA
}

func (n *Notebook) entry(name string, c Choice) (e entry, err error) {
	if len(n.Cells) == 0 || n.Cells[0].Type != "markdown" {
		return e, &GalleryError{name, "does not begin with text"}
	}
	e.title, e.sentence = opening(string(n.Cells[0].Source))
	if e.title == "" || e.sentence == "" {
		return e, &GalleryError{name, "does not begin with a title, and a sentence that starts with \"This " +
			"notebook\" or follows a bold phrase"}
	}
	if e.headline, err = n.chosenHeadline(name, c); err != nil {
		return e, err
	}
	figure, err := n.chosenFigure(name, c)
	if err != nil {
		return e, err
	}
	e.picture, err = thumbnail(figure)
	return e, err
}

var (
	sentenceEnd = regexp.MustCompile(`[.?!]( |$)`)
	boldStart   = regexp.MustCompile(`^\*\*[^*]+\*\* `)
	markup      = strings.NewReplacer("*", "", "`", "")
)

// opening takes the title off the first text of a notebook, and the sentence that says what it shows: the one that
// starts with "This notebook", else the one after the bold phrase (the promise). Emphasis is left out.
func opening(text string) (title, sentence string) {
	var promise string
	for part := range strings.SplitSeq(text, "\n\n") {
		part = strings.Join(strings.Fields(part), " ")
		if t, ok := strings.CutPrefix(part, "# "); ok && title == "" {
			title = t
		}
		if i := strings.Index(part, "This notebook "); i >= 0 && sentence == "" {
			sentence = first(part[i:])
		}
		if m := boldStart.FindStringIndex(part); m != nil && promise == "" {
			promise = first(part[m[1]:])
		}
	}
	if sentence == "" {
		sentence = promise
	}
	return markup.Replace(title), markup.Replace(sentence)
}

// first is the first sentence of a paragraph.
func first(text string) string {
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		return text[:end[0]+1]
	}
	return text
}

// chosenHeadline is the number that stands for the notebook. Its value must be in the outputs.
func (n *Notebook) chosenHeadline(name string, c Choice) (string, error) {
	all := n.Headlines()
	switch {
	case c.Headline == "" && len(all) == 0:
		return "", &GalleryError{name, "prints no line \"headline: words = value\", and " + galleryChoices +
			" has none"}
	case c.Headline == "":
		return all[0], nil
	case c.From == "":
		if !slices.Contains(all, c.Headline) {
			return "", &GalleryError{name, fmt.Sprintf("does not print the headline %q", c.Headline)}
		}
		return c.Headline, nil
	}
	value := c.Headline[strings.LastIndex(c.Headline, " = ")+1:] // without "=" the whole of it
	if !hasWords(c.From, strings.TrimPrefix(value, "= ")) {
		return "", &GalleryError{name, fmt.Sprintf("the headline %q does not end in a value that %q has", c.Headline,
			c.From)}
	}
	for _, cell := range n.Cells {
		for _, o := range cell.Outputs {
			if hasWords(string(o.Text)+"\n"+string(o.Data["text/plain"]), c.From) {
				return c.Headline, nil
			}
		}
	}
	return "", &GalleryError{name, fmt.Sprintf("does not print %q", c.From)}
}

// hasWords tells whether the words stand in text one after the other, whatever the blanks between them.
func hasWords(text, words string) bool {
	join := func(s string) string { return " " + strings.Join(strings.Fields(s), " ") + " " }
	return strings.TrimSpace(words) != "" && strings.Contains(join(text), join(words))
}

// chosenFigure is the figure that stands for the notebook.
func (n *Notebook) chosenFigure(name string, c Choice) (Text, error) {
	for _, cell := range n.Cells {
		fs := cell.figures()
		switch {
		case c.Cell == "" && len(fs) > 0:
			return fs[0], nil
		case c.Cell == "" || c.Cell != cell.ID:
		case c.Figure < 0 || c.Figure >= len(fs):
			return "", &GalleryError{name,
				fmt.Sprintf("cell %s has %d figures, so no number %d", c.Cell, len(fs), c.Figure)}
		default:
			return fs[c.Figure], nil
		}
	}
	if c.Cell != "" {
		return "", &GalleryError{name, "has no cell " + c.Cell}
	}
	return "", &GalleryError{name, "has no figure"}
}

// strong shows "words = value" as HTML with the value in bold.
func strong(headline string) string {
	if i := strings.LastIndex(headline, " = "); i >= 0 {
		return html.EscapeString(headline[:i]) + ": <b>" + html.EscapeString(headline[i+3:]) + "</b>"
	}
	return html.EscapeString(headline)
}

// Write stores the page and the pictures, and removes pictures of notebooks that are gone. Writing twice gives the same
// bytes.
func (g *Gallery) Write(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, galleryFolder), 0o755); err != nil {
		return err
	}
	for name, m := range g.Thumbnails {
		b, err := encode(m)
		if err != nil {
			return fmt.Errorf("nbtool: %s: %w", name, err)
		}
		if err := os.WriteFile(thumbnailFile(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	stale, err := g.strangers(dir)
	if err != nil {
		return err
	}
	for _, file := range stale {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, galleryPage), []byte(g.Page), 0o644)
}

// Stale lists how the files of a gallery in dir differ from g; none when they are current.
func (g *Gallery) Stale(dir string) ([]string, error) {
	page, err := os.ReadFile(filepath.Join(dir, galleryPage))
	if err != nil {
		return nil, err
	}
	var ds []string
	if string(page) != g.Page {
		ds = append(ds, galleryPage+" differs: "+firstDiff(string(page), g.Page))
	}
	for name, m := range g.Thumbnails {
		b, err := os.ReadFile(thumbnailFile(dir, name))
		if err != nil || !samePixels(b, m) {
			ds = append(ds, galleryFolder+"/"+name+".png is not its notebook's figure")
		}
	}
	stale, err := g.strangers(dir)
	for _, file := range stale {
		ds = append(ds, galleryFolder+"/"+filepath.Base(file)+" belongs to no notebook")
	}
	return ds, err
}

// strangers are the pictures in dir that belong to no notebook of the gallery.
func (g *Gallery) strangers(dir string) ([]string, error) {
	files, err := filepath.Glob(thumbnailFile(dir, "*"))
	var out []string
	for _, file := range files {
		if _, ok := g.Thumbnails[strings.TrimSuffix(filepath.Base(file), ".png")]; !ok {
			out = append(out, file)
		}
	}
	return out, err
}

func thumbnailFile(dir, name string) string { return filepath.Join(dir, galleryFolder, name+".png") }

// ThumbnailWidth is the width of a gallery picture in pixels.
const ThumbnailWidth = 280

// figures are the pictures that a cell put out, in order.
func (c Cell) figures() []Text {
	var fs []Text
	for _, o := range c.Outputs {
		if p := o.Data["image/png"]; p != "" {
			fs = append(fs, p)
		}
	}
	return fs
}

// thumbnail makes the small picture of a figure, which is PNG in base64.
func thumbnail(figure Text) (*image.RGBA, error) {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(figure)), ""))
	if err != nil {
		return nil, fmt.Errorf("nbtool: figure: %w", err)
	}
	src, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("nbtool: figure: %w", err)
	}
	size := src.Bounds()
	w := min(ThumbnailWidth, size.Dx())
	h := max(1, (size.Dy()*w+size.Dx()/2)/size.Dx())
	return shrink(src, w, h), nil
}

// shrink scales a picture down to w × h pixels on white.
func shrink(src image.Image, w, h int) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(dst, dst.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(dst, dst.Bounds(), src, src.Bounds(), draw.Over, nil)
	return dst
}

// encode writes a picture as PNG.
func encode(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m)
	return b.Bytes(), err
}

// samePixels tells whether the PNG shows the picture. Pixels are compared, not bytes: how PNG is compressed may change
// with the Go release, and the last digit of a colour with the machine.
func samePixels(file []byte, want *image.RGBA) bool {
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil || got.Bounds() != want.Bounds() {
		return false
	}
	flat := image.NewRGBA(got.Bounds())
	draw.Draw(flat, flat.Bounds(), got, got.Bounds().Min, draw.Src)
	for i, v := range want.Pix {
		if d := int(v) - int(flat.Pix[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}
