package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
)

func newHealthcheck(l cli.Language) *cobra.Command {
	var addr string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: l.Text("Ask a running service whether it is ready", "稼働中のサービスの確認"),
		Long: l.Text(`Healthcheck asks the service on this machine whether it is ready to answer: GET
/readyz. It reads the address that serve listens on from the same flag and variable. The exit
code is 0 if the service is ready and 1 if it is not, or does not answer. It is made for the
health check of a container that holds no other program.`,
			`このマシンのサービスに、準備ができているかを確認します（GET /readyz）。アドレスは serve と同じフラグ
と環境変数で指定します。終了コードは、準備ができていれば 0、まだか応答がなければ 1 です。コンテナの
ヘルスチェック用です。`),
		Args: command.Positional(cobra.NoArgs),
	}
	settings := cli.NewSettings(l, cmd.Flags())
	settings.Address(&addr, "addr", defaultAddr, l.Text("where the service listens",
		"サービスの待ち受けアドレス"), false)
	settings.Duration(&timeout, "timeout", 2*time.Second, time.Millisecond, time.Minute,
		l.Text("wait at most this long for the answer", "応答を待つ時間の上限"))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := settings.Resolve(); err != nil {
			return command.UsageError(cmd, err)
		}
		if err := healthcheck(cmd.Context(), addr, timeout); err != nil {
			return command.Exit(command.ExitNegative, err)
		}
		return nil
	}
	return cmd
}

func healthcheck(ctx context.Context, addr string, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	url := "http://" + reachable(addr) + "/readyz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{
		// A Transport of its own uses no proxy, whatever the environment says.
		Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
		return cli.Errorf("not ready: %s answers %s: %s", "準備中です：%s の応答は%s：%s", url, resp.Status,
			shogi.VisibleLine(string(body)))
	}
	return nil
}

// reachable makes the address a service listens on one that a client on the same machine can dial.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	switch ip := net.ParseIP(host); {
	case host == "":
		host = "127.0.0.1"
	case ip == nil || !ip.IsUnspecified():
	case ip.To4() != nil:
		host = "127.0.0.1"
	default:
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
