package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/shogihome"
)

// registerFlags are the flags of register.
type registerFlags struct {
	engine, config string
	yes            bool
}

func newRegister() *cobra.Command {
	var f registerFlags
	cmd := &cobra.Command{
		Use:   "register",
		Short: "Add the USI engine to ShogiHome",
		Long: `Register adds the engine tsumero-usi to the list of engines of ShogiHome, so that it can be chosen
there for games, research and mate search. It says what it is going to do, and asks first.

ShogiHome's list is found where ShogiHome keeps it:
  Linux     ~/.config/electron-shogi/usi_engine.json
  macOS     ~/Library/Application Support/electron-shogi/usi_engine.json
  Windows   %APPDATA%\electron-shogi\usi_engine.json
For the portable edition, name the file usi_engine.json beside its program with --config.

Everything else in the list stays as it is, and the file as it was is kept beside it. An engine that
is in the list already is left alone, and so is a file that has another form than that of ShogiHome
1.29. Close ShogiHome's engine settings first: it writes the whole list when they are saved.

The exit code is 0 if the engine is in the list, 1 if you said no, 4 for wrong use, 5 for a file that
cannot be read, understood or written, and 130 when interrupted.`,
		Example: `  tsumero register
  tsumero register --yes
  tsumero register --config 'D:\ShogiHome\usi_engine.json'`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return register(cmd, &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "`FILE` is ShogiHome's list of engines")
	flags.StringVar(&f.engine, "engine", "",
		"`FILE` is the engine (default: "+engineProgram+" beside this program, or else in PATH)")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return cmd
}

func register(cmd *cobra.Command, f *registerFlags) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	path, err := f.findEngine()
	if err != nil {
		return err
	}
	file, err := f.findList()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	list, err := shogihome.Parse(data)
	if err != nil {
		return fmt.Errorf("%s is left as it is: %w", file, err)
	}
	if there, found := list.Find(path); found {
		_, err := fmt.Fprintf(out, "%s is in %s already, as %q.\n", path, file, there.Name)
		return err
	}
	engine, err := describeEngine(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := fmt.Fprintf(out, "engine  %s, %s\nlist    %s, engines: %d\n", path, engine.Name, file,
		len(list.Engines)); err != nil {
		return err
	}
	if !f.yes {
		yes, err := confirm(ctx, cmd.InOrStdin(), out, "Add the engine to the list?")
		if err != nil {
			return err
		}
		if !yes {
			fmt.Fprintln(out, "Nothing was changed.")
			return command.Exit(command.ExitNegative, nil)
		}
	}
	now := time.Now()
	changed, err := list.Add(engine, now)
	if err != nil {
		return err
	}
	backup, err := shogihome.Replace(file, data, changed, now)
	if err != nil {
		return fmt.Errorf("%s is left as it is: %w", file, err)
	}
	if backup != "" {
		fmt.Fprintf(out, "The list as it was is in %s.\n", backup)
	}
	_, err = fmt.Fprintf(out, "Added. ShogiHome now offers %q in 対局 (Game), 検討 (Research) and 詰み探索 (Mate Search).\n",
		engine.Name)
	return err
}

// findEngine returns the absolute path of the engine.
func (f *registerFlags) findEngine() (string, error) {
	if f.engine == "" {
		path, err := findProgram(engineProgram)
		if err != nil {
			return "", fmt.Errorf("%s is neither beside this program nor in PATH: name it with --engine",
				engineProgram)
		}
		return filepath.Abs(path)
	}
	if info, err := os.Stat(f.engine); err == nil && info.Mode().IsRegular() {
		return filepath.Abs(f.engine)
	}
	path, err := exec.LookPath(f.engine)
	if err != nil {
		return "", fmt.Errorf("--engine: %w", err)
	}
	return filepath.Abs(path)
}

// findList returns the path of ShogiHome's list. The file need not be there, but its folder must.
func (f *registerFlags) findList() (string, error) {
	file := f.config
	if file == "" {
		var err error
		if file, err = shogihome.DefaultFile(); err != nil {
			return "", err
		}
	}
	switch info, err := os.Stat(filepath.Dir(file)); {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return "", fmt.Errorf("there is no folder %s: ShogiHome makes it when it is started for the first time; "+
			"if its settings are elsewhere, name the file with --config", filepath.Dir(file))
	case err != nil:
		return "", err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder: --config takes the file usi_engine.json in it", file)
	}
	return filepath.Abs(file)
}

// describeEngine starts an engine as ShogiHome does and returns what it says about itself.
func describeEngine(ctx context.Context, path string) (shogihome.Engine, error) {
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	engine := exec.CommandContext(limited, path)
	engine.Dir = filepath.Dir(path)
	engine.Stdin = strings.NewReader("usi\nquit\n")
	engine.WaitDelay = time.Second
	answer, err := engine.Output()
	switch {
	case ctx.Err() != nil:
		return shogihome.Engine{}, command.Interrupted("nothing was changed")
	case limited.Err() != nil:
		return shogihome.Engine{}, errors.New("it does not end within 10 seconds after \"quit\"")
	}
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = fault.Err // such as "permission denied"
	}
	if err != nil {
		return shogihome.Engine{}, err
	}
	return shogihome.Describe(path, string(answer))
}

// confirm asks a question that yes or no answers. No answer is no.
func confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	if _, err := fmt.Fprintf(out, "%s [y/N] ", question); err != nil {
		return false, err
	}
	answer := make(chan string, 1) // has room, since it is not read after an interrupt
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		if !strings.HasSuffix(line, "\n") {
			fmt.Fprintln(out)
		}
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false, command.Interrupted("nothing was changed")
	}
}
