package posteriorsample

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func TestScratch(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	for _, n := range []int{100, 435, 5000, 20000, 20001, 100000, 1000000} {
		for _, tg := range []dp.Target{dp.ApproxDP(.3, 1e-6), dp.ApproxDP(.0898, 1e-4), dp.ZCDP(.01)} {
			for _, tr := range []float64{.05, 1e-4, 0} {
				if tr == 0 && tg.Notion == dp.Concentrated {
					continue
				}
				for _, N := range []int{1, 4} {
					start := time.Now()
					pl, err := New(N).WithTrim(tr).Plan(context.Background(), shape(t, model.Binary("c0"), n, 2), tg)
					if err != nil {
						fmt.Println(n, tg.Level, tr, N, err)
						continue
					}
					fmt.Println("binary", n, tg.Level, "trim", tr, "N", N, "power", pl.RealDrawer(key).(*drawer).s.power, time.Since(start).Round(time.Millisecond))
				}
			}
		}
	}
	for _, n := range []int{100, 400, 401, 5000, 28155} {
		for _, tg := range []dp.Target{dp.ApproxDP(.3, 1e-6), dp.ApproxDP(.1, 1e-3), dp.ZCDP(.01)} {
			for _, N := range []int{1, 4} {
				start := time.Now()
				pl, err := New(N).Plan(context.Background(), shape(t, model.Exponential("x").WithRange(.05, 5), n, 2), tg)
				if err != nil {
					fmt.Println(n, tg.Level, err)
					continue
				}
				fmt.Println("rate", n, tg.Level, "N", N, "power", pl.RealDrawer(key).(*drawer).s.power, time.Since(start).Round(time.Millisecond))
			}
		}
	}
}
