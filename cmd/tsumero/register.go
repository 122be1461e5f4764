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

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/shogihome"
)

// registerFlags are the flags of register.
type registerFlags struct {
	engine, config string
	yes            bool
}

func newRegister(l cli.Language) *cobra.Command {
	var f registerFlags
	cmd := &cobra.Command{
		Use:   "register",
		Short: l.Text("Add the USI engine to ShogiHome", "USI エンジンの ShogiHome への登録"),
		Long: l.Text(`Register adds the engine tsumero-usi to the list of engines of ShogiHome, so that it can be chosen
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
			`tsumero-usi を ShogiHome のエンジン一覧に加え、対局、検討、詰み探索で使えるようにします。変更の内容
を示し、確認してから書き込みます。

一覧の場所：
  Linux     ~/.config/electron-shogi/usi_engine.json
  macOS     ~/Library/Application Support/electron-shogi/usi_engine.json
  Windows   %APPDATA%\electron-shogi\usi_engine.json
ポータブル版では、--config で usi_engine.json を指定してください。

一覧のほかの部分は変えず、元のファイルを同じ場所に残します。登録済みのエンジンや、ShogiHome 1.29 と
形の違うファイルは変えません。ShogiHome は設定の保存時に一覧全体を書き直すので、先に ShogiHome のエ
ンジン設定を閉じてください。

終了コード：登録済み 0、断った 1、ファイルの失敗 5、中断 130`),
		Example: `  tsumero register
  tsumero register --yes
  tsumero register --config 'D:\ShogiHome\usi_engine.json'`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return register(cmd, &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", l.Text("`FILE` is ShogiHome's list of engines",
		"ShogiHome のエンジン一覧のファイル `FILE`"))
	flags.StringVar(&f.engine, "engine", "",
		l.Text("`FILE` is the engine (default: "+engineProgram+" beside this program, or else in PATH)", "エンジンのファイル `FILE`（既定：このプログラムと同じ場所か PATH の "+engineProgram+"）"))
	flags.BoolVarP(&f.yes, "yes", "y", false, l.Text("do not ask", "確認の省略"))
	return cmd
}

func register(cmd *cobra.Command, f *registerFlags) error {
	ctx, out, l := cmd.Context(), cmd.OutOrStdout(), command.LanguageOf(cmd)
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
		return cli.Errorf("%s is left as it is: %s", "%s は変更していません：%s", file, err)
	}
	if there, found := list.Find(path); found {
		_, err := fmt.Fprintln(out, l.Sprintf("%s is in %s already, as %q.", "%s は「%[3]s」として %[2]s に登録済みです。", path, file, there.Name))
		return err
	}
	engine, err := describeEngine(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := fmt.Fprintln(out, l.Sprintf("engine  %s, %s\nlist    %s, engines: %d",
		"エンジン  %s（%s）\n一覧      %s（%d件）", path, engine.Name, file, len(list.Engines))); err != nil {
		return err
	}
	if !f.yes {
		yes, err := confirm(ctx, cmd.InOrStdin(), out, l.Text("Add the engine to the list?", "エンジンを一覧に加えますか。"))
		if err != nil {
			return err
		}
		if !yes {
			fmt.Fprintln(out, l.Text("Nothing was changed.", "何も変更していません。"))
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
		return cli.Errorf("%s is left as it is: %s", "%s は変更していません：%s", file, err)
	}
	if backup != "" {
		fmt.Fprintln(out, l.Sprintf("The list as it was is in %s.", "元の一覧：%s", backup))
	}
	_, err = fmt.Fprintln(out, l.Sprintf("Added. ShogiHome now offers %q in 対局 (Game), 検討 (Research) and "+
		"詰み探索 (Mate Search).", "登録しました。ShogiHome の対局、検討、詰み探索で「%s」を選べます。", engine.Name))
	return err
}

// findEngine returns the absolute path of the engine.
func (f *registerFlags) findEngine() (string, error) {
	if f.engine == "" {
		path, err := findProgram(engineProgram)
		if err != nil {
			return "", cli.Errorf("%s is neither beside this program nor in PATH: name it with --engine",
				"%s がこのプログラムと同じ場所にも PATH にもありません。--engine で指定してください。", engineProgram)
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
		return "", cli.Errorf("there is no folder %s: ShogiHome makes it when it is started for the first time; "+
			"if its settings are elsewhere, name the file with --config",
			"フォルダ %s がありません（ShogiHome の初回起動時にできます）。別の場所なら --config で指定してください。", filepath.Dir(file))
	case err != nil:
		return "", err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return "", cli.Errorf("%s is a folder: --config takes the file usi_engine.json in it",
			"%s はフォルダです。--config には、その中の usi_engine.json を指定してください。", file)
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
		return shogihome.Engine{}, command.Interrupted("nothing was changed", "何も変更していません。")
	case limited.Err() != nil:
		return shogihome.Engine{}, cli.Errorf("it does not end within 10 seconds after \"quit\"",
			"quit を送って10秒たっても終了しません。")
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
		return false, command.Interrupted("nothing was changed", "何も変更していません。")
	}
}
