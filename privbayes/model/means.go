package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// MeansModel is the means of one or several numeric columns over the rows of the data: see Mean and Means.
type MeansModel struct {
	ofWhole
	several  bool
	features []string // beside the target
}

// Mean is the mean of a numeric column with public bounds over the rows of the data: of the data themselves, not of a
// population that they were drawn from. Records are rounded to a public lattice (see Lattice): to whole numbers in a
// column of integers, else finer than the noise. Sums of a private number of rows are rounded to at most 4096 steps
// (Lattice.Coarse).
func Mean(column string) MeansModel {
	return MeansModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}}
}

// Means are the means of several numeric columns at once. One release of d means has less noise than d releases of one
// each: by the factor √((d+1)(d+2)/6)/d in standard deviation.
func Means(column string, more ...string) MeansModel {
	m := Mean(column)
	m.several, m.features = true, more
	return m
}

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^24. The finest is the best, unless an integer column is rounded to more than whole numbers.
func (m MeansModel) WithResolution(k int64) MeansModel { m.resolution = k; return m }

// String describes the model.
func (m MeansModel) String() string {
	if !m.several {
		return "mean of " + safetext.Quote(m.target)
	}
	if len(m.features) == 0 {
		return "means of " + safetext.Quote(m.target)
	}
	return fmt.Sprintf("means of %s and %d more", safetext.Quote(m.target), len(m.features))
}

func (m MeansModel) describe() Description {
	d := Description{Kind: "mean", Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
	if m.several {
		d.Kind, d.Features = "means", m.features
	}
	return d
}

func (m MeansModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	if m.several {
		m.features = d.Features
	}
	return m
}

// maxAverages bounds the columns of one release.
const maxAverages = 255

func (m MeansModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, MaxSteps); err != nil {
		return nil, err
	}
	if len(m.features) >= maxAverages {
		return nil, wrong(m, "", fmt.Sprintf("%d columns", len(m.features)+1), fmt.Sprintf("at most %d", maxAverages))
	}
	if !m.several {
		c, err := ranged(m, nameColumns(s), m.target)
		return []frame.Column{c}, err
	}
	return numericColumns(m, s, append([]string{m.target}, m.features...))
}

func (m MeansModel) layOut(sh *Shape) error {
	if sh.columns[0].HasMissing() {
		return layOutGroups(m, sh, m.resolution, []string{"rows with a value of " + m.target}, []string{""})
	}
	form := oneSum
	if m.several {
		form = PerColumn
	}
	sh.lattice = latticeOf(form, m.resolution, usualSteps(sh.schema), 1<<20, sh.columns...)
	for _, c := range sh.columns {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ %s, in steps of 1/%d of the range", c.Name, sh.lattice.Steps))
	}
	_, rows := sh.Unit()
	sh.lattice.withCoarse(rows)
	return checkSteps(m, sh.lattice, MaxSteps)
}

func (m MeansModel) plainMeans(st *Statistics) []float64 {
	if st.shape.lattice.Omits {
		return groupMeans(st)
	}
	out := make([]float64, len(st.shape.lattice.Low))
	for i := range out {
		out[i] = st.shape.lattice.Value(i, float64(st.whole[i*st.shape.lattice.each()])/float64(st.rows)) // NaN without rows
	}
	return out
}

func (m MeansModel) ranges(sh *Shape) []float64 {
	out := make([]float64, len(sh.lattice.Low))
	for i := range out {
		out[i] = sh.lattice.High[i] - sh.lattice.Low[i]
	}
	return out
}

// Parameters names what a model with a Lattice estimates, in the order of its draws; nil for other models.
func (s *Shape) Parameters() []string {
	if m, ok := s.model.(interface{ parameters(*Shape) []string }); ok {
		return m.parameters(s)
	}
	return nil
}

func (m MeansModel) parameters(sh *Shape) []string {
	if m.several {
		return sh.columnNames()
	}
	return []string{"mean"}
}

// GroupMeansModel is the means of a numeric column in groups of rows: see GroupMeans.
type GroupMeansModel struct {
	ofWhole
	by string
}

// GroupMeans are the means of a numeric column in each level of another: wages by occupation. The levels are public; a
// group without rows is legal. The counts of the groups are released with the sums, and are noisy, too.
func GroupMeans(column, by string) GroupMeansModel {
	return GroupMeansModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}, by: by}
}

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^24.
func (m GroupMeansModel) WithResolution(k int64) GroupMeansModel { m.resolution = k; return m }

// String describes the model.
func (m GroupMeansModel) String() string {
	return fmt.Sprintf("means of %s by %s", safetext.Quote(m.target), safetext.Quote(m.by))
}

