package data

// Dataset tells what an embedded data set is and where it comes from.
type Dataset struct {
	Name     string // "votes"
	File     string // "votes.csv"
	Title    string
	Rows     int
	Columns  int
	Source   string // the original
	Package  string // the package, with version, that carries the same data
	Licence  string
	Citation string
	Changes  string // against the original; no value was changed, no row dropped or moved
	SHA256   string // of the embedded file
}

var datasets = []Dataset{
	{
		Name: "votes", File: "votes.csv", Title: "US House of Representatives, votes of 1984", Rows: 435, Columns: 17,
		Source:   "UCI Machine Learning Repository 105",
		Package:  "Debian r-cran-mlbench 2.1-3-1, data set HouseVotes84",
		Licence:  "CC BY 4.0",
		Citation: "Congressional Voting Records (1987) [Dataset]. UCI Machine Learning Repository.",
		Changes:  "R data frame written as CSV, column names as in the package",
		SHA256:   "db7c93a3c07da567e78675e25f53263da91356455e8603061bdf40cf273e37dd",
	},
	{
		Name: "breast_cancer", File: "breast_cancer.csv", Title: "Breast Cancer Wisconsin (Diagnostic)", Rows: 569,
		Columns: 31,
		Source:  "UCI Machine Learning Repository 17",
		Package: "Debian python3-sklearn 1.2.1+dfsg-1, breast_cancer.csv",
		Licence: "CC BY 4.0",
		Citation: "Wolberg, W., Mangasarian, O., Street, N. and Street, W. (1995). Breast Cancer Wisconsin " +
			"(Diagnostic) [Dataset]. UCI Machine Learning Repository.",
		Changes: "header written out",
		SHA256:  "5c42141e8fef2577ca1604424d8057dafcf17cb69805ec15f9ec1df81d431179",
	},
	{
		Name: "wine", File: "wine.csv", Title: "Wine recognition", Rows: 178, Columns: 14,
		Source:   "UCI Machine Learning Repository 109",
		Package:  "Debian python3-sklearn 1.2.1+dfsg-1, wine_data.csv",
		Licence:  "CC BY 4.0",
		Citation: "Aeberhard, S. and Forina, M. (1991). Wine [Dataset]. UCI Machine Learning Repository.",
		Changes:  "header written out",
		SHA256:   "7ab4bfea28aa2b962a6d5554dc25111c278c99dae4af27edd4922d802ff3a8da",
	},
	{
		Name: "iris", File: "iris.csv", Title: "Iris flowers", Rows: 150, Columns: 5,
		Source:  "UCI Machine Learning Repository 53",
		Package: "R, datasets::iris",
		Licence: "CC BY 4.0 (UCI); R is GPL-2",
		Citation: "Fisher, R. A. (1936), Annals of Eugenics 7; Anderson, E. (1935), Bulletin of the American Iris " +
			"Society 59.",
		Changes: "R data frame written as CSV",
		SHA256:  "6c17bdaf4419befba3352385793b1518e23e8fe1f76501e0850b573dc908d1e8",
	},
	{
		Name: "penguins", File: "penguins.csv", Title: "Palmer Archipelago penguins", Rows: 344, Columns: 8,
		Source:  "palmerpenguins",
		Package: "Debian r-cran-palmerpenguins 0.1.1-1, extdata/penguins.csv",
		Licence: "CC0",
		Citation: "Horst, A. M., Hill, A. P. and Gorman, K. B. (2020). palmerpenguins: Palmer Archipelago " +
			"(Antarctica) penguin data.",
		Changes: "R data frame written as CSV",
		SHA256:  "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93",
	},
	{
		Name: "spam", File: "spam.csv.gz", Title: "Spambase", Rows: 4601, Columns: 58,
		Source:  "UCI Machine Learning Repository 94, doi:10.24432/C53G6X",
		Package: "same rows, order and values as Debian r-cran-kernlab 0.9-32-1, data set spam",
		Licence: "CC BY 4.0",
		Citation: "Hopkins, M., Reeber, E., Forman, G. and Suermondt, J. (1999). Spambase [Dataset]. UCI Machine " +
			"Learning Repository.",
		Changes: "header added; the characters ; ( [ ! $ # spelled out in names; compressed",
		SHA256:  "3e8510f3fba5467a879ab71cf1ed2ad28de38b1a5337d258bfa2ca2491cd8781",
	},
	{
		Name: "cps1988", File: "cps1988.csv.gz", Title: "Current Population Survey, March 1988", Rows: 28155,
		Columns: 7,
		Source:  "US Census Bureau, Current Population Survey",
		Package: "Debian r-cran-aer 1.2-10-1, data set CPS1988",
		Licence: "GPL-2 or later (the package); survey by the US Census Bureau",
		Citation: "Bierens, H. J. and Ginther, D. K. (2001), Empirical Economics 26; Kleiber, C. and Zeileis, A. " +
			"(2008), Applied Econometrics with R.",
		Changes: "R data frame written as CSV; compressed",
		SHA256:  "15f19ec0f59587f7279fc06949dd9b5c23cbe135bf24298d3e00170754f06d2f",
	},
	{
		Name: "german_credit", File: "german_credit.csv", Title: "Statlog German credit", Rows: 1000, Columns: 21,
		Source: "UCI Machine Learning Repository 144, doi:10.24432/C5NC77",
		Package: "same rows and order as Debian weka 3.6.14-3, examples/credit-g.arff (there codes are text, one to " +
			"one)",
		Licence:  "CC BY 4.0",
		Citation: "Hofmann, H. (1994). Statlog (German Credit Data) [Dataset]. UCI Machine Learning Repository.",
		Changes:  "header added; blanks to commas",
		SHA256:   "39bfc4c58acc6353dff13c11b0469364c2b0992f629ec49a60aa6283d24beaa8",
	},
	{
		Name: "shopper", File: "shopper.csv.gz", Title: "Online shoppers' purchasing intention", Rows: 12330,
		Columns: 18,
		Source:  "UCI Machine Learning Repository 468, doi:10.24432/C5F88Q",
		Package: "none known",
		Licence: "CC BY 4.0",
		Citation: "Sakar, C. and Kastro, Y. (2018). Online Shoppers Purchasing Intention Dataset [Dataset]. UCI " +
			"Machine Learning Repository.",
		Changes: "line ends; compressed",
		SHA256:  "d5c41b21ee3089d5ec0950035f2ba520c00909aae64f010685cfb32f05008658",
	},
	{
		Name: "births2019", File: "births2019.csv.gz", Title: "Singleton births in the United States, 2019", Rows: 160000,
		Columns: 5,
		Source:  "US National Center for Health Statistics, public-use natality file of 2019, through NBER",
		Package: "a sample of 160000 births, as in the tests of github.com/shlomihod/synthflow (MIT)",
		Licence: "US public-use file: for statistics only, no attempt to identify anyone",
		Citation: "National Center for Health Statistics (2020). Natality public-use file, United States, 2019; Hod, S. " +
			"and Canetti, R. (2024), arXiv:2405.00267.",
		Changes: "compressed; the schema leaves the date of birth out",
		SHA256:  "d3f5fc949f58e64292322515cba3c6b8597e1c4ca68d48ce1ca1a7337df533df",
	},
	{
		Name: "nhanes2009", File: "nhanes2009.csv.gz", Title: "Health examination survey, United States, 2009 to 2010",
		Rows: 8591, Columns: 7,
		Source:  "US Centers for Disease Control and Prevention, National Health and Nutrition Examination Survey",
		Package: "data set nhanes of R's package survey",
		Licence: "US public-use file, public domain",
		Citation: "National Center for Health Statistics (2011). National Health and Nutrition Examination Survey, " +
			"2009-2010.",
		Changes: "R data frame written as CSV; compressed; the schema names the codes",
		SHA256:  "24918e7d818d8d52db9323b1883dc892d45be313844580ca6a213cf45158fc9d",
	},
}

// Names lists the embedded data sets.
func Names() []string {
	names := make([]string, len(datasets))
	for i, d := range datasets {
		names[i] = d.Name
	}
	return names
}

// Info tells about one data set: *NameError if there is none of that name.
func Info(name string) (Dataset, error) {
	for _, d := range datasets {
		if d.Name == name {
			return d, nil
		}
	}
	return Dataset{}, &NameError{name, Names()}
}
