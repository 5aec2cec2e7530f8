package nb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// values are what notebooks show, of every kind; all seeded.
func values(t *testing.T) map[string]any {
	t.Helper()
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	m := train.Model(privbayes.NaiveBayes("Class"))
	p := m.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	r := must.Get(p.Release())(t)
	path := filepath.Join(t.TempDir(), "r.json")
	must.Do(t, r.Save(path))
	report := must.Get(p.Evaluate(test))(t)
	budget, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "ledger"), train.Data().Schema(), privbayes.PureDP(100))
	if err != nil {
		t.Fatal(err)
	}
	train.WithBudget(budget).Model(privbayes.Binary("Class")).Privatize(privbayes.KNorm(), privbayes.PureDP(20),
		privbayes.Seeded(3))
	wages := privbayes.ReadFrame(data.CPS1988())
	rates := wages.Model(privbayes.LinearRegression("wage", "education", "experience"))
	reg := rates.Privatize(privbayes.SufficientStatistics().Continuous(), privbayes.ApproxDP(12, 1e-6), privbayes.Seeded(2))
	sample := must.Get(train.Model(privbayes.Binary("Class")).Privatize(privbayes.PosteriorSample(50), privbayes.PureDP(1),
		privbayes.Seeded(1)).Release())(t)
	diagnostic := must.Get(m.Compare(context.Background(), privbayes.CompareOptions{
		Mechanisms: []privbayes.Mechanism{privbayes.Geometric()}, Epsilons: []float64{1, 2}, Splits: 2, Repeats: 2}))(t)
	coin, err := train.Model(privbayes.Binary("Class")).Shape() // small: its advice does not depend on the clock
	if err != nil {
		t.Fatal(err)
	}
	advice := must.Get(privbayes.Advise(coin, privbayes.PureDP(1), privbayes.PureDP(20)))(t)
	loaded := must.Get(privbayes.LoadRelease(path))(t)
	out := map[string]any{
		"frame": train, "data": train.Data(), "schema": train.Data().Schema(), "model": m, "model of numbers": rates,
		"privatized": p, "privatized regression": reg, "release": r, "plan": r.Plan(), "certificate": r.Certificate(),
		"summary":      r.Summary(),
		"verification": must.Get(privbayes.Verify(path))(t), "report": report,
		"report of numbers": must.Get(reg.Evaluate(wages))(t),
		"scores":            report.Private, "confusion": report.Private.Confusion,
		"reliability":   must.Get(eval.Calibration([][]float64{{0.3, 0.7}, {0.6, 0.4}}, []int{1, 1}, 4))(t),
		"private table": report.PrivateTables()[0], "figure": report.Figures()[1], "diagnostic": diagnostic,
		"advice": advice, "budget": budget,
		"accuracy": must.Get(p.PrivateAccuracy(test, privbayes.PureDP(11), privbayes.Seeded(9)))(t),
		"queries":  must.Get(sample.Query())(t),
		"draws":    sample.Draws(), "loaded warnings": len(loaded.Warnings()),
		"failed frame":     privbayes.ReadFrame(strings.NewReader("<x>"), nil),
		"failed model":     train.Model(privbayes.NaiveBayes("<none>")),
		"failed privatize": m.Privatize(nil, privbayes.PureDP(1)), "error": p.Err(), "guarantee": r.Guarantee(),
		"target": dp.PureDP(1),
		"table":  table.New("<t>", "a").Add(1.5).Note("<n>"), "warnings": warning.List{{Text: "<w>"}},
		"noise-aware": must.Get(p.NoiseAware())(t),
	}
	return out
}

// What notebooks show of every kind of value stays the same, byte for byte: as the hashes in testdata, in every form
// but pictures.
func TestValuesAreShownAsBefore(t *testing.T) {
	path := filepath.Join("testdata", "shown.json")
	got := map[string]string{}
	bundles := map[string]bundle{}
	for name, v := range values(t) {
		r := use(t, true, false)
		Show(v)
		for _, d := range r.sent {
			bundles[name] = d.Data
			for mime, s := range d.Data {
				if mime == protocol.MIMEImagePNG {
					got[name+", "+string(mime)] = "a picture"
					continue
				}
				h := sha256.Sum256([]byte(s.(string)))
				got[name+", "+string(mime)] = hex.EncodeToString(h[:8])
			}
		}
	}
	if os.Getenv("PRIVBAYES_SHOWN") == "write" {
		b, err := json.MarshalIndent(got, "", " ")
		if err == nil {
			err = os.WriteFile(path, append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	want := map[string]string{}
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if got[name] != want[name] {
			of, _, _ := strings.Cut(name, ", ")
			t.Errorf("%s is shown otherwise:\n%s", name, fmt.Sprint(bundles[of]))
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("%s is shown, and was not", name)
		}
	}
}
