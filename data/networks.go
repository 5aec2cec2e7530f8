package data

import (
	"bytes"
	"embed"
	"io"
)

//go:embed networks
var networks embed.FS

// NetworkNames lists the embedded Bayesian networks.
func NetworkNames() []string { return []string{"asia", "sachs"} }

// Network opens an embedded Bayesian network in the interchange format that bayesnet.ReadBIF reads: "asia", the chest
// clinic of Lauritzen and Spiegelhalter (1988) with its published tables, or "sachs", the structure of the
// protein-signalling network of Sachs et al. (2005). Both files are written here from the publications. *NameError if
// there is none of that name.
func Network(name string) (io.Reader, error) {
	b, err := networks.ReadFile("networks/" + name + ".bif")
	if err != nil {
		return nil, &NameError{name, NetworkNames()}
	}
	return &Table{bytes.NewReader(b), name + ".bif"}, nil
}
