package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// areasFlag asks for the estimates of many areas together.
type areasFlag struct{ of string }

func areasFlagOf(f *flagSet) *areasFlag {
	a := &areasFlag{}
	f.StringVar(&a.of, "areas", "", "estimate many groups together, and show that next to each by itself: `what`, the "+
		"column of group means, such as wage, or a level of a feature, such as ill=yes, in the classes of naive Bayes or "+
		"in a table of two columns")
	return a
}

// write estimates the areas of a release, and draws them if a file is named.
func (a *areasFlag) write(ctx context.Context, r *release.Release, figure string, asJSON bool, out io.Writer) error {
	feature, label, err := areasOf(r.Plan().Shape(), a.of)
	if err != nil {
		return err
	}
	areas, err := r.Areas(ctx, feature, label)
	if err != nil {
		return err
	}
	if figure != "" {
		if err := writeFigure(figure, areas.Figure()); err != nil {
			return err
		}
	}
	if !asJSON {
		return wrote(out, display(out, areas), figure)
	}
	list := areas.List()
	rows := make([]areaRow, len(list))
	for i, a := range list {
		rows[i] = rowOfArea(a)
	}
	return writeJSON(out, struct {
		Release string         `json:"release"`
		Level   float64        `json:"level"`
		Rows    []areaRow      `json:"rows"`
		Areas   []release.Area `json:"areas"`
		HTML    string         `json:"html"`
	}{r.ID(), estimatesLevel, rows, list, table.HTML(areas)})
}

// areaRow is an area as a row of intervals: what is estimated of all areas together, and its own estimate.
type areaRow struct {
	intervalRow
	DirectMean  cert.Number  `json:"direct_mean"`
	DirectLower *cert.Number `json:"direct_lower,omitempty"`
	DirectUpper *cert.Number `json:"direct_upper,omitempty"`
}

func rowOfArea(a release.Area) areaRow {
	mean := cert.Number(a.Pooled.Mean)
	row := areaRow{intervalRow: intervalRow{Of: a.Name, About: "population", Mean: &mean,
		Lower: cert.Number(a.Pooled.Lower), Upper: cert.Number(a.Pooled.Upper)}, DirectMean: cert.Number(a.Direct.Estimate)}
	if p := a.Direct.Population; p != nil {
		lower, upper := cert.Number(p.Lower), cert.Number(p.Upper)
		row.DirectLower, row.DirectUpper = &lower, &upper
	}
	return row
}

// areasOf are the feature and the level of rates, which are both empty of group means.
func areasOf(sh *model.Shape, text string) (feature, label string, err error) {
	if _, means := sh.Model().(model.GroupMeansModel); means {
		if target := sh.Model().Target(); text != target {
			return "", "", wrongFlag("areas", text, "%q, the column of the means", target)
		}
		return "", "", nil
	}
	var levels []string
	for _, c := range sh.Columns() {
		for _, l := range c.Labels() {
			if text == c.Name+"="+l {
				return c.Name, l, nil
			}
			if sh.SharesClass() && c.Name != sh.Model().Target() || sh.Joint() && len(sh.Columns()) == 2 {
				levels = append(levels, c.Name+"="+l)
			}
		}
	}
	if len(levels) == 0 {
		return "", "", wrongFlag("areas", text, "a release of group means, of naive Bayes, or of a table of two columns")
	}
	return "", "", wrongFlag("areas", text, "a level of a feature, %s", safetext.OneOf(text, levels))
}

// validFigure refuses the file of a figure that nothing draws, and one that is no SVG.
func validFigure(file string, drawn bool) error {
	if file != "" && (!drawn || filepath.Ext(file) != ".svg") {
		return wrongFlag("figure", file, "a file name that ends in .svg, together with --check or --areas")
	}
	return nil
}
