package maxent

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"pgregory.net/rapid"
)

func nodes(levels []int) []bayesnet.Node {
	var out []bayesnet.Node
	for v, l := range levels {
		n := bayesnet.Node{Name: "v" + strconv.Itoa(v)}
		for s := range l {
			n.States = append(n.States, "s"+strconv.Itoa(s))
		}
		out = append(out, n)
	}
	return out
}

// The network has the distribution of the model, record by record.
func TestNetIsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m := p.model(t)
		if len(p.vars) > 0 && rapid.Bool().Draw(t, "zeros") {
			forbidSome(t, m, p.vars[0], rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "which"), 3)))
		}
		var none *ImpossibleError
		if _, err := m.Fit(context.Background(), 50); errors.As(err, &none) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		net, err := m.Net(nodes(p.levels))
		if err != nil {
			t.Fatal(err)
		}
		joint, _ := brute(m)
		codes := make([]int, len(p.levels))
		for i, want := range joint {
			for v, rest := len(codes)-1, i; v >= 0; v-- {
				codes[v], rest = rest%p.levels[v], rest/p.levels[v]
			}
			logp, err := net.LogProb(codes)
			if err != nil {
				t.Fatal(err)
			}
			if got := math.Exp(logp); math.Abs(got-want) > 1e-12 {
				t.Fatalf("P%v = %v; want %v", codes, got, want)
			}
		}
	})
}

func TestNetRefuses(t *testing.T) {
	m := mustNew(t, 10, 2)
	if _, err := m.Net(nodes(m.levels)); !errors.Is(err, ErrNotFitted) {
		t.Errorf("%v; want ErrNotFitted", err)
	}
	fit(t, m, 1)
	var refused *domain.Error
	for name, err := range map[string]error{
		"nodes":  errOf(m.Net(nil)),
		"states": errOf(m.Net(nodes([]int{3}))),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v; want a domain.Error", name, err)
		}
	}
}
