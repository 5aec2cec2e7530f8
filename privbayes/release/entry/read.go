package entry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/privbayes/privbayes-go/internal/document"
	"github.com/privbayes/privbayes-go/internal/label"
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
		s += ": " + label.Cause(e.Err, 500)
	}
	return s
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// maxRecord is the length of the longest record that is read, in bytes.
const maxRecord = 1 << 20

// read reads a record: JSON, or the YAML that [Entry.YAML] writes, with answers in place of questions. It is a part of
// YAML: blocks of names and lists, texts in quotes, plain or literal (|), numbers, and comments. Everything else, such
// as anchors, tags, folded texts and flow collections, is refused, so that no two readers can read it differently.
func read(b []byte) (any, error) {
	if len(b) > maxRecord {
		return nil, &FileError{Want: fmt.Sprintf("at most %d bytes", maxRecord)}
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if t := bytes.TrimSpace(b); len(t) > 0 && t[0] == '{' {
		v, err := document.Read(b, false)
		if err == nil && !json.Valid(b) {
			err = errors.New("something stands after it")
		}
		if err != nil {
			return nil, &FileError{Want: "a JSON object with every name once", Err: err}
		}
		return v, nil
	}
	p := &parser{}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n") {
		p.lines = append(p.lines, line)
	}
	v, err := p.block(0, 0)
	if err == nil {
		if _, more := p.peek(); more {
			err = p.want("names at the same indentation")
		}
	}
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, &FileError{Want: "a record, which is YAML or JSON with names"}
	}
	return v, nil
}

// parser reads lines.
type parser struct {
	lines []string
	at    int
}

// maxDepth is how deep blocks may stand in each other.
const maxDepth = 20

func (p *parser) want(what string) error { return &FileError{Line: p.at + 1, Want: what} }

// peek is the indentation of the next line that is not empty or a comment.
func (p *parser) peek() (indent int, more bool) {
	for ; p.at < len(p.lines); p.at++ {
		text := strings.TrimLeft(p.lines[p.at], " ")
		if text != "" && text[0] != '#' && strings.TrimSpace(text) != "" {
			return len(p.lines[p.at]) - len(text), true
		}
	}
	return 0, false
}

var name = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*):(?: +(.*))?$`)

// block reads the names, or the items of a list, at one indentation, at least so deep; nil if there are none.
func (p *parser) block(least, depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.want("fewer blocks in each other")
	}
	indent, more := p.peek()
	if !more || indent < least {
		return nil, nil
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
		m := name.FindStringSubmatch(strings.TrimRight(p.lines[p.at], " "))
		if at == indent {
			m = name.FindStringSubmatch(strings.TrimRight(p.lines[p.at][indent:], " "))
		}
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
		text := strings.TrimRight(p.lines[p.at][at:], " ")
		if at > indent || text != "-" && !strings.HasPrefix(text, "- ") {
			return nil, p.want("items of a list, each after a dash")
		}
		rest := strings.TrimLeft(strings.TrimPrefix(text, "-"), " ")
		if name.MatchString(rest) { // a block that begins behind the dash
			p.lines[p.at] = strings.Repeat(" ", at+len(text)-len(rest)) + rest
			v, err := p.block(at+1, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
			continue
		}
		v, err := p.value(rest, indent, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

// value reads what stands behind a name or a dash, from this line on.
func (p *parser) value(text string, indent, depth int) (any, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "" || text[0] == '#':
		p.at++
		return p.block(indent+1, depth+1)
	case text == "|" || text == "|-" || text == "|+":
		p.at++
		return p.text(indent), nil
	}
	v, err := scalar(text)
	if err != nil {
		return nil, p.want(err.Error())
	}
	p.at++
	return v, nil
}

// text reads a literal block: the lines that are indented deeper.
func (p *parser) text(indent int) string {
	var lines []string
	inner := -1
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		at := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) == "" {
			lines = append(lines, "")
			continue
		}
		if at <= indent {
			break
		}
		if inner < 0 {
			inner = at
		}
		lines = append(lines, line[min(at, inner):])
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

var (
	digits  = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	comment = regexp.MustCompile(`^\s*(#.*)?$`)
	special = "&*!|>%@`{}[],?:-\"'#"
)

// scalar reads a text in quotes, a number, or a plain text.
func scalar(text string) (any, error) {
	switch text[0] {
	case '"':
		d := json.NewDecoder(strings.NewReader(text))
		var s string
		if err := d.Decode(&s); err != nil || !comment.MatchString(text[d.InputOffset():]) {
			return nil, errors.New("a text in double quotes, on one line, with the escapes of JSON")
		}
		return s, nil
	case '\'':
		end := 1
		for ; end < len(text); end++ {
			if text[end] != '\'' {
				continue
			}
			if end+1 < len(text) && text[end+1] == '\'' {
				end++
				continue
			}
			break
		}
		if end >= len(text) || !comment.MatchString(text[end+1:]) {
			return nil, errors.New("a text in single quotes, on one line")
		}
		return strings.ReplaceAll(text[1:end], "''", "'"), nil
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	if digits.MatchString(text) {
		return json.Number(strings.TrimPrefix(text, "+")), nil
	}
	if strings.ContainsRune(special, rune(text[0])) || strings.Contains(text, ": ") || strings.HasSuffix(text, ":") {
		return nil, errors.New("a text in quotes, as this one begins like something else")
	}
	return text, nil
}
