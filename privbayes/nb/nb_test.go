package nb

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// recorder stands in for the kernel and for the terminal.
type recorder struct {
	screen
	sent  []*protocol.DisplayData
	syncs int
	o, e  bytes.Buffer
	clock time.Time
}

// use puts a recorder in the place of the screen for one test.
func use(t *testing.T, notebook, terminal bool) *recorder {
	t.Helper()
	r := &recorder{clock: time.Unix(0, 0)}
	r.screen = screen{
		notebook: notebook,
		terminal: terminal,
		send:     func(d *protocol.DisplayData) { r.sent = append(r.sent, d) },
		sync:     func() { r.syncs++ },
		out:      &r.o,
		err:      &r.e,
		now:      func() time.Time { return r.clock },
	}
	old := std
	std = &r.screen
	t.Cleanup(func() { std = old })
	return r
}

type text struct{ s string }

func (v text) String() string { return v.s }

type page struct{ text }

func (page) HTML() string { return "<table></table>" }

type picture struct{ page }

func (picture) PNG() ([]byte, error) { return []byte("png"), nil }

type broken struct{ page }

func (broken) PNG() ([]byte, error) { return nil, errors.New("no fonts") }

type byPointer struct{ n int }

func (p *byPointer) String() string { return strings.Repeat("x", p.n) }

type panics struct{}

func (panics) String() string { panic("boom") }

type private struct{ rows []int }

type counted struct{ n int }

func (c *counted) Table() *table.Table { return table.New("", "n").Add(c.n) }

// TestShow: what each kind of value becomes, in the notebook (MIME types and
// plain form) and outside.
func TestShow(t *testing.T) {
	drawn := &figure.Figure{Title: "f", XLabel: "x", YLabel: "y",
		Series: []figure.Series{{Name: "s", X: []float64{0, 1}, Y: []float64{1, 2}}}}
	empty := &figure.Figure{Title: "f", XLabel: "x", YLabel: "y"}
	var none *byPointer
	for _, tc := range []struct {
		name  string
		v     any
		mimes string // besides text/plain
		plain string
	}{
		{"text", text{"hello"}, "", "hello"},
		{"page", page{text{"a b"}}, "text/html", "a b"},
		{"figure", picture{page{text{"figure: f"}}}, "image/png", "figure: f"},
		{"figure that fails", broken{}, "", "error: nb.broken cannot be drawn: no fonts"},
		{"method of the pointer", byPointer{3}, "", "xxx"},
		{"pointer", &byPointer{2}, "", "xx"},
		{"nil pointer", none, "", "nil *nb.byPointer"},
		{"error", errors.New("epsilon is -1"), "", "error: epsilon is -1"},
		{"panic", panics{}, "", "error: nb.panics cannot be shown: boom"},
		{"string", "s\n", "", "s\n"},
		{"int", 7, "", "7"},
		{"float", 1.0 / 3, "", "0.3333"},
		{"floats", []float64{1, 2.0 / 3}, "", "[1 0.6667]"},
		{"map", map[string]int{"a": 1}, "", "map[a:1]"},
		{"data is not printed", private{[]int{41, 42}}, "", "(nb.private)"},
		{"pointer to data is not printed", &private{[]int{41, 42}}, "", "(*nb.private)"},
		{"list of data is not printed", []private{{[]int{41}}}, "", "([]nb.private)"},
		{"table", &counted{7}, "text/html", "n\n-\n7\n"},
		{"table of the pointer", counted{7}, "text/html", "n\n-\n7\n"},
		{"described figure", drawn, "image/png", drawn.String()},
		{"described figure, its value", *drawn, "image/png", drawn.String()},
		{"figure that cannot be drawn", empty, "",
			`error: *figure.Figure cannot be drawn: figure: figure "f", series "": want at least one series`},
	} {
		r := use(t, true, false)
		Show(tc.v)
		if len(r.sent) != 1 || r.syncs != 1 {
			t.Errorf("%s: %d bundles and %d syncs, want one each", tc.name, len(r.sent), r.syncs)
			continue
		}
		data := r.sent[0].Data
		if got := data[protocol.MIMETextPlain]; got != tc.plain {
			t.Errorf("%s: text %q, want %q", tc.name, got, tc.plain)
		}
		var mimes []string
		for m := range data {
			if m != protocol.MIMETextPlain {
				mimes = append(mimes, string(m))
			}
		}
		if got := strings.Join(mimes, " "); got != tc.mimes {
			t.Errorf("%s: forms %q, want %q", tc.name, got, tc.mimes)
		}
		out := use(t, false, false)
		Show(tc.v)
		if got, want := out.o.String(), strings.TrimSuffix(tc.plain, "\n")+"\n"; got != want || len(out.sent) > 0 {
			t.Errorf("%s: outside a notebook %q, want %q", tc.name, got, want)
		}
	}
}

