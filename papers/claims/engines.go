package claims

// ofNumber are the checks of a statement with one number in it: a row gives the number of the statement as printed, and
// that of another one.
var ofNumber = map[string]func(t *trial, k float64) error{
	"accuracies": accuracies, "additiveNoise": additiveNoise, "algorithm1Epsilon": algorithm1Epsilon,
	"algorithm1Set": algorithm1Set, "algorithm2": algorithm2, "betterTheorem": betterTheorem,
	"biasOfDraw": biasOfDraw, "budgetSplit": budgetSplit, "categoricalOrder": categoricalOrder,
	"chernoffOfPaper": chernoffOfPaper, "choiceOfG": choiceOfG, "claim1": claim1, "claim2": claim2, "claim3": claim3,
	"claim4": claim4, "clampedMean": clampedMean, "closeToNotPrivate": closeToNotPrivate, "closerThan": closerThan,
	"closureBound": closureBound, "closureSuffices": closureSuffices,
	"coefficientSensitivity": coefficientSensitivity, "corollary101": corollary101, "corollary102": corollary102,
	"corollary16": corollary16, "corollary16Whole": corollary16Whole, "corollaryA1": corollaryA1,
	"corollaryA2": corollaryA2, "corollaryA3": corollaryA3, "corollaryA4": corollaryA4, "corollaryA5": corollaryA5,
	"corollaryA6": corollaryA6, "corollaryA7": corollaryA7, "countSensitivity": countSensitivity,
	"crossEntropies": crossEntropies, "definition2": definition2, "densityScore": densityScore,
	"densityScore2": densityScore2, "deterministic": deterministic, "digammaBounds": digammaBounds,
	"doubleCounting": doubleCounting, "drawsUtility": drawsUtility, "equation10Holds": equation10Holds,
	"equation15": equation15, "equation16": equation16, "evidenceMoment": evidenceMoment,
	"evidenceRatio": evidenceRatio, "evidenceSplit": evidenceSplit, "exponentialLipschitz": exponentialLipschitz,
	"figure1": figure1, "figure1Raised": figure1Raised, "figure1Steps": figure1Steps, "figure2": figure2,
	"figure7": figure7, "figure7InWords": figure7InWords, "gaussianBaseline": gaussianBaseline,
	"gridScore": gridScore, "gridScore2": gridScore2, "halfOfC": halfOfC, "hammingChains": hammingChains,
	"headline": headline, "imbalanced": imbalanced, "increments": increments, "independentNodes": independentNodes,
	"informative": informative, "introExample": introExample, "jointChoice": jointChoice,
	"laplaceBaseline": laplaceBaseline, "largeEpsilon": largeEpsilon, "largestNoise": largestNoise, "leCam": leCam,
	"lemma1": lemma1, "lemma12": lemma12, "lemma14": lemma14, "lemma15": lemma15, "lemma19": lemma19,
	"lemma19Classical": lemma19Classical, "lemma19Metric": lemma19Metric, "lemma2": lemma2,
	"lemma20Rate": lemma20Rate, "lemma21Constant": lemma21Constant, "lemma21Delta": lemma21Delta,
	"lemma21Proof": lemma21Proof, "lemma21Rate": lemma21Rate, "lemma21Unimprovable": lemma21Unimprovable,
	"lemma22Classical": lemma22Classical, "lemma22Rate": lemma22Rate, "lemma23": lemma23,
	"lemma23Classical": lemma23Classical, "lemma23Mean": lemma23Mean, "lemma24": lemma24,
	"lemma24Markov": lemma24Markov, "lemma24Metric": lemma24Metric, "lemma24Record": lemma24Record, "lemma3": lemma3,
	"lemma5": lemma5, "lemmaA2": lemmaA2, "lemmaA3": lemmaA3, "lemmaA4": lemmaA4, "libraryNormal": libraryNormal,
	"libraryProfile": libraryProfile, "libraryPure": libraryPure, "libraryRange": libraryRange,
	"libraryRenyi": libraryRenyi, "likelihoodIsKL": likelihoodIsKL, "likelihoodShare": likelihoodShare,
	"likelihoods": likelihoods, "logScore": logScore, "marginalsAlone": marginalsAlone, "mcDiarmid": mcDiarmid,
	"meanEll": meanEll, "necessarySufficient": necessarySufficient, "networkLemma2": networkLemma2,
	"networkLemma3": networkLemma3, "networkLemma3Proof": networkLemma3Proof, "networkLemma4": networkLemma4,
	"networkTheorem41": networkTheorem41, "networkTheorem42": networkTheorem42, "noiseOrder": noiseOrder,
	"oneDraw": oneDraw, "oneRecord": oneRecord, "orderOfM": orderOfM, "orientation": orientation,
	"particularAccuracies": particularAccuracies, "pinsker": pinsker, "predictive": predictive,
	"proposition3": proposition3, "recordsByEpsilon": recordsByEpsilon, "recordsNeeded": recordsNeeded,
	"referenceCode": referenceCode, "regressionConjugacy": regressionConjugacy,
	"regressionGradients": regressionGradients, "regressionLevel": regressionLevel,
	"regressionLipschitz": regressionLipschitz, "regressionOsc": regressionOsc, "rejection": rejection,
	"remark1": remark1, "remark1Density": remark1Density, "remarkAnyG": remarkAnyG, "remarkFloor": remarkFloor,
	"renyiIdentity": renyiIdentity, "repeating": repeating, "samplerDraws": samplerDraws,
	"samplerJoint": samplerJoint, "samplerNominal": samplerNominal, "smallEpsilon": smallEpsilon, "table1": table1,
	"tableError": tableError, "tablesAgree": tablesAgree, "tailOfAlgorithm1": tailOfAlgorithm1,
	"temperature": temperature, "theorem13": theorem13, "theorem13Stochastic": theorem13Stochastic,
	"theorem17a": theorem17a, "theorem17b": theorem17b, "theorem1Mean": theorem1Mean,
	"theorem1OfAlgorithm1": theorem1OfAlgorithm1, "theorem1Order": theorem1Order, "theorem1Refined": theorem1Refined,
	"theorem1Tail": theorem1Tail, "theorem2": theorem2, "theorem25": theorem25, "theorem2Star": theorem2Star,
	"theorem4": theorem4, "theorem4Proof": theorem4Proof, "theorem6Global": theorem6Global,
	"theorem6Pairs": theorem6Pairs, "theorem71": theorem71, "theorem72": theorem72, "theorem81": theorem81,
	"theorem82": theorem82, "theoremA": theoremA, "theoremB": theoremB, "theoremPrior": theoremPrior,
	"theoremTables": theoremTables, "trigammaBounds": trigammaBounds, "truncationHelps": truncationHelps,
}

