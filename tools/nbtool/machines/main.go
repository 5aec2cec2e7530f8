// Command machines asks whether what one machine releases is good on another: it draws seeded releases, and verifies,
// loads and uses those that any machine drew. Built for several machines, each reads what the others wrote.
//
//	machines draw [-few] DIR            writes releases and a publication as DIR/*.json
//	machines verify [-every K] PATH...
//
// A PATH is a folder of releases, all of which are taken, or a list of them in .jsonl.gz, of which every K-th is taken,
// and the first of every mechanism.
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
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	every := flags.Int("every", 1, "take one in this many of a list, and one of every mechanism")
	few := flags.Bool("few", false, "draw one of each learner")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch {
	case args[0] == "draw" && flags.NArg() == 1:
		n, err := draw(flags.Arg(0), *few)
		if err == nil {
			fmt.Printf("%s/%s drew %d releases\n", runtime.GOOS, runtime.GOARCH, n)
		}
		return err
	case args[0] == "verify" && flags.NArg() > 0 && *every > 0:
		return verify(flags.Args(), *every)
	}
	return errUsage
}

var errUsage = errors.New("want: draw [-few] DIR, or verify [-every K] PATH, one or more")
