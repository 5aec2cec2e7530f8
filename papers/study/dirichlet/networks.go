package dirichlet

import (
	"embed"
	"encoding/json"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

//go:embed networks
var structures embed.FS

// NetworkNames lists the data sets with a network, those of the paper's Figure 5.
func NetworkNames() []string { return []string{"adult", "bank", "german"} }

// Families is a network of the paper's Figure 5: every node with its parents, named as the columns of the data set.
// *dp.ParameterError if the data set has none.
func Families(name string) ([]model.Family, error) {
	if !slices.Contains(NetworkNames(), name) {
		return nil, domain.Refuse("dirichlet", "network", name, "adult, bank or german")
	}
	b, err := structures.ReadFile("networks/" + name + ".json")
	if err != nil {
		return nil, err
	}
	var f []model.Family
	return f, json.Unmarshal(b, &f)
}

// networkModel measures the table of every family, as the paper does: ε/K for each of the K nodes.
func networkModel(name string) (model.Model, error) {
	f, err := Families(name)
	if err != nil {
		return nil, err
	}
	return model.Network(f[len(f)-1].Node, f...).WithEveryFamily(), nil
}

// Figure5 is the table of the networks: one row a node.
func Figure5() (*table.Table, error) {
	t := table.New("Figure 5: the Bayesian networks", "data set", "node", "parents")
	for _, name := range NetworkNames() {
		families, err := Families(name)
		if err != nil {
			return nil, err
		}
		for _, f := range families {
			parents := ""
			for i, p := range f.Parents {
				if i > 0 {
					parents += ", "
				}
				parents += p
			}
			t.Add(name, f.Node, parents)
		}
	}
	return t.Note("The nodes and edges of the paper's experiment, parts of the networks of Le Quy et al. (2022). K = " +
		"7, 10 and 14 tables."), nil
}
