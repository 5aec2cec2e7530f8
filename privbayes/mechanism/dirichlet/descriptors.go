package dirichlet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	mean := mechanism.Describe(New(), "Dirichlet", "dirichlet", "Dirichlet, gamma")
	mean.Title, mean.Choices = "Dirichlet mechanism, gamma draws", alone("posterior mean", New(), "Dirichlet()")
	raw := mechanism.Describe(New().Raw(), "Dirichlet", "dirichlet-raw", "Dirichlet, one draw")
	raw.Title, raw.Choices = "Dirichlet mechanism, one draw", alone("as drawn", New().Raw(), "Dirichlet().Raw()")
	raw.New = func(o mechanism.Options) mechanism.Mechanism {
		if o.Nominal {
			return New().Raw().WithCalibration(Algorithm1)
		}
		return New().Raw()
	}
	records := mechanism.Describe(SyntheticRecords(0), "SyntheticRecords", "records", "Synthetic records")
	records.Title, records.Choices = "Synthetic records (Pólya urn)", recordChoices
	records.New = func(o mechanism.Options) mechanism.Mechanism { return SyntheticRecords(o.Count) }
	return []mechanism.Descriptor{mean, raw, records}
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
