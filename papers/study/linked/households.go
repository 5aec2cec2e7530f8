package linked

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// The columns of households and of persons, with how many levels they have.
var (
	parentColumns = []column{{"region", 9}, {"income", 6}, {"allowance", 2}, {"capital", 2}}
	childColumns  = []column{{"age", 11}, {"sex", 2}, {"status", 8}, {"citizen", 4}}
)

type column struct {
	name   string
	levels int
}

// labels are those of a column, in the order of their codes.
func (c column) labels() []string {
	out := make([]string, c.levels)
	for i := range out {
		out[i] = fmt.Sprintf("%02d", i)
	}
	return out
}

// codes are those of a row.
type codes [4]int

// household is a parent with its children.
type household struct {
	parent   codes
	children []codes
}

// regions are the shares of the regions, ages the edges of the bins of ages.
var (
	regions = []float64{.03, .07, .19, .06, .19, .15, .09, .05, .17}
	ages    = []float64{5, 10, 15, 20, 30, 40, 50, 60, 70, 80}
)

// life simulates households by the stages of life: a head, maybe a partner, children and an old parent.
type life struct{ *rand.Rand }

func (l life) chance(p float64) bool { return l.Float64() < p }

func (l life) choice(shares ...float64) int {
	u := l.Float64()
	for i, p := range shares {
		if u -= p; u < 0 {
			return i
		}
	}
	return len(shares) - 1
}

// gamma is a sum of nine waits, times a scale.
func (l life) gamma(scale float64) (x float64) {
	for range 9 {
		x -= math.Log(1-l.Float64()) * scale
	}
	return x
}

func (l life) poisson(mean float64) (n int) {
	for p := l.Float64(); p > math.Exp(-mean); p *= l.Float64() {
		n++
	}
	return n
}

// status is what a person does: 0 a child, 1 and 2 work, 4 school, 5 retired, and others.
func (l life) status(age, sex int, children bool) int {
	switch {
	case age < 16:
		return 0
	case age < 24 && l.chance(.55):
		return 4
	case age >= 62:
		return []int{5, 1}[l.choice(.93, .07)]
	case sex == 0 && children && l.chance(.55):
		return []int{2, 7}[l.IntN(2)]
	}
	return []int{1, 2, 3, 6, 7, 5}[l.choice(.72, .11, .06, .02, .03, .06)]
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func ageOf(years int) (bin int) {
	for _, edge := range ages {
		bin += bit(float64(years) >= edge)
	}
	return bin
}

func pick[T any](b bool, yes, no T) T {
	if b {
		return yes
	}
	return no
}

// adult bounds an age.
func adult(x float64) int { return int(math.Min(math.Max(x, 18), 95)) }

func (l life) household() (h household) {
	region, head := l.choice(regions...), adult(l.gamma(5.6))
	migrant, citizen := l.chance(pick(region == 8, .28, .09)), 1
	if migrant {
		citizen = 2 + l.choice(.35, .65)
	}
	couple, kids := l.chance(pick(head < 28, .35, pick(head < 65, .66, .48))), 0
	if 22 <= head && head <= 58 {
		mean := pick(couple, 1.15, .35) * math.Exp(-math.Pow(float64(head-40)/11, 2)) * pick(migrant, 1.35, 1)
		kids = min(7, l.poisson(mean))
	}
	add := func(years, sex, status, citizen int) {
		h.children = append(h.children, codes{ageOf(years), sex, status, citizen})
	}
	sex := bit(l.chance(pick(couple, .62, .42)))
	status := l.status(head, sex, kids > 0)
	add(head, sex, status, citizen)
	work := bit(status == 1 || status == 2)
	if couple {
		years, other := adult(float64(head)+4*sample.Normal(l)+pick(sex == 1, -2., 2)), pick(l.chance(.985), 1-sex, sex)
		status := l.status(years, 1-sex, kids > 0)
		add(years, other, status, pick(l.chance(.85), citizen, 1))
		work += bit(status == 1 || status == 2)
	}
	first := max(0, head-22-l.IntN(14))
	for j := range kids {
		years := min(35, max(0, int(float64(first)-2.6*float64(j))+l.IntN(3)-1))
		add(years, bit(l.chance(.51)), l.status(years, 0, false), pick(years < 16, 0, citizen))
	}
	if l.chance(.04) {
		add(min(95, head+22+l.IntN(12)), bit(l.chance(.3)), 5, citizen)
	}
	income := 1.4 + 1.3*float64(work) + .4*float64(bit(head > 45)) - .35*float64(kids) - .6*float64(bit(migrant)) +
		.9*sample.Normal(l)
	earned := int(math.Min(math.Max(income, 0), 5))
	h.parent = codes{region, earned, bit(kids > 0 && l.chance(.93)), bit(l.chance(.35 + .09*float64(earned)))}
	return h
}

// households are so many, with at most m persons each.
func households(src rand.Source, n, m int) []household {
	l, out := life{rand.New(src)}, make([]household, n)
	for i := range out {
		out[i] = l.household()
		l.keep(&out[i], m)
	}
	return out
}

// keep leaves at most m persons of a household in the order of the places: the eldest first, and by the other columns
// among equals. Which stay is chosen at random.
func (l life) keep(h *household, m int) {
	l.Shuffle(len(h.children), func(a, b int) { h.children[a], h.children[b] = h.children[b], h.children[a] })
	h.children = h.children[:min(m, len(h.children))]
	slices.SortFunc(h.children, func(a, b codes) int { return slices.Compare(b[:], a[:]) })
}
