package cli

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"testing"
)

// What the system says is said in Japanese too, wherever in an error it is.
func TestSystemErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "a.kif", Err: syscall.ENOENT}, "a.kif: ファイルかフォルダがありません。"},
		{fmt.Errorf("reading: %w", &fs.PathError{Op: "open", Path: "a.kif", Err: syscall.EACCES}), "reading: a.kif: 権限がありません。"},
		{&net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)},
			"listen tcp: bind: ほかのプログラムが使用中です。"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "x.invalid", IsNotFound: true}},
			"dial tcp: x.invalid: ホスト名が見つかりません。"},
		{&net.DNSError{Err: "server misbehaving", Name: "x.invalid"}, "lookup x.invalid: server misbehaving"},
	} {
		if got := Japanese.Error(test.err); got != test.want {
			t.Errorf("%v: %s, want %s", test.err, got, test.want)
		}
		if got := English.Error(test.err); got != test.err.Error() {
			t.Errorf("%v: %s", test.err, got)
		}
	}
}
