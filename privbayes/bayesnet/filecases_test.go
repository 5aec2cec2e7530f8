package bayesnet_test

import (
	"bytes"
	"flag"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

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
