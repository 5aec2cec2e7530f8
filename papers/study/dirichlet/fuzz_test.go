package dirichlet

import (
	"bytes"
	"testing"
)

// FuzzRead reads any bytes as a report to go on with: an error, or a report that survives being written, and whose
// tables are made without a panic.
func FuzzRead(f *testing.F) {
	small := Report{Study: studyName, Settings: Settings{Bins: Public, Order: Order, Epsilons: []float64{1, 2},
		Methods: []string{"laplace"}}, Data: map[string]string{"adult": "00"},
		Cells: []Cell{{Task: NaiveBayes, Data: "adult", Scores: map[string]Values{"laplace": {KL: {1, 2}}}}}}
	var b bytes.Buffer
	if err := small.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"study":"` + studyName + `","cells":[{"task":"x","scores":{"":{"":[1]}}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := r.Write(&first); err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", first.Bytes(), err)
		}
		if err := again.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%s became %s, %v", first.Bytes(), second.Bytes(), err)
		}
		_ = r.Summary().String()
		for _, m := range []Metric{KL, CrossEntropy, Accuracy, LogLikelihood} {
			if table, err := r.Table(m); err == nil {
				_ = table.String()
			}
		}
		_, _ = newReport(Options{Data: []string{"adult"}, Bins: Public, Resume: r})
	})
}
