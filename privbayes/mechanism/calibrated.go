package mechanism

import (
	"github.com/privbayes/privbayes-go/internal/domain"
)

// Calibrated is an estimate of a population from the cells of a release, with its interval.
type Calibrated struct {
	Of       string // the category, the categories of several columns, or "mean"
	Estimate float64
	Range
}

// calibratable is a sampler of weighted sums: see [Plan.Calibrated], [Plan.Clustered] and [Plan.Totals].
type calibratable interface {
	Totals(drawn Output, level float64) ([]Calibrated, error)
	Calibrated(drawn Output, column string, sizes map[string]int64, level float64) ([]Calibrated, error)
	Clustered(drawn Output, column string, strata map[string]string, level float64) ([]Calibrated, error)
}

// Calibrated are the shares of a weighted table, or the mean of weighted groups, calibrated to the public sizes of the
// population's cells, the levels of a column, with intervals at a level in (0, 1). It reads what was released: it costs
// no privacy. A size under "a + b" is that of the levels a and b, merged. Errors: *dp.ParameterError for other
// releases, levels without a size or with two, sizes below 1 or that do not add up to the schema's population, cells
// whose noisy weight is at most four standard deviations of its noise. Source: theory/survey.md, Calibration.
func (p *Plan) Calibrated(d *Drawn, column string, sizes map[string]int64, level float64) ([]Calibrated, error) {
	s, err := p.calibratable(d, "calibrate", level)
	if err != nil {
		return nil, err
	}
	return s.Calibrated(d.Output, column, sizes, level)
}

// Clustered are the shares of a weighted table, or the mean of weighted groups, with intervals at a level in (0, 1) for
// a sample of clusters, the levels of a column: areas, schools, of which the design drew some and then people in them.
// What the noisy totals of clusters of one stratum differ by has sampling, clustering and noise in it. Strata name the
// stratum of every cluster; levels that it does not name are no clusters, and are left out. It costs no privacy.
// Errors: *dp.ParameterError for other releases, unknown levels, fewer than 10 clusters, a stratum with one. Source:
// theory/survey.md, Clusters.
func (p *Plan) Clustered(d *Drawn, column string, strata map[string]string, level float64) ([]Calibrated, error) {
	s, err := p.calibratable(d, "clusters", level)
	if err != nil {
		return nil, err
	}
	return s.Clustered(d.Output, column, strata, level)
}

// Totals are how many of the population are in each category of a weighted table, with intervals at a level in (0, 1):
// the noisy weight of the category. It costs no privacy. Errors: *dp.ParameterError for other releases and those that
// have no intervals. Source: theory/survey.md, Intervals.
func (p *Plan) Totals(d *Drawn, level float64) ([]Calibrated, error) {
	s, err := p.calibratable(d, "totals", level)
	if err != nil {
		return nil, err
	}
	return s.Totals(d.Output, level)
}

func (p *Plan) calibratable(d *Drawn, what string, level float64) (calibratable, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("mechanism", "level", level, "a level of intervals above 0 and below 1")
	}
	s, ok := p.spec.Sampler.(calibratable)
	if !ok || d == nil {
		want := `GroupMeans, or Table of two columns or more, under a schema with a "weight"`
		if p.spec.Shape.Weighted() != nil { // a program for a page is built without
			want = "the library or the command line"
		}
		return nil, domain.Refuse("mechanism", what, p.spec.Shape.Model().String(), want)
	}
	return s, nil
}
