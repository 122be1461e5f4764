package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/background"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/site"
)

// maxQueuedLog is how many bytes of the log wait for its reader.
const maxQueuedLog = 1 << 20

// lastLogLines is how long the end of the service waits for the reader of the log.
const lastLogLines = time.Second

const (
	defaultAddr      = ":8080"
	defaultAdminAddr = "127.0.0.1:9090"
)

// serveSettings are the settings of serve.
type serveSettings struct {
	addr, adminAddr string
	known           string // files with commas between
	contact         string // for faults that others could use
	level           slog.Level
	maxBody         int64
	memory, table   int64 // for the tables of all searches, and of one long search
	api             httpapi.Config
	jobs            jobSettings
	off             []string // what there is not enough memory for
}

func newServe(l cli.Language) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: l.Text("Answer over HTTP", "HTTP サービスの実行"),
		Long: l.Text(`Serve answers over HTTP: the page at /, POST and GET /v1/solve, POST /v1/solve/batch, POST
and GET /v1/moves, POST and GET /v1/analyze, POST /v1/analyze/batch, POST and GET /v1/play, POST
/v1/read and /v1/similar, GET /v1/limits and /v1/diagram.svg, .png and .gif, with the reference at /docs and
/openapi.json. Metrics, the profiler and the health probes are on a listener of their own, the
admin listener.

Every question first gets a short search of a few milliseconds. Only a question that this does
not decide waits for one of the long searches, so that a long search never keeps short ones
waiting. Analyses have slots of their own, and so have searches for a move in a game.

With --jobs DIR it also takes jobs, which are problems for hours and collections of millions:
POST and GET /v1/jobs, and the page /jobs. They are kept in the directory, survive whatever
happens to the process, and are worked on here, with half of what their store leaves of
--memory and, unless --jobs-slots says otherwise, all processors but one. With --jobs
postgres://user@host/database they are kept in PostgreSQL, where any number of services and of
workers share them; a database that is away is no reason not to answer questions. Without --jobs
the service keeps no state.

Each setting is a flag or the environment variable named behind it. The flag comes first, then
the variable, then the default. All of them are checked before anything starts. Some flags take
a list of settings with any of their keys, as in --long slots=2,queue=32,wait=20s; a number alone
is for the first key: --long 2. Its slots are how many searches run at the same time.

What is not set, or auto, follows the memory of the machine or of the container (cgroup), which
must be 64 MB at least: that is enough for one long search at a time and a small cache. Unless
GOMEMLIMIT is set already, it is set to 9/10 of the memory of the container, or to 16 MiB less
than that memory if that is less.

The log is JSON on standard error, one line for each request. The service never waits for the
reader of the log: lines that cannot be written are dropped and counted in
tsumero_log_lines_dropped_total.

On SIGTERM, /readyz answers 503, and the service goes on as before for --drain-delay. Then it
accepts no new connections, finishes the requests whose header has arrived, and exits with 0.
Bodies that do not arrive in a quarter of --grace get a 408. Searches that are left after
--grace are ended, and answered with what is known. Jobs stop at once, and go on after the next
start. All of it takes --drain-delay, --grace and 2 seconds at most. An interrupt (Ctrl-C) does
the same without the delay, and a second signal ends the service at once.

/livez answers 503 when the service hangs: searches or requests run, and none of them ends.`,
			`/ のページと、/v1/solve、/v1/solve/batch、/v1/moves、/v1/analyze、/v1/analyze/batch、/v1/play、
/v1/read、/v1/similar、/v1/limits、/v1/diagram.svg、.png、.gif に答えます。説明は /docs と
/openapi.json です。メトリクス、プロファイラ、死活監視は管理用のアドレスです。

どの質問も、まず数ミリ秒の短い探索をします。決着しなければ長い探索の枠を待つので、短い質問は待たさ
れません。検討と対局には別の枠があります。

--jobs DIR では、何時間もかかる作品や数百万局面の作品集のジョブも受け付けます（/v1/jobs、/jobs）。
ジョブはディレクトリに保存し、プロセスが異常終了しても失われません。--memory の残りの半分
と、--jobs-slots がなければ一つを除く全プロセッサで処理します。--jobs postgres://user@host/database
では、複数のサービスとワーカーで共有します。データベースが止まっても、質問には答えます。--jobs がな
ければ、何も保存しません。

設定はフラグか、後に示す環境変数です（フラグ、環境変数、既定値の順）。起動前にすべて確認しま
す。--long slots=2,queue=32,wait=20s のようにまとめて書くものもあり、数だけなら最初の項目です
（--long 2）。slots は同時に行う探索の数です。

指定のないものと auto は、マシンやコンテナのメモリ（64MB 以上必要）に合わせます。GOMEMLIMIT がなけ
れば、コンテナのメモリの10分の9か、16MiB 少ない値の、小さいほうにします。

ログは標準エラー出力への JSON で、リクエストごとに一行です。書けない行は捨て、
tsumero_log_lines_dropped_total で数えます。

SIGTERM で /readyz が 503 になり、--drain-delay の後に新しい接続を断ち、受け付けたリクエストを終え
て、0 で終わります。届かない本文は --grace の4分の1で 408、残った探索は --grace で打ち切り、そこまで
の結果を答えます。ジョブはすぐに止まり、次に始めたときに続きます。中断（Ctrl-C）では待たずに同じこと
を行い、二度目のシグナルで直ちに終わります。

/livez は、探索やリクエストが一つも終わらなくなると 503 になります。`),
		Args: command.Positional(cobra.NoArgs),
	}
	var s serveSettings
	set := cli.NewSettings(l, cmd.Flags())
	cmd.Flags().SortFlags = false // by subject instead
	s.declare(set, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(set); err != nil {
			return command.UsageError(cmd, err)
		}
		return s.serve(cmd.Context(), cmd.ErrOrStderr(), set.Unknown(os.Environ()))
	}
	describe(cmd, set)
	return cmd
}

