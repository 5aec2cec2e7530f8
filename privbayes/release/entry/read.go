package entry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
)

// FileError is a record that cannot be read. Nothing of it is in the text but escaped and cut.
type FileError struct {
	Line int // 1-based; 0 where none is at fault
	Want string
	Err  error
}

func (e *FileError) Error() string {
	s := "entry"
	if e.Line > 0 {
		s += fmt.Sprintf(": line %d", e.Line)
	}
	s += ": want " + e.Want
	if e.Err != nil {
		s += ": " + safetext.Cause(e.Err, 500)
	}
	return s
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// MaxRecord is the length of the longest record that is read, in bytes.
const MaxRecord = 1 << 20

// maxDepth is how deep blocks may stand in each other.
const maxDepth = 20

// Read reads a record: JSON, or the YAML that [Entry.YAML] writes, with answers in place of questions. The values are
// map[string]any, []any, string and float64. It takes the part of YAML that every reader of YAML 1.1, YAML 1.2 and JSON
// takes in one way: blocks of names and lists, texts in double quotes with the escapes that JSON and YAML share, in
// single quotes, plain, or literal (|-), decimal numbers, and comments. Everything else is refused: other characters
// for the end of a line, tabs, control, bidirectional and invisible characters, a byte order mark, blanks at the end of
// a line, empty values, words and numbers that some readers take for truth values, dates or other numbers, anchors,
// aliases, tags, merge keys, directives, several documents, folded texts, flow collections in YAML, a name twice, and
// names that differ only in case or look alike. Errors: *FileError.
func Read(b []byte) (map[string]any, error) {
	if len(b) > MaxRecord {
		return nil, &FileError{Want: fmt.Sprintf("at most %d bytes", MaxRecord)}
	}
	p := &parser{lines: strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")}
	for ; p.at < len(p.lines); p.at++ {
		if err := safetext.CheckLine(p.lines[p.at]); err != nil {
			return nil, &FileError{p.at + 1, "visible text in lines that end in a line feed", err}
		}
	}
	p.at = 0
	v, err := p.document(b)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	if v, err = settled(v, names); err != nil {
		return nil, &FileError{Want: err.Error()}
	}
	if err := distinct(names); err != nil {
		return nil, err
	}
	record, ok := v.(map[string]any)
	if !ok {
		return nil, &FileError{Want: "a record, which is YAML or JSON with names"}
	}
	return record, nil
}

// document reads the whole text, numbers as json.Number.
func (p *parser) document(b []byte) (any, error) {
	if t := bytes.TrimLeft(b, " \r\n"); len(t) > 0 && t[0] == '{' {
		v, err := strictjson.Read(b, false)
		if err == nil && !json.Valid(b) {
			err = errors.New("something stands after it")
		}
		if err == nil && !shared(string(b)) {
			err = errEscapes
		}
		if err != nil {
			return nil, &FileError{Want: "a JSON object with every name once", Err: err}
		}
		return v, nil
	}
	for ; p.at < len(p.lines); p.at++ {
		if strings.HasSuffix(p.lines[p.at], " ") {
			return nil, p.want("no blanks at the end of a line")
		}
	}
	p.at = 0
	v, err := p.block(0, 0)
	if err == nil {
		if _, more := p.peek(); more {
			err = p.want("names at the same indentation")
		}
	}
	return v, err
}

// settled turns numbers into float64 and refuses what the two forms, read as they are, could hold besides. It notes the
// names.
func settled(v any, names map[string]bool) (_ any, err error) {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			if !bare.MatchString(name) || special(name) {
				return nil, errors.New("names of letters, digits and _, which is not " + safetext.Short(name))
			}
			names[name] = true
			if v[name], err = settled(item, names); err != nil {
				return nil, err
			}
		}
		return v, nil
	case []any:
		for i, item := range v {
			if v[i], err = settled(item, names); err != nil {
				return nil, err
			}
		}
		return v, nil
	case string:
		return v, nil
	case json.Number:
		if x, err := v.Float64(); err == nil && decimal.MatchString(v.String()) {
			return x, nil
		}
		return nil, errors.New("numbers such as 12, 0.5 and 1.0e-07, which is not " + safetext.Short(v.String()))
	}
	return nil, errors.New("texts, numbers, lists and names, and no other value")
}

// distinct refuses names that are easily taken for each other, or for one that a release is held against.
func distinct(names map[string]bool) error {
	for _, k := range matched {
		for name := range strings.SplitSeq(k.path[1:], "/") {
			names[name] = true
		}
	}
	all := slices.Sorted(maps.Keys(names))
	small := make([]string, len(all))
	for i, name := range all {
		small[i] = strings.ToLower(name)
	}
	for _, p := range append(safetext.Alike(all), safetext.Alike(small)...) { // the second for both differences at once
		return &FileError{Want: fmt.Sprintf("names that nobody takes for each other; %s and %s %s", all[p.First],
			all[p.Second], p.Likeness)}
	}
	return nil
}

// parser reads lines.
type parser struct {
	lines []string
	at    int
}

func (p *parser) want(what string) error { return &FileError{Line: p.at + 1, Want: what} }

