package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// networkShape is the shape of a network file, with its nodes as columns.
func (p planFlags) networkShape() (*model.Shape, error) {
	if err := p.flags.excludes("network", "data", "schema", "levels", "model"); err != nil {
		return nil, err
	}
	d, err := p.graph()
	if err != nil {
		return nil, err
	}
	if p.n < 0 && p.adjacency != "add-remove" {
		return nil, &usageError{"--n: want the public number of rows"}
	}
	m, err := p.spec(nil)
	if err != nil {
		return nil, err
	}
	return model.NewShape(model.SchemaOf(filepath.Base(p.network), d), m, p.n, p.n >= 0, "--n was not given")
}

// graph reads the network: an embedded one by its name, else a file.
func (p planFlags) graph() (*bayesnet.DAG, error) {
	r, err := data.Network(p.network)
	if err != nil {
		f, err := os.Open(p.network)
		if err != nil {
			return nil, fmt.Errorf("--network: %w; want a BIF file, or one of %s", err,
				strings.Join(data.NetworkNames(), ", "))
		}
		defer func() { _ = f.Close() }()
		r = f
	}
	d, err := bayesnet.ReadBIFGraph(r)
	if err != nil {
		return nil, fmt.Errorf("--network %s: %w", p.network, err)
	}
	return d, nil
}
