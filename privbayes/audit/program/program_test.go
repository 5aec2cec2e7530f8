package program_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/audit/program"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A law that was stated line by line is audited as one in Go is: the same numbers, bit by bit.
func TestStatedLawsAreAuditedExactly(t *testing.T) {
	p := must.Get(start(t, "good", time.Minute))(t)
	if p.Outputs() != 2 || !p.Draws() {
		t.Errorf("%d outputs, draws: %v", p.Outputs(), p.Draws())
	}
	law := must.Get(p.Law(t.Context(), space))(t)
	for claim, holds := range map[float64]bool{1: true, 0.99: false} {
		subject := audit.Subject{Name: "response", Mechanism: law, Space: space, Claim: dp.PureDP(claim).Parameters}
		v, err := audit.Run(t.Context(), subject)
		if err != nil || v.Holds() != holds {
			t.Errorf("claim %v: %v, %v", claim, v, err)
			continue
		}
		subject.Mechanism = response(1)
		own, err := audit.Run(t.Context(), subject)
		if err != nil || own.Exact.Epsilon != v.Exact.Epsilon {
			t.Errorf("ε = %v over the protocol, %v in Go, %v", v.Exact.Epsilon, own.Exact.Epsilon, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A program that states a law and draws from another is denied, an honest one is not.
func TestDrawsAreHeldAgainstTheLaw(t *testing.T) {
	for as, honest := range map[string]bool{"good": true, "liar": false} {
		p := must.Get(start(t, as, time.Minute))(t)
		law := must.Get(p.Law(t.Context(), space))(t)
		s := audit.Sampled{Name: as, Sampler: p, Space: space, Claim: dp.PureDP(1).Parameters, Draws: 5000}
		a, err := audit.Agree(t.Context(), law, s)
		if err != nil || a.Agrees() != honest {
			t.Errorf("%v, %v", a, err)
		}
		e, err := audit.Sample(t.Context(), s)
		if err != nil || e.Refuted() == honest {
			t.Errorf("%v, %v", e, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A law that does not add up is named by the audit.
func TestStatedLawsMustAddUp(t *testing.T) {
	p := must.Get(start(t, "no law", time.Minute))(t)
	law := must.Get(p.Law(t.Context(), space))(t)
	var bad *audit.LawError
	if _, err := audit.Run(t.Context(), audit.Subject{Name: "no law", Mechanism: law, Space: space,
		Claim: dp.PureDP(1).Parameters}); !errors.As(err, &bad) || math.Abs(bad.Value.(float64)-2/math.E) > 1e-12 {
		t.Error(err)
	}
}

// Serve answers what it offers, ends with its input, and refuses what is no request.
func TestServe(t *testing.T) {
	s := program.Speaker{Law: response(1), Draw: func(x []int) (string, error) { return "0", nil }}
	var out bytes.Buffer
	must.Do(t, program.Serve(strings.NewReader("law 1 3\ndraw 2 1 3\n"), &out, s))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || lines[0] != "privbayes-audit 1 law 2 draw" || lines[2] != "0" || lines[3] != "0" ||
		len(strings.Fields(lines[1])) != 2 {
		t.Errorf("%q", lines)
	}
	var pe *dp.ParameterError
	for _, bad := range []string{"hello", "law", "law -1", "draw 0 1", "draw 1", "law 1.5", "law 99999999999999999999"} {
		if err := program.Serve(strings.NewReader(bad+"\n"), &out, s); !errors.As(err, &pe) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range []string{"law 1", "draw 1 1"} {
		half := s
		if half.Law = nil; strings.HasPrefix(bad, "draw") {
			half = program.Speaker{Law: s.Law}
		}
		if err := program.Serve(strings.NewReader(bad), &out, half); !errors.As(err, &pe) {
			t.Errorf("%q is answered: %v", bad, err)
		}
	}
	broken := errors.New("no noise left")
	s.Draw = func([]int) (string, error) { return "", broken }
	if err := program.Serve(strings.NewReader("draw 1 1"), &out, s); !errors.Is(err, broken) {
		t.Error(err)
	}
}
