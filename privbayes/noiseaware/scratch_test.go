package noiseaware

import (
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/plots"
)

func TestScratch(t *testing.T) {
	p := theClinic(t)
	g, err := p.Edges(t.Context())
	must(t, err)
	png, err := plots.PNG(g)
	must(t, err)
	os.WriteFile("/tmp/ask/edges.png", png, 0o644)
}
