package nbtool

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

// TestGalleryIsCurrent: notebooks/README.md and its pictures are what the committed notebooks give. Nothing is
// executed.
func TestGalleryIsCurrent(t *testing.T) {
	dir := filepath.Join(checkout.Of(t), "notebooks")
	g := must.Get(NewGallery(dir))(t)
	ds := must.Get(g.Stale(dir))(t)
	for _, d := range ds {
		t.Errorf("%s: go run ./tools/nbtool gallery", d)
	}
}

// bars is a figure of 2n × n pixels: a third of its width in one colour, the rest in another.
func bars(t *testing.T, n int, left, right color.Color) Text {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 2*n, n))
	for x := range 2 * n {
		for y := range n {
			if m.Set(x, y, right); 3*x < 2*n {
				m.Set(x, y, left)
			}
		}
	}
	b := must.Get(encode(m))(t)
	return Text(base64.StdEncoding.EncodeToString(b) + "\n")
}

// galleryDir is a folder with two notebooks and a current gallery.
func galleryDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	black, red := bars(t, 150, color.Black, color.White), bars(t, 150, color.NRGBA{R: 255, A: 255}, color.NRGBA{})
	for name, figures := range map[string][]Text{"00_one": {black}, "01_two": {black, red}} {
		c := Cell{Type: "code", ID: "draw",
			Outputs: []Output{{Type: "stream", Name: "stdout", Text: "headline: ε = 1\nrow  2.50  3\n"}}}
		for _, f := range figures {
			c.Outputs = append(c.Outputs, Output{Type: "display_data", Data: Bundle{"image/png": f}})
		}
		n := &Notebook{Nbformat: 4, NbformatMinor: 5, Metadata: metadata(), Cells: []Cell{
			{Type: "markdown", ID: "a", Source: Text("# Title of " + name + "\n\n**The promise.** First *sentence*, " +
				"with\n1.5 lines. Second.\n\nThird.")}, c}}
		must.Do(t, n.Write(filepath.Join(dir, name+".ipynb")))
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, galleryFolder), 0o755))
	putFile(t, filepath.Join(dir, galleryChoices),
		`{"01_two": {"cell": "draw", "figure": 1, "headline": "of 3 = 2.50", "from": "row 2.50 3"}}`)
	g := must.Get(NewGallery(dir))(t)
	must.Do(t, g.Write(dir))
	return dir
}

func putFile(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
}

func editFile(t *testing.T, path, from, to string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(b, []byte(from)) {
		t.Fatalf("%s has no %q (%v)", path, from, err)
	}
	putFile(t, path, strings.Replace(string(b), from, to, 1))
}

