package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// A collection as a folder: what is known of each problem is in its files, and nothing of where they
// come from; faults are told to the editor. What is wrong is said before the search.
func TestCollectionFolder(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	in := filepath.Join(dir, "secret.tsv")
	const list = "sfen\ttitle\tauthor\n" +
		"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\t頭\u202e金\t甲野\n" +
		"nonsense\n" +
		// By White, and so turned.
		"9/9/9/9/9/4p4/9/4K4/9 w 2R2B2G4S4N4L17P2g 1\n" +
		"9/4k4/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1\n"
	if err := os.WriteFile(in, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := tsumero(t.Context(), "", "collection", "--search", "report", "-o", "folder", "--to", site,
		"--title", "題", in)
	if code != command.ExitBadPosition || stdout != filepath.Join(site, "index.html")+"\n" ||
		!strings.Contains(stderr, "problem 2: "+in+" line 3: ") {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	files := map[string]string{}
	err := filepath.WalkDir(site, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "secret") {
			t.Errorf("%s says where it comes from", path)
		}
		files[d.Name()] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]string{
		"1.cert": "tsumero-cert 1 mate\nsfen 9/4k4/9/4P4/9/9/9/9/9 b ", "3.cert": "\nsfen 9/4k4/9/4P4/9/9/9/9/9 b ",
		"4.cert": "tsumero-cert 1 nomate\n", "1.json": `"sound"`, "3.html": "the same as 1", "4.html": `mode="view"`, "index.html": `頭\u202e金`,
	} {
		if !strings.Contains(files[name], part) {
			t.Errorf("%s has no %s: %s", name, part, files[name])
		}
	}
	if files["2.html"] != "" {
		t.Error("a page of a fault")
	}

	// What is written is read again as the problem.
	for _, name := range []string{"1.sfen", "1.kif", "1.csa", "3.sfen"} {
		code, stdout, stderr := tsumero(t.Context(), "", "collection", "-o", "json", filepath.Join(site, name))
		if code != command.ExitOK || !strings.Contains(stdout, `"sfen":"9/4k4/9/4P4/9/9/9/9/9 b `) {
			t.Errorf("%s: code %d, %s%s", name, code, stdout, stderr)
		}
	}
	if code, stdout, _ := tsumero(t.Context(), "", "solve", "--file", filepath.Join(site, "1.sfen")); code != command.ExitOK ||
		!strings.Contains(stdout, "G*5c") {
		t.Errorf("solve of 1.sfen: code %d, %s", code, stdout)
	}

	// The folder as a whole has each problem once.
	code, stdout, stderr = tsumero(t.Context(), "", "collection", "--search", "none", site)
	if code != command.ExitOK || !strings.Contains(stderr, "3 problems, 0 faulty") || !strings.Contains(stdout, "3.kif") {
		t.Errorf("the folder: code %d, %s%s", code, stdout, stderr)
	}

	// A file of somebody else in the place of one of its files is refused before the search.
	if err := os.WriteFile(filepath.Join(site, "2.html"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long.sfen")
	const unsolved = "g1+P1k1+P+L1/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g b - 1\n"
	if err := os.WriteFile(long, []byte(unsolved+unsolved), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = tsumero(t.Context(), "", "collection", "--nodes", "1000000000", "-o", "folder", "--to", site, long)
	if code != command.ExitUsage || !strings.Contains(stderr, "--to: 2.html is in the folder and of no collection") {
		t.Errorf("with another 2.html: code %d, %s", code, stderr)
	}
	if err := os.Remove(filepath.Join(site, "2.html")); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ args, stderr string }{
		{"-o folder --to " + dir, "--to: " + dir + " has other files in it"},
		{"-o folder", "--to is missing"},
		{"--to " + site, "--to is for --output folder alone"},
		{"-o folder --paper A4 --to " + site, "--paper is for --output html alone"},
		{"-o folder --service ftp://x --to " + site, `--service is "ftp://x", but must be an address`},
	} {
		code, _, stderr := tsumero(t.Context(), "", append([]string{"collection", in}, strings.Fields(c.args)...)...)
		if code != command.ExitUsage || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, %s", c.args, code, stderr)
		}
	}
}

// An interrupted run leaves a collection that is there as it is, and says so.
func TestCollectionFolderInterrupted(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	const problem = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\n"
	args := []string{"collection", "--search", "none", "-o", "folder", "--to", site, "-"}
	if code, _, stderr := tsumero(t.Context(), problem+problem, args...); code != command.ExitOK {
		t.Fatalf("code %d: %s", code, stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer feed.Close()
	if _, err := feed.WriteString("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\nnonsense\n"); err != nil {
		t.Fatal(err)
	}
	// The fault of the second problem is said while the input is still open: then comes the interrupt.
	errs := &signalling{cancel: cancel}
	code := run(ctx, args, in, io.Discard, errs)
	if code != command.ExitInterrupted || !strings.Contains(errs.String(), "the earlier collection is kept as it is") {
		t.Errorf("code %d: %s", code, errs.String())
	}
	for _, name := range []string{"index.html", "1.html", "2.html", "2.kif"} {
		if _, err := os.Stat(filepath.Join(site, name)); err != nil {
			t.Error(err)
		}
	}
}