func (s *serveSettings) declare(set *cli.Settings, flags *pflag.FlagSet) {
	c, l := &s.api, set.Language
	set.Subject(l.Text("Addresses and log", "アドレスとログ"))
	set.Address(&s.addr, "addr", defaultAddr, l.Text("listen here", "待ち受けアドレス"), false)
	set.Address(&s.adminAddr, "admin-addr", defaultAdminAddr,
		l.Text(`listen here for those who run the service; "off" for nowhere`,
			"管理用の待ち受けアドレス（off でなし）"), true)
	set.Level(&s.level, "log-level", slog.LevelInfo, l.Text("log nothing below debug, info, warn or error",
		"ログに出す最低のレベル：debug、info、warn、error"))

	set.Subject(l.Text("What a client may ask for", "質問の上限"))
	set.Duration(&c.MaxTime, "max-time", 10*time.Second, time.Millisecond, time.Hour,
		l.Text("the longest search", "探索の最長時間"))
	set.Duration(&c.DefaultTime, "default-time", 2*time.Second, time.Millisecond, time.Hour,
		l.Text("the longest search for a client that asks for no time", "時間の指定がない質問の探索の最長時間"))
	cli.Number(set, &c.MaxNodes, "max-nodes", 100_000_000, 1, 1<<53, l.Text("the most positions of a search",
		"探索する局面の上限"))
	cli.Number(set, &c.MaxPlies, "max-plies", 9999, 1, 9999, l.Text("the longest mate, in plies",
		"詰みの最長手数"))
	set.Size(&s.maxBody, "max-body", 64<<10, 1<<10, 1<<30,
		l.Text("the largest question, and the longest line of a batch", "質問と、一括の一行の最大の長さ"))

	set.Subject(l.Text("What runs at the same time", "同時に行う数"))
	s.declarePools(set)

	set.Subject(l.Text("Memory", "メモリ"))
	set.Size(&s.memory, "memory", memory.UsualForTables, memory.LeastForTables, 1<<44,
		l.Text("for the tables of short and long searches together, and for the store of jobs; auto: a quarter of "+
			"what the machine, the container or GOMEMLIMIT allows, from 64MiB to 4GiB, or three eighths "+
			"where that is less",
			"短い探索と長い探索の表と、ジョブの保存用の合計。auto：使えるメモリの4分の1（64MiB～4GiB）、少なければ8分の3"))
	set.Automatic()
	set.Size(&c.CacheBytes, "cache", memory.MostForCache, 0, 1<<40,
		l.Text("for answers; 0: no cache; auto: an eighth of what is allowed, from 4MiB to 64MiB",
			"答えのキャッシュ。0：なし。auto：使えるメモリの8分の1（4MiB～64MiB）"))
	set.Automatic()

	set.Subject(l.Text("Clients and connections", "クライアントと接続"))
	cli.Number(set, &c.RatePerMinute, "rate", 600, 0, 1<<30, l.Text("requests a client may send in a "+
		"minute, more get a 429; each tenth of a second of search or drawing counts as one request more, "+
		"each line of a batch, and each 512 bytes of it or of an answer, as a thousandth of one; 0: any number",
		"クライアントの1分あたりのリクエスト数（超えると 429）。探索や描画の0.1秒ごとに1件、一括の一行と、質問や答えの512バイトごとに1000分の1件を加算。0：無制限"))
	set.List("connections", l.Text("open connections, and the waits on them", "接続の数と待ち時間"), func() {
		cli.Number(set, &c.MaxConnections, "max", memory.MostConnections, 0, 1<<20,
			l.Text("in all; idle ones are closed for new ones; 0: any number; auto: 10000, or as many as the "+
				"memory and the open files of the process allow",
				"全体の数（未使用の接続から閉じる）。0：無制限。auto：10000、またはメモリと開けるファイルの数まで"))
		set.Automatic()
		cli.Number(set, &c.MaxConnectionsEach, "per-client", 256, 0, 1<<20, l.Text("of an IPv4 address or an "+
			"IPv6 network (/64) that is not of --trusted-proxies; 0: any number; auto: a quarter of "+
			"max, from 128 to 256, but no more than three quarters",
			"IPv4 アドレスか IPv6 の /64 ごとの数（--trusted-proxies を除く）。0：無制限。auto：max の4分の1（128～256、4"+
				"分の3まで）"))
		set.Automatic()
		set.Duration(&c.IdleTimeout, "idle", 75*time.Second, time.Second, time.Hour,
			l.Text("the longest wait for the next question; longer than that of a proxy in front",
				"次の質問を待つ時間（前段のプロキシより長く）"))
		set.Duration(&c.BodyTimeout, "read", 30*time.Second, time.Millisecond, time.Hour,
			l.Text("the longest wait for all of a question, or for the next line of a batch",
				"質問の全体か、一括の次の行を待つ時間"))
		set.Duration(&c.WriteTimeout, "write", 30*time.Second, time.Millisecond, time.Hour,
			l.Text("the longest wait for a client to take its answer", "クライアントが答えを受け取るのを待つ時間"))
	})
	set.Networks(&c.TrustedProxies, "trusted-proxies", "none",
		l.Text("networks of proxies whose X-Forwarded-For names the client",
			"X-Forwarded-For を信用するプロキシのネットワーク"))
	set.Origins(&c.CORSOrigins, "cors-origins", "*", l.Text("web sites whose pages may ask, such as "+
		"https://example.org, or https://*.example.org for all below it; those named may submit jobs, too",
		"質問を許すウェブサイト（CORS）。サブドメインすべては https://*.example.org。* や none でなく名前を挙げたサイトはジョブも依頼できる"))
	set.Origin(&c.PublicURL, "public-url", l.Text("the address of the service, such as https://shogi.example, in the links of "+
		"pages, feeds, site maps, oEmbed and cards; without it they have that of each request, and no cache may share them",
		"ページ、フィード、サイトマップ、oEmbed、カードのリンクに使うサービスのアドレス（https://shogi.example など）。なければリクエストごと"+
			"のアドレスで、共有キャッシュは使えない"))

	set.Text(&s.contact, "security-contact", "URI", l.Text("whom /.well-known/security.txt names for faults that "+
		"others could use: mailto:…, https://… or tel:…; without it there is no such file",
		"/.well-known/security.txt に載せる脆弱性の連絡先（mailto:…、https://…、tel:…）。なければファイルもなし"), site.CheckContact)

	set.Text(&s.known, "known", "LIST", l.Text("files and folders of problems, or of what 'tsumero keys' prints, with "+
		"commas between, that POST /v1/similar compares with; each is a list by its name without extension, "+
		"besides daily, the problems of the day, and drills, those of /train",
		"POST /v1/similar で照合する作品かキーのファイルとフォルダ（コンマ区切り）。名前は拡張子を除いたもの。今日の詰将棋の daily とドリルの drills も加わる"), nil)

	set.Subject(l.Text("Shutdown", "終了"))
	set.Duration(&c.DrainDelay, "drain-delay", 5*time.Second, 0, time.Hour,
		l.Text("on SIGTERM, go on for so long with /readyz saying 503, until the balancer has noticed",
			"SIGTERM の後、/readyz が 503 のまま続ける時間"))
	set.Duration(&c.Grace, "grace", 20*time.Second, time.Millisecond, time.Hour,
		l.Text("then, the longest wait for accepted requests, and a quarter of it for the rest of their "+
			"bodies",
			"その後、受け付けたリクエストの完了を待つ時間（本文はその4分の1）"))

	set.Subject(l.Text("Jobs", "ジョブ"))
	s.jobs.declare(set, flags)
}

