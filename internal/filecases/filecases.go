// Package filecases reads tables of cases in text: the bytes of a file, the schema, and what is read of it or which
// error. A new case is a few lines and no Go. For tests only.
//
//	# A comment.
//	schema
//	| {"dataset": "d", "columns": [{"name": "x", "kind": "integer", "edges": [0, 9]}]}
//
//	case lines that end in CR alone
//	| x\r1\r2\r\
//	read
//	| 1
//	| 2
//
// Lines that begin with a bar are the text of the keyword above them; every one ends with LF, unless a backslash stands
// at its end. Escapes are \r \n \t \\ \xNN \uNNNN. A schema holds for the cases that follow it. A line "as" in a case,
// or words behind "schema", say how the text becomes bytes, one step after the other: bom, utf-16le, utf-16be,
// utf-32le, latin-1, gzip, or "file NAME" for the bytes of a file next to the table. Other keywords are outputs, which
// the test fills in when it is told to update.
package filecases

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Case is one case of a table.
type Case struct {
	Name   string
	File   []byte
	Schema []byte // the bytes of the schema file that holds, nil if there is none
	Text   string // the case before it became bytes
	Want   []Output

	from, to int // lines of Want in the table
}

// Output is what a case gives: a keyword such as "read" or "error", and its text.
type Output struct{ Key, Text string }

// Walk reads all tables of a folder and runs each case as a test; got is compared with what the table says. With update
// the tables are written anew.
func Walk(t *testing.T, pattern string, update bool, run func(t *testing.T, c Case) []Output) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no table of cases is called %s (%v)", pattern, err)
	}
	for _, path := range paths {
		walk(t, path, update, run)
	}
}

// Load is all cases of the tables whose names match a pattern.
func Load(t testing.TB, pattern string) (all []Case) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no table of cases is called %s (%v)", pattern, err)
	}
	for _, path := range paths {
		cases, _ := must.Get2(parse(path))(t)
		all = append(all, cases...)
	}
	return all
}

func walk(t *testing.T, path string, update bool, run func(t *testing.T, c Case) []Output) {
	cases, lines := must.Get2(parse(path))(t)
	out, at := []string{}, 0
	for _, c := range cases {
		var got []Output
		t.Run(c.Name, func(t *testing.T) { got = run(t, c) })
		if g, w := show(got), show(c.Want); g != w && !update {
			t.Errorf("%s: %s:\ngot\n%swant\n%s", path, c.Name, g, w)
		}
		out = append(append(out, lines[at:c.from]...), strings.SplitAfter(strings.TrimSuffix(show(got), "\n"), "\n")...)
		out[len(out)-1] += "\n"
		at = c.to
	}
	if update {
		out = append(out, lines[at:]...)
		must.Do(t, os.WriteFile(path, []byte(strings.Join(out, "")), 0o644))
	}
}

// show writes outputs as the table has them.
func show(out []Output) string {
	var b strings.Builder
	for _, o := range out {
		b.WriteString(o.Key + "\n")
		for line := range strings.Lines(o.Text) {
			b.WriteString(strings.TrimRight("| "+escape(strings.TrimSuffix(line, "\n")), " ") + "\n")
		}
	}
	return b.String()
}

