package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// makeKeys makes the keys of the roles and puts the public halves into the environment.
func makeKeys(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "keys")
	if out, err := exec.Command("sh", "../cluster/keys.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env, err := os.ReadFile(filepath.Join(dir, "nkeys.env"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(env)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		t.Setenv(name, value)
	}
	return dir
}

// startCluster starts three nodes with the configuration of the cluster, changed in what would meet
// what else there is on this machine: ports and folders.
func startCluster(t *testing.T) (nodes []*server.Server, clients string) {
	t.Helper()
	var ports []int
	var routes []string
	for range 3 {
		_, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(port)
		ports = append(ports, n)
		routes = append(routes, "nats://127.0.0.1:"+port)
	}
	for i, port := range ports {
		options, err := server.ProcessConfigFile("../cluster/nats.conf")
		if err != nil {
			t.Fatal(err)
		}
		if !options.SyncAlways || options.JetStreamMaxStore <= 0 || options.MaxPayload != 4<<20 {
			t.Errorf("sync_interval always %t, max_file_store %d, max_payload %d",
				options.SyncAlways, options.JetStreamMaxStore, options.MaxPayload)
		}
		if options.HTTPHost != "127.0.0.1" {
			t.Errorf("the monitoring port is open on %s", options.HTTPHost)
		}
		options.ServerName = "nats-" + strconv.Itoa(i)
		options.Host, options.Port, options.HTTPPort, options.PidFile = "127.0.0.1", -1, 0, ""
		options.Cluster.Host, options.Cluster.Port = "127.0.0.1", port
		options.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		options.StoreDir = t.TempDir()
		options.JetStreamMaxStore = 1 << 30 // of each, and the disk is one
		options.NoSigs, options.NoLog = true, true
		node, err := server.NewServer(options)
		if err != nil {
			t.Fatal(err)
		}
		node.Start()
		t.Cleanup(func() { node.Shutdown(); node.WaitForShutdown() })
		nodes = append(nodes, node)
	}
	var all []string
	for _, node := range nodes {
		if !node.ReadyForConnections(20 * time.Second) {
			t.Fatal("a node does not take connections")
		}
		u, err := url.Parse(node.ClientURL())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, "nats://"+u.Host)
	}
	return nodes, strings.Join(all, ",")
}

// connectAs connects with the key of a role. What the server refuses comes through refused.
func connectAs(t *testing.T, clients, seed string) (js jetstream.JetStream, refused chan error) {
	t.Helper()
	key, err := nats.NkeyOptionFromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	refused = make(chan error, 100)
	nc, err := nats.Connect(clients, key, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		refused <- err
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return js, refused
}

// TestCluster: the configuration of the nodes makes a cluster that keeps three copies and goes on
// with two, lets nobody in without a key, and lets a worker do its work and nothing else.
func TestCluster(t *testing.T) {
	keys := makeKeys(t)
	nodes, clients := startCluster(t)
	if nc, err := nats.Connect(clients); err == nil {
		nc.Close()
		t.Error("somebody without a key may connect")
	}
	serve, _ := connectAs(t, clients, filepath.Join(keys, "serve.nk"))

	// A leader must be chosen first.
	var stream jetstream.Stream
	eventually(t, "a stream with three copies", func(ctx context.Context) (err error) {
		stream, err = serve.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: "tsumero-OUT", Subjects: []string{"tsumero.out.>"}, Replicas: 3,
		})
		return err
	})
	eventually(t, "two followers that are current", func(ctx context.Context) error {
		info, err := stream.Info(ctx)
		if err != nil {
			return err
		}
		current := 0
		for _, replica := range info.Cluster.Replicas {
			if replica.Current {
				current++
			}
		}
		if current != 2 {
			return fmt.Errorf("%d are", current)
		}
		return nil
	})
	if _, err := serve.Publish(t.Context(), "tsumero.out.before", nil); err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		if node.Name() == info.Cluster.Leader {
			node.Shutdown()
		}
	}
	eventually(t, "a write to the two that are left", func(ctx context.Context) error {
		_, err := serve.Publish(ctx, "tsumero.out.after", nil, jetstream.WithMsgID("after"))
		return err
	})
	for _, subject := range []string{"tsumero.out.before", "tsumero.out.after"} {
		if _, err := stream.GetLastMsgForSubject(t.Context(), subject); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
	}

	system, _ := connectAs(t, clients, filepath.Join(keys, "system.nk"))
	answer, err := system.Conn().Request("$SYS.REQ.SERVER.PING.JSZ", nil, 5*time.Second)
	if err != nil || !strings.Contains(string(answer.Data), `"sync_always":true`) {
		t.Errorf("the settings of a node: %v %.500s", err, answer.Data)
	}

	worker, refused := connectAs(t, clients, filepath.Join(keys, "worker.nk"))
	seen, err := worker.Stream(t.Context(), "tsumero-OUT")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := worker.Publish(t.Context(), "tsumero.out.id.r.0", nil); err != nil {
		t.Errorf("a worker may not store a result: %v", err)
	}
	for name, do := range map[string]func(context.Context) error{
		"take a job in": func(ctx context.Context) error {
			_, err := worker.Publish(ctx, "tsumero.coord.id", nil)
			return err
		},
		"make a stream": func(ctx context.Context) error {
			_, err := worker.CreateStream(ctx, jetstream.StreamConfig{Name: "other"})
			return err
		},
		"delete a stream": func(ctx context.Context) error { return worker.DeleteStream(ctx, "tsumero-OUT") },
		"purge a stream":  func(ctx context.Context) error { return seen.Purge(ctx) },
	} {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		err := do(ctx)
		stop()
		select {
		case why := <-refused:
			if err == nil || !errors.Is(why, nats.ErrPermissionViolation) {
				t.Errorf("a worker may %s: %v, %v", name, err, why)
			}
		case <-time.After(time.Second):
			t.Errorf("a worker may %s: %v", name, err)
		}
	}
}

// eventually does something until it works, for half a minute.
func eventually(t *testing.T, what string, do func(context.Context) error) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		err := do(ctx)
		stop()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
	}
}
