package bayesnet_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

func ExampleNet_Answer() {
	a, err := bayesnet.Asia().Answer("lung", "yes", nil, map[string]string{"xray": "yes", "dysp": "yes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	// Output:
	// P(lung = yes), answered by the network
	// given                   probability
	// ----------------------  -----------
	// nothing                       0.055
	// dysp = yes, xray = yes       0.6213
}

// Answer is GivenState for every piece of evidence, and says which one could not be asked.
func TestAnswer(t *testing.T) {
	n := bayesnet.Asia()
	evidence := []map[string]string{{"dysp": "yes", "xray": "yes"}, {}, {"smoke": "no"}}
	a, err := n.Answer("lung", "no", evidence...)
	if err != nil {
		t.Fatal(err)
	}
	if a.Target != "lung" || a.State != "no" {
		t.Error(a.Target, a.State)
	}
	for i, e := range evidence {
		if want, err := n.GivenState("lung", "no", e); err != nil || a.Values[i] != want {
			t.Errorf("%v: %g, want %g, %v", e, a.Values[i], want, err)
		}
	}
	if a.Given[0] != "dysp = yes, xray = yes" || a.Given[1] != "nothing" {
		t.Errorf("%q", a.Given)
	}
	if err := a.Figure().Validate(); err != nil {
		t.Error(err)
	}
	var e *bayesnet.Error
	if _, err := n.Answer("lung", "no", nil, map[string]string{"Smoke": "no"}); !errors.As(err, &e) {
		t.Error(err)
	}
}
