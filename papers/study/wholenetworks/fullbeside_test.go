package wholenetworks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

const (
	besideCommand    = "go test ./papers/study/wholenetworks -run TestBesideFull -write -budget 24h -timeout 0"
	besideReplicates = 40
	besideLimit      = 1 // processor seconds of a peer's chains for one release
)

// TestBesideFull adds points to beside.json one by one, as TestFull does. It runs only when asked to.
func TestBesideFull(t *testing.T) {
	if !*write {
		t.Skip("without -write")
	}
	r := &Comparison{}
	b, err := os.ReadFile("beside.json")
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Library, r.Command, r.Seed = "privbayes "+release.Version, besideCommand, seed
	ctx, end := context.WithDeadline(t.Context(), time.Now().Add(*budget))
	defer end()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // processor time is then of one thread
	for _, eps := range []float64{1, .1, 5} {
		for _, n := range []int{1000, 10000, 100} {
			for _, name := range []string{"chain", "naive Bayes", "asia"} {
				if slices.ContainsFunc(r.Rows, func(w Row) bool {
					return w.Network == name && w.Records == n && w.Epsilon == eps
				}) {
					continue
				}
				row, err := Compare(ctx, name, n, eps, besideReplicates, besideLimit, seed)
				if errors.Is(err, context.DeadlineExceeded) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				r.Rows = append(r.Rows, *row)
				keep(t, "beside.json", r)
				fmt.Println(name, n, eps)
			}
		}
	}
}
