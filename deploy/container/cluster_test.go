package container

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// startCluster starts three nodes.
func startCluster(t *testing.T) (nodes []*server.Server, routes []string, clients string) {
	t.Helper()
	for range 3 {
		routes = append(routes, "nats://"+freeAddress(t))
	}
	for i := range routes {
		nodes = append(nodes, startNode(t, i, routes))
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
	return nodes, routes, strings.Join(all, ",")
}

// startNode starts node i of the cluster, with an empty disk. Its configuration is changed in what
// would meet what else there is on this machine: ports and folders.
func startNode(t *testing.T, i int, routes []string) *server.Server {
	t.Helper()
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
	options.Routes = server.RoutesFromStr(strings.Join(routes, ","))
	options.Cluster.Host = options.Routes[i].Hostname()
	if options.Cluster.Port, err = strconv.Atoi(options.Routes[i].Port()); err != nil {
		t.Fatal(err)
	}
	options.StoreDir = t.TempDir()
	options.JetStreamMaxStore = 1 << 30 // of each, and the disk is one
	options.NoSigs, options.NoLog = true, true
	node, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	node.Start()
	t.Cleanup(func() { node.Shutdown(); node.WaitForShutdown() })
	return node
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
// with two, takes one back that has lost its disk, lets nobody in without a key, and lets a worker
// do its work and nothing else.
func TestCluster(t *testing.T) {
	keys := makeKeys(t)
	nodes, routes, clients := startCluster(t)
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
	followers := func(ctx context.Context) error {
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
	}
	eventually(t, "two followers that are current", followers)
	if _, err := serve.Publish(t.Context(), "tsumero.out.before", nil); err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lost := slices.IndexFunc(nodes, func(n *server.Server) bool { return n.Name() == info.Cluster.Leader })
	nodes[lost].Shutdown()
	eventually(t, "a write to the two that are left", func(ctx context.Context) error {
		_, err := serve.Publish(ctx, "tsumero.out.after", nil, jetstream.WithMsgID("after"))
		return err
	})
	startNode(t, lost, routes)
	eventually(t, "a node that takes everything from the others", followers)
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
