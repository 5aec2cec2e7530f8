//go:build !unix

package program

import "os/exec"

// alone does nothing: there are no process groups to end together.
func alone(*exec.Cmd) {}
