package entry

import (
	"encoding/json"
	"strings"
)

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