// escape writes what an editor would hide.
func escape(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, `\`, `\\`) {
		if r < ' ' || r >= 0x7f && r < 0xa1 || r >= 0x300 && r < 0x370 || r >= 0x2000 && r < 0x2010 || r == 0xfeff ||
			r == 0x202f {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// parse reads a table; lines are its lines with their ends.
func parse(path string) (cases []Case, lines []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	lines = strings.SplitAfter(string(text), "\n")
	var schema []byte
	fail := func(i int, what string) ([]Case, []string, error) {
		return nil, nil, fmt.Errorf("%s line %d: %s", path, i+1, what)
	}
	for i := 0; i < len(lines); {
		line := strings.TrimRight(lines[i], "\n")
		word, rest, _ := strings.Cut(line, " ")
		if line == "" || line[0] == '#' {
			i++
			continue
		}
		from := i
		var raw string
		if raw, i, err = content(lines, i+1); err != nil {
			return fail(from, err.Error())
		}
		switch word {
		case "schema":
			if schema, err = encode(filepath.Dir(path), []byte(raw), rest); err != nil {
				return fail(from, err.Error())
			}
			if raw == "" && rest == "" {
				schema = nil
			}
		case "case":
			c := Case{Name: rest, Text: raw, Schema: schema, File: []byte(raw)}
			if i < len(lines) && strings.HasPrefix(lines[i], "as ") {
				how := strings.TrimSpace(strings.TrimPrefix(lines[i], "as "))
				if c.File, err = encode(filepath.Dir(path), c.File, how); err != nil {
					return fail(i, err.Error())
				}
				i++
			}
			c.from = i
			for i < len(lines) && strings.TrimSpace(lines[i]) != "" && lines[i][0] != '#' {
				key := strings.TrimRight(lines[i], "\n")
				if raw, i, err = content(lines, i+1); err != nil {
					return fail(i, err.Error())
				}
				c.Want = append(c.Want, Output{key, raw})
			}
			c.to = i
			cases = append(cases, c)
		default:
			return fail(from, "want schema, case or a comment")
		}
	}
	return cases, lines, nil
}

// content is the text of the lines that begin with a bar, and the line behind them.
func content(lines []string, i int) (string, int, error) {
	var b strings.Builder
	for ; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		line := strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(lines[i], "\n"), "|"), " ")
		text, joined, err := unescape(line)
		if err != nil {
			return "", i, err
		}
		if b.WriteString(text); !joined {
			b.WriteByte('\n')
		}
	}
	return b.String(), i, nil
}

// unescape undoes escapes; joined says that a backslash stands at the end.
func unescape(s string) (text string, joined bool, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return b.String(), true, nil
		}
		digits := 0
		switch s[i] {
		case 'r':
			b.WriteByte('\r')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case '\\':
			b.WriteByte('\\')
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		default:
			return "", false, fmt.Errorf("no escape \\%c", s[i])
		}
		if digits > 0 {
			n, err := strconv.ParseUint(s[i+1:min(i+1+digits, len(s))], 16, 32)
			if err != nil {
				return "", false, err
			}
			if digits == 2 {
				b.WriteByte(byte(n))
			} else {
				b.WriteRune(rune(n))
			}
			i += digits
		}
	}
	return b.String(), false, nil
}

// encode makes the bytes of a file.
func encode(dir string, text []byte, how string) ([]byte, error) {
	steps := strings.Fields(how)
	for k := 0; k < len(steps); k++ {
		switch step := steps[k]; step {
		case "bom":
			text = append([]byte("\ufeff"), text...)
		case "utf-16le", "utf-16be", "utf-32le":
			var out []byte
			for _, r := range string(text) {
				switch {
				case step == "utf-32le":
					out = binary.LittleEndian.AppendUint32(out, uint32(r))
				default:
					for _, u := range utf16.AppendRune(nil, r) {
						if step == "utf-16le" {
							out = binary.LittleEndian.AppendUint16(out, u)
						} else {
							out = binary.BigEndian.AppendUint16(out, u)
						}
					}
				}
			}
			text = out
		case "latin-1":
			var out []byte
			for _, r := range string(text) {
				out = append(out, byte(r))
			}
			text = out
		case "gzip":
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			_, _ = w.Write(text)
			_ = w.Close()
			text = z.Bytes()
		case "file":
			if k++; k == len(steps) {
				return nil, fmt.Errorf("file without a name")
			}
			b, err := os.ReadFile(filepath.Join(dir, steps[k]))
			if err != nil {
				return nil, err
			}
			text = b
		default:
			return nil, fmt.Errorf("no way %q to write bytes", step)
		}
	}
	return text, nil
}