// TestShowResult: Show(f()) for the two ways in which f returns.
func TestShowResult(t *testing.T) {
	r := use(t, true, false)
	good := func() (*byPointer, error) { return &byPointer{2}, nil }
	bad := func() (*byPointer, error) { return nil, errors.New("no budget left") }
	Show(good())
	Show(bad())
	if len(r.sent) != 2 || r.sent[0].Data[protocol.MIMETextPlain] != "xx" ||
		r.sent[1].Data[protocol.MIMETextPlain] != "error: no budget left" {
		t.Errorf("sent %+v", r.sent)
	}
	if r.syncs != 2 {
		t.Errorf("%d syncs, want one per call", r.syncs)
	}
}

func TestText(t *testing.T) {
	r := use(t, true, false)
	Printf("a = %d\n", 1)
	Markdown("$x$")
	Warn("a < b")
	want := []bundle{
		{protocol.MIMETextPlain: "a = 1"},
		{protocol.MIMETextMarkdown: "$x$", protocol.MIMETextPlain: "$x$"},
		{protocol.MIMETextHTML: "<div class=\"alert alert-block alert-warning\"><b>Warning:</b> a &lt; b</div>\n",
			protocol.MIMETextPlain: "warning: a < b"},
	}
	if len(r.sent) != len(want) || r.syncs != len(want) || r.o.Len()+r.e.Len() > 0 {
		t.Fatalf("%d bundles, %d syncs, %q, %q", len(r.sent), r.syncs, r.o.String(), r.e.String())
	}
	for i, w := range want {
		for m, s := range w {
			if r.sent[i].Data[m] != s || len(r.sent[i].Data) != len(w) {
				t.Errorf("bundle %d: %v, want %v", i, r.sent[i].Data, w)
			}
		}
	}
	r = use(t, false, false)
	Printf("a = %d\n", 1)
	Markdown("$x$")
	Warn("a < b")
	if r.o.String() != "a = 1\n$x$\n" || r.e.String() != "warning: a < b\n" {
		t.Errorf("outside a notebook %q and %q", r.o.String(), r.e.String())
	}
}

// network and wanted stand for a network and a mechanism, which this room does not import.
type network struct{}

func (network) Graph() *figure.Graph {
	return &figure.Graph{Title: "two", Vertices: []figure.Vertex{{Name: "a"}, {Name: "b", Parents: []int{0}}}}
}

type wanted struct{ Secret int }

func (wanted) Name() string  { return "geometric" }
func (wanted) Title() string { return "Geometric noise on counts" }

// A network is drawn, its graph in text beside; a mechanism is named.
func TestNetworksAndMechanismsAreShown(t *testing.T) {
	b := render(network{})
	if png, _ := b[protocol.MIMEImagePNG].([]byte); len(png) < 500 ||
		!strings.Contains(b[protocol.MIMETextPlain].(string), "2 nodes, 1 edge") {
		t.Error(b)
	}
	if got := render(wanted{7})[protocol.MIMETextPlain].(string); strings.Contains(got, "7") ||
		!strings.HasPrefix(got, `Geometric noise on counts (mechanism "geometric")`) {
		t.Error(got)
	}
}
