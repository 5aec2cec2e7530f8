package data_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// The embedded files are the published networks.
func TestNetworks(t *testing.T) {
	for _, name := range data.NetworkNames() {
		r := must.Get(data.Network(name))(t)
		d, net := must.Get2(bayesnet.ReadBIF(r))(t)
		want, tables := bayesnet.Sachs(), (*bayesnet.Net)(nil)
		if name == "asia" {
			tables = bayesnet.Asia()
			want = tables.DAG()
		}
		for i := range want.Len() {
			if fmt.Sprint(d.Node(i)) != fmt.Sprint(want.Node(i)) {
				t.Errorf("%s: node %d is %+v, want %+v", name, i, d.Node(i), want.Node(i))
			}
			if tables != nil && !reflect.DeepEqual(net.Table(i), tables.Table(i)) {
				t.Errorf("%s: table of %s is %v", name, d.Node(i).Name, net.Table(i))
			}
		}
		if (net == nil) != (tables == nil) {
			t.Errorf("%s: tables are %v", name, net)
		}
	}
	var none *data.NameError
	if _, err := data.Network("alarm"); !errors.As(err, &none) {
		t.Error(err)
	}
}