// declarePools declares what runs at the same time. Each pool of searches has slots, a queue of
// questions that wait for one, and the longest wait.
func (s *serveSettings) declarePools(set *cli.Settings) {
	c, l := &s.api, set.Language
	queue := func(n *int) {
		cli.Number(set, n, "queue", 16, 0, 1<<20,
			l.Text("questions that may wait, for the memory they take; more get a 503; auto: 1024 for each slot",
				"待たせる質問の数の上限（超えると 503）。auto：枠ごとに1024"))
		set.Automatic()
	}
	const wait = "how long they wait, then a 503; at once for who would expect to wait half of it"
	const waitJa = "待ち時間の上限（過ぎると 503。半分以上待つ見込みなら直ちに 503）"
	set.List("short", l.Text("short searches, with which every question begins",
		"どの質問も最初にする短い探索"), func() {
		cli.Number(set, &c.MaxSearches, "slots", 1, 1, 4096,
			l.Text("auto: the processors, or as many as fit into half of --memory",
				"auto：プロセッサの数、または --memory の半分まで"))
		set.Automatic()
		queue(&c.MaxQueue)
		set.Duration(&c.QueueWait, "wait", 2*time.Second, time.Millisecond, time.Minute, l.Text(wait,
			waitJa))
	})
	set.List("long", l.Text("long searches, for what a short one leaves open",
		"短い探索で決着しないときの長い探索"), func() {
		cli.Number(set, &c.LongSearches, "slots", 1, 1, 4096,
			l.Text("auto: the processors less one, or as many as --memory has room for",
				"auto：プロセッサの数より一つ少ない数、または --memory まで"))
		set.Automatic()
		queue(&c.LongQueue)
		set.Duration(&c.LongWait, "wait", time.Second, time.Millisecond, time.Hour,
			l.Text(wait+"; auto: twice --max-time",
				waitJa+"。auto：--max-time の2倍"))
		set.Automatic()
		set.Size(&s.table, "table", memory.LeastLongTable, memory.LeastLongTable, 1<<44,
			l.Text("the memory of each slot; auto: what --memory leaves for it",
				"枠ごとのメモリ。auto：--memory の残り"))
		set.Automatic()
	})
	set.List("analyses", l.Text("analyses, which take 54MiB each", "検討（一件 54MiB）"), func() {
		cli.Number(set, &c.MaxAnalyses, "slots", 1, 0, 1024, l.Text("0: they are not offered; auto: 1 for 2 "+
			"processors, but no more than fit into a quarter of what is allowed",
			"0：受け付けない。auto：2プロセッサに1、使えるメモリの4分の1まで"))
		set.Automatic()
		queue(&c.AnalysisQueue)
		set.Duration(&c.AnalysisWait, "wait", time.Second, time.Millisecond, time.Hour,
			l.Text(wait+"; auto: twice time",
				waitJa+"。auto：time の2倍"))
		set.Automatic()
		set.Duration(&c.MaxAnalysisTime, "time", time.Minute, time.Millisecond, time.Hour,
			l.Text("the longest a client may ask for", "指定できる最長時間"))
		set.Duration(&c.DefaultAnalysisTime, "default-time", 20*time.Second, time.Millisecond, time.Hour,
			l.Text("the longest for a client that asks for no time", "時間の指定がないときの最長時間"))
		cli.Number(set, &c.MaxAnalysisNodes, "nodes", 50_000_000, 1, 1<<53,
			l.Text("the most positions a client may ask for", "指定できる局面の上限"))
	})
	set.List("plays", l.Text("searches for a move in a game, which take 32MiB each",
		"対局の一手の探索（一件 32MiB）"), func() {
		cli.Number(set, &c.MaxPlays, "slots", 1, 0, 1024, l.Text("0: the service does not play; auto: 1 for 2 "+
			"processors, but no more than fit into an eighth of what is allowed",
			"0：対局しない。auto：2プロセッサに1、使えるメモリの8分の1まで"))
		set.Automatic()
		queue(&c.PlayQueue)
		set.Duration(&c.PlayWait, "wait", 10*time.Second, time.Millisecond, time.Hour, l.Text(wait,
			waitJa))
		cli.Number(set, &c.MaxPlayNodes, "nodes", 1_000_000, 1, 1<<53,
			l.Text("the most positions a client may ask for", "指定できる局面の上限"))
	})
	set.List("batches", l.Text("batches of questions; more get a 503", "一括の質問（超えると 503）"), func() {
		cli.Number(set, &c.MaxBatches, "slots", 1, 1, 1<<16,
			l.Text("auto: 4 for each processor, at most one for each 16MiB of what is allowed",
				"auto：プロセッサごとに4、使えるメモリ16MiBごとに1まで"))
		set.Automatic()
		cli.Number(set, &c.MaxBatchesEach, "per-client", 2, 1, 1<<16,
			l.Text("auto: a quarter of the slots, at least 2, and not all if there are several",
				"auto：枠の4分の1（2以上、複数あれば全部未満）"))
		set.Automatic()
		set.Duration(&c.BatchTime, "time", time.Hour, time.Second, 365*24*time.Hour, l.Text("the longest batch",
			"一括の最長時間"))
	})
}

