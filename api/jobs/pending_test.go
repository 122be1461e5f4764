package jobs_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/tsumero/tsumero/api/jobs"
)

var _ jobs.Store = (*jobs.Pending)(nil)

// Every method says that there is no store yet. Close has nothing to do.
func TestPending(t *testing.T) {
	p := reflect.ValueOf(new(jobs.Pending))
	store := reflect.TypeFor[jobs.Store]()
	for i := range store.NumMethod() {
		m := store.Method(i)
		var args []reflect.Value
		for a := range m.Type.NumIn() {
			if m.Type.In(a).String() == "context.Context" {
				args = append(args, reflect.ValueOf(t.Context()))
				continue
			}
			args = append(args, reflect.Zero(m.Type.In(a)))
		}
		results := p.MethodByName(m.Name).Call(args)
		err, _ := results[len(results)-1].Interface().(error)
		if m.Name == "Close" {
			if err != nil {
				t.Errorf("Close: %v", err)
			}
			continue
		}
		if !errors.Is(err, jobs.ErrUnavailable) {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
