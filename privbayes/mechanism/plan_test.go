package mechanism_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A plan's settings are found by name, and a mechanism of a later version is named when its plan is read.
func TestSettingsAndUnknownMechanisms(t *testing.T) {
	p, err := counts.Geometric().Plan(t.Context(), shape(t, model.Categorical("c0"), 10, 1, 3), dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Settings()) == 0 {
		t.Error("no settings")
	}
	for _, s := range p.Settings() {
		if s.Value == "" || p.Setting(s.Name) != s.Value {
			t.Errorf("setting %+v, by name %q", s, p.Setting(s.Name))
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var unknown *cert.UnknownError
	if _, err := mechanism.ParsePlan(t.Context(),
		bytes.Replace(text, []byte(`"geometric"`), []byte(`"later"`), 1)); !errors.As(err, &unknown) ||
		unknown.Name != "later" {
		t.Error("a mechanism of a later version:", err)
	}
}
