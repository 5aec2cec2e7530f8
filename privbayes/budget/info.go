package budget

import (
	"fmt"
	"time"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Info is what the head or a charge of a ledger says to people beside what counts: "time", "who", "why", "part", and
// whatever else a program writes there. It is kept and shown, and nothing is decided by it: no rule reads it, two
// charges of one release are one charge whatever they say here, and who can write the file can write anything. Keys are
// words of small letters and underscores; values are texts of one line. All other fields of a ledger are known, and one
// that is not is refused, as it may change what the others mean.
type Info map[string]string

// The bounds of an Info.
const (
	maxInfo     = 32
	maxInfoText = 1000 // bytes
)

// timeKey is the key of the time at which a charge was made, in UTC and whole minutes: RFC 3339.
const timeKey = "time"

// valid returns a *ParameterError for what no Info may say.
func (i Info) valid() error {
	if len(i) > maxInfo {
		return &dp.ParameterError{Of: "budget", Parameter: "info", Value: fmt.Sprint(len(i), " fields"),
			Want: fmt.Sprintf("at most %d", maxInfo)}
	}
	for k, v := range i {
		if !smallWord(k) || len(k) > 40 {
			return &dp.ParameterError{Of: "budget", Parameter: "field of info", Value: safetext.Short(k),
				Want: "at most 40 small letters a to z and underscores"}
		}
		if len(v) > maxInfoText {
			return &dp.ParameterError{Of: "budget", Parameter: "info " + k, Value: fmt.Sprint(len(v), " bytes"),
				Want: fmt.Sprintf("at most %d", maxInfoText)}
		}
		if err := validText("info "+k, v, safetext.CheckLine); err != nil {
			return err
		}
	}
	return nil
}

// stamped is the info with the time, unless it says one.
func (i Info) stamped(now time.Time) Info {
	out := Info{timeKey: now.UTC().Truncate(time.Minute).Format(time.RFC3339)}
	for k, v := range i {
		out[k] = v
	}
	return out
}