func (m GroupMeansModel) describe() Description {
	d := Description{Kind: "group-means", Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
	if m.by != "" {
		d.Features = []string{m.by}
	}
	return d
}

func (m GroupMeansModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	if len(d.Features) == 1 {
		m.by = d.Features[0]
	}
	return m
}

// maxGroups bounds the groups of one release.
const maxGroups = 1 << 16

func (m GroupMeansModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, MaxSteps); err != nil {
		return nil, err
	}
	c, err := ranged(m, nameColumns(s), m.target)
	if err != nil {
		return nil, err
	}
	by, err := nameColumns(s).column(m.by)
	if err != nil {
		return nil, err
	}
	switch {
	case m.by == m.target:
		return nil, wrong(m, m.by, "named twice", "another column to group by")
	case by.Kind == frame.KindSequence:
		return nil, wrong(m, m.by, "a sequence column", "a categorical, integer or real column to group by")
	case by.Levels() < 1 || by.Levels() > maxGroups:
		return nil, wrong(m, m.by, levelsOf(*by), fmt.Sprintf("1 to %d", maxGroups))
	}
	return []frame.Column{c, *by}, nil
}

func (GroupMeansModel) parameters(sh *Shape) []string { return slices.Clone(sh.columns[1].Labels()) }

func (m GroupMeansModel) layOut(sh *Shape) error {
	var counts, of []string
	for _, level := range sh.columns[1].Labels() {
		counts, of = append(counts, "rows with "+level), append(of, " with "+level)
	}
	return layOutGroups(m, sh, m.resolution, counts, of)
}

// layOutGroups makes a count and a sum of the first column for every group; rows without a value are in none.
func layOutGroups(m Model, sh *Shape, resolution int64, counts, of []string) error {
	l := latticeOf(PerGroup, resolution, usualSteps(sh.schema), 1<<20, sh.columns[0])
	l.Groups, l.Omits = len(counts), sh.columns[0].HasMissing()
	_, rows := sh.Unit()
	sh.lattice = l.withCoarse(rows)
	for i, count := range counts {
		sh.sums = append(sh.sums, count,
			fmt.Sprintf("Σ %s%s, in steps of 1/%d of the range", sh.columns[0].Name, of[i], l.Steps))
	}
	return checkSteps(m, l, MaxSteps)
}

func (m GroupMeansModel) plainMeans(st *Statistics) []float64 { return groupMeans(st) }

// groupMeans are the means of the groups.
func groupMeans(st *Statistics) []float64 {
	out := make([]float64, st.shape.lattice.Groups)
	for g := range out {
		own := st.whole[g*st.shape.lattice.each():]
		out[g] = st.shape.lattice.Value(0, float64(own[1])/float64(own[0])) // NaN without rows
	}
	return out
}

func (m GroupMeansModel) ranges(sh *Shape) []float64 {
	out := make([]float64, sh.lattice.Groups)
	for g := range out {
		out[g] = sh.lattice.High[0] - sh.lattice.Low[0]
	}
	return out
}

// MeanSDModel is the mean and the standard deviation of a column: see MeanSD.
type MeanSDModel struct {
	ofWhole
	latent bool
}

// MeanSD is the mean and the standard deviation, with divisor n − 1, of the values of a column, which reading has moved
// to the public bounds. Nothing is assumed of how the values are distributed.
func MeanSD(column string) MeanSDModel {
	return MeanSDModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}}
}

// Latent is the normal distribution that values have before they are moved to the public bounds and rounded, from the
// same sums: for a column that is normal, and cut by its bounds. Of any other column its mean and standard deviation
// are not those of the values. The prior is public: the mean uniform between the bounds, the logarithm of the standard
// deviation uniform between 1/500 of their distance and the whole of it.
func (m MeanSDModel) Latent() MeanSDModel { m.latent = true; return m }

// IsLatent reports whether the model is the latent normal.
func (m MeanSDModel) IsLatent() bool { return m.latent }

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^13.
func (m MeanSDModel) WithResolution(k int64) MeanSDModel { m.resolution = k; return m }

// String describes the model.
func (m MeanSDModel) String() string {
	if m.latent {
		return "latent normal of " + safetext.Quote(m.target)
	}
	return "mean and standard deviation of " + safetext.Quote(m.target)
}

func (m MeanSDModel) describe() Description {
	kind := "mean-sd"
	if m.latent {
		kind = latentNormal
	}
	return Description{Kind: kind, Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
}

func (m MeanSDModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	return m
}

func (m MeanSDModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, maxStepsSquare); err != nil {
		return nil, err
	}
	return numericColumns(m, s, []string{m.target})
}

