// Command browser lays out the release files that the browser tests verify: one kept release of every mechanism, and
// one of the votes that is drawn now, without a seed.
//
//	go run ./site/browser -to build/site/releases
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("releases: ")
	to := flag.String("to", "build/site/releases", "a folder; what is there is removed")
	flag.Parse()
	if err := run(*to); err != nil {
		log.Fatal(err)
	}
}

func run(to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	_, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(filepath.Join(to, "good.release.json"))).
		Release()
	if err != nil {
		return err
	}
	_, err = privbayes.ReadFrame(data.Votes()).Publish("votes", privbayes.ApproxDP(1, 1e-6),
		privbayes.Item(privbayes.Binary("Class")), privbayes.Item(privbayes.Table("V3", "V4"))).
		Privatize(privbayes.KeepIn(filepath.Join(to, "good.publication.json")))
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join("privbayes", "testdata", "releases.jsonl.gz"))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<26)
	seen := map[string]bool{}
	for lines.Scan() {
		var kept struct {
			Name    string          `json:"name"`
			Release json.RawMessage `json:"release"`
		}
		if err := json.Unmarshal(lines.Bytes(), &kept); err != nil {
			return err
		}
		mechanism, _, _ := strings.Cut(kept.Name, " / ")
		if seen[mechanism] || kept.Release == nil {
			continue
		}
		seen[mechanism] = true
		name := strings.NewReplacer(" ", "-", ",", "", "/", "-").Replace(mechanism) + ".release.json"
		if err := os.WriteFile(filepath.Join(to, name), kept.Release, 0o644); err != nil {
			return err
		}
	}
	if len(seen) < 20 {
		return fmt.Errorf("%d mechanisms with a kept release; want those of the library", len(seen))
	}
	return lines.Err()
}
