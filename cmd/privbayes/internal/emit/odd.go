package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/prove"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// odd writes odd(N), the elimination order and the witness of every network with its variables taken as binary: the
// embedded ones, two larger ones, and random ones.
func odd(root string) ([]file, error) {
	var out []file
	for _, name := range data.NetworkNames() {
		r, err := data.Network(name)
		if err != nil {
			return nil, err
		}
		f, err := networkFile(name, r)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	for _, name := range []string{"child", "alarm"} {
		b, err := os.ReadFile(filepath.Join(root, "data/testdata/networks", name+".bif"))
		if err != nil {
			return nil, err
		}
		f, err := networkFile(name, bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	var random strings.Builder
	src := rand.New(rand.NewPCG(21, 7))
	for i := range 20 {
		theorem, err := oddTheorem(fmt.Sprintf("random%d", i), randomNetwork(src, 4+i/2))
		if err != nil {
			return nil, err
		}
		random.WriteString(theorem)
	}
	return append(out, oddFile("random", random.String())), nil
}

func networkFile(name string, r io.Reader) (file, error) {
	dag, _, err := bayesnet.ReadBIF(r)
	if err != nil {
		return file{}, err
	}
	theorem, err := oddTheorem(name, families(dag))
	return oddFile(name, theorem), err
}

func oddFile(name, theorems string) file {
	return file{"Odd" + strings.ToUpper(name[:1]) + name[1:] + ".v", written +
		`The families of a network of binary variables
   and what Spectrum.OddSensitivity says of their parities: one record changes at most so many of them, and a
   difference of records, the witness, attains it. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import Elimination Families.
Import ListNotations.
` + theorems}
}

// families are a node and its parents, in increasing order.
func families(dag *bayesnet.DAG) [][]int {
	out := make([][]int, dag.Len())
	for v := range out {
		out[v] = dag.Family(v)
		slices.Sort(out[v])
	}
	return out
}

// randomNetwork gives every variable up to three parents among those before it.
func randomNetwork(src *rand.Rand, variables int) [][]int {
	out := make([][]int, variables)
	for v := range out {
		out[v] = append(src.Perm(v)[:min(v, src.IntN(4))], v)
		slices.Sort(out[v])
	}
	return out
}

func oddTheorem(name string, families [][]int) (string, error) {
	o, exact, err := prove.NewOdd(families, len(families))
	if err != nil || !exact {
		return "", fmt.Errorf("%s: exact = %t: %w", name, exact, err)
	}
	return fmt.Sprintf("\n%[2]sTheorem %[1]s_checked : odd_ok %[3]s = true.\nProof. vm_compute. reflexivity. Qed.\n"+
		"Definition %[1]s_odd := odd_sound _ _ _ _ _ %[1]s_checked.\n", name, o.Definitions(name+"_"),
		o.Arguments(name+"_")), nil
}