// resolve checks everything there is to check before anything starts.
func (s *serveSettings) resolve(set *cli.Settings) error {
	faults := []error{set.Resolve()}
	c := &s.api
	c.MaxBodyBytes = int(s.maxBody)
	if c.DefaultTime > c.MaxTime {
		if set.IsGiven("default-time") {
			faults = append(faults, cli.Errorf("--default-time is %v, more than --max-time, which is %v",
				"--default-time（%v）が --max-time（%v）を超えています。", c.DefaultTime, c.MaxTime))
		}
		c.DefaultTime = c.MaxTime
	}
	if c.DefaultAnalysisTime > c.MaxAnalysisTime {
		if set.IsGiven("analyses default-time") {
			faults = append(faults, cli.Errorf("--analyses default-time is %v, more than its time, "+
				"which is %v",
				"--analyses の default-time（%v）が time（%v）を超えています。", c.DefaultAnalysisTime, c.MaxAnalysisTime))
		}
		c.DefaultAnalysisTime = c.MaxAnalysisTime
	}
	if err := errors.Join(faults...); err != nil {
		return err // what follows is about values that fit together, if they are values at all
	}
	if err := s.fit(memory.Available(), set.IsGiven); err != nil {
		return err
	}
	if err := s.share(set.IsGiven); err != nil {
		return err
	}
	for name, queue := range map[string]*int{"short queue": &c.MaxQueue, "long queue": &c.LongQueue,
		"analyses queue": &c.AnalysisQueue, "plays queue": &c.PlayQueue} {
		*queue = noneIfZero(*queue)
		if !set.IsGiven(name) {
			*queue = 0
		}
	}
	if !set.IsGiven("long wait") {
		c.LongWait = 2 * c.MaxTime
	}
	if !set.IsGiven("analyses wait") {
		c.AnalysisWait = 2 * c.MaxAnalysisTime
	}
	if c.MaxAnalyses > 0 {
		c.Sessions = func() solver.Session { return dfpn.NewSession() }
	}
	if c.MaxPlays > 0 {
		c.NewEngine, c.Levels = newEngine, levels.Names()
	}
	c.RatePerMinute = noneIfZero(c.RatePerMinute)
	c.MaxConnections = noneIfZero(c.MaxConnections)
	if set.IsGiven("connections per-client") {
		c.MaxConnectionsEach = noneIfZero(c.MaxConnectionsEach)
	}
	c.CacheBytes = noneIfZero(c.CacheBytes)
	return nil
}

