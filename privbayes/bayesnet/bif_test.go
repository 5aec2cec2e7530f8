package bayesnet_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

const twoNodes = `network unknown {
}
variable smoke { type discrete [2] { yes, no }; }
variable lung { type discrete [2] { yes, no }; }
`

// Every file loads, agrees with the graph in its JSON twin, and survives writing and reading to the bit.
func TestReadBIFFiles(t *testing.T) {
	files := networkFiles(t)
	if len(files) < 13 {
		t.Errorf("%d files, want 13", len(files))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bif")
		t.Run(name, func(t *testing.T) {
			net := load(t, name)
			text, err := os.ReadFile(strings.TrimSuffix(file, "bif") + "json")
			if err != nil {
				t.Skip(err)
			}
			var twin struct {
				Parameters int
				Nodes      []string
				States     map[string][]string
				Edges      [][2]string
			}
			if err := json.Unmarshal(text, &twin); err != nil || twin.Parameters != net.Parameters() ||
				len(twin.Nodes) != net.DAG().Len() {
				t.Fatalf("%d parameters of %d nodes, want %d of %d (%v)", net.Parameters(), net.DAG().Len(),
					twin.Parameters, len(twin.Nodes), err)
			}
			for i, name := range twin.Nodes {
				n := net.DAG().Node(i)
				var parents []string
				for _, e := range twin.Edges {
					if e[1] == name {
						parents = append(parents, e[0])
					}
				}
				slices.Sort(parents)
				slices.Sort(n.Parents)
				if n.Name != name || !slices.Equal(n.States, twin.States[name]) || !slices.Equal(n.Parents, parents) {
					t.Errorf("node %d: %v, want %s with parents %v", i, n, name, parents)
				}
			}
			sameAfterBIF(t, net.DAG(), net)
		})
	}
}

