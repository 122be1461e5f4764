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

func newStore() *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "store",
		Short:                 "Check, save and restore the jobs",
		Long:                  `Store looks after the jobs in a directory, or in a database. The flags are those of serve.`,
		DisableFlagsInUseLine: true,
		Args:                  command.NoSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStoreCheck(), newStoreBackup(), newStoreRestore())
	return cmd
}

func newStoreCheck() *cobra.Command {
	return storeCommand("check", "Read everything, and say what is damaged", `Check reads all questions and answers, compares their checksums, and prints a line for each
that is damaged. It changes nothing, and may run beside a service. An answer that is damaged is found
again when somebody reads it. The exit code is 1 if there is a line.`, 0,
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
		return command.Exit(command.ExitNegative, fmt.Errorf("%d questions and answers read, %d faults found", read, damaged))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d questions and answers read, none is damaged\n", read)
	return nil
}

func newStoreBackup() *cobra.Command {
	return storeCommand("backup FILE", "Save all jobs of a directory to a file", `Backup writes all jobs, with questions, answers and the secret of idempotency keys, to a new file. It
may run beside a service. For PostgreSQL there is pg_dump.`, 1,
		func(ctx context.Context, _ *cobra.Command, s *storeSettings, args []string) error {
			if !s.isDirectory() {
				return errors.New("it is PostgreSQL: use pg_dump")
			}
			return queue.Backup(ctx, s.address, args[0])
		})
}

func newStoreRestore() *cobra.Command {
	return storeCommand("restore FILE", "Make a directory of what backup wrote", `Restore makes a directory, which must not have jobs, of a file that backup wrote. Ids, idempotency keys
and answers are the same afterwards; what was queued or running goes on. It then does what check does.
For PostgreSQL there is pg_restore.`, 1,
		func(ctx context.Context, cmd *cobra.Command, s *storeSettings, args []string) error {
			if !s.isDirectory() {
				return errors.New("it is PostgreSQL: use pg_restore")
			}
			if err := queue.Restore(ctx, args[0], s.address); err != nil {
				return err
			}
			return s.check(ctx, cmd)
		})
}

// storeCommand returns a command that does something with a store.
func storeCommand(use, short, long string, args int,
	do func(context.Context, *cobra.Command, *storeSettings, []string) error) *cobra.Command {
	var s storeSettings
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: command.Positional(cobra.ExactArgs(args))}
	set := cli.NewSettings(cmd.Flags())
	cmd.Flags().SortFlags = false
	set.Subject("The store")
	s.declare(set, cmd.Flags(), "where the jobs are: a directory, or postgres://user@host/database")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := set.Resolve()
		if err == nil {
			err = s.resolve()
		}
		if err == nil && !s.given() {
			err = errors.New("--jobs is missing: where the jobs are")
		}
		if err != nil {
			return command.UsageError(cmd, "%w", err)
		}
		if s.isDirectory() && cmd.Name() != "restore" {
			if _, err := os.Stat(filepath.Join(s.address, queue.DatabaseName)); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there are no jobs in %s", s.address)
			}
		}
		return do(cmd.Context(), cmd, &s, args)
	}
	describe(cmd, set)
	return cmd
}
