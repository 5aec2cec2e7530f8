package nbtool

import (
	"bytes"
	"testing"
)

// FuzzParse reads any bytes as a notebook: an error, or a notebook that is written, read and written again to the same
// bytes, equals itself, and is checked, normalised and shown without a panic.
func FuzzParse(f *testing.F) {
	n, err := FromMarkdown("# A\n\ntext\n```go\nx\n```\n<!-- cell -->\nb")
	if err != nil {
		f.Fatal(err)
	}
	b, err := n.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":["a\n","b"],"outputs":[` +
		`{"output_type":"stream","name":"stderr","text":"x"},{"output_type":"error","ename":"E"}]}]}`))
	f.Add([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","metadata":{"tags":["allow-stderr",3]},"outputs":[` +
		`{"output_type":"display_data","data":{"text/html":["<h1>","b"],"image/png":"iVBO"}}]}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Parse(b)
		if err != nil {
			return
		}
		first, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		second, err := again.Bytes()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
		if d := n.Diff(again); len(d) > 0 {
			t.Fatalf("a notebook differs from itself: %v", d)
		}
		n.Normalize("/work")
		_, _, _ = n.Problems(), n.Headlines(), n.FirstCode()
		_ = n.DiffSources(again)
		n.KeepOutputs(again)
	})
}
