// Package simulate is the engine of the studies that simulate data, draw releases, make intervals and count how many
// contain the true value.
//
// A study names its points, each with randomness of its own ([Stream]), says what one replicate does, and counts with
// [Held] and [Moments]; [Plans] and [Release] make the release, and a posterior that is wrong on purpose;
// [Replicates] and [Each] run it. Package full runs and resumes the points of a file.
package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Stream is the randomness of one replicate: every study, point, replicate and use has its own, so that no two points
// see the same data or the same noise.
func Stream(study string, seed uint64, point any, replicate int) *dp.Stream {
	h := sha256.Sum256(fmt.Appendf(nil, "%s %d %+v %d", study, seed, point, replicate))
	return dp.Seeded(binary.LittleEndian.Uint64(h[:]))
}

// Plans are a release as it is drawn, at ε, and as its posterior takes it, at ε·overstated: where that is not 1 the
// posterior is wrong, to show that coverage tells. Errors: those of planning.
func Plans(ctx context.Context, m mechanism.Mechanism, sh *model.Shape, at func(eps float64) dp.Request, eps,
	overstated float64) (drawn, stated *mechanism.Plan, err error) {
	if drawn, err = m.Plan(ctx, sh, at(eps)); err != nil || overstated == 1 {
		return drawn, drawn, err
	}
	stated, err = m.Plan(ctx, sh, at(eps*overstated))
	return drawn, stated, err
}

// Release draws by one plan and states another. Errors: those of drawing.
func Release(ctx context.Context, drawn, stated *mechanism.Plan, st *model.Statistics,
	src *dp.Stream) (*release.Release, error) {
	d, err := drawn.Draw(ctx, st, "simulated", src)
	if err != nil {
		return nil, err
	}
	return release.New(ctx, stated, d)
}

// Coefficients releases the regression that the plans are of, and gives its posterior draws: see Release.
// Errors: those of counting, drawing and of the chains.
func Coefficients(ctx context.Context, drawn, stated *mechanism.Plan, columns map[string]any,
	src *dp.Stream) (r *release.Release, draws *model.Draws, err error) {
	sh := drawn.Shape()
	f, err := frame.FromColumns(sh.Schema(), columns)
	if err != nil {
		return nil, nil, err
	}
	st, err := model.Count(sh, f)
	if err != nil {
		return nil, nil, err
	}
	if r, err = Release(ctx, drawn, stated, st, src); err != nil {
		return nil, nil, err
	}
	if err := r.Model().Sample(ctx); err != nil {
		return r, nil, err
	}
	draws, err = r.Model().CoefficientDraws()
	return r, draws, err
}

// Replicates runs replicates 0, 1, …; those whose chains did not converge have no intervals, and are counted apart.
// Errors: *dp.ParameterError for less than at least replicates, the first other one of run, the context's.
func Replicates(ctx context.Context, replicates, least int, run func(i int) error) (notConverged int, err error) {
	if replicates < least {
		return 0, domain.Refuse("simulate", "replicates", replicates, fmt.Sprintf("at least %d", least))
	}
	for i := range replicates {
		if err := ctx.Err(); err != nil {
			return notConverged, err
		}
		var slow *noiseaware.NotConvergedError
		if err := run(i); errors.As(err, &slow) {
			notConverged++
		} else if err != nil {
			return notConverged, err
		}
	}
	return notConverged, nil
}

// Each runs jobs 0, 1, …, n − 1, as many at a time as there are processors; the first that fails stops those that are
// still to come, and is the error.
func Each(ctx context.Context, n int, run func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := range queue {
				if ctx.Err() != nil {
					continue
				}
				if err := run(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		queue <- i
	}
	close(queue)
	wg.Wait()
	return context.Cause(ctx)
}
