package bayesnet_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

func TestParseJSONForms(t *testing.T) {
	want := `{"nodes":[{"name":"a","states":["x","y"]},{"name":"b","states":["z"],"parents":["c","a"]},{"name":"c","states":["x"]}]}`
	for _, text := range []string{
		want,
		`{"title": "t", "edges": [["c","b"],["a","b"]], "nodes": [{"name":"a","states":["x","y"]},{"name":"b","states":["z"]},{"name":"c","states":["x"]}]}`,
		`{"name": "n", "nodes": ["a","b","c"], "edges": [["c","b"],["a","b"]], "states": {"c":["x"],"a":["x","y"],"b":["z"]}, "licence": "none"}`,
	} {
		d, err := bayesnet.ParseJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, _ := d.MarshalJSON(); string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestParseJSONRefuses(t *testing.T) {
	a := `{"name":"a","states":["x"]}`
	for _, c := range []struct {
		text, node string
		line       int
		parts      []string
	}{
		{``, "", 1, []string{"file", "unexpected end"}},
		{"{\n\"nodes\": [\n}", "", 3, []string{"invalid character"}},
		{`[]`, "", 0, []string{"array", "an object with nodes"}},
		{`{}`, "", 0, []string{"nodes", "missing"}},
		{`{"nodes": 3}`, "", 0, []string{"nodes: number"}},
		{`{"nodes": []}`, "", 0, []string{"at least one"}},
		{`{"nodes": [` + a + `], "edge": []}`, "", 0, []string{"edge: an unknown field"}},
		{`{"nodes": [3]}`, "node 0 of the list", 0, []string{"number; want a name or an object"}},
		{`{"nodes": [` + a + `, null]}`, "node 1 of the list", 0, []string{"name: missing"}},
		{`{"nodes": [{"name": 3}]}`, "node 0 of the list", 0, []string{"name: number"}},
		{`{"nodes": [{"name": "a", "states": "x"}]}`, "a", 0, []string{"states: string; want a list"}},
		{`{"nodes": [{"name": "a", "states": ["x"], "parent": []}]}`, "a", 0, []string{"parent: an unknown field"}},
		{`{"nodes": [{"name": "a"}]}`, "a", 0, []string{"states: 0"}},
		{`{"nodes": [{"name": "a", "states": ["x"], "parents": ["b"]}]}`, "a", 0, []string{"parents", `"b"`}},
		{`{"nodes": [` + a + `], "states": {"a": ["x"]}}`, "a", 0, []string{"states: given twice"}},
		{`{"nodes": ["a"], "states": {"b": ["x"]}}`, "b", 0, []string{"states: unknown node"}},
		{`{"nodes": ["a"], "states": []}`, "", 0, []string{"states: array"}},
		{`{"nodes": [` + a + `], "edges": [["a"]]}`, "", 0, []string{"edges", "place 0"}},
		{`{"nodes": [` + a + `], "edges": [["b", "a"]]}`, "b", 0, []string{"edges: unknown node"}},
		{`{"nodes": [` + a + `], "edges": {}}`, "", 0, []string{"edges: object"}},
		{`{"nodes": [` + a + `], "edges": [["a", "a"]]}`, "a", 0, []string{"the node itself"}},
		{`{"nodes": [{"name":"a","states":["x"],"parents":[]}], "edges": []}`, "a", 0,
			[]string{"parents besides edges"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := bayesnet.ParseJSON([]byte(c.text))
			wantError(t, err, c.node, c.line, c.parts...)
		})
	}
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, err := drawDAG(t, 10).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		d, err := bayesnet.ParseJSON(before)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := d.MarshalJSON(); !bytes.Equal(before, after) {
			t.Fatalf("%s became %s", before, after)
		}
	})
}