// spreadSteps is K of columns that are not whole numbers on a range of at most as much: rounding adds 1e-7 of the
// range's square to the variance.
const spreadSteps = 1 << 11

func (m MeanSDModel) parameters(*Shape) []string {
	if m.latent {
		return []string{"latent mean", "latent sd"}
	}
	return []string{"mean", "sd"}
}

func (m MeanSDModel) layOut(sh *Shape) error {
	l := latticeOf(TwoPowers, m.resolution, spreadSteps, spreadSteps, sh.columns...)
	sh.lattice = l
	of := fmt.Sprintf("%s, in steps of 1/%d of the range", sh.columns[0].Name, l.Steps)
	sh.sums = []string{"Σ " + of, "Σ of squares of " + of}
	return checkSteps(m, l, maxStepsSquare)
}

// plainMeans are the mean and the standard deviation of the rows, with divisor n − 1; of the latent normal those of the
// normal that has them once it is moved to the bounds.
func (m MeanSDModel) plainMeans(st *Statistics) []float64 {
	l, n := st.shape.lattice, float64(st.rows)
	mean := float64(st.whole[0]) / n
	v := (float64(st.whole[1]) - mean*float64(st.whole[0])) / math.Max(n-1, 1)
	mean, sd := l.Value(0, mean), l.Step(0)*math.Sqrt(math.Max(v, 0))
	if m.latent && st.rows > 0 {
		mean, sd = latentOf(mean, sd, l.Low[0], l.High[0])
	}
	return []float64{mean, sd}
}

// summary shows what is estimated, and of what.
func (m MeanSDModel) summary(f *Fitted) *table.Table {
	l := f.shape.lattice
	bounds := fmt.Sprintf("the bounds [%s, %s]", f.shape.bound(l.Low[0]), f.shape.bound(l.High[0]))
	if m.latent {
		t := m.ofWhole.summary(f)
		t.Note(fmt.Sprintf("The parameters describe a normal distribution of values before they are moved to %s; %s %% of it lies "+
			"outside. MeanSD describes the values of the column.", bounds, table.Number(100*f.shape.OutsideBounds(f.Draws()))))
		return t
	}
	t := table.New("Mean and standard deviation of "+plain(m.target), "parameter", "estimate")
	for i, v := range f.Draws().Mean() {
		t.Add(f.Draws().Names[i], v)
	}
	t.Note("Of the rows' values, moved to " + bounds + ".")
	return t.Note("As released, with no interval: the release's Summary has them.")
}

func (m MeanSDModel) ranges(sh *Shape) []float64 {
	r := sh.lattice.High[0] - sh.lattice.Low[0]
	return []float64{r, r}
}

// latentNormal is the kind of MeanSD(column).Latent().
const latentNormal = "latent-normal"

// cutMoments are the mean and the standard deviation of a normal variable moved to [lo, hi].
func cutMoments(mu, sigma, lo, hi float64) (mean, sd float64) {
	a, b := (lo-mu)/sigma, (hi-mu)/sigma
	below, above := normalBelow(a), normalBelow(-b)
	inside := 1 - below - above
	pa, pb := density(a), density(b)
	mean = lo*below + hi*above + mu*inside + sigma*(pa-pb)
	second := lo*lo*below + hi*hi*above + (mu*mu+sigma*sigma)*inside + sigma*((mu+lo)*pa-(mu+hi)*pb)
	return mean, math.Sqrt(math.Max(second-mean*mean, 0))
}

func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// latentOf is the normal within the prior's range that is nearest to a mean and a standard deviation once it is moved
// to [lo, hi]: by a grid that closes in on the nearest.
func latentOf(mean, sd, lo, hi float64) (mu, sigma float64) {
	r := hi - lo
	mu, sigma = math.Min(math.Max(mean, lo), hi), math.Min(math.Max(sd, r/500), r)
	far := func(m, s float64) float64 {
		x, y := cutMoments(m, s, lo, hi)
		return (x-mean)*(x-mean) + (y-sd)*(y-sd)
	}
	best := far(mu, sigma)
	for width, factor := r/2, 4.0; width > 1e-9*r; width, factor = width*.6, math.Pow(factor, .6) {
		m0, s0 := mu, sigma
		for i := -3; i <= 3; i++ {
			for j := -3; j <= 3; j++ {
				m := math.Min(math.Max(m0+width*float64(i)/3, lo), hi)
				s := math.Min(math.Max(s0*math.Pow(factor, float64(j)/3), r/500), r)
				if d := far(m, s); d < best {
					best, mu, sigma = d, m, s
				}
			}
		}
	}
	return mu, sigma
}
