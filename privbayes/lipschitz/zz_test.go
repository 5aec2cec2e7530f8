package lipschitz
import ("testing";"fmt";"time")
func TestZZ(t *testing.T){
	f := must(NewTrimmedBeta(200, 1, 1, .05, .95))
	search := f.one
	search.lattice = false
	for _, e := range []float64{0, .05, .3, 1} {
		n:=0; nf:=0
		r:=search.deltaRegion(e); at:=r.at; fine:=r.fine
		r.at=func(s float64) float64{n++; return at(s)}
		r.fine=func(a,b float64) float64{nf++; v:=fine(a,b); if nf>4000 && nf<4010 {fmt.Println("  ",a,b-a,v/at(a), search.fromOrder(e,search.orderFor(e,search.spreads.sup(a,b+1)),a,b)/at(a))}; return v}
		st:=time.Now()
		v:=search.search(r)
		fmt.Println(e,v,f.Profile(e),n,nf,time.Since(st))
	}
	for _,n:=range []int{300,5000,20000,20001,1000000,10000000}{
	for _,w:=range []float64{.05,1e-4,0}{
	f:=must(NewTemperedBeta(n,1,1,w,1-w,1))
	if w==0 {f=must(NewTemperedBeta(n,1,1,w,1-w,.05))}
	st:=time.Now()
	f.one.spreads.sup(0,float64(n))
	fmt.Println(n,w,"envelope",time.Since(st), len(f.one.spreads.cover(0,float64(n-1))))
	for _, e := range []float64{0,.05,.3} {
		n:=0; nf:=0
		r:=f.one.deltaRegion(e); at:=r.at; fine:=r.fine
		r.at=func(s float64) float64{n++; return at(s)}
		r.fine=func(a,b float64) float64{nf++; return fine(a,b)}
		st:=time.Now()
		v:=f.one.search(r)
		fmt.Println("  δ",e,v,n,nf,time.Since(st))
	}
	for _, e := range []float64{1.01,2,20,100} {
		n:=0; nf:=0
		r:=f.one.renyiRegion(e); at:=r.at; fine:=r.fine
		r.at=func(s float64) float64{n++; return at(s)}
		r.fine=func(a,b float64) float64{nf++; return fine(a,b)}
		st:=time.Now()
		v:=f.one.search(r)
		fmt.Println("  D",e,v,n,nf,time.Since(st))
	}
	}}
}