// peek is the indentation of the next line that is not empty or a comment.
func (p *parser) peek() (indent int, more bool) {
	for ; p.at < len(p.lines); p.at++ {
		text := strings.TrimLeft(p.lines[p.at], " ")
		if text != "" && text[0] != '#' {
			return len(p.lines[p.at]) - len(text), true
		}
	}
	return 0, false
}

var name = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*):(?: +(.*))?$`)

// block reads the names, or the items of a list, at one indentation, at least so deep.
func (p *parser) block(least, depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.want("fewer blocks in each other")
	}
	indent, more := p.peek()
	if !more || indent < least {
		return nil, p.want("a value: a number, a text in quotes, or names or a list indented deeper")
	}
	if text := p.lines[p.at][indent:]; text == "-" || strings.HasPrefix(text, "- ") {
		return p.list(indent, depth)
	}
	out := map[string]any{}
	for {
		at, more := p.peek()
		if !more || at < indent {
			return out, nil
		}
		m := name.FindStringSubmatch(p.lines[p.at][indent:])
		if at > indent || m == nil {
			return nil, p.want("a name with a colon, at the indentation of its block")
		}
		if _, twice := out[m[1]]; twice {
			return nil, p.want("every name once in its block")
		}
		v, err := p.value(m[2], indent, depth)
		if err != nil {
			return nil, err
		}
		out[m[1]] = v
	}
}

// list reads items that begin with a dash.
func (p *parser) list(indent, depth int) (any, error) {
	var out []any
	for {
		at, more := p.peek()
		if !more || at < indent {
			return out, nil
		}
		text := p.lines[p.at][at:]
		if at > indent || text != "-" && !strings.HasPrefix(text, "- ") {
			return nil, p.want("items of a list, each after a dash")
		}
		rest := strings.TrimLeft(strings.TrimPrefix(text, "-"), " ")
		var v any
		var err error
		if name.MatchString(rest) { // a block that begins behind the dash
			p.lines[p.at] = strings.Repeat(" ", at+len(text)-len(rest)) + rest
			v, err = p.block(at+1, depth+1)
		} else {
			v, err = p.value(rest, indent, depth)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

// value reads what stands behind a name or a dash, from this line on.
func (p *parser) value(text string, indent, depth int) (any, error) {
	switch {
	case text == "" || text[0] == '#':
		p.at++
		return p.block(indent+1, depth+1)
	case text == "|-":
		p.at++
		return p.text(indent)
	}
	v, err := scalar(text)
	if err != nil {
		return nil, p.want(err.Error())
	}
	p.at++
	return v, nil
}

// text reads a literal block: the lines that are indented deeper.
func (p *parser) text(indent int) (any, error) {
	var lines []string
	inner, last := 0, 0 // the indentation of the first line, and how many lines end in the last that is not empty
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		at := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case line == "" && lines != nil:
			lines = append(lines, "")
			continue
		case at <= indent || line == "":
			if lines == nil {
				return nil, p.want("a text after |-, without an empty line before it")
			}
			return strings.Join(lines[:last], "\n"), nil
		case lines == nil:
			inner = at
		case at < inner:
			return nil, p.want("the lines of a text at the indentation of its first")
		}
		lines = append(lines, line[inner:])
		last = len(lines)
	}
	if lines == nil {
		return nil, p.want("a text after |-")
	}
	return strings.Join(lines[:last], "\n"), nil
}

// Question begins the text of a field that people answer.
const Question = "QUESTION: "

// field is a named value of a record: a string, a number, a list, or fields of its own.
type field struct {
	name  string
	tier  int // the least tier that has it; 0: every one
	value any // string, float64, int, []any or record
}

// record is fields in their order.
type record []field

// upTo leaves out the fields of higher tiers, and what is then empty.
func (r record) upTo(tier int) record {
	var out record
	for _, f := range r {
		if f.tier > tier || f.value == nil {
			continue
		}
		if sub, ok := f.value.(record); ok {
			if sub = sub.upTo(tier); len(sub) == 0 {
				continue
			}
			f.value = sub
		}
		out = append(out, f)
	}
	return out
}

// visit calls f with the path and value of every field that has none of its own.
func (r record) visit(path string, f func(path string, value any)) {
	for _, k := range r {
		visitValue(path+"/"+k.name, k.value, f)
	}
}

func visitValue(path string, value any, f func(path string, value any)) {
	switch v := value.(type) {
	case record:
		v.visit(path, f)
	case []any:
		for _, item := range v {
			visitValue(path, item, f)
		}
	default:
		f(path, v)
	}
}

// plain is a record as encoding/json writes it.
func plain(value any) any {
	switch v := value.(type) {
	case record:
		m := map[string]any{}
		for _, f := range v {
			m[f.name] = plain(f.value)
		}
		return m
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = plain(item)
		}
		return out
	case string:
		return json.RawMessage(quoted(v))
	}
	return json.Number(number(value))
}

// leaves are the texts and numbers of a document that was read, by path; an item of a list stands at the list's path
// with [] behind it.
func leaves(value any) map[string][]any {
	out := map[string][]any{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, item := range v {
				walk(path+"/"+name, item)
			}
		case []any:
			for _, item := range v {
				walk(path+"[]", item)
			}
		default:
			out[path] = append(out[path], v)
		}
	}
	walk("", value)
	return out
}

// words is a text without its line breaks, to compare texts that were wrapped or indented anew.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }
