package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// MostBytes is the longest file that is read here; the command line reads longer ones.
const MostBytes = 32 << 20

// The outcomes of a verification.
const (
	Verified   = "verified"    // every check holds
	NotPrivate = "not private" // every check of the plan holds, and the draw has no guarantee: it was seeded
	Failed     = "failed"      // a release whose claim does not hold, or that says what does not follow
	Unreadable = "unreadable"  // no release, or a broken one
	TooLarge   = "too large"   // it may be good; it takes more than there is here
)

// Verdict is what there is to say of a file that claims to be a release.
type Verdict struct {
	Outcome  string    `json:"outcome"`
	Headline string    `json:"headline"` // one sentence
	Title    string    `json:"title,omitempty"`
	Checks   []Checked `json:"checks,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	Reason   string    `json:"reason,omitempty"` // what is wrong, in the words of the library
	Advice   string    `json:"advice,omitempty"` // what to do
}

// Checked is one line of a certificate with its verdict.
type Checked struct {
	Statement string      `json:"statement"`
	Status    cert.Status `json:"status"`
	Stated    string      `json:"stated"`
	Derived   string      `json:"derived"`
	Bound     string      `json:"bound"`
	Sentence  string      `json:"sentence"`
	Anchor    string      `json:"anchor"` // in docs/reference/certificates.md
	Theorem   string      `json:"theorem,omitempty"`
	Program   string      `json:"program,omitempty"` // the theorem about what is programmed
	Reason    string      `json:"reason,omitempty"`
}

// limits is what verification shows of every good file.
const limits = "Verification shows that this plan has this guarantee. It cannot show that the numbers were drawn by it."

// Verify derives the certificate of a release, a publication or running totals again and says in sentences what was
// found.
func Verify(ctx context.Context, file []byte) *Verdict {
	if len(file) > MostBytes {
		return tooLarge(fmt.Sprintf("The file has %s bytes; this page reads up to %s.",
			table.Number(float64(len(file))), table.Number(MostBytes)))
	}
	derive := publication.VerifyBytes
	if totals.IsFile(file) {
		derive = totals.Verify
	}
	v, err := derive(ctx, file)
	if err != nil {
		return unverified(file, err)
	}
	out := &Verdict{Outcome: Verified, Title: v.Title, Notes: slices.Clone(v.Notes)}
	held := 0
	for _, r := range v.Results {
		c := explained(r.Check, r.Derived)
		c.Status, c.Reason = r.Status, r.Reason
		switch r.Status {
		case cert.Failed:
			c.Anchor = "verification"
			c.Sentence = "This does not hold: " + r.Reason + "."
		case cert.NotRederived:
			c.Anchor = "limits"
			c.Sentence = "Not derived here: " + r.Reason + ". A proof stands in its source; the command line has a " +
				"higher limit."
		case cert.Evidence:
			c.Sentence = "Simulated again, and it agrees; that is evidence and no proof."
		default:
			held++
		}
		out.Checks = append(out.Checks, c)
	}
	for _, w := range v.Warnings() {
		out.Warnings = append(out.Warnings, w.Text)
	}
	switch {
	case !v.OK():
		out.Outcome = Failed
		out.Headline = sentence(v.Verdict())
	case held == len(v.Results):
		out.Headline = fmt.Sprintf("Verified: all %d checks were derived again and hold.", held)
		if held == 1 {
			out.Headline = "Verified: its one check was derived again and holds."
		}
	case v.Unchecked() == 0:
		out.Headline = fmt.Sprintf("Verified: %d of %d checks were derived again, and none fails.", held, len(v.Results))
	default:
		out.Headline = sentence(v.Verdict())
	}
	if v.OK() {
		out.Notes = append(out.Notes, limits)
	}
	if v.Draw != "" {
		out.Warnings = append(out.Warnings, "the plan has its guarantee, the numbers in this file have none ("+v.Draw+
			"): publish nothing of it about real people.")
	}
	if out.Outcome == Verified && v.Draw != "" {
		out.Outcome = NotPrivate
		out.Headline = fmt.Sprintf("This %s is %s. Of its plan, %d of %d checks were derived again, and none fails.",
			kind(file), v.Draw, held, len(v.Results))
	}
	return out
}

// kind is what a file is of.
func kind(file []byte) string {
	switch {
	case publication.IsFile(file):
		return "publication"
	case totals.IsFile(file):
		return "sequence of totals"
	}
	return "release"
}

// sentence is a verdict of the library without its capitals.
func sentence(verdict string) string {
	for _, word := range []string{"NOT VERIFIED", "VERIFIED IN PART"} {
		if rest, ok := strings.CutPrefix(verdict, word); ok {
			return word[:1] + strings.ToLower(word[1:]) + rest + "."
		}
	}
	return verdict
}

// unverified says why a file cannot be verified.
func unverified(file []byte, err error) *Verdict {
	var unmet *mechanism.UnmetTarget
	var limit *cert.LimitError
	var wrong *release.FileError
	errors.As(err, &unmet)
	switch {
	case errors.As(err, &limit):
		return tooLarge(limit.Error())
	case kind(file) != "release" && errors.As(err, &wrong) && wrong.Field != "" && unmet == nil:
		return &Verdict{Outcome: Failed, Headline: "Not verified: what this " + kind(file) + " says does not follow from " +
			"its plans and its draws.", Reason: err.Error(), Advice: "The file was changed after it was written, or it was " +
			"made by something else."}
	case unmet != nil:
		return &Verdict{Outcome: Failed, Headline: "Not verified: the plan in this file does not have the guarantee " +
			"that it states.", Reason: err.Error(), Advice: "Its noise, its sensitivity or its target was changed " +
			"after it was planned, or it was made by something else."}
	}
	return &Verdict{Outcome: Unreadable, Headline: "This is no release that can be verified.", Reason: err.Error(),
		Advice: foreign(file)}
}

func tooLarge(reason string) *Verdict {
	return &Verdict{Outcome: TooLarge, Headline: "This file takes more than a page may.", Reason: reason,
		Advice: "Run the command line, which has room for it: privbayes verify FILE"}
}

// foreign says what a file looks like that is no release.
func foreign(file []byte) string {
	text := bytes.TrimSpace(file)
	switch {
	case len(text) == 0:
		return "The file is empty."
	case text[0] != '{':
		return "It is no JSON object. A release is the file that KeepIn(\"name.release.json\") or privbayes release " +
			"--out wrote."
	}
	var fields map[string]json.RawMessage
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var head struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(first, &head) == nil && strings.HasPrefix(head.Format, "privbayes-ledger-") {
		return "It is the ledger of a budget. The release that it charged is a file of its own."
	}
	if json.Valid(first) && len(bytes.TrimSpace(rest)) > 0 {
		return "It is a list of JSON values, a line each, and not one of them."
	}
	if strictjson.Shallow(text) != nil || json.Unmarshal(text, &fields) != nil {
		return "It begins like JSON and is none, as a file that was cut or edited: take the whole file, as it was written."
	}
	has := func(names ...string) bool {
		for _, n := range names {
			if _, ok := fields[n]; !ok {
				return false
			}
		}
		return true
	}
	switch {
	case has("nbformat", "cells"):
		return "It is a notebook. The release is a file of its own, beside it."
	case has("columns", "dataset"):
		return "It is a schema: the page that plans takes it."
	case has("plan", "certificate") && !has("draw"):
		return "It is a plan: it was never drawn, and the numbers of a release are missing."
	case has("format", "plan", "draw"):
		return "It looks like a release that was edited or written by another version of the library."
	case has("format", "plan", "measured"):
		return "It looks like running totals that were edited or written by another version of the library."
	case has("format", "target", "items"):
		return "It looks like a publication that was edited or written by another version of the library."
	}
	return "It is JSON of something else. A release is the file that KeepIn(\"name.release.json\") or privbayes " +
		"release --out wrote."
}

// explained is a check with what its method means, in a sentence.
func explained(k cert.Check, derived float64) Checked {
	value, bound := float64(k.Value), float64(k.Bound)
	if k.Kind == "" { // of the file as a whole, or in its own words: it has no figures
		value, derived, bound = math.NaN(), math.NaN(), math.NaN()
	}
	c := Checked{Statement: k.Plain(), Status: cert.Rederived, Stated: shown(value, derived, bound),
		Derived: shown(derived, value, bound), Bound: shown(bound, derived, value), Anchor: "the-checks"}
	how := "derived"
	switch k.Method {
	case cert.ClosedForm:
		how = "the exact value of a formula that is proved for everything in scope"
	case cert.Enumeration:
		how = "every case in scope was visited"
		if k.Work > 1 {
			how = fmt.Sprintf("every case in scope was visited, %s of them", table.Number(float64(k.Work)))
		}
	case cert.ProvedBound:
		how = "an inequality that is proved for everything in scope"
	case cert.Interval:
		how = "an enclosure, rounded outward"
	case cert.MonteCarlo:
		how = "a simulation: evidence and no proof"
	}
	c.Sentence = fmt.Sprintf("Derived here: %s; it must be at most %s (%s). Scope: %s.", c.Derived, c.Bound, how, k.Scope)
	if k.Theorem != nil {
		c.Theorem = k.Citation.String()
	}
	if k.Program != nil {
		c.Program = k.Program.String()
	}
	return c
}

// shown is a number for people, with the digits that tell it from others.
func shown(x float64, others ...float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return table.Apart(x, others...)
}
