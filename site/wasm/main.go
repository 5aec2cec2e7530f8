//go:build js && wasm

// Command wasm is package answers in a browser's worker. It gives the worker a function
//
//	privbayesAsk(id, question, file)
//
// which answers by calls of privbayesTell(id, text) with JSON: {"kind": "progress" …} and {"kind": "row" …} on the way,
// {"kind": "done", "answer": …} or {"kind": "error", "text": …, "field": …} at the end.
// With the build tag "verifier" it verifies, and answers nothing else.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/privbayes/privbayes-go/site/answers"
)

type done struct {
	Kind   string `json:"kind"`
	Answer any    `json:"answer"`
}

type failed struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Field string `json:"field,omitempty"`
}

func main() {
	tell := js.Global().Get("privbayesTell")
	js.Global().Set("privbayesAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		id, question := args[0], args[1].String()
		var file []byte
		if len(args) > 2 && args[2].Truthy() {
			file = make([]byte, args[2].Length())
			js.CopyBytesToGo(file, args[2])
		}
		go answer(func(v any) {
			b, err := json.Marshal(v)
			if err != nil {
				b = []byte(`{"kind":"error","text":"the answer has no JSON form"}`)
			}
			tell.Invoke(id, string(b))
		}, []byte(question), file)
		return nil
	}))
	js.Global().Get("privbayesReady").Invoke()
	select {}
}

// answer tells all there is to say to one question. A mistake of ours must not leave the page waiting.
func answer(tell func(any), question, file []byte) {
	defer func() {
		if p := recover(); p != nil {
			tell(failed{Kind: "error", Text: fmt.Sprintf("a mistake of this page, please report it: %v", p)})
		}
	}()
	v, err := reply(context.Background(), question, file, tell)
	if err != nil {
		f := failed{Kind: "error", Text: err.Error()}
		var m *answers.Mistake
		if errors.As(err, &m) {
			f.Field = m.Field
		}
		tell(f)
		return
	}
	tell(done{"done", v})
}
