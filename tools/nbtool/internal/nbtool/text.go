package nbtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Text is a Jupyter multi-line string: written as a JSON list of lines, read
// from a list or from one string.
type Text string

// MarshalJSON writes a list of lines, so that version control shows changes by line.
func (t Text) MarshalJSON() ([]byte, error) {
	lines := strings.SplitAfter(string(t), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		lines = []string{}
	}
	return marshal(lines)
}

// UnmarshalJSON reads a list of lines or one string.
func (t *Text) UnmarshalJSON(b []byte) error {
	var l []string
	if json.Unmarshal(b, &l) == nil {
		*t = Text(strings.Join(l, ""))
		return nil
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text(s)
		return nil
	}
	return errors.New("neither a string nor a list of strings")
}

// Bundle holds one output in several forms, by MIME type; images are in base64.
type Bundle map[string]Text

// MarshalJSON writes text forms as lists of lines and all others as one string,
// which is how Jupyter saves them: a notebook saved from the browser differs
// from ours in its outputs only.
func (d Bundle) MarshalJSON() ([]byte, error) {
	out := make(map[string]any, len(d))
	for mime, t := range d {
		if strings.HasPrefix(mime, "text/") || mime == "image/svg+xml" {
			out[mime] = t
		} else {
			out[mime] = string(t)
		}
	}
	return marshal(out)
}

// marshal is json.Marshal without the escaping of <, > and &: notebooks are
// full of HTML and are read by people in diffs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
