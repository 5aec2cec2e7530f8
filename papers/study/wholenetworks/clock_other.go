//go:build !unix

package wholenetworks

import "time"

var began = time.Now()

// clock is wall time where the system does not tell processor time.
func clock() float64 { return time.Since(began).Seconds() }
