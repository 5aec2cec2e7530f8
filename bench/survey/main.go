// Command survey measures weighted releases of a health survey next to R's survey package, which is not private. It
// reads that one's figures as CSV, and prints both as JSON.
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

// line is one mean: R's, with the widths of its 95 % intervals by areas and by rows, and ours at ε = 1, the median of
// many releases, with the share of the intervals that hold R's estimate.
type line struct {
	By         string  `json:"by"`
	Level      string  `json:"level"`
	Unweighted float64 `json:"unweighted"`
	Estimate   float64 `json:"estimate"`
	Error      float64 `json:"se"`
	Width      float64 `json:"width"`
	ErrorRows  float64 `json:"se_rows"`
	WidthRows  float64 `json:"width_rows"`
	Ours       float64 `json:"ours"`
	OursWidth  float64 `json:"ours_width"`
	Holds      float64 `json:"ours_holds"`
}

const releases = 200

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "survey:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string) error {
	lines, err := read(path)
	if err != nil {
		return err
	}
	r, s := data.NHANES2009()
	rows := privbayes.ReadFrame(r, s)
	for by, m := range map[string]privbayes.ModelSpec{"all": privbayes.Mean("HI_CHOL"),
		"race": privbayes.GroupMeans("HI_CHOL", "race"), "RIAGENDR": privbayes.GroupMeans("HI_CHOL", "RIAGENDR")} {
		means, widths, holds := map[string][]float64{}, map[string][]float64{}, map[string]float64{}
		for range releases {
			r, err := rows.Model(m).Privatize(privbayes.Tokens().HeldAsGiven(), privbayes.PureDP(1)).Release()
			if err != nil {
				return err
			}
			list, _, err := r.Intervals(ctx, .95)
			if err != nil {
				return err
			}
			names := r.Plan().Shape().Parameters()
			for i, v := range r.Draws().Mean() {
				name, p := names[i], list[i].Population
				if by == "all" {
					name = by
				}
				means[name], widths[name] = append(means[name], v), append(widths[name], p.Upper-p.Lower)
				for _, l := range lines {
					if l.By == by && l.Level == name && p.Lower <= l.Estimate && l.Estimate <= p.Upper {
						holds[name] += 1. / releases
					}
				}
			}
		}
		for i := range lines {
			if l := &lines[i]; l.By == by {
				l.Ours, l.OursWidth, l.Holds = median(means[l.Level]), median(widths[l.Level]), round(holds[l.Level])
			}
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", " ")
	return out.Encode(map[string]any{"peer": "R's survey 4.1", "epsilon": 1, "releases": releases, "means": lines})
}

// read is R's table.
func read(path string) (out []line, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range table[1:] {
		l := line{By: row[0], Level: row[1]}
		for i, v := range []*float64{&l.Unweighted, &l.Estimate, &l.Error, &l.Width, &l.ErrorRows, &l.WidthRows} {
			if *v, err = strconv.ParseFloat(row[2+i], 64); err != nil {
				return nil, err
			}
			*v = round(*v)
		}
		out = append(out, l)
	}
	return out, nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return round(v[len(v)/2])
}

// round keeps five places.
func round(v float64) float64 { return math.Round(v*1e5) / 1e5 }
