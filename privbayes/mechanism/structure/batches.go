package structure

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Where noise is little, pairs are chosen in two batches in place of rounds. A batch
//
//  1. fits what is known, and makes the public table M of every pair,
//  2. releases the distances ‖N − M‖₁ of all m pairs with discrete Gaussian noise: the report,
//  3. chooses a set of pairs by the report and public numbers alone (batchchoice.go),
//  4. measures them, with ρ for each such that the whole set spends that of the batch.
//
// A record that is added moves every distance by −1 or 1, one that is replaced by −2, 0 or 2, a unit of k rows by k
// times that. So the vector of distances moves by √m·k or √m·2k in ℓ₂, and the report has ρ = m(k or 2k)²/(2σ²): m
// times that of a count. Which σ² the tables have adapts, and what a batch spends does not: ρ adds, on every path
// (theory/structure.md §9).

// Settings of batches, as in theory/structure.md §9: chosen there among others on some tables, and not tuned on.
const (
	batchesAt   = .01 // the largest ν
	batchNumber = 2
	batchOneWay = .1  // of the budget, for one-way tables
	reportShare = .05 // of a batch
)

// batches are the public parameters of a release in batches.
type batches struct {
	Number    int            `json:"number"`
	Distances int            `json:"distances"` // m, of a report
	Report    noise.Rational `json:"report"`    // σ² of a distance
	Tables    noise.Rational `json:"tables"`    // ρ of the tables of a batch
}

// Valid checks parameters from a file: *dp.ParameterError.
func (b *batches) Valid() error {
	if b.Number < 1 || b.Number > 16 || b.Distances < 1 || b.Distances > 1<<24 {
		return domain.Refuse("structure", "batches", fmt.Sprint(b.Number, b.Distances),
			"1 to 16 batches, 1 to 2^24 distances")
	}
	if err := b.Report.Valid(); err != nil {
		return err
	}
	return b.Tables.Valid()
}

// mayBatch reports whether batches may be used at all: the number of records is public, noise is Gaussian, and the
// target has a ρ.
func (q *problem) mayBatch() bool {
	_, public := q.publicSize()
	return q.chooses() && public && !q.pure() && q.noise.unbounded && q.batch() == 1
}

// reported are the pairs of a report: those of positive weight.
func (q *problem) reported() (out []candidate) {
	for i := range q.pairs {
		if q.weights == nil || q.weights[i] > 0 {
			out = append(out, candidate{columns: q.pairs[i][:], pair: i + 1})
		}
	}
	return out
}

// distanceMove is what one unit moves a distance by, at most. Tests put a wrong one in its place.
var distanceMove = func(q *problem) int {
	if q.target.Adjacency == dp.AddRemove {
		return q.rows
	}
	return 2 * q.rows
}

// reportCounts is how many of the distances move by that: all of them. Tests put a wrong number in its place.
var reportCounts = func(distances int) int { return distances }

// batchRates are the parameters of batches that share a ρ.
func (q *problem) batchRates(rho float64) *batches {
	m, each := len(q.reported()), rho/batchNumber
	sigma2 := q.noise.rate(each*reportShare, false, reportCounts(m), distanceMove(q))
	tables := noise.Dyadic(each*(1-reportShare), rateBits, false).Reduced()
	return &batches{Number: batchNumber, Distances: m, Report: q.noise.rounded(sigma2), Tables: tables}
}

// reportNoise is n times the expected error of a reported distance, as total variation, from the target alone. It grows
// with the root of the number of pairs: where it is above that of a table, n·ν, pairs are taken for the noise of their
// distances, and many of them. On 20 and 37 columns of networks such batches were worse than rounds by half, and slow.
func (q *problem) reportNoise() float64 {
	b := q.batchRates(treeBudget(q.target.Parameters) * (1 - batchOneWay))
	return q.noise.meanAbsolute(b.Report.Float()) / 2
}

// batchParts lists what batches spend.
func (q *problem) batchParts(b *batches) []loss.Repeat {
	return []loss.Repeat{
		{Pair: q.noise.pair(b.Report, reportCounts(b.Distances), distanceMove(q)), Times: b.Number},
		{Pair: loss.ConcentratedPair{Rho: b.Tables.Float()}, Times: b.Number},
	}
}

// batchLaw is the exact law of batches.
type batchLaw struct {
	batches
	report      noise.Distribution
	price       int64 // of noise, in units of 1/priceUnit: see batchchoice.go
	least, most int64 // sizes that tables may have
}

func (q *problem) batchLaw(b *batches) (*batchLaw, error) {
	if b == nil {
		return nil, nil
	}
	report, err := q.noise.Of(b.Report)
	if err != nil {
		return nil, err
	}
	l := &batchLaw{batches: *b, report: report, price: q.priceOf(b.Tables)}
	l.least, l.most = q.sizes()
	_, err = q.noise.Of(q.tableNoise(b.Tables, l.most*int64(b.Distances), l.least)) // the most noise that a set may need
	return l, err
}

// batchSettings are the parameters of batches, for people.
func (q *problem) batchSettings(b *batches) []mechanism.Setting {
	alone := q.tableNoise(b.Tables, sizeUnit, sizeUnit)
	return []mechanism.Setting{
		{Name: "reports", Value: fmt.Sprintf("%d of %s, %s%s", b.Number, shown.Count(b.Distances, "distance"), q.noise.words,
			brief(b.Report))},
		{Name: "chosen tables", Value: fmt.Sprintf("ρ = %s for those of a batch together; %s%s if there is one",
			brief(b.Tables), q.noise.words, brief(alone))},
	}
}

// batchExpectation is the error of a distance.
func (q *problem) batchExpectation(b *batches) mechanism.Expectation {
	return mechanism.Expectation{Name: "absolute error of a reported distance, as total variation",
		Value: q.noise.meanAbsolute(b.Report.Float()) / 2, Unit: "records", How: "closed form"}
}

// batchRho is what batches spend, by the standard formula.
func (q *problem) batchRho(b *batches) float64 {
	k := float64(distanceMove(q))
	return float64(b.Number) * (float64(reportCounts(b.Distances))*k*k/(2*b.Report.Float()) + b.Tables.Float())
}

// usualNoise is the σ² by which sizes are told: that of one of d tables that share the ρ of a batch.
func (q *problem) usualNoise(b batches) float64 {
	return float64(q.changed(4)) * math.Pow(float64(q.rows), 2) * float64(len(q.levels)) / (2 * b.Tables.Float())
}
