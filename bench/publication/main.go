//go:build unix

// Command publication is our side of bench/publication.sh: a hundred statistics of a million rows of Adult, released as
// one from one pass over a file of CSV.
//
//	publication FILE LEVEL SEED
//
// It prints the seconds, and every item's numbers with the half-width that the plan stated. LEVEL is pure (ε = 1), zcdp
// (ρ = .0166) or approx (ε = 1, δ = 1e-6). The noise is fixed by SEED, so that runs can be repeated.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// the list
var (
	categories = []string{"workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
		"native-country", "income"}
	numbers = []string{"age", "capital-gain", "capital-loss", "hours-per-week"}
)

func list() (out []publication.Item) {
	for i, a := range categories {
		out = append(out, privbayes.Item(privbayes.Table(a)))
		for _, b := range categories[i+1:] {
			out = append(out, privbayes.Item(privbayes.Table(a, b)))
		}
	}
	for _, c := range []string{"workclass", "education", "marital-status", "occupation", "relationship", "race",
		"native-country"} {
		out = append(out, privbayes.Item(privbayes.Table(c, "sex", "income")))
	}
	for _, c := range []string{"education", "marital-status", "occupation", "relationship"} {
		out = append(out, privbayes.Item(privbayes.Table(c, "race", "income")))
	}
	for _, x := range numbers {
		out = append(out, privbayes.Item(privbayes.Mean(x)), privbayes.Item(privbayes.Quantiles(x, .5)))
		for _, by := range categories {
			out = append(out, privbayes.Item(privbayes.GroupMeans(x, by)))
		}
	}
	return out
}

func publish(ctx context.Context, file string, target privbayes.Target, seed uint64) (*publication.Publication, error) {
	schema, err := data.StudySchema("adult")
	if err != nil {
		return nil, err
	}
	rows, err := source.Files(schema, file)
	if err != nil {
		return nil, err
	}
	var models []model.Model
	for _, i := range list() {
		models = append(models, i.Model())
	}
	counted, err := source.Counted(ctx, rows, models...)
	if err != nil {
		return nil, err
	}
	return privbayes.From(ctx, counted).Publish("adult", target, list()...).Privatize(privbayes.WithContext(ctx),
		privbayes.Seeded(seed))
}

// the end of the list

var targets = map[string]privbayes.Target{"pure": privbayes.PureDP(1), "zcdp": privbayes.ZCDP(.0166),
	"approx": privbayes.ApproxDP(1, 1e-6)}

// item is one of a hundred, in their order: its numbers, and the half of a 95 % interval of the rows that was stated
// beforehand.
type item struct {
	Stated float64   `json:"stated"`
	Values []float64 `json:"values"`
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "publication:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("want: FILE LEVEL SEED")
	}
	target, ok := targets[args[1]]
	if !ok {
		return errors.New("LEVEL: want pure, zcdp or approx")
	}
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	start, used := time.Now(), processor()
	p, err := publish(ctx, args[0], target, seed)
	if err != nil {
		return err
	}
	wall, cpu := time.Since(start).Seconds(), processor()-used
	var items []item
	for _, l := range p.Plan().Lines() {
		found, _, err := p.Intervals(ctx, l.Name, .95)
		if err != nil {
			return err
		}
		one := item{Stated: l.Predicted.Rows}
		for _, i := range found {
			one.Values = append(one.Values, i.Estimate)
		}
		items = append(items, one)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"seconds": wall, "processor": cpu, "items": items})
}

// processor is the processor time of the process so far, in seconds.
func processor() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return math.NaN()
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}