// sameAfterBIF writes and reads a graph with or without tables.
func sameAfterBIF(t testing.TB, dag *bayesnet.DAG, net *bayesnet.Net) {
	t.Helper()
	var b bytes.Buffer
	err := dag.WriteBIF(&b)
	if net != nil {
		b.Reset()
		err = net.WriteBIF(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, netAgain, err := bayesnet.ReadBIF(&b)
	if err != nil {
		t.Fatalf("written network: %v", err)
	}
	before, _ := dag.MarshalJSON()
	after, _ := again.MarshalJSON()
	if !bytes.Equal(before, after) || (net == nil) != (netAgain == nil) {
		t.Fatalf("%s became %s", before, after)
	}
	for i := range dag.Len() {
		if net != nil && !slices.Equal(net.Table(i), netAgain.Table(i)) {
			t.Fatalf("table %d: %v became %v", i, net.Table(i), netAgain.Table(i))
		}
	}
}

func TestPublishedNetworksAgreeWithTheFiles(t *testing.T) {
	asia, file := bayesnet.Asia(), load(t, "asia")
	a, _ := asia.DAG().MarshalJSON()
	b, _ := file.DAG().MarshalJSON()
	if !bytes.Equal(a, b) {
		t.Errorf("%s, want %s", a, b)
	}
	for i := range asia.DAG().Len() {
		if !slices.Equal(asia.Table(i), file.Table(i)) {
			t.Errorf("table %d: %v, want %v", i, asia.Table(i), file.Table(i))
		}
	}
	a, _ = bayesnet.Sachs().MarshalJSON()
	b, _ = load(t, "sachs").DAG().MarshalJSON()
	if !bytes.Equal(a, b) {
		t.Errorf("%s, want %s", a, b)
	}
}

func TestReadBIFForms(t *testing.T) {
	want := []float64{0.1, 0.9, 0.01, 0.99}
	for name, text := range map[string]string{
		"rows":        twoNodes + `probability (smoke) { table 0.5, 0.5; } probability (lung | smoke) { (no) 0.01, 0.99; (yes) 0.1, 0.9; }`,
		"default":     twoNodes + `probability (smoke) { default 0.5 0.5; } probability (lung | smoke) { default 0.01, 0.99; (yes) 0.1, 0.9; }`,
		"table":       twoNodes + `probability (smoke) { table .5 .5; } probability (lung smoke) { table 0.1 0.01 0.9 0.99; }`,
		"commas":      twoNodes + `probability (smoke) { () 5e-1, 0.5; } probability ("lung", "smoke") { ("yes") 0.1 0.9; ( no ) 0.01 0.99; }`,
		"comments":    "// one\n/* two\n * three */" + twoNodes + `probability(smoke)// four` + "\n" + `{table 0.5/* five */,0.5;}probability(lung|smoke){(yes)0.1,0.9;(no)0.01,0.99;}//`,
		"properties":  `network { property a "b;{" ; property x = 1, (2) ; }` + twoNodes[19:] + `probability (smoke) { property p; table 0.5, 0.5; } probability (lung | smoke) { (yes) 0.1, 0.9; (no) 0.01, 0.99; property q r ; }`,
		"early block": `probability (lung | smoke) { (yes) 0.1, 0.9; (no) 0.01, 0.99; } probability (smoke) { table 0.5, 0.5; }` + twoNodes,
	} {
		t.Run(name, func(t *testing.T) {
			dag, net := must.Get2(bayesnet.ReadBIF(iotest.OneByteReader(strings.NewReader(text))))(t)
			if !slices.Equal(net.Table(1), want) || !slices.Equal(net.Table(0), []float64{0.5, 0.5}) ||
				net.DAG() != dag ||
				dag.Node(0).Name != "smoke" {
				t.Error(net.Table(0), net.Table(1))
			}
		})
	}
	dag, net, err := bayesnet.ReadBIF(strings.NewReader(twoNodes + "probability (lung | smoke) { }"))
	if err != nil || net != nil || !slices.Equal(dag.Parents(1), []int{0}) {
		t.Error("structure only:", dag, net, err)
	}
}

func TestReadBIFRefuses(t *testing.T) {
	roots := twoNodes + "probability (smoke) { table 0.5, 0.5; }\n" // the next line is line 6
	for _, c := range []struct {
		name, text, node string
		line             int
		part             string
	}{
		{"empty", "", "", 1, "no variable"},
		{"stray word", "network x { }\nhello", "", 2, `"hello"; want a network`},
		{"end in network", "network x {\n", "", 2, "the end of the file"},
		{"end in property", twoNodes + "variable z { property a", "z", 5, "the end of the file"},
		{"end in comment", "network x {\n/* open\n\n", "", 2, "comment that does not end"},
		{"end in quotes", "\n\nvariable \"a", "", 3, "without its end"},
		{"bad UTF-8", "\nvariable \xff", "", 2, "UTF-8"},
		{"mark for name", "variable {", "", 1, "a name"},
		{"no type", "variable x {\n}", "x", 2, "no type"},
		{"not discrete", "variable x {\n type continuous [2] { a, b }; }", "x", 2, `"continuous"`},
		{"state count", "variable x {\n type discrete [3] { a, b }; }", "x", 2, "2 states; want 3"},
		{"count not a number", "variable x { type discrete [two] { a, b }; }", "x", 1, `"two"`},
		{"two types", "variable x { type discrete [1] { a };\n type discrete [1] { a }; }", "x", 2, `"type"`},
		{"state twice", "\nvariable x { type discrete [2] { a, a }; }", "x", 2, `"a" twice`},
		{"two commas", "variable x { type discrete [2] { a,, b }; }", "x", 1, `","`},
		{"declared twice", twoNodes + "variable lung { type discrete [1] { a }; }", "lung", 5, "first in line 4"},
		{"unknown node", twoNodes + "probability (lung | tar) { }", "lung", 5, `"tar"`},
		{"parent twice", twoNodes + "probability (lung | smoke, smoke) { }", "lung", 5, `"smoke" twice`},
		{"own parent", twoNodes + "probability (lung | lung) { }", "lung", 5, `"lung" twice`},
		{"block twice", roots + "probability (smoke) { }", "smoke", 6, "first in line 5"},
		{"no name", twoNodes + "probability ( ) { }", "", 5, "no name"},
		{"cycle", twoNodes + "probability (smoke | lung) { }\nprobability (lung | smoke) { }", "smoke", 5, "cycle"},
		{"no block", roots, "lung", 4, "no probability block"},
		{"no rows", roots + "probability (lung | smoke) { }", "lung", 6, "no row (smoke=yes)"},
		{"missing row", roots + "probability (lung | smoke) {\n (yes) 0.1, 0.9; }", "lung", 6, "no row (smoke=no)"},
		{"row twice", roots + "probability (lung | smoke) { (yes) 0.1, 0.9;\n (yes) 0.1, 0.9; }", "lung", 7, "row (smoke=yes) again, first in line 6"},
		{"default twice", roots + "probability (lung | smoke) { default 0.1, 0.9;\n default 0.1, 0.9; }", "lung", 7, "second default"},
		{"row and table", roots + "probability (lung) { () 0.1, 0.9;\n table 0.1, 0.9; }", "lung", 7, "besides line 6"},
		{"table and row", roots + "probability (lung) { table 0.1, 0.9;\n () 0.1, 0.9; }", "lung", 7, "again"},
		{"unknown state", roots + "probability (lung | smoke) {\n (often) 0.1, 0.9; }", "lung", 7, `"often" of parent "smoke"`},
		{"too many states", roots + "probability (lung | smoke) {\n (yes, no) 0.1, 0.9; }", "lung", 7, "2 parent states; want 1"},
		{"too few numbers", roots + "probability (lung | smoke) {\n (yes) 0.1; }", "lung", 7, "1 numbers; want 2"},
		{"table too short", roots + "probability (lung | smoke) {\n table 0.1, 0.9; }", "lung", 7, "2 numbers; want 4"},
		{"not a number", roots + "probability (lung) {\n table 0.1,\n x; }", "lung", 8, `"x"; want a probability`},
		{"negative", roots + "probability (lung) { table -0.1, 1.1; }", "lung", 6, `"-0.1"`},
		{"infinity", roots + "probability (lung) { table Inf, 1; }", "lung", 6, `"Inf"`},
		{"above 1", roots + "probability (lung) { table 2, 0; }", "lung", 6, `"2"`},
		{"sum", roots + "probability (lung | smoke) { (yes) 0.1, 0.9;\n (no) 0.1, 0.91; }", "lung", 7, "sum 1.01 in row (smoke=no)"},
		{"default sum", roots + "probability (lung | smoke) { (yes) 0.1, 0.9;\n default 0.1, 0.91; }", "lung", 7, "sum 1.01 in row (smoke=no)"},
		{"word too long", "variable " + strings.Repeat("x", 1<<17), "", 1, "too long"},
		{"bar twice", roots + "probability (lung | | smoke) { }", "", 6, `"|"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := bayesnet.ReadBIF(strings.NewReader(c.text))
			wantError(t, err, c.node, c.line, c.part)
		})
	}
	broken := errors.New("broken")
	if _, _, err := bayesnet.ReadBIF(io.MultiReader(strings.NewReader(twoNodes), iotest.ErrReader(broken))); !errors.Is(
		err,
		broken,
	) {
		t.Errorf("%v, want the error of the reader", err)
	}
}

// Thirty binary parents and one default row ask for 2^31 numbers; the refusal must come before the memory.
func TestReadBIFLimits(t *testing.T) {
	var b strings.Builder
	var names []string
	for i := range 31 {
		names = append(names, fmt.Sprint("v", i))
		b.WriteString("variable " + names[i] + " { type discrete [2] { a, b }; }\n")
	}
	for _, n := range names[1:] {
		b.WriteString("probability (" + n + ") { default 0.5, 0.5; }\n")
	}
	text := b.String() + "probability (v0 | " + strings.Join(names[1:], ", ") + ") { default 0.5, 0.5; }"
	_, _, err := bayesnet.ReadBIF(strings.NewReader(text))
	wantError(t, err, "v0", 62, fmt.Sprint("2147483648 numbers; want at most ", bayesnet.MaxBIFEntries))
	many := strings.Repeat("variable x { type discrete [1] { a }; }\n", bayesnet.MaxBIFNodes+1)
	_, _, err = bayesnet.ReadBIF(strings.NewReader(many))
	wantError(t, err, "x", bayesnet.MaxBIFNodes+1, "at most 10000")
}

func TestWriteBIFQuotes(t *testing.T) {
	dag := must.Get(bayesnet.NewDAG([]bayesnet.Node{
		{
			Name:   "a b",
			States: []string{",", "x,y", `say "no"`, `back\slash`, "http://x", "/*", "two words", "table", "(", "é"},
		},
		{Name: "|", States: []string{"<5", "5-12", "Asy/Patch", "/"}, Parents: []string{"a b"}},
	}))(t)
	sameAfterBIF(t, dag, nil)
	uniform := func(n, r int) []float64 { return slices.Repeat([]float64{1 / float64(r)}, n) }
	net := must.Get(bayesnet.NewNet(dag, [][]float64{uniform(10, 10), uniform(40, 4)}))(t)
	sameAfterBIF(t, dag, net)
}

// A small packed file of a text without end is refused at its limit.
func TestPackedTextsAreBounded(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	blank := bytes.Repeat([]byte("\n"), 1<<20)
	for range 33 {
		must.Get(z.Write(blank))(t)
	}
	must.Do(t, z.Close())
	var no *bayesnet.Error
	if _, _, err := bayesnet.ReadBIF(&b); !errors.As(err, &no) || !strings.Contains(no.Value, "32 MiB") {
		t.Errorf("a text of 33 MiB in %d bytes: %v", b.Len(), err)
	}
}

var updateCases = flag.Bool("update-cases", false, "rewrite the outputs of testdata/cases")

// Files of networks as people have them: each is read, or named with what to do. The graph alone is read of every file
// whose network is.
func TestNetworkFileCases(t *testing.T) {
	filecases.Walk(t, "testdata/cases/*.txt", *updateCases, func(t *testing.T, c filecases.Case) []filecases.Output {
		show := func(d *bayesnet.DAG, err error) string {
			if err != nil {
				return err.Error() + "\n"
			}
			text := ""
			for i := range d.Len() {
				n := d.Node(i)
				text += fmt.Sprintf("%s %q of %q\n", n.Name, n.States, n.Parents)
			}
			return text
		}
		d, net, err := bayesnet.ReadBIF(bytes.NewReader(c.File))
		g, graphErr := bayesnet.ReadBIFGraph(iotest.OneByteReader(bytes.NewReader(c.File)))
		out := []filecases.Output{{Key: "graph", Text: show(g, graphErr)}}
		if err == nil && show(d, err) != show(g, graphErr) {
			t.Errorf("the network's graph: %s", show(d, err))
		}
		switch {
		case err != nil && fmt.Sprint(graphErr) != err.Error():
			out = append(out, filecases.Output{Key: "network", Text: err.Error() + "\n"})
		case err == nil && net == nil:
			out = append(out, filecases.Output{Key: "network", Text: "none\n"})
		case err == nil:
			text := fmt.Sprintf("%d rows rounded\n", net.Rounded())
			for i := range d.Len() {
				text += fmt.Sprintf("%.4g\n", net.Table(i))
			}
			out = append(out, filecases.Output{Key: "network", Text: text})
		}
		return out
	})
}
