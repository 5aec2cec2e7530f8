package privbayes_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

func mem() (live, total uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.TotalAlloc
}

func TestMeas(t *testing.T) {
	for _, lv := range [][]int{{1024, 1024}, {2, 1024, 1024}} {
	s := schemaOf(1, lv...)
	var m model.Model = model.NaiveBayes("c0")
	if len(lv) == 3 {
		m = model.Network("c0", model.Node("c1"), model.Node("c2", "c1"), model.Node("c0", "c1"))
	}
	_ = frame.Column{}
	sh, err := model.NewShape(s, m, 1000000, true, "")
	if err != nil {
		t.Fatal(err)
	}
	var tabs [][]int64
	cells := 0
	for _, tb := range sh.Tables() {
		x := make([]int64, tb.Cells())
		for i := 0; i < 1000000; i++ {
			x[i%len(x)]++
		}
		tabs = append(tabs, x)
		cells += len(x)
	}
	st, err := model.FromCounts(sh, tabs)
	if err != nil {
		t.Fatal(err)
	}
	p, err := counts.Geometric().Plan(t.Context(), sh, dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	l0, t0 := mem()
	b := time.Now()
	d, err := p.Draw(t.Context(), st, "id", dp.Seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := release.New(p, d)
	if err != nil {
		t.Fatal(err)
	}
	l1, t1 := mem()
	fmt.Println("cells", cells, "live/cell", float64(l1-l0)/float64(cells), "total/cell", float64(t1-t0)/float64(cells), time.Since(b))
	b = time.Now()
	j, err := r.JSON()
	l2, t2 := mem()
	fmt.Println("json bytes/cell", float64(len(j))/float64(cells), "total/cell", float64(t2-t1)/float64(cells), l2-l1, time.Since(b))
	b = time.Now()
	peak := uint64(0)
	stop := make(chan int)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
	}()
	q, err := release.Parse(context.Background(), j)
	close(stop)
	if err != nil {
		t.Fatal(err)
	}
	l3, t3 := mem()
	fmt.Println("parse total/cell", float64(t3-t2)/float64(cells), float64(l3-l2)/float64(cells), "peak/filebyte", float64(peak-l2)/float64(len(j)), time.Since(b))
	runtime.KeepAlive(q)
	runtime.KeepAlive(r)
	}
}
