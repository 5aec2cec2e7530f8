package nb

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/plots"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

type (
	pnger  interface{ PNG() ([]byte, error) }
	htmler interface{ HTML() string }
	// graphed is a network: it is shown as a graph
	graphed interface{ Graph() *figure.Graph }
	// pictured has a graph below its tables: a release whose structure was learned
	pictured interface{ StructureGraph() *figure.Graph }
	// titled is a mechanism before it plans: it is named
	titled interface {
		Name() string
		Title() string
	}
)

// bundle is one output in several forms.
type bundle = map[protocol.MIMEType]any

// render gives the forms of v: always text/plain, and at most one of image/png
// and text/html (a reader that prefers the other would show a figure twice).
func render(v any) (b bundle) {
	defer func() {
		if r := recover(); r != nil {
			b = failure(fmt.Sprintf("%T cannot be shown: %v", v, r))
		}
	}()
	if err, ok := v.(error); ok {
		return failure(err.Error())
	}
	if isNil(v) {
		return bundle{protocol.MIMETextPlain: fmt.Sprintf("nil %T", v)}
	}
	v = withMethods(v)
	b = bundle{protocol.MIMETextPlain: plain(v)}
	png, ok, err := draw(v)
	switch {
	case err != nil:
		return failure(fmt.Sprintf("%T cannot be drawn: %v", v, err))
	case ok:
		b[protocol.MIMEImagePNG] = png
		return b
	}
	switch h := v.(type) {
	case htmler:
		b[protocol.MIMETextHTML] = h.HTML()
	case table.Shown:
		b[protocol.MIMETextHTML] = table.HTML(h) + pictureOf(v)
	}
	if b[protocol.MIMETextHTML] == "" {
		delete(b, protocol.MIMETextHTML)
	}
	return b
}

// pictureOf is the graph of what has one, in HTML; nothing where it is too large to be drawn.
func pictureOf(v any) string {
	p, ok := v.(pictured)
	if !ok {
		return ""
	}
	g := p.StructureGraph()
	if g == nil {
		return ""
	}
	svg, err := g.SVG()
	if err != nil {
		return ""
	}
	_, alt := g.Words()
	return fmt.Sprintf(`<figure><img alt="%s" src="data:image/svg+xml;base64,%s"></figure>`, safetext.HTML(alt),
		base64.StdEncoding.EncodeToString(svg))
}

// withMethods gives a pointer to a copy of v when only the pointer can be shown:
// Show(*r) then works as Show(r) does.
func withMethods(v any) any {
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Struct || canShow(v) {
		return v
	}
	p := reflect.New(rv.Type())
	p.Elem().Set(rv)
	if w := p.Interface(); canShow(w) {
		return w
	}
	return v
}

func canShow(v any) bool {
	switch v.(type) {
	case figure.Drawing, graphed, pnger, htmler, table.Shown, titled, fmt.Stringer:
		return true
	}
	return false
}

// draw makes a picture of what has one.
func draw(v any) (png []byte, ok bool, err error) {
	switch p := v.(type) {
	case figure.Drawing:
		png, err = plots.PNG(p)
	case graphed:
		png, err = plots.PNG(p.Graph())
	case pnger:
		png, err = p.PNG()
	default:
		return nil, false, nil
	}
	return png, true, err
}

func failure(msg string) bundle {
	return bundle{protocol.MIMETextPlain: "error: " + msg}
}

// plain is the text form of v.
func plain(v any) string {
	switch s := v.(type) {
	case fmt.Stringer:
		return s.String()
	case table.Shown:
		return table.Text(s)
	case graphed:
		return s.Graph().String()
	case titled:
		return fmt.Sprintf("%s (mechanism %q): plan it on a model to see its settings, errors and guarantee",
			s.Title(), s.Name())
	}
	if canShow(v) {
		return fmt.Sprintf("(%T)", v)
	}
	rv := reflect.ValueOf(v)
	if !harmless(rv.Type()) {
		return fmt.Sprintf("(%T)", v)
	}
	if f, ok := digits(rv); ok {
		return f
	}
	return fmt.Sprint(v)
}

// harmless tells types made of basic values only, which a user sees through:
// whoever shows a []float64 means its numbers.
func harmless(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return harmless(t.Elem())
	case reflect.Map:
		return harmless(t.Key()) && harmless(t.Elem())
	case reflect.String:
		return true
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}

// digits writes a float, or a list of floats, with four significant digits.
func digits(v reflect.Value) (string, bool) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return fmt.Sprintf("%.4g", v.Float()), true
	case reflect.Slice, reflect.Array:
		words := make([]string, v.Len())
		for i := range words {
			w, ok := digits(v.Index(i))
			if !ok {
				return "", false
			}
			words[i] = w
		}
		return "[" + strings.Join(words, " ") + "]", len(words) > 0
	}
	return "", false
}

// isNil tells a nil pointer, map, slice or function in an interface.
func isNil(v any) bool {
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return rv.IsNil()
	}
	return false
}

func escape(s string) string { return safetext.HTML(s) }
