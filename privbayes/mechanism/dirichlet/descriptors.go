package dirichlet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{
		{Kind: Kind, Name: "Dirichlet", Flag: "dirichlet", Title: "Dirichlet mechanism, gamma draws",
			Short: "Dirichlet, gamma", Rebuild: rebuild,
			New:     func(mechanism.Options) mechanism.Mechanism { return New() },
			Choices: alone("posterior mean", New(), "Dirichlet()")},
		{Kind: Kind, Name: "Dirichlet", Flag: "dirichlet-raw", Title: "Dirichlet mechanism, one draw",
			Short: "Dirichlet, one draw", Rebuild: rebuild,
			New: func(o mechanism.Options) mechanism.Mechanism {
				if o.Nominal {
					return New().Raw().WithCalibration(Algorithm1)
				}
				return New().Raw()
			},
			Choices: alone("as drawn", New().Raw(), "Dirichlet().Raw()")},
		{Kind: RecordsKind, Name: "SyntheticRecords", Flag: "records", Title: "Synthetic records (Pólya urn)",
			Short:   "Synthetic records",
			Rebuild: rebuildRecords,
			New:     func(o mechanism.Options) mechanism.Mechanism { return SyntheticRecords(o.Count) },
			Choices: recordChoices},
	}
}

func alone(name string, m mechanism.Mechanism, expression string) func(*model.Shape) []mechanism.Choice {
	return func(*model.Shape) []mechanism.Choice {
		return []mechanism.Choice{{Name: name, Mechanism: m, Go: expression}}
	}
}

// recordChoices are sizes of a synthetic data set: under pure ε fewer records can be told apart less, under other
// notions more cost nothing.
func recordChoices(sh *model.Shape) (out []mechanism.Choice) {
	sizes := []struct {
		m    int
		name string
	}{{100, "100 records"}, {1000, "1000 records"}, {10_000, "10 000 records"}}
	n, _ := sh.N()
	for _, s := range sizes {
		if s.m <= 1000 || n > 1000 {
			out = append(out, mechanism.Choice{Name: s.name, Mechanism: SyntheticRecords(s.m),
				Go: fmt.Sprintf("SyntheticRecords(%d)", s.m)})
		}
	}
	return out
}