// noneIfZero returns n as the service's Config wants it, to which 0 is its default, and less than 0
// is none.
func noneIfZero[N int | int64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

// newEngine makes what plays at a level.
func newEngine(level string, seed uint64) (play.Engine, error) {
	return levels.New(level, levels.Options{Seed: seed, TableBytes: levels.RequestTable, Threads: 1})
}

// share divides the memory for tables among the searches, those settings left alone that were
// given.
func (s *serveSettings) share(given func(name string) bool) error {
	c := &s.api
	forQuestions, err := s.jobs.resolve(given, s.memory)
	if err != nil {
		return err
	}
	searches := memory.Searches{Total: forQuestions}
	if given("short slots") {
		searches.Short = c.MaxSearches
	}
	if given("long slots") {
		searches.Long = c.LongSearches
	}
	if given("long table") {
		searches.LongTable = s.table
	}
	searches = searches.Divide(background.Processors())
	c.MaxSearches, c.LongSearches, s.table = searches.Short, searches.Long, searches.LongTable
	if short, long := searches.NeedShort(), searches.NeedLong(); short+long > forQuestions {
		ofJobs := ""
		if forQuestions < s.memory {
			ofJobs = ", of which jobs have " + cli.SizeText(s.memory-forQuestions)
		}
		return cli.Errorf("--memory is %s%s, but --short slots=%d takes %s of it, "+
			"and --long slots=%d,table=%s takes %s",
			"--memory は%s%sですが、--short slots=%d に%s、--long slots=%d,table=%s に%s必要です。", cli.SizeText(s.memory), ofJobs, c.MaxSearches,
			cli.SizeText(short), c.LongSearches, cli.SizeText(s.table), cli.SizeText(long))
	}
	return nil
}

// fit makes the settings that are not given fit into the memory that is available.
func (s *serveSettings) fit(available int64, given func(name string) bool) error {
	if !given("memory") {
		if available < memory.LeastForService {
			return cli.Errorf("the machine, the container or GOMEMLIMIT allows %s of memory, "+
				"but the service needs 64MB; --memory %s --cache 0 makes it try",
				"使えるメモリは%sですが、64MB 必要です（--memory %s --cache 0 で試せます）。",
				cli.SizeText(available>>20<<20), cli.SizeText(memory.LeastForTables))
		}
		s.memory = memory.ForTables(available)
	}
	c := &s.api
	if !given("cache") {
		c.CacheBytes = memory.ForCache(available)
	}
	if !given("batches slots") {
		c.MaxBatches = memory.Batches(available, background.Processors())
	}
	if !given("analyses slots") {
		c.MaxAnalyses = memory.Analyses(available, background.Processors())
		if c.MaxAnalyses == 0 {
			s.off = append(s.off, "analyses, which need "+cli.SizeText(4*memory.AnalysisBytes))
		}
	} else if need := int64(c.MaxAnalyses) * memory.AnalysisBytes; need > available-s.memory {
		return cli.Errorf("--analyses slots=%d takes %s, and --memory is %s, but the machine, the "+
			"container or GOMEMLIMIT allows %s",
			"--analyses slots=%d に%s、--memory に%s必要ですが、使えるメモリは%sです。", c.MaxAnalyses, cli.SizeText(need), cli.SizeText(s.memory),
			cli.SizeText(available>>20<<20))
	}
	if !given("plays slots") {
		c.MaxPlays = memory.Plays(available, background.Processors())
		if c.MaxPlays == 0 {
			s.off = append(s.off, "searches for a move in a game, which need "+cli.SizeText(8*memory.PlayBytes))
		}
	} else if need := int64(c.MaxPlays) * memory.PlayBytes; need > available-s.memory {
		return cli.Errorf("--plays slots=%d takes %s, and --memory is %s, but the machine, the container or "+
			"GOMEMLIMIT allows %s",
			"--plays slots=%d に%s、--memory に%s必要ですが、使えるメモリは%sです。", c.MaxPlays, cli.SizeText(need), cli.SizeText(s.memory),
			cli.SizeText(available>>20<<20))
	}
	if !given("connections max") {
		c.MaxConnections = memory.Connections(available, openFiles())
	}
	return nil
}

func (s *serveSettings) serve(ctx context.Context, stderr io.Writer, unknown []string) error {
	// A reader of the log that has gone away must not end the service, see os/signal on SIGPIPE.
	signal.Ignore(syscall.SIGPIPE)
	log := cli.NewLogWriter(stderr, maxQueuedLog)
	defer log.Close(lastLogLines)
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: s.level}))
	memory.LimitGo()
	memory.LimitGarbage(ctx)
	build := version.Get()
	var server *httpapi.Server
	c := s.api
	c.Logger, c.LogLinesDropped = logger, log.Dropped
	c.Version, c.Revision = build.Version, build.Revision
	c.Background = background.Run
	report := func(p shogi.Position, r solver.Result, err error) { server.ReportUnverified(p, r, err) }
	c.Quick = mate.New(mate.Options{TableBytes: memory.ShortTable, Searches: c.MaxSearches, Report: report})
	c.Solver = mate.New(mate.Options{TableBytes: int(s.table), Searches: c.LongSearches, Report: report})
	var err error
	var ofJobs func() site.Jobs // for the pages
	if s.jobs.store.given() {
		ofJobs = func() site.Jobs { return server }
	}
	ofPages := site.Config{MaxTime: c.MaxTime, Analyses: c.MaxAnalyses > 0, Jobs: ofJobs,
		SecurityContact: s.contact}
	if c.Web, err = pages(ofPages, c.Levels); err != nil {
		return err
	}
	c.Diagrams = diagram.Handler(func(ctx context.Context, moves bool, draw func()) *wire.Problem {
		return server.Draw(ctx, moves, draw)
	})
	c.Registry = httpapi.NewRegistry()
	var work *serviceJobs
	if s.jobs.store.given() {
		if work, err = newServiceJobs(ctx, &s.jobs, c.MaxAnalyses, c.Grace, c.Registry, logger); err != nil {
			return err
		}
		c.Jobs, c.APIKeys = work.queue, work.keys
		if s.jobs.trustsMachine && len(c.TrustedProxies) == 0 {
			c.LocalClass = queue.Keyed
		}
	}
	if c.Known, err = knownLists(s.known); err != nil {
		return command.Exit(command.ExitUsage, err)
	}
	if server, err = httpapi.New(c); err != nil {
		return err
	}
	if work != nil {
		// Their worker stops with the service, and what clients look at only after it.
		looking, end := context.WithCancel(context.WithoutCancel(ctx))
		working, stop := context.WithCancel(ctx)
		wait := untilLate(working, c.Grace+lastStores, logger, func() { work.run(looking, working, server.QuestionsWait) })
		defer func() {
			stop() // the service may have ended for another reason than ctx
			end()
			wait()
		}()
	}
	defer background.Reserve(c.LongSearches + c.MaxAnalyses + c.MaxPlays + work.searches())()
	public, admin, err := listeners(s.addr, s.adminAddr)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		logger.Warn("environment variables that are no settings", "names", unknown)
	}
	adminAddr := "off"
	if admin != nil {
		adminAddr = admin.Addr().String()
	}
	if len(s.off) > 0 {
		logger.Warn("the machine, the container or GOMEMLIMIT has too little memory: the service does without, "+
			"and answers not_offered", "memory", cli.SizeText(memory.Available()>>20<<20), "off", s.off)
	}
	logger.Info("memory for tables", "bytes", s.memory, "searches", c.MaxSearches,
		"long_searches", c.LongSearches, "table_bytes", s.table, "analyses", c.MaxAnalyses,
		"plays", c.MaxPlays, "jobs_bytes", s.jobs.share.Total, "store_bytes", s.jobs.storeBytes,
		"cache_bytes", max(0, c.CacheBytes), "gomemlimit", debug.SetMemoryLimit(-1))
	logger.Info("listening", "addr", public.Addr().String(), "admin_addr", adminAddr,
		"version", build.Version, "revision", build.Revision)
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), command.ErrInterrupt) {
			end(httpapi.ErrSkipDelay)
			return
		}
		end(context.Cause(ctx))
	})()
	if err := server.Serve(serving, public, admin); err != nil {
		fmt.Fprintf(log, "tsumero: %v\n", err) // not to stderr, whose reader may be stuck
		return command.Exit(command.ExitFailure, nil)
	}
	return nil
}

// listeners opens both addresses, adminAddr if it is not empty. The error names both if both fail.
func listeners(addr, adminAddr string) (api, admin net.Listener, err error) {
	api, apiErr := net.Listen("tcp", addr)
	var adminErr error
	if adminAddr != "" {
		admin, adminErr = net.Listen("tcp", adminAddr)
	}
	if err := errors.Join(apiErr, adminErr); err != nil {
		for _, l := range []net.Listener{api, admin} {
			if l != nil {
				l.Close()
			}
		}
		return nil, nil, err
	}
	return api, admin, nil
}
