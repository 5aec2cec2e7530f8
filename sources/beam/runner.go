package beam

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // the runner in this process
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Runner says who runs a pipeline, and how long it may take.
type Runner struct {
	name     string // Beam's
	shown    string
	endpoint string
	process  string
	folder   string
	limit    time.Duration
	patience time.Duration // without a sign of life; workers in this process give signs
}

// Prism runs the pipeline in this process, on all processors. A run that gives no sign of life for two minutes is given
// up.
func Prism() Runner {
	return Runner{name: "prism", shown: "Prism", limit: 24 * time.Hour, patience: 2 * time.Minute}
}

// Portable hands the pipeline to a job server at an address such as "localhost:8099": Apache Flink's, or another of
// Beam's. Its workers are processes of this program, started where the files are, at the same paths; main must call
// [Worker] first. A run may take an hour; see WithTimeLimit.
func Portable(endpoint string) Runner {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return Runner{name: "universal", shown: "job server", endpoint: endpoint, process: program, limit: time.Hour}
}

// WithProgram sets the path of the program that workers are processes of, where it is not this one's.
func (r Runner) WithProgram(path string) Runner { r.process = path; return r }

// WithFolder sets where the result of a run is written for the driver to read: a folder that driver and workers see and
// others do not; by default a new one for every run, in the system's temporary folder.
func (r Runner) WithFolder(path string) Runner { r.folder = path; return r }

// WithTimeLimit sets after which time a run is given up.
func (r Runner) WithTimeLimit(d time.Duration) Runner { r.limit = d; return r }

// Worker turns a process that a runner started into a worker, and does not return then. Call it first in main. It takes
// the quotes off that some runners put around the arguments.
func Worker() {
	var id, provision string
	for _, a := range os.Args[1:] {
		if v, ok := strings.CutPrefix(a, "--id="); ok {
			id = strings.Trim(v, `'"`)
		}
		if v, ok := strings.CutPrefix(a, "--provision_endpoint="); ok {
			provision = strings.Trim(v, `'"`)
		}
	}
	if id == "" || provision == "" {
		return
	}
	quiet()
	ctx := grpcx.WriteWorkerID(context.Background(), id)
	info, err := tools.ProvisionInfo(ctx, provision)
	if err != nil {
		os.Exit(3)
	}
	err = harness.MainWithOptions(ctx, info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl(),
		harness.Options{StatusEndpoint: info.GetStatusEndpoint().GetUrl(), RunnerCapabilities: info.GetRunnerCapabilities()})
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// silent drops what Beam would log: elements and errors may stand in it.
type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}

func quiet() { log.SetLogger(silent{}) }

var (
	initialize sync.Once
	running    sync.Mutex // Beam's options are global
)

// run runs a pipeline to its end, or gives up. The pipeline's own error is not passed on: it may quote what an engine
// saw.
func (r Runner) run(ctx context.Context, p *beam.Pipeline) error {
	running.Lock()
	defer running.Unlock()
	initialize.Do(func() { quiet(); beam.Init() })
	if r.name == "universal" {
		config, err := json.Marshal(map[string]string{"command": r.process})
		if err != nil {
			return err
		}
		*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = r.endpoint, "PROCESS", string(config)
		*jobopts.WorkerBinary = r.process
	} else {
		*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "", "LOOPBACK", ""
	}
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- errStopped
			}
		}()
		_, err := beam.Run(ctx, r.name, p)
		done <- err
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	seen, since := signs.Load(), time.Now()
	for {
		select {
		case err := <-done:
			if ctx.Err() != nil { // both may be ready
				return r.gaveUp(ctx)
			}
			if err != nil {
				return &source.Failure{Source: r.shown, Doing: "running the pipeline",
					Want: "a runner whose workers can start and see the files; its own logs say more to the data holder"}
			}
			return nil
		case <-ctx.Done():
			return r.gaveUp(ctx)
		case now := <-tick.C:
			if s := signs.Load(); s != seen {
				seen, since = s, now
			}
			if r.patience > 0 && now.Sub(since) > r.patience {
				return &source.Failure{Source: r.shown, Doing: "waiting for a sign of life",
					Want: "workers that start; the run was given up and nothing was released"}
			}
		}
	}
}

func (r Runner) gaveUp(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return &source.Failure{Source: r.shown, Doing: "finishing in time",
			Want: "a longer WithTimeLimit, or more workers; the run was given up and nothing was released"}
	}
	return ctx.Err()
}
