package nb

import (
	"fmt"

	"reflect"
	"strings"
	"sync"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/internal/label"
)

type (
	pnger  interface{ PNG() ([]byte, error) }
	htmler interface{ HTML() string }
)

// bundle is one output in several forms.
type bundle = map[protocol.MIMEType]any

// Renderer draws values it knows as PNG. It answers ok = false for all others,
// and err when a value it knows cannot be drawn.
type Renderer func(v any) (png []byte, ok bool, err error)

var (
	renderersMu sync.RWMutex
	renderers   []Renderer
)

// RegisterRenderer adds a renderer for values that cannot draw themselves, such
// as descriptions of figures. Renderers are asked in the order of registration,
// before the value's own methods. A nil renderer is ignored.
func RegisterRenderer(r Renderer) {
	if r == nil {
		return
	}
	renderersMu.Lock()
	defer renderersMu.Unlock()
	renderers = append(renderers, r)
}

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
	if h, ok := v.(htmler); ok {
		if s := h.HTML(); s != "" {
			b[protocol.MIMETextHTML] = s
		}
	}
	return b
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
	case pnger, htmler, fmt.Stringer:
		return true
	}
	return false
}

// draw asks the renderers, then the value itself.
func draw(v any) (png []byte, ok bool, err error) {
	renderersMu.RLock()
	rs := renderers[:len(renderers):len(renderers)]
	renderersMu.RUnlock()
	for _, r := range rs {
		if png, ok, err = r(v); ok || err != nil {
			return png, ok, err
		}
	}
	if p, is := v.(pnger); is {
		png, err = p.PNG()
		return png, true, err
	}
	return nil, false, nil
}

func failure(msg string) bundle {
	return bundle{protocol.MIMETextPlain: "error: " + msg}
}

// plain is the text form of v.
func plain(v any) string {
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
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

func escape(s string) string { return label.HTML(s) }