func TestGalleryPage(t *testing.T) {
	dir := galleryDir(t)
	page := must.Get(os.ReadFile(filepath.Join(dir, galleryPage)))(t)
	for _, want := range []string{
		`<a href="00_one.ipynb"><b>Title of 00_one</b></a><br>First sentence, with 1.5 lines.<br><br>ε: <b>1</b>`,
		`<a href="01_two.ipynb"><b>Title of 01_two</b></a><br>First sentence, with 1.5 lines.<br><br>of 3: <b>2.50</b>`,
		`<img src="thumbnails/01_two.png" width="280"`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	read := func() (all []byte) {
		for _, f := range []string{galleryPage, "thumbnails/00_one.png", "thumbnails/01_two.png"} {
			b := must.Get(os.ReadFile(filepath.Join(dir, f)))(t)
			all = append(all, b...)
		}
		return all
	}
	before := read()
	g := must.Get(NewGallery(dir))(t)
	if err := g.Write(dir); err != nil || !bytes.Equal(before, read()) {
		t.Errorf("a second run wrote other bytes (%v)", err)
	}
}

// What is to learn from stands first, in its order, below a heading of its own.
func TestGalleryOrder(t *testing.T) {
	dir := galleryDir(t)
	editFile(t, filepath.Join(dir, galleryChoices), `{"01_two": {`, `{"01_two": {"learn": 1, `)
	g := must.Get(NewGallery(dir))(t)
	last := -1
	for _, want := range []string{"## Analyses", "01_two.ipynb", "</table>", "## The papers", "00_one.ipynb", "</table>"} {
		at := strings.Index(g.Page[last+1:], want)
		if at < 0 {
			t.Fatalf("no %q after the one before:\n%s", want, g.Page)
		}
		last += at + 1
	}
}

// TestGalleryStale: every way in which a gallery can lag behind its notebooks is seen.
func TestGalleryStale(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string)
		says   string // in the complaints, or in the error
	}{
		"nothing": {func(string) {}, ""},
		"title": {func(d string) { editFile(t, d+"/00_one.ipynb", "Title of", "Name of") },
			"README.md differs"},
		"sentence": {func(d string) { editFile(t, d+"/00_one.ipynb", "1.5 lines", "two lines") },
			"README.md differs"},
		"headline": {func(d string) { editFile(t, d+"/00_one.ipynb", "ε = 1", "ε = 2") }, "README.md differs"},
		"chosen number": {func(d string) { editFile(t, d+"/01_two.ipynb", "2.50", "2.51") },
			`does not print "row 2.50 3"`},
		"chosen cell": {func(d string) { editFile(t, d+"/01_two.ipynb", `"id": "draw"`, `"id": "paint"`) },
			"has no cell draw"},
		"figure gone": {func(d string) { editFile(t, d+"/"+galleryChoices, `"figure": 1`, `"figure": 2`) },
			"2 figures"},
		"other figure": {func(d string) { editFile(t, d+"/"+galleryChoices, `"figure": 1`, `"figure": 0`) },
			"01_two.png is not"},
		"picture lost":  {func(d string) { _ = os.Remove(d + "/thumbnails/00_one.png") }, "00_one.png is not"},
		"notebook lost": {func(d string) { _ = os.Remove(d + "/00_one.ipynb") }, "00_one.png belongs to no notebook"},
		"choice lost":   {func(d string) { _ = os.Remove(d + "/01_two.ipynb") }, "01_two: has a choice"},
		"new notebook": {func(d string) {
			b, _ := os.ReadFile(d + "/00_one.ipynb")
			putFile(t, d+"/02_new.ipynb", string(b))
		}, "02_new"},
	} {
		dir := galleryDir(t)
		c.change(dir)
		var ds []string
		g, err := NewGallery(dir)
		if err == nil {
			ds, err = g.Stale(dir)
		}
		says := strings.Join(ds, "; ")
		if err != nil {
			var ge *GalleryError
			if !errors.As(err, &ge) {
				t.Errorf("%s: %T", name, err)
			}
			says = err.Error()
		}
		if (c.says == "") != (says == "") || !strings.Contains(says, c.says) {
			t.Errorf("%s: says %q, want %q", name, says, c.says)
		}
	}
}

func TestGalleryRefuses(t *testing.T) {
	for from, to := range map[string]string{
		"# Title":        "Title",
		"**The promise.": "The promise.",
		"headline: ":     "head: ",
		"image/png":      "image/jpeg",
		"iVBOR":          "iVBOS",
	} {
		dir := galleryDir(t)
		editFile(t, dir+"/00_one.ipynb", from, to)
		if _, err := NewGallery(dir); err == nil {
			t.Errorf("%q in place of %q passed", to, from)
		}
	}
}

// TestShrink: pixels are weighted means of what they cover, transparent ones are white, and a picture in one colour
// stays in that colour.
func TestShrink(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	m.Set(0, 0, color.NRGBA{A: 255})
	m.Set(1, 0, color.NRGBA{A: 255})
	got := shrink(m, 2, 1) // black, then transparent
	if a, b := got.RGBAAt(0, 0), got.RGBAAt(1, 0); a.R > 64 || b.R < 192 || a.R != a.G || a.A != 255 || b.A != 255 ||
		int(a.R)+int(b.R) != 255 {
		t.Errorf("%v, %v", a, b)
	}
	for _, w := range []int{1, 7, 280} {
		page := image.NewNRGBA(image.Rect(0, 0, 682, 429))
		for x := range 682 {
			for y := range 429 {
				page.Set(x, y, color.NRGBA{R: 1, G: 200, B: 255, A: 255})
			}
		}
		small := shrink(page, w, max(1, w*429/682))
		for i, v := range small.Pix {
			if d := int(v) - []int{1, 200, 255, 255}[i%4]; d < -1 || d > 1 {
				t.Fatalf("width %d: off by %d", w, d)
			}
		}
	}
}
