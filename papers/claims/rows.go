package claims

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

//go:embed rows
var rowFiles embed.FS

// registry, overviews and guarantees are what the files of the folder rows say, one file for each document.
var registry, overviews, guarantees = embedded()

func embedded() ([]Claim, map[string]overview, []guarantee) {
	all := rows{}
	summaries := map[string]overview{}
	for _, d := range documents {
		text, err := rowFiles.ReadFile("rows/" + d.file + ".txt")
		if err == nil {
			all.overview = overview{}
			err = all.read(d, string(text))
		}
		if err != nil {
			panic(fmt.Sprintf("claims: %v", err)) // a file of this package, which a test reads
		}
		summaries[d.name] = all.overview
	}
	return all.claims, summaries, all.guarantees
}

// rows is what files say of documents.
type rows struct {
	overview   overview
	guarantees []guarantee
	claims     []Claim
}

// read adds what the file of a document says. It is made of blocks between empty lines; a block is lines "key: text",
// where a text goes on in lines that begin with two spaces. The first key says what the block is: about, reproduced,
// mended and beside make the summary, mechanism is a line of the table of guarantees, row is a claim.
//
// A row names its check with the parameter of the statement as printed, and the parameter of a changed statement, about
// which the same check must disagree; a row with the verdict NotAClaim gives its reason instead.
func (r *rows) read(d document, text string) error {
	blocks, err := split(d.file, text)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		switch b.fields[0].key {
		case "about":
			err = b.into(map[string]*string{"about": &r.overview.about}, nil)
		case "reproduced":
			err = b.sentence(&r.overview.reproduced)
		case "mended":
			err = b.sentence(&r.overview.mended)
		case "beside":
			err = b.sentence(&r.overview.beside)
		case "mechanism":
			g, list := guarantee{}, ""
			err = b.into(map[string]*string{"mechanism": &g.mechanism, "level": &g.level, "how": &g.how, "rows": &list}, nil)
			g.claims = strings.Split(list, ", ")
			r.guarantees = append(r.guarantees, g)
		case "row":
			err = r.claim(d, b)
		default:
			err = b.fails("no block begins with %q", b.fields[0].key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claim adds a row.
func (r *rows) claim(d document, b block) error {
	c := Claim{Document: d.name}
	var ours, check, changed, weaker string
	err := b.into(map[string]*string{"row": &c.ID, "place": &c.Place, "ours": &ours, "assumes": &c.Assumes,
		"says": &c.Statement, "verdict": (*string)(&c.Verdict), "true": &c.True, "counterexample": &c.Counterexample,
		"remark": &c.Remark, "reason": &c.Reason, "source": &c.Source, "notebook": &c.notebook, "check": &check,
		"changed": &changed, "weaker": &weaker}, map[string]*[]string{"item": &c.Items})
	if err != nil {
		return err
	}
	if check != "" {
		err = c.bind(check, changed, weaker)
	}
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return b.fails("%s: %w", c.ID, err)
	}
	if slices.ContainsFunc(r.claims, func(other Claim) bool { return other.ID == c.ID }) {
		return b.fails("%s stands twice", c.ID)
	}
	if c.Ours = ours == "yes"; ours != "" && !c.Ours {
		return b.fails("%s: ours is %q; want yes, or no such line", c.ID, ours)
	}
	r.claims = append(r.claims, c)
	return nil
}

// bind gives a row the check that it names.
func (c *Claim) bind(words, changed, weaker string) (err error) {
	name, printed, _ := strings.Cut(words, " ")
	if run, ok := ofTwo[name]; ok {
		var s scale
		if printed != "" || weaker != "" {
			return fmt.Errorf("check %s holds both statements and takes no parameter", name)
		}
		if err := decode(changed, &s); err != nil {
			return err
		}
		c.turn(s, run)
		return nil
	}
	e, ok := ofFindings[name]
	if run, is := ofNumber[name]; is {
		e, ok = with(func(_ context.Context, f *Finding, k float64) error { return run(f.trial(), k) }), true
	} else if run, is := ofCurves[name]; is {
		e, ok = with(func(_ context.Context, f *Finding, swapped bool) error { return run(f.trial(), swapped) }), true
	}
	if !ok {
		return fmt.Errorf("there is no check %q", name)
	}
	if c.check, err = e(printed); err != nil {
		return fmt.Errorf("check %s: %w", words, err)
	}
	if changed != "" {
		if c.mutant, err = e(changed); err != nil {
			return fmt.Errorf("changed %s: %w", changed, err)
		}
	}
	if weaker != "" {
		if c.weakened, err = e(weaker); err != nil {
			return fmt.Errorf("weaker %s: %w", weaker, err)
		}
	}
	return nil
}

// complete says what a row lacks.
func (c *Claim) complete() error {
	contradicted := slices.Contains([]Verdict{False, Corrected, ProofWrong, Outside}, c.Verdict.executed())
	switch {
	case c.Place == "" || c.Statement == "" || c.Source == "":
		return fmt.Errorf("it lacks its place, what it says or its source")
	case !slices.Contains(Verdicts(), c.Verdict):
		return fmt.Errorf("there is no verdict %q", c.Verdict)
	case c.Verdict == NotAClaim && (c.Reason == "" || c.check != nil || c.mutant != nil):
		return fmt.Errorf("a definition or remark has a reason and no check")
	case c.Verdict == NotAClaim && c.Counterexample == "":
		return nil
	case c.Reason != "":
		return fmt.Errorf("a claim has no reason for being none")
	case c.Assumes == "" || c.check == nil || c.mutant == nil:
		return fmt.Errorf("it lacks its assumptions, its check or the changed statement")
	case c.Verdict == Slip && c.Remark == "":
		return fmt.Errorf("it is a %s, without a remark that says why", c.Verdict)
	case contradicted && (c.True == "" || c.Counterexample == ""):
		return fmt.Errorf("it is %s, without a true form or a counterexample", c.Verdict)
	case !contradicted && c.Counterexample != "":
		return fmt.Errorf("it is %s, with a counterexample", c.Verdict)
	}
	return nil
}

// engine makes a check of a parameter, which is JSON.
type engine func(parameter string) (check, error)

// with is the engine of a check with a parameter of its own type.
func with[P any](run func(ctx context.Context, f *Finding, p P) error) engine {
	return func(parameter string) (check, error) {
		var p P
		if err := decode(parameter, &p); err != nil {
			return nil, err
		}
		return func(ctx context.Context, f *Finding) error { return run(ctx, f, p) }, nil
	}
}

// decode reads one JSON value and nothing else.
func decode(text string, to any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("parameter %q: %w", text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("parameter %q is followed by something", text)
	}
	return nil
}

// block is the lines of a file between two empty ones.
type block struct {
	file   string
	line   int // of its first line
	fields []field
}

type field struct{ key, text string }

func (b block) fails(format string, args ...any) error {
	return fmt.Errorf("rows/%s.txt:%d: %w", b.file, b.line, fmt.Errorf(format, args...))
}

// split makes blocks of a file.
func split(file, text string) ([]block, error) {
	var out []block
	b := block{file: file, line: 1}
	for i, line := range strings.Split(text+"\n", "\n") {
		key, value, ok := strings.Cut(line, ": ")
		rest, more := strings.CutPrefix(line, "  ")
		switch {
		case line == "":
			if len(b.fields) > 0 {
				out = append(out, b)
			}
			b = block{file: file, line: i + 2}
			continue
		case more && len(b.fields) > 0:
			value, ok = rest, true
			b.fields[len(b.fields)-1].text += " " + value
		default:
			b.fields = append(b.fields, field{key, value})
		}
		if !ok || value == "" || strings.TrimSpace(value) != value {
			return nil, fmt.Errorf("rows/%s.txt:%d: want \"key: text\", or a text that goes on after two spaces", file, i+1)
		}
	}
	return out, nil
}

// into puts the texts of a block where their keys say: one by key of single, any number by key of many.
func (b block) into(single map[string]*string, many map[string]*[]string) error {
	for _, f := range b.fields {
		to := single[f.key]
		switch list := many[f.key]; {
		case list != nil:
			*list = append(*list, f.text)
		case to == nil:
			return b.fails("a block that begins with %q has no line %q", b.fields[0].key, f.key)
		case *to != "":
			return b.fails("%q stands twice", f.key)
		default:
			*to = f.text
		}
	}
	return nil
}

// sentence adds a sentence of a summary.
func (b block) sentence(to *[]sentence) error {
	s, list := sentence{}, ""
	err := b.into(map[string]*string{b.fields[0].key: &s.text, "rows": &list}, nil)
	if err == nil && list == "" {
		err = b.fails("a sentence without its rows")
	}
	s.rows = strings.Split(list, ", ")
	*to = append(*to, s)
	return err
}

// ofNumber are the checks of a statement with one number in it: a row gives the number of the statement as printed, and
// that of another one.
var ofNumber = map[string]func(t *trial, k float64) error{
	"accuracies": accuracies, "accuracyAndPrivacy": accuracyAndPrivacy, "additiveNoise": additiveNoise,
	"algorithm1Epsilon": algorithm1Epsilon, "algorithm1Set": algorithm1Set, "algorithm2": algorithm2,
	"askForList": askForList, "betterTheorem": betterTheorem, "biasOfDraw": biasOfDraw, "budgetSplit": budgetSplit,
	"categoricalOrder": categoricalOrder, "chernoffOfPaper": chernoffOfPaper, "choiceOfG": choiceOfG,
	"claim1": claim1, "claim2": claim2, "claim3": claim3, "claim4": claim4, "clampedLaw": clampedLaw,
	"clampedLower": clampedLower, "clampedMean": clampedMean, "closeToNotPrivate": closeToNotPrivate,
	"closerThan": closerThan, "closureBound": closureBound, "closureSuffices": closureSuffices,
	"coefficientSensitivity": coefficientSensitivity, "corollary101": corollary101, "corollary102": corollary102,
	"corollary16": corollary16, "corollary16Whole": corollary16Whole, "corollaryA1": corollaryA1,
	"corollaryA2": corollaryA2, "corollaryA3": corollaryA3, "corollaryA4": corollaryA4, "corollaryA5": corollaryA5,
	"corollaryA6": corollaryA6, "corollaryA7": corollaryA7, "countSensitivity": countSensitivity,
	"crossEntropies": crossEntropies, "definition2": definition2, "densityScore": densityScore,
	"densityScore2": densityScore2, "deterministic": deterministic, "digammaBounds": digammaBounds,
	"disagree": disagree, "doubleCounting": doubleCounting, "doubleLambda": doubleLambda,
	"drawsUtility": drawsUtility, "equation10Holds": equation10Holds, "equation15": equation15,
	"equation16": equation16, "evidenceMoment": evidenceMoment, "evidenceRatio": evidenceRatio,
	"evidenceSplit": evidenceSplit, "exponentialLipschitz": exponentialLipschitz, "figure1": figure1,
	"figure1Raised": figure1Raised, "figure1Steps": figure1Steps, "figure2": figure2, "figure7": figure7,
	"figure7InWords": figure7InWords, "gammaRatio": gammaRatio, "gaussianBaseline": gaussianBaseline,
	"gridScore": gridScore, "gridScore2": gridScore2, "halfOfC": halfOfC, "hammingChains": hammingChains,
	"headline": headline, "imbalanced": imbalanced, "increments": increments, "independentNodes": independentNodes,
	"informative": informative, "introExample": introExample, "jointChoice": jointChoice,
	"lambertSteps": lambertSteps, "laplaceAsExponential": laplaceAsExponential, "laplaceBaseline": laplaceBaseline,
	"largeEpsilon": largeEpsilon, "largestNoise": largestNoise, "lastLipschitz": lastLipschitz, "leCam": leCam,
	"learningInhibited": learningInhibited, "lemma1": lemma1, "lemma12": lemma12, "lemma14": lemma14,
	"lemma15": lemma15, "lemma15Terms": lemma15Terms, "lemma19": lemma19, "lemma19Classical": lemma19Classical,
	"lemma19Metric": lemma19Metric, "lemma2": lemma2, "lemma20Rate": lemma20Rate,
	"lemma21Constant": lemma21Constant, "lemma21Delta": lemma21Delta, "lemma21Proof": lemma21Proof,
	"lemma21Rate": lemma21Rate, "lemma21Unimprovable": lemma21Unimprovable, "lemma22Classical": lemma22Classical,
	"lemma22Rate": lemma22Rate, "lemma23": lemma23, "lemma23Classical": lemma23Classical,
	"lemma23Mean": lemma23Mean, "lemma24": lemma24, "lemma24Markov": lemma24Markov, "lemma24Metric": lemma24Metric,
	"lemma24Record": lemma24Record, "lemma3": lemma3, "lemma5": lemma5, "lemmaA2": lemmaA2, "lemmaA3": lemmaA3,
	"lemmaA4": lemmaA4, "libraryNormal": libraryNormal, "libraryProfile": libraryProfile,
	"libraryPure": libraryPure, "libraryRange": libraryRange, "libraryRenyi": libraryRenyi,
	"likelihoodIsKL": likelihoodIsKL, "likelihoodShare": likelihoodShare, "likelihoods": likelihoods,
	"logScore": logScore, "marginalsAlone": marginalsAlone, "mcDiarmid": mcDiarmid, "meanEll": meanEll,
	"necessarySufficient": necessarySufficient, "networkLemma2": networkLemma2, "networkLemma3": networkLemma3,
	"networkLemma3Proof": networkLemma3Proof, "networkLemma4": networkLemma4, "networkTheorem41": networkTheorem41,
	"networkTheorem42": networkTheorem42, "noiseOrder": noiseOrder, "normaliser": normaliser, "oneDraw": oneDraw,
	"oneRecord": oneRecord, "orderOfM": orderOfM, "orientation": orientation, "outputSize": outputSize,
	"paperDigamma": paperDigamma, "particularAccuracies": particularAccuracies, "pinsker": pinsker,
	"posteriorOfBinomial": posteriorOfBinomial, "predictive": predictive, "proposition3": proposition3,
	"recordsByEpsilon": recordsByEpsilon, "recordsNeeded": recordsNeeded, "referenceCode": referenceCode,
	"regressionConjugacy": regressionConjugacy, "regressionGradients": regressionGradients,
	"regressionLevel": regressionLevel, "regressionLipschitz": regressionLipschitz, "regressionOsc": regressionOsc,
	"rejection": rejection, "remark1": remark1, "remark1Density": remark1Density, "remarkAnyG": remarkAnyG,
	"remarkFloor": remarkFloor, "renyiIdentity": renyiIdentity, "repeating": repeating,
	"sameForLaplace": sameForLaplace, "sameForm": sameForm, "samplerDraws": samplerDraws,
	"samplerJoint": samplerJoint, "samplerNominal": samplerNominal, "smallEpsilon": smallEpsilon,
	"smallSamples": smallSamples, "table1": table1, "tableError": tableError, "tablesAgree": tablesAgree,
	"tailOfAlgorithm1": tailOfAlgorithm1, "tailsExactly": tailsExactly,
	"bestRates": bestRates, "temperature": temperature, "theorem13": theorem13,
	"theorem13Stochastic": theorem13Stochastic, "theorem17a": theorem17a, "theorem17b": theorem17b,
	"theorem1Mean": theorem1Mean, "theorem1OfAlgorithm1": theorem1OfAlgorithm1, "theorem1Order": theorem1Order,
	"theorem1Refined": theorem1Refined, "theorem1Tail": theorem1Tail, "theorem2": theorem2, "theorem25": theorem25,
	"theorem2Star": theorem2Star, "theorem3Steps": theorem3Steps, "theorem4": theorem4,
	"theorem4Proof": theorem4Proof, "theorem6Global": theorem6Global, "theorem6Literal": theorem6Literal,
	"theorem6Pairs": theorem6Pairs, "theorem71": theorem71, "theorem72": theorem72, "theorem81": theorem81,
	"theorem82": theorem82, "theoremA": theoremA, "theoremB": theoremB, "theoremPrior": theoremPrior,
	"theoremTables": theoremTables, "trigammaBounds": trigammaBounds, "truncationPrivate": truncationPrivate,
	"valuesPerNode": valuesPerNode, "zeroTheta": zeroTheta,
}

// ofCurves are the checks of a statement that has a second one: of curves, or a reading: where swapped, they
// execute the other.
var ofCurves = map[string]func(t *trial, swapped bool) error{
	"figure1Cost": figure1Cost, "figure1Fourier": figure1Fourier, "figure1Sampler": figure1Sampler,
	"figure2Cost": figure2Cost, "figure2Prior": figure2Prior, "figure2Privacy": figure2Privacy,
	"inDegrees": inDegrees, "naiveScales": naiveScales, "taylorStep": taylorStep, "truncateTables": truncateTables,
	"truncationKL": truncationKL,
}

// ofTwo are the checks that hold two statements, the printed one and the one that repairs it.
var ofTwo = map[string]func(t *trial, s scale) error{
	"corollary9": corollary9, "example1": example1, "lemma11": lemma11, "lemma20": lemma20, "lemma22": lemma22,
	"remark3": remark3, "simplification": simplification, "theorem8Typo": theorem8Typo,
}

// ofFindings are the checks that ask for their trial themselves.
var ofFindings = map[string]engine{
	"accuracyBound": with(accuracyBound), "attainedAtTheEnds": with(attainedAtTheEnds), "axial": with(axial),
	"captionGlobal": with(captionGlobal), "captionSmooth": with(captionSmooth), "chain": with(chain),
	"chainIdentity": with(chainIdentity), "chainOfTwo": with(chainOfTwo), "chainSteps": with(chainSteps),
	"closedForm": with(closedForm), "conjugate": with(conjugate), "density": with(density),
	"dilation": with(dilation), "dilationBelow": with(dilationBelow), "dilationEvent": with(dilationEvent),
	"endsOfParameter": with(endsOfParameter), "gammaPlus": with(gammaPlus), "globalMode": with(globalMode),
	"inductionBase": with(inductionBase), "inductionParity": with(inductionParity), "inference": with(inference),
	"laplaceDilation": with(laplaceDilation), "laplaceGrowing": with(laplaceGrowing),
	"laplaceMaximum": with(laplaceMaximum), "laplaceShrinking": with(laplaceShrinking),
	"laplaceTail": with(laplaceTail), "leastIncrement": with(leastIncrement), "lemmaB": with(lemmaB),
	"localMode": with(localMode), "noteFigure1": with(noteFigure1), "printedBeta": with(printedBeta),
	"printedGlobal": with(printedGlobal), "printedLocal": with(printedLocal), "ranking": with(ranking),
	"sliding": with(sliding), "smoothBeta": with(smoothBeta), "smoothMode": with(smoothMode),
	"statementOneLeft": with(statementOneLeft), "statementOneRight": with(statementOneRight),
	"statementThree": with(statementThree), "statementTwo": with(statementTwo),
	"statementsOtherPriors": with(statementsOtherPriors), "tail": with(tail), "tailEquality": with(tailEquality),
	"theorem1": with(theorem1), "theoremC": with(theoremC), "theoremS": with(theoremS),
	"twoFactors": with(twoFactors),
}

// The documents.
const (
	// NoteA and NoteB are the two notes on the exponential mechanism over posteriors. They have one title; the claims
	// call them note A and note B.
	NoteA = "Notes of DP - Bayesian Inference, note A"
	NoteB = "Notes of DP - Bayesian Inference, note B"
	// Library is the document of the theorems that this library adds.
	Library = "This library: the exponential mechanism over posteriors"
	// NetworkPaper is Zhang, Rubinstein and Dimitrakakis, "On the differential privacy of Bayesian inference" (AAAI
	// 2016).
	NetworkPaper = "Zhang, Rubinstein, Dimitrakakis (AAAI 2016)"
	// DirichletPaper is the paper on the Dirichlet mechanism, by its title.
	DirichletPaper = "Dirichlet Mechanism for Differentially Private KL Divergence Minimization"
	// SamplingPaper is Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Differential privacy for Bayesian
	// inference through posterior sampling".
	SamplingPaper = "Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein (JMLR 2017)"
)

// document says where the rows and the items of a document stand, and which notebook shows its rows unless they say
// otherwise.
type document struct{ name, file, notebook string }

// documents stand in the order of their claims.
var documents = []document{
	{NoteA, "notea", "02_proofs"}, {NoteB, "noteb", "02_proofs"}, {Library, "library", "02_proofs"},
	{NetworkPaper, "network", "03_networks"}, {DirichletPaper, "dirichlet", "04_dirichlet"},
	{SamplingPaper, "sampling", "05_posterior_sampling"},
}

// Documents lists the documents in the order of their claims.
func Documents() []string {
	var out []string
	for _, d := range documents {
		out = append(out, d.name)
	}
	return out
}

// Item is one numbered item of a document: a theorem, a definition, a figure, also a headline that has no number.
type Item struct {
	Item    string `json:"item"` // as the document prints it, such as "Theorem 3"
	Page    int    `json:"page,omitempty"`
	Section string `json:"section,omitempty"`
	Kind    string `json:"kind"`
}

// kinds are the kinds of items.
var kinds = []string{"theorem", "lemma", "claim", "proposition", "corollary", "definition", "remark", "equation",
	"figure", "table", "statement", "example", "algorithm"}

//go:embed items
var itemLists embed.FS

// Items lists the numbered items of a document, in its order; the library's own theorems have none.
func Items(document string) (out []Item) {
	for _, d := range documents {
		if d.name != document || d.name == Library {
			continue
		}
		data, err := itemLists.ReadFile("items/" + d.file + ".json")
		if err == nil {
			err = json.Unmarshal(data, &out)
		}
		if err != nil {
			panic(fmt.Sprintf("claims: items/%s.json: %v", d.file, err)) // a file of this package, which a test reads
		}
	}
	return out
}

// rowsOf lists the IDs of the rows about an item.
func rowsOf(document, item string) []string {
	var out []string
	for _, c := range registry {
		if c.Document != document {
			continue
		}
		for _, name := range c.Items {
			if name == item {
				out = append(out, c.ID)
			}
		}
	}
	sort.Strings(out)
	return out
}

// withoutRow lists the items of a document that no row is about.
func withoutRow(document string) []string {
	var out []string
	for _, i := range Items(document) {
		if len(rowsOf(document, i.Item)) == 0 {
			out = append(out, i.Item)
		}
	}
	return out
}
