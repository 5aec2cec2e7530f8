package structure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// runBatches is the part of a release after its one-way tables. What it reads of private tables goes to the coins, and
// nowhere else: sets, sizes and order follow from their answers.
func (d *sampler) runBatches(ctx context.Context, s *learner, table tables, c coins) (out []mechanism.Round,
	err error) {
	progress, list := cert.ProgressOf(ctx), d.reported()
	for k := range d.laws.batch.Number {
		if progress != nil {
			progress(int64(k), int64(d.laws.batch.Number))
		}
		if err := s.refit(ctx, 2*roundSteps); err != nil {
			return nil, err
		}
		exact, report, err := s.distances(ctx, list, table)
		if err != nil {
			return nil, err
		}
		r := mechanism.Round{Counts: c.report(d.laws.batch.report, exact), Report: report}
		out = append(out, r)
		set, err := s.chosen(ctx, list, r)
		if err != nil {
			return nil, err
		}
		for _, t := range set {
			counts, err := table(t.columns)
			if err != nil {
				return nil, err
			}
			noisy := c.noise(t.law, counts)
			out = append(out, mechanism.Round{Chosen: slices.Clone(t.columns), Counts: noisy})
			if err := s.measure(t.columns, noisy, t.law, false); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// distances are those of all pairs from their public tables, which are private, and what is public beside them.
func (s *learner) distances(ctx context.Context, list []candidate, table tables) (exact []int64, out *mechanism.Report,
	err error) {
	usual := s.usualNoise(s.laws.batch.batches)
	law := phaseLaw{kept: s.noise.keptNoise(usual, true)}
	out = &mechanism.Report{}
	for _, c := range list {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		m, err := s.expected(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		n, err := table(c.columns)
		if err != nil {
			return nil, nil, err
		}
		exact = append(exact, reportedDistance(n, m))
		sampling := 0.0
		if !s.edges[[2]int(c.columns)] {
			sampling = math.Min(poissonDeviation(m), float64(mostReport))
		}
		free, forbidden := s.free(c.columns)
		reached := law.noiseCost(m, free, forbidden) / s.noise.meanAbsolute(usual)
		out.Corrections = append(out.Corrections, int64(math.Round(sampling)))
		out.Sizes = append(out.Sizes, s.tableSize(reached, s.weight(c)))
	}
	return exact, out, nil
}

// reportedDistance is what a report says of a pair. Tests put a wrong one in its place.
var reportedDistance = distance

// replayBatches takes a learner through the batches of a file: each set must be that of its report.
func (d *sampler) replayBatches(ctx context.Context, s *learner, rounds []mechanism.Round) error {
	at, list := 0, d.reported()
	for range d.laws.batch.Number {
		if at >= len(rounds) {
			return domain.Refuse("structure", "rounds", len(rounds), fmt.Sprintf("%d batches", d.laws.batch.Number))
		}
		if err := d.laws.batch.readable(rounds[at], at); err != nil {
			return err
		}
		set, err := s.chosen(ctx, list, rounds[at])
		if err != nil {
			return err
		}
		at++
		for _, t := range set {
			if at >= len(rounds) || !slices.Equal(rounds[at].Chosen, t.columns) || rounds[at].Stop || rounds[at].Report != nil {
				return domain.Refuse("structure", "rounds", fmt.Sprintf("the table of round %d", at+1),
					fmt.Sprintf("that of the columns at %v, which the report before it chooses", t.columns))
			}
			if err := s.measure(t.columns, rounds[at].Counts, t.law, false); err != nil {
				return err
			}
			at++
		}
	}
	if at != len(rounds) {
		return domain.Refuse("structure", "rounds", len(rounds), fmt.Sprint(at))
	}
	return nil
}
