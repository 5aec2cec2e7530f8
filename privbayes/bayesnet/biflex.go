package bayesnet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// maxToken is the longest word of a BIF file, in bytes.
const maxToken = 1 << 16

// bifToken is a word, a quoted word, or one of the marks ( ) { } [ ] | , ; which stands for itself. The end of the file
// is "" unquoted.
type bifToken struct {
	text   string
	quoted bool
	line   int
}

func (t bifToken) is(text string) bool { return !t.quoted && t.text == text }

func (t bifToken) end() bool { return t.is("") }

// word tells whether the token can be a name or a number.
func (t bifToken) word() bool { return t.quoted || t.text != "" && !isMark(t.text[0]) }

// show is the token for an error message.
func (t bifToken) show() string {
	if t.end() {
		return "the end of the file"
	}
	return safetext.Short(t.text)
}

func isMark(c byte) bool { return strings.IndexByte("(){}[]|,;", c) >= 0 }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// bifLexer cuts the file into tokens; comments are // to the end of the line and /* to */, also right behind a word.
// Quoted words escape " and \ with \.
type bifLexer struct {
	r    *bufio.Reader
	line int
	peek *bifToken
}

func newBIFLexer(r io.Reader) *bifLexer { return &bifLexer{r: bufio.NewReaderSize(r, 1<<16), line: 1} }

func (l *bifLexer) fail(value, want string) error {
	return &Error{Field: "file", Value: value, Want: want, Line: l.line}
}

// byte reads one byte; ok is false at the end of the file.
func (l *bifLexer) byte() (c byte, ok bool, err error) {
	c, err = l.r.ReadByte()
	if err == io.EOF {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("bayesnet: line %d: %w", l.line, err)
	}
	if c == '\n' {
		l.line++
	}
	return c, true, nil
}

// back unreads the last byte.
func (l *bifLexer) back(c byte) {
	l.r.UnreadByte() // the byte was just read, so this cannot fail
	if c == '\n' {
		l.line--
	}
}

// comment skips a comment whose first slash was read, if it is one.
func (l *bifLexer) comment() (was bool, err error) {
	next, _ := l.r.Peek(1)
	if len(next) == 0 || next[0] != '/' && next[0] != '*' {
		return false, nil
	}
	start, long := l.line, next[0] == '*'
	l.byte()
	for before := byte(0); ; {
		c, ok, err := l.byte()
		switch {
		case err != nil:
			return true, err
		case !ok && long:
			return true, &Error{Field: "file", Value: "a comment that does not end", Want: "*/", Line: start}
		case !ok || !long && (c == '\n' || c == '\r') || long && before == '*' && c == '/':
			return true, nil
		}
		before = c
	}
}

// next is the next token.
func (l *bifLexer) next() (bifToken, error) {
	if t := l.peek; t != nil {
		l.peek = nil
		return *t, nil
	}
	for {
		c, ok, err := l.byte()
		switch {
		case err != nil:
			return bifToken{}, err
		case !ok:
			return bifToken{line: l.line}, nil
		case isSpace(c):
			continue
		case isMark(c):
			return bifToken{text: string(c), line: l.line}, nil
		case c == '"':
			return l.quoted()
		case c == '/':
			was, err := l.comment()
			if err != nil {
				return bifToken{}, err
			}
			if was {
				continue
			}
		}
		return l.word(c)
	}
}

func (l *bifLexer) word(first byte) (bifToken, error) {
	line, b := l.line, []byte{first}
	for {
		c, ok, err := l.byte()
		if err != nil {
			return bifToken{}, err
		}
		if ok && c == '/' {
			was, err := l.comment()
			if err != nil {
				return bifToken{}, err
			}
			ok = !was
		} else if ok && (isSpace(c) || isMark(c) || c == '"') {
			l.back(c)
			ok = false
		}
		if !ok {
			return l.check(bifToken{text: string(b), line: line})
		}
		if b = append(b, c); len(b) > maxToken {
			return bifToken{}, l.fail("a word that is too long", fmt.Sprintf("at most %d bytes", maxToken))
		}
	}
}

func (l *bifLexer) quoted() (bifToken, error) {
	start, escaped := l.line, false
	var b []byte
	for {
		c, ok, err := l.byte()
		switch {
		case err != nil:
			return bifToken{}, err
		case !ok || len(b) > maxToken:
			return bifToken{}, &Error{Field: "file", Value: `a " without its end`,
				Want: fmt.Sprintf(`a closing " within %d bytes`, maxToken), Line: start}
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && c == '"':
			return l.check(bifToken{text: string(b), quoted: true, line: start})
		}
		b, escaped = append(b, c), false
	}
}

func (l *bifLexer) check(t bifToken) (bifToken, error) {
	if !utf8.ValidString(t.text) {
		return t, &Error{Field: "file", Value: safetext.Short(t.text), Want: "valid UTF-8", Line: t.line}
	}
	return t, nil
}
