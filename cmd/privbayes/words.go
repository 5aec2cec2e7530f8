package main

import (
	"regexp"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
)

// goWords are what the library's errors and advice say in Go, and the flags of this program that say the same, in the
// order in which they are looked for.
var goWords = func() (list []goWord) {
	const end = `(\z|[^.]|\.\z|\.[^A-Za-z])` // no method follows, which may have no flag
	add := func(pattern, flags string) { list = append(list, goWord{regexp.MustCompile(pattern), flags}) }
	for _, w := range [][2]string{
		{`Mean, MeanSD, Means, GroupMeans, Poisson or a rate`,
			"--model mean, mean-sd, means, group-means, poisson or a rate"},
		{`Quantiles\(column, p…?\)`, "--model quantiles"},
		{`\bLinearRegression\b`, "--model linear-regression"},
		{`LearnedGeometric\(\) or LearnedGaussian\(\), as Learn does`, "the command learn"},
		{`MaxEntropy\(\), Tree\(\) or Cliques\(\)(: PrivBayes is as published)?`,
			"the command learn with --algorithm pairs, tree or cliques$1"},
		{`a model such as Tree\(\)`, "the command learn"},
		{`a learned structure such as Tree\(\)`, "a release of the command learn"},
		{`\bMaxEntropy\(\)` + end, "--algorithm pairs$1"}, {`\bTree\(\)` + end, "--algorithm tree$1"},
		{`\bCliques\((\d)\)` + end, "--algorithm cliques --width $1$2"},
		{`\bPrivBayes\(\)`, "the command learn with --algorithm privbayes"},
		{`\bAsPublished\(ε(, δ)?\)`, "--nominal"},
		{`\bPureDP\b(\(ε\))?`, "--epsilon alone"}, {`\bApproxDP\b(\(ε, δ\))?`, "--epsilon with --delta"},
		{`\bRenyiDP\b`, "--epsilon with --lambda"}, {`\bZCDP\b(\(ρ\))?`, "--rho"},
		{`\bTCDP\b(\(ρ, ω\))?`, "--rho with --omega"},
		{`(?:the model's )?\bWithRange\(c1, c2\)`, "--range c1,c2"}, {`\bWithResolution\(K\)`, "--resolution K"},
		{`\bWithPosteriorScore\(\)`, "the posterior score, which only the library has"},
		{`\bdirichlet\.New\(\)`, "--mechanism dirichlet"},
		{`OpenBudget\(file, schema, limit\), or `, ""},
		{`More Options\.Time or Memory compares it`, "More --time compares it"},
		{`NotApplicable says why`, "--why says why"},
		{`its release's own Summary and Intervals, which know the noise where NoisySums\(\) made it`,
			"the command show, which has the intervals of the release itself"},
		{`NoiseAware\(\) has intervals with it`, "the command intervals has some with it"},
		{` Its Log has both\.`, ""},
	} {
		add(w[0], w[1])
	}
	for _, p := range postProcesses {
		add(`\.?WithPostProcess\((?:counts\.)?`+camel(p.flag)+`\)`, " --post-process "+p.flag)
	}
	for _, d := range catalog.All() {
		if d.Flag == "dirichlet-raw" { // of two with one name in Go the other is first
			continue
		}
		add(`\b`+d.Name+`\((?:[A-Za-z]|1)?\)`+end, "--mechanism "+d.Flag+"$1")
		for flag, counted := range map[string]bool{"draws": strings.Contains(d.Flag, "sample"),
			"records": d.Flag == "records"} {
			if counted {
				add(`\b`+d.Name+`\((\d+)\)`+end, "--mechanism "+d.Flag+" --"+flag+" $1$2")
			}
		}
	}
	add(`\bIn Go: ((?:--algorithm [a-z]+(?: --width \d)? with )?--mechanism [a-z0-9 -]+\.)`, "Flags: $1")
	return list
}()

type goWord struct {
	is    *regexp.Regexp
	flags string
}

// camel is a name with hyphens as Go writes it.
func camel(name string) (s string) {
	for word := range strings.SplitSeq(name, "-") {
		s += strings.ToUpper(word[:1]) + word[1:]
	}
	return s
}

// spoken is a text of the library in the words of the command line.
func spoken(text string) string {
	for _, w := range goWords {
		text = w.is.ReplaceAllString(text, w.flags)
	}
	return text
}
