// Package answers is what the site's pages "plan" and "verify" ask: a question in JSON, answers in JSON, some of them
// while the work goes on. Package wasm beside it runs it in a browser's worker; tests run it here. It reads no file,
// keeps nothing between two questions and sends nothing anywhere.
//
// Place: beside the command line, which answers the same questions from a shell; nothing of the library imports it.
package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/document"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// Memory is what one answer may hold, in bytes: a browser's worker has little, and files come from strangers.
const Memory = 256 << 20

// asked is what every question has.
type asked struct {
	Op string `json:"op"`
}

// Answer is the final answer to a question, ready for JSON. Ops: "verify" reads file and gives a [Verdict]; "describe",
// "point", "compare", "solve" and "copy" read a [Question], and give a [Description], a [Point], a [Comparison], a
// [Solution] and [Copies]. emit gets what is known earlier: [Progress], and the rows of a comparison. An error is a
// sentence for the person who asked.
func Answer(ctx context.Context, question, file []byte, emit func(any)) (any, error) {
	var head asked
	if err := document.Shallow(question); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	if err := json.Unmarshal(question, &head); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	ctx = cert.WithMemoryLimit(ctx, Memory)
	ctx = cert.WithProgress(ctx, func(done, total int64) {
		emit(Progress{Kind: "progress", Share: float64(done) / math.Max(1, float64(total))})
	})
	if head.Op == "verify" {
		return Verify(ctx, file), nil
	}
	var q Question
	d := json.NewDecoder(bytes.NewReader(question))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	switch head.Op {
	case "describe":
		return q.Describe(ctx)
	case "point":
		return q.Point(ctx)
	case "compare":
		return q.Compare(ctx, emit)
	case "solve":
		return q.Solve(ctx, emit)
	case "copy":
		return q.Copy(ctx)
	}
	return nil, fmt.Errorf("question: op %q; want verify, describe, point, compare, solve or copy", head.Op)
}

// Progress says how far the work is, as a share of 1.
type Progress struct {
	Kind  string  `json:"kind"` // "progress"
	Share float64 `json:"share"`
	Text  string  `json:"text,omitempty"`
}

// number is x, or nil where JSON has no number for it.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
