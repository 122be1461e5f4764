package container

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// TestImage does what docker build and docker run would, as far as that goes without Docker: the
// commands of the build stage run on this machine, in a copy of the build context; what the final
// stage copies is all that a new, empty root directory holds; and in there, as the image's user,
// the image's command serves until its health check passes, and ends in order when it is told to.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the programs of the image")
	}
	t.Parallel()
	build, final := parseDockerfile(t)
	scratch := t.TempDir()

	// The build stage. Its absolute paths are moved into scratch.
	env := os.Environ()
	buildArgs := map[string]string{"TARGETOS": runtime.GOOS, "TARGETARCH": runtime.GOARCH,
		"VERSION": "v1.2.3-test", "REVISION": "0123456789abcdef", "DATE": "2026-01-02T03:04:05Z"}
	workdir := scratch
	for _, c := range build.Commands {
		switch c := c.(type) {
		case *instructions.WorkdirCommand:
			workdir = filepath.Join(scratch, c.Path)
			if err := os.MkdirAll(workdir, 0o755); err != nil {
				t.Fatal(err)
			}
		case *instructions.ArgCommand:
			for _, arg := range c.Args {
				value, known := buildArgs[arg.Key]
				if !known {
					t.Fatalf("ARG %s: this test does not know what to give", arg.Key)
				}
				env = append(env, arg.Key+"="+value)
			}
		case *instructions.CopyCommand:
			for _, source := range c.SourcePaths {
				copyContext(t, source, filepath.Join(workdir, c.DestPath))
			}
		case *instructions.RunCommand:
			line := strings.Join(c.CmdLine, " ")
			// To compress the programs for browsers well takes a minute of processor time.
			moved := strings.NewReplacer(" /out/", " "+scratch+"/out/", " /jobs/", " "+scratch+"/jobs/",
				" ./web/engine/build ", " ./web/engine/build -quality=1 ")
			run := exec.Command("sh", "-c", moved.Replace(line))
			run.Dir = workdir
			run.Env = env
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("RUN %s: %v\n%s", line, err, out)
			}
		default:
			t.Fatalf("%s: this test does not know how to do that", c.Name())
		}
	}

	// The image.
	image := filepath.Join(scratch, "image")
	for _, c := range final.Commands {
		copied, ok := c.(*instructions.CopyCommand)
		if !ok {
			continue
		}
		for _, source := range copied.SourcePaths {
			to := filepath.Join(image, copied.DestPath)
			switch copied.From {
			case "":
				copyContext(t, source, to)
			case build.Name:
				if err := os.CopyFS(to, os.DirFS(filepath.Join(scratch, source))); err != nil {
					t.Fatal(err)
				}
				chown(t, to, copied.Chown)
			default:
				t.Fatalf("%s: there is no stage %s", copied, copied.From)
			}
		}
	}
	programs := []string{"/tsumero", "/tsumero-check", "/tsumero-server", "/tsumero-usi"}
	for _, program := range programs {
		checkStatic(t, filepath.Join(image, program))
	}
	var files []string
	err := filepath.WalkDir(image, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, image))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := append([]string{"/LICENSE", "/LICENSES.txt"}, programs...); !slices.Equal(files, want) {
		t.Fatalf("the image holds %q, want %q", files, want)
	}

	checkWritable(t, filepath.Join(image, "var/lib/tsumero"), final)

	// The container.
	uid, err := strconv.Atoi(strings.SplitN(only[*instructions.UserCommand](t, final).User, ":", 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	imageEnv := imageEnvironment(final)
	for _, name := range []string{"TSUMERO_ADDR", "TSUMERO_ADMIN_ADDR"} {
		imageEnv = append(imageEnv, name+"="+freeAddress(t)) // the real ports may be taken on this machine
	}
	inContainer := func(args ...string) *exec.Cmd {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = "/"
		cmd.Env = imageEnv
		cmd.SysProcAttr = isolate(image, uid)
		return cmd
	}
	serve := inContainer(append(only[*instructions.EntrypointCommand](t, final).CmdLine, only[*instructions.CmdCommand](t, final).CmdLine...)...)
	var log bytes.Buffer
	serve.Stdout, serve.Stderr = &log, &log
	if err := serve.Start(); err != nil {
		t.Fatalf("start %q in an empty root directory as user %d: %v", serve.Args, uid, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	defer serve.Process.Kill()

	health := only[*instructions.HealthCheckCommand](t, final).Health
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		out, err := inContainer(health.Test[1:]...).CombinedOutput()
		if err == nil {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the service ended: %v\n%s", err, log.Bytes())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("health check %q: %v\n%s", health.Test, err, out)
		}
	}

	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, log.Bytes())
	}
	if out, err := inContainer(health.Test[1:]...).CombinedOutput(); err == nil {
		t.Errorf("the health check passes without a service: %s", out)
	}

	usi := inContainer("/tsumero-usi")
	usi.Stdin = strings.NewReader("usi\nquit\n")
	out, err := usi.Output()
	if err != nil || !strings.Contains(string(out), "id name Tsumero 1.2.3-test\n") ||
		!strings.Contains(string(out), "usiok\n") {
		t.Errorf("tsumero-usi in the image: %v\n%s", err, out)
	}
	for _, program := range programs {
		want := fmt.Sprintf("%s %s\ncommit  %s\ndate    %s\n", program[1:], buildArgs["VERSION"],
			buildArgs["REVISION"], buildArgs["DATE"])
		out, err := inContainer(program, "--version").Output()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s --version in the image: %v\n%s\nwant %s", program, err, out, want)
		}
	}
}

