// Command machines asks whether what one machine releases is good on another: it draws seeded releases, and verifies,
// loads and uses those that any machine drew. Built for several machines, each reads what the others wrote.
//
//	machines draw DIR            writes releases as DIR/*.release.json
//	machines verify [-every K] PATH...
//
// A PATH is a folder of releases, or a list of them in .jsonl.gz, of which every K-th is taken and all learned ones.
//
// Place: a program beside the library, for scripts/machines.sh.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "draw":
		n, err := draw(args[1])
		if err == nil {
			fmt.Printf("%s/%s drew %d releases\n", runtime.GOOS, runtime.GOARCH, n)
		}
		return err
	case len(args) > 1 && args[0] == "verify":
		flags := flag.NewFlagSet("verify", flag.ContinueOnError)
		every := flags.Int("every", 1, "take one in this many of a list, and all learned ones")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		if flags.NArg() == 0 || *every < 1 {
			return errUsage
		}
		return verify(flags.Args(), *every)
	}
	return errUsage
}

var errUsage = errors.New("want: draw DIR, or verify [-every K] PATH...")
