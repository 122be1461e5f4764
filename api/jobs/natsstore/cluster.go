//go:build !nonats

package natsstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// leastVersion is the first server that has all settings used here.
var leastVersion = [2]int{2, 11}

// Connect opens the store of a cluster of NATS servers. It waits for servers that are not ready,
// and ends with ctx.
func Connect(ctx context.Context, o ClusterOptions) (*Store, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	if o.Replicas == 0 {
		o.Replicas = 3
	}
	if o.SetUpTime == 0 {
		o.SetUpTime = time.Minute
	}
	s := newStore(o.Options, "cluster")
	s.cluster, s.replicas, s.timeout = &o, o.Replicas, 5*time.Second
	if err := s.connect(ctx, o); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context, o ClusterOptions) error {
	if o.Dir != "" {
		var err error
		if s.dir, err = openDirectory(o.Dir, "cluster", o.Prefix, ""); err != nil {
			return err
		}
	}
	until := time.Now().Add(o.SetUpTime)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := s.tryConnect(ctx, o)
		if err == nil {
			return nil
		}
		if s.nc != nil {
			s.nc.Close()
			s.nc = nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if settings := (*settingsError)(nil); errors.As(err, &settings) || time.Now().Add(wait).After(until) {
			return err
		}
		o.Log.Info("the job store is not ready", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// connectOptions returns how a connection with the servers is made, but for who connects.
func (s *Store) connectOptions() []nats.Option {
	o := s.cluster
	options := []nats.Option{
		nats.Name("tsumero"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(2 * time.Second), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil && s.closing.Err() == nil { // it was not closed by this process
				o.Log.Warn("the connection with the job store is lost", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) { // signals may be lost
				o.Log.Warn("job store", "error", err)
			}
		}),
	}
	if o.CA != "" {
		options = append(options, nats.RootCAs(o.CA))
	}
	return options
}

func (s *Store) tryConnect(ctx context.Context, o ClusterOptions) error {
	credentials, err := credentials(o.Creds)
	if err != nil {
		return err
	}
	nc, err := nats.Connect(o.URL, append(s.connectOptions(), credentials...)...)
	if err != nil {
		err = fmt.Errorf("natsstore: %s: %w", o.URL, err)
		if errors.Is(err, nats.ErrAuthorization) {
			return &settingsError{err}
		}
		return err
	}
	s.nc = nc
	if err := checkVersion(nc.ConnectedServerVersion()); err != nil {
		return err
	}
	// 4 MB in the settings of a server is a little less than 4 MiB.
	if nc.MaxPayload() < 4_000_000 {
		return &settingsError{fmt.Errorf(
			"natsstore: the servers take messages of %d bytes, and must of 4 MB: max_payload",
			nc.MaxPayload())}
	}
	if s.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(s.timeout)); err != nil {
		return fmt.Errorf("natsstore: %w", err)
	}
	if err := s.checkSync(ctx, o); err != nil {
		return err
	}
	if err := s.setUp(ctx); err != nil {
		return err
	}
	if warning := s.warning(); warning != "" {
		o.Log.Warn("job store: " + warning)
	}
	return nil
}

// credentials returns the options for a file with the credentials of a user or the seed of an nkey.
func credentials(file string) ([]nats.Option, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &settingsError{fmt.Errorf("natsstore: %w", err)}
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("SU")) {
		return []nats.Option{nats.UserCredentials(file)}, nil
	}
	option, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		return nil, &settingsError{fmt.Errorf("natsstore: %s: %w", file, err)}
	}
	return []nats.Option{option}, nil
}

func checkVersion(version string) error {
	var v [2]int
	for i, part := range strings.SplitN(version, ".", 3) {
		if i < len(v) {
			v[i], _ = strconv.Atoi(part)
		}
	}
	if v[0] < leastVersion[0] || v[0] == leastVersion[0] && v[1] < leastVersion[1] {
		return &settingsError{fmt.Errorf("natsstore: the server has version %s, and must have %d.%d at least",
			version, leastVersion[0], leastVersion[1])}
	}
	return nil
}