// copyContext copies a file or folder of the build context, which is the repository less what
// .dockerignore names.
func copyContext(t *testing.T, source, dest string) {
	t.Helper()
	list, err := os.Open(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	patterns, err := ignorefile.ReadAll(list)
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(root, source) // what is in a folder is copied, not the folder
	if info, err := os.Stat(base); err == nil && !info.IsDir() {
		base = filepath.Dir(base)
	}
	err = filepath.WalkDir(filepath.Join(root, source), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		skip, err := ignored.MatchesOrParentMatches(name)
		switch {
		case err != nil:
			return err
		case skip && d.IsDir():
			return fs.SkipDir
		case skip:
			return nil
		}
		within, err := filepath.Rel(base, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dest, within)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, info.Mode().Perm()|0o200)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// chown gives what was copied to the user that the command names. Who is not root is that user in the
// container already.
func chown(t *testing.T, dir, owner string) {
	t.Helper()
	user, group, found := strings.Cut(owner, ":")
	if !found || os.Getuid() != 0 {
		return
	}
	uid, err := strconv.Atoi(user)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.Atoi(group)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
}

// checkWritable fails the test unless the folder belongs to the image's user: a new volume that is
// mounted there takes its owner.
func checkWritable(t *testing.T, dir string, final instructions.Stage) {
	t.Helper()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := only[*instructions.UserCommand](t, final).User
	if os.Getuid() != 0 {
		return
	}
	if s := info.Sys().(*syscall.Stat_t); fmt.Sprintf("%d:%d", s.Uid, s.Gid) != want {
		t.Errorf("/var/lib/tsumero belongs to %d:%d, want %s", s.Uid, s.Gid, want)
	}
}

// checkStatic fails the test if the program needs a loader or a library, neither of which an empty
// image has.
func checkStatic(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is not static: it has a segment %s", filepath.Base(path), p.Type)
		}
	}
}

// imageEnvironment returns the environment that the image sets.
func imageEnvironment(final instructions.Stage) []string {
	var env []string
	for _, c := range final.Commands {
		if c, ok := c.(*instructions.EnvCommand); ok {
			for _, kv := range c.Env {
				env = append(env, kv.Key+"="+kv.Value)
			}
		}
	}
	return env
}

// isolate makes a process see nothing but the folder root and run as uid there.
func isolate(root string, uid int) *syscall.SysProcAttr {
	if os.Getuid() == 0 {
		return &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	// Without root's rights it takes a user namespace, in which the caller is uid and may change
	// its root.
	return &syscall.SysProcAttr{
		Chroot:      root,
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getgid(), Size: 1}},
	}
}

// freeAddress returns an address for a program that has to be told where to listen. Between this and
// then nobody else takes it: the host is a loopback address of its own, and the port is none of those
// that Linux gives away.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		addr := fmt.Sprintf("127.%d.%d.%d:%d", 1+rand.N(254), rand.N(256), 1+rand.N(254), 20000+rand.N(10000))
		l, err := net.Listen("tcp", addr)
		if errors.Is(err, syscall.EADDRINUSE) { // who listens on all hosts has the port
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		return addr
	}
}