// ofCurves are the checks of a statement about curves: where swapped, of other curves.
var ofCurves = map[string]func(t *trial, swapped bool) error{
	"figure1Cost": figure1Cost, "figure1Fourier": figure1Fourier, "figure1Sampler": figure1Sampler,
	"figure2Cost": figure2Cost, "figure2Prior": figure2Prior, "figure2Privacy": figure2Privacy,
	"naiveScales": naiveScales,
}

// ofTwo are the checks that hold two statements, the printed one and the one that repairs it.
var ofTwo = map[string]func(t *trial, s scale) error{
	"corollary9": corollary9, "example1": example1, "lemma11": lemma11, "lemma20": lemma20, "lemma22": lemma22,
	"remark3": remark3, "simplification": simplification, "theorem6Literal": theorem6Literal,
	"theorem8Typo": theorem8Typo,
}

// ofFindings are the checks that ask for their trial themselves.
var ofFindings = map[string]engine{
	"accuracyBound": with(accuracyBound), "attainedAtTheEnds": with(attainedAtTheEnds), "axial": with(axial),
	"captionGlobal": with(captionGlobal), "captionSmooth": with(captionSmooth), "chain": with(chain),
	"chainOfTwo": with(chainOfTwo), "closedForm": with(closedForm), "conjugate": with(conjugate),
	"density": with(density), "dilation": with(dilation), "gammaPlus": with(gammaPlus),
	"globalMode": with(globalMode), "inference": with(inference), "laplaceDilation": with(laplaceDilation),
	"laplaceMaximum": with(laplaceMaximum), "laplaceTail": with(laplaceTail), "lemmaB": with(lemmaB),
	"localMode": with(localMode), "noteFigure1": with(noteFigure1), "printedBeta": with(printedBeta),
	"printedGlobal": with(printedGlobal), "printedLocal": with(printedLocal), "ranking": with(ranking),
	"sliding": with(sliding), "smoothBeta": with(smoothBeta), "smoothMode": with(smoothMode),
	"statementOneLeft": with(statementOneLeft), "statementOneRight": with(statementOneRight),
	"statementThree": with(statementThree), "statementTwo": with(statementTwo),
	"statementsOtherPriors": with(statementsOtherPriors), "tail": with(tail), "theorem1": with(theorem1),
	"theoremC": with(theoremC), "theoremS": with(theoremS), "twoFactors": with(twoFactors),
}