// checkSync asks every server whether it writes to its disk before it acknowledges. Only users of
// the system account may. While a few are away it is content with the others, as the streams are: a
// service must start while a node is lost.
func (s *Store) checkSync(ctx context.Context, o ClusterOptions) error {
	if o.SystemCreds == "" {
		o.Log.Warn("whether the servers of the job store have sync_interval: always cannot be seen: " +
			"no system credentials")
		return nil
	}
	seen, err := s.seeSync(ctx)
	switch {
	case errors.Is(err, ErrUnsafe) && o.Unsafe:
		o.Log.Warn("job store", "error", err)
		return nil
	case errors.Is(err, ErrUnsafe):
		return &settingsError{err}
	case err != nil:
		return err
	case seen <= s.replicas/2:
		return fmt.Errorf(
			"natsstore: %d servers with JetStream answer the system account, and should be %d at least",
			seen, s.replicas)
	case seen < s.replicas:
		o.Log.Warn("servers of the job store are away: whether they have sync_interval: always is seen later",
			"servers", seen, "replicas", s.replicas)
	}
	return nil
}

// seeSync notes whether all servers write to their disks before they acknowledge, and returns how many
// have answered. The error is ErrUnsafe if one of them does not.
func (s *Store) seeSync(ctx context.Context) (seen int, err error) {
	servers, err := s.askServers(ctx, nil, nil)
	if err != nil {
		return 0, err
	}
	for _, server := range servers {
		if !server.Data.Config.SyncAlways {
			return len(servers), fmt.Errorf("%w: server %s has no sync_interval: always", ErrUnsafe, server.Server.Name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sync = len(servers) >= max(1, s.replicas)
	s.syncAsked = time.Now()
	return len(servers), nil
}

// seeSyncLater asks the servers again, now and then, while some were away each time.
func (s *Store) seeSyncLater() {
	if s.engine != nil || s.cluster.SystemCreds == "" || s.cluster.Unsafe {
		return
	}
	s.mu.Lock()
	due := !s.sync && time.Since(s.syncAsked) > settingsAge
	if due {
		s.syncAsked = time.Now()
	}
	s.mu.Unlock()
	if !due {
		return
	}
	go func() {
		if _, err := s.seeSync(s.closing); err != nil && s.closing.Err() == nil {
			s.options.Log.Warn("job store", "error", err)
		}
	}()
}

// A serverAnswer is what a server says of its JetStream.
type serverAnswer struct {
	Server struct {
		Name string `json:"name"`
		ID   string `json:"id"` // another one after each start
	} `json:"server"`
	Data struct {
		Disabled bool `json:"disabled"`
		Config   struct {
			SyncAlways bool `json:"sync_always"`
		} `json:"config"`
		Accounts []struct {
			Streams []struct {
				Name   string                 `json:"name"`
				Config jetstream.StreamConfig `json:"config"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	} `json:"data"`
}

// askServers asks every server about its JetStream, as a user of the system account. It returns those
// that answer and have it. If all of those that are named have answered it waits for no others.
func (s *Store) askServers(ctx context.Context, question []byte, named []string) ([]serverAnswer, error) {
	credentials, err := credentials(s.cluster.SystemCreds)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(s.cluster.URL, append(s.connectOptions(), credentials...)...)
	if err != nil {
		return nil, fmt.Errorf("natsstore: system account: %w", err)
	}
	defer nc.Close()
	inbox := nc.NewInbox()
	answers := make(chan *nats.Msg, 64)
	sub, err := nc.ChanSubscribe(inbox, answers)
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }()
		err = nc.PublishRequest("$SYS.REQ.SERVER.PING.JSZ", inbox, question)
	}
	if err != nil {
		return nil, fmt.Errorf("natsstore: system account: %w", err)
	}
	// The number of servers is not known: no answer for half a second means that all have come.
	var servers []serverAnswer
	for wait := 2 * time.Second; ; wait = time.Second / 2 {
		if len(named) > 0 && !slices.ContainsFunc(named, func(name string) bool {
			return !slices.ContainsFunc(servers, func(a serverAnswer) bool { return a.Server.Name == name })
		}) {
			return servers, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case m := <-answers:
			var answer serverAnswer
			if json.Unmarshal(m.Data, &answer) == nil && !answer.Data.Disabled {
				servers = append(servers, answer)
			}
			continue
		case <-time.After(wait):
		}
		return servers, nil
	}
}
