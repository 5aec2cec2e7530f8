//go:build unix

package wholenetworks

import "syscall"

// clock is the processor time of this process in seconds.
func clock() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec) + float64(u.Stime.Sec) + 1e-6*float64(u.Utime.Usec+u.Stime.Usec)
}
