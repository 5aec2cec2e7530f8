package privbayes_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

func TestProf(t *testing.T) {
	pick := regexp.MustCompile(os.Getenv("PROF"))
	for _, c := range hostileShapes() {
		if !pick.MatchString(c.name) {
			continue
		}
		s, m, n := c.make()
		b := time.Now()
		sh, err := model.NewShape(s, m, n, true, "")
		fmt.Println("shape", time.Since(b), err)
		if err != nil {
			continue
		}
		mp := regexp.MustCompile(os.Getenv("PROFM"))
		tp := regexp.MustCompile(os.Getenv("PROFT"))
		for _, mm := range hostileMechanisms() {
			if !mp.MatchString(mm.name) {
				continue
			}
			for _, tt := range hostileTargets() {
				if !tp.MatchString(tt.name) {
					continue
				}
				b := time.Now()
				_, err := mm.Plan(t.Context(), sh, tt.Target)
				fmt.Printf("%s %s %v %.300v\n", mm.name, tt.name, time.Since(b), err)
			}
		}
	}
}
