package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

func newStore(l cli.Language) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: l.Text("Check, save and restore the jobs", "ジョブの検査・保存・復元"),
		Long: l.Text(`Store looks after the jobs in a directory, or in a database. The flags are those of serve.`,
			"ディレクトリかデータベースのジョブを管理します。フラグは serve と同じです。"),
		DisableFlagsInUseLine: true,
		Args:                  command.NoSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStoreCheck(l), newStoreBackup(l), newStoreRestore(l))
	return cmd
}

func newStoreCheck(l cli.Language) *cobra.Command {
	return storeCommand(l, "check", l.Text("Read everything, and say what is damaged",
		"全データを読む破損の検査"), l.Text(`Check reads all questions and answers, compares their checksums, and prints a line for each
that is damaged. It changes nothing, and may run beside a service. An answer that is damaged is found
again when somebody reads it. The exit code is 1 if there is a line.`,
		`質問と答えをすべて読んでチェックサムを照合し、壊れたものを1行ずつ示します。内容は変えず、サービスの
稼働中でも使えます。壊れた答えは、次に読まれるときに求め直します。壊れたものがあれば終了コードは 1
です。`), 0,
		func(ctx context.Context, cmd *cobra.Command, s *storeSettings, _ []string) error {
			return s.check(ctx, cmd)
		})
}

// check reads everything, and says what is damaged.
func (s *storeSettings) check(ctx context.Context, cmd *cobra.Command) error {
	damaged := 0
	read, err := queue.Check(ctx, s.address, func(what string) {
		damaged++
		fmt.Fprintln(cmd.OutOrStdout(), what)
	})
	if err != nil {
		return err
	}
	if damaged > 0 {
		return command.Exit(command.ExitNegative, cli.Errorf("%d questions and answers read, %d faults found",
			"質問と答え%d件中、%d件が壊れています。", read, damaged))
	}
	fmt.Fprintln(cmd.ErrOrStderr(), command.LanguageOf(cmd).Sprintf("%d questions and answers read, none is damaged",
		"質問と答え%d件に異常なし", read))
	return nil
}

func newStoreBackup(l cli.Language) *cobra.Command {
	return storeCommand(l, "backup FILE", l.Text("Save all jobs of a directory to a file",
		"ディレクトリのジョブのファイルへの保存"), l.Text(`Backup writes all jobs, with questions, answers and the secret of idempotency keys, to a new file. It
may run beside a service. For PostgreSQL there is pg_dump.`,
		`質問、答え、冪等キーの秘密を含むすべてのジョブを、新しいファイルに書きます。サービスの稼働中でも使え
ます。PostgreSQL には pg_dump を使います。`), 1,
		func(ctx context.Context, _ *cobra.Command, s *storeSettings, args []string) error {
			if !s.isDirectory() {
				return cli.Errorf("it is PostgreSQL: use pg_dump",
					"PostgreSQL には pg_dump を使ってください。")
			}
			return queue.Backup(ctx, s.address, args[0])
		})
}

func newStoreRestore(l cli.Language) *cobra.Command {
	return storeCommand(l, "restore FILE", l.Text("Make a directory of what backup wrote",
		"保存したファイルからのディレクトリの復元"), l.Text(`Restore makes a directory, which must not have jobs, of a file that backup wrote. Ids, idempotency keys
and answers are the same afterwards; what was queued or running goes on. It then does what check does.
For PostgreSQL there is pg_restore.`,
		`backup のファイルから、ジョブのない場所にディレクトリを作ります。ID、冪等キー、答えは元と同じで、
待っていたジョブや処理中のジョブも続きます。その後 check を行います。PostgreSQL には pg_restore を使
います。`), 1,
		func(ctx context.Context, cmd *cobra.Command, s *storeSettings, args []string) error {
			if !s.isDirectory() {
				return cli.Errorf("it is PostgreSQL: use pg_restore",
					"PostgreSQL には pg_restore を使ってください。")
			}
			if err := queue.Restore(ctx, args[0], s.address); err != nil {
				return err
			}
			return s.check(ctx, cmd)
		})
}

// storeCommand returns a command that does something with a store.
func storeCommand(l cli.Language, use, short, long string, args int,
	do func(context.Context, *cobra.Command, *storeSettings, []string) error) *cobra.Command {
	var s storeSettings
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: command.Positional(cobra.ExactArgs(args))}
	set := cli.NewSettings(l, cmd.Flags())
	cmd.Flags().SortFlags = false
	set.Subject(l.Text("The store", "保存場所"))
	s.declare(set, cmd.Flags(), l.Text("where the jobs are: a directory, or postgres://user@host/database",
		"ジョブの保存場所。ディレクトリか postgres://user@host/database"))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := set.Resolve()
		if err == nil {
			err = s.resolve()
		}
		if err == nil && !s.given() {
			err = cli.Errorf("--jobs is missing: where the jobs are", "--jobs（ジョブの保存場所）がありません。")
		}
		if err != nil {
			return command.UsageError(cmd, err)
		}
		if s.isDirectory() && cmd.Name() != "restore" {
			if _, err := os.Stat(filepath.Join(s.address, queue.DatabaseName)); errors.Is(err, fs.ErrNotExist) {
				return cli.Errorf("there are no jobs in %s", "%s にジョブはありません。", s.address)
			}
		}
		return do(cmd.Context(), cmd, &s, args)
	}
	describe(cmd, set)
	return cmd
}
