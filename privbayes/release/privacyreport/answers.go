package privacyreport

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
)

// Answers are what only people know, by the keys of [Questions]. An answer that is missing, empty or begins with
// "TO ANSWER" is open.
type Answers map[string]string

// Question is one of the questions to people.
type Question struct{ Key, Label, Text string }

// The keys that the page asks for by name.
const (
	keyRunBy, keyPurpose, keyPublished = "run_by", "purpose", "published"
	keyLooked, keyOther                = "data_looked_at", "other_releases"
)

// toAnswer begins an open answer.
const toAnswer = "TO ANSWER"

// maxAnswer is the most bytes of an answer, and MaxAnswers of a file of them.
const (
	maxAnswer  = 4000
	MaxAnswers = 1 << 17
)

var questions = []Question{
	{"controller", "Controller", "Which organisation is responsible for the data?"},
	{"contact", "Contact", "Who answers questions about this page?"},
	{keyRunBy, "Program run by", "Who ran the program, by role?"},
	{"audience", "Published for", "Who receives the publication?"},
	{keyPublished, "Published on", "When is it published, as YYYY-MM-DD?"},
	{keyPurpose, "Purpose", "What is the publication for, in one sentence?"},
	{"legal_basis", "Legal basis", "On which article of which law does it rest?"},
	{"collected", "Data collected", "What do the data describe, and when and how were they collected?"},
	{keyOther, "Other releases", "What else was released from these data, with which guarantee?"},
	{"preparation", "Cleaning before", "What was done to the table before the program read it?"},
	{"choices", "How choices were made", "Where do bounds, categories, model and privacy parameters come from?"},
	{keyLooked, "Were the data looked at to choose them", "Answer no or yes. With yes the guarantee is void."},
	{"security", "Data collection and access", "Which security policy covers the raw table and the computer?"},
	{"access", "Access to the raw table", "Who can see the raw table?"},
	{"retention", "Retention", "How long is the raw table kept, and how is it deleted?"},
}

// Questions lists the questions to people, in the order of the page.
func Questions() []Question { return slices.Clone(questions) }

// Template is a file of answers to fill in: every key with its question.
func Template() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	write := func(text string) {
		_ = e.Encode(text)              // a text always marshals
		b.Truncate(b.Len() - len("\n")) // that ends a value
	}
	for i, q := range questions {
		b.WriteString([]string{"{\n ", ",\n "}[min(i, 1)])
		write(q.Key)
		b.WriteString(": ")
		write(toAnswer + ": " + q.Text)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// ParseAnswers reads a file of answers: one JSON object of texts. A key that is no question, a key twice, a value that
// is no text, and a text that is too long or cannot be shown are refused: *dp.ParameterError, or the errors of reading
// JSON.
func ParseAnswers(b []byte) (Answers, error) {
	if len(b) > MaxAnswers {
		return nil, domain.Refuse("privacyreport", "answers", number(float64(len(b)))+" bytes", "at most 128 KiB")
	}
	value, err := strictjson.Read(b, true)
	if err != nil {
		return nil, domain.Refuse("privacyreport", "answers", err.Error(), "one JSON object of texts")
	}
	object, ok := value.(map[string]any)
	if !ok || !json.Valid(b) { // something stands after the object
		return nil, domain.Refuse("privacyreport", "answers", "another JSON value", "one JSON object of texts")
	}
	out := Answers{}
	for key, v := range object {
		text, ok := v.(string)
		if !ok {
			return nil, domain.Refuse("privacyreport", "answer "+safetext.Word(key), "no text", "a text between quotes")
		}
		out[key] = text
	}
	return out, out.valid()
}

// valid refuses the first answer, by its key, that the page cannot show.
func (a Answers) valid() error {
	keys := make([]string, 0, len(a))
	for key := range a {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	names := make([]string, len(questions))
	for i, q := range questions {
		names[i] = q.Key
	}
	for _, key := range keys {
		if !slices.Contains(names, key) {
			return domain.Refuse("privacyreport", "answer "+safetext.Word(key), "unknown", safetext.OneOf(key, names))
		}
		text, _ := a.to(key)
		switch {
		case len(text) > maxAnswer:
			return domain.Refuse("privacyreport", "answer "+key, number(float64(len(text)))+" bytes", "at most 4 000")
		case safetext.CheckProse(text) != nil:
			return domain.Refuse("privacyreport", "answer "+key, safetext.Short(text),
				"text without control, bidirectional or invisible characters")
		case key == keyLooked && text != "" && text != "no" && text != "yes":
			return domain.Refuse("privacyreport", "answer "+key, safetext.Short(text), "no or yes")
		}
	}
	return nil
}

// to is the answer to a question; ok is false where it is open.
func (a Answers) to(key string) (text string, ok bool) {
	text = strings.TrimSpace(a[key])
	if strings.HasPrefix(text, toAnswer) {
		text = ""
	}
	return text, text != ""
}

// ask puts questions, with their answers, below a section.
func (d *draft) ask(s Section, keys ...string) Section {
	for _, key := range keys {
		q := questions[slices.IndexFunc(questions, func(q Question) bool { return q.Key == key })]
		text, ok := d.answered.to(key)
		if !ok {
			text = toAnswer + ": " + q.Text
		}
		s.Answers = append(s.Answers, Answer{key, q.Label, text, !ok})
	}
	return s
}
