package linked
import ("testing";"time";"os";"strconv"
"github.com/privbayes/privbayes-go/privbayes/dp")
func TestX(t *testing.T){
 n:=40000
 if v:=os.Getenv("NN"); v!="" { n,_=strconv.Atoi(v) }
 reps:=1
 if v:=os.Getenv("REPS"); v!="" { reps,_=strconv.Atoi(v) }
 p:=Point{n,6,.015}
 hs:=households(dp.Seeded(7),n,p.Most)
 sum:=0
 for _,h:=range hs{sum+=len(h.children)}
 t.Log("mean",float64(sum)/float64(n))
 t.Logf("resampled %+v", Compared(hs,households(dp.Seeded(8),n,p.Most)))
 for i:=range reps {
 s:=time.Now()
 if os.Getenv("APART")=="" {
 w,err:=p.wide(hs,uint64(i+1))
 if err!=nil{t.Fatal(err)}
 t.Logf("wide %+v %v",Compared(hs,w),time.Since(s))
 } else {
 w,err:=p.apart(hs,uint64(i+1))
 if err!=nil{t.Fatal(err)}
 t.Logf("apart %+v %v",Compared(hs,w),time.Since(s))
 }}
}
