package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

func newJobsStore() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "jobs-store",
		Short: "Save, restore and verify a store of jobs",
		Long: `Jobs-store opens a store of jobs itself: that in a directory, --jobs, while no service has it open,
or that of a cluster, --nats, at any time. The flags that say where it is are those of serve.`,
		DisableFlagsInUseLine: true,
		Args:                  command.NoSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStoreBackup(), newStoreRestore(), newStoreVerify())
	return cmd
}

func newStoreBackup() *cobra.Command {
	return storeCommand("backup DIR", "Save all jobs to a folder", `Backup writes all jobs, with input, answers and the secret of idempotency keys, to a new folder, with
checksums. In a cluster it may run while jobs do; jobs that are accepted after it began are not in it.`,
		1, nil, func(ctx context.Context, _ *cobra.Command, store *natsstore.Store, args []string) error {
			return store.Backup(ctx, args[0])
		})
}

func newStoreRestore() *cobra.Command {
	return storeCommand("restore DIR", "Read what backup wrote into an empty store", `Restore reads a folder that backup wrote into a store that has no jobs, in a directory or in a
cluster, whichever it came from. Nobody may use the store meanwhile. Ids, idempotency keys and
answers are the same afterwards; what was queued or running goes on.`,
		1, nil, func(ctx context.Context, _ *cobra.Command, store *natsstore.Store, args []string) error {
			return store.Restore(ctx, args[0])
		})
}

func newStoreVerify() *cobra.Command {
	read, acknowledge := false, false
	return storeCommand("verify", "Say what is missing in a store", `Verify compares the records of all jobs with what is there, and prints a line for each job that lacks
something, and for each damage that was found before. A service does the same at its start and every
few hours, mends what it can, and ends as failed what can no longer end well. What it found it keeps,
in a store in a directory, until --acknowledge. The exit code is 1 if there is a line.`,
		0, func(set *cli.Settings) {
			set.Switch(&read, "read", "read every message as well, which takes as long as reading the disk")
			set.Switch(&acknowledge, "acknowledge", "print what was found, and forget it: the alert ends")
		}, func(ctx context.Context, cmd *cobra.Command, store *natsstore.Store, _ []string) error {
			found := store.Findings() // this start may have added to them
			missing, err := store.Verify(ctx, read)
			if err != nil {
				return err
			}
			for _, m := range missing {
				fmt.Fprintln(cmd.OutOrStdout(), m)
			}
			for _, f := range found {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if err := store.KeepFindings(missing); err != nil {
				return err
			}
			if acknowledge {
				if err := store.Acknowledge(); err != nil {
					return err
				}
				found = nil
			}
			if len(missing)+len(found) > 0 {
				return command.Exit(command.ExitNegative, fmt.Errorf("%d jobs lack something, "+
					"%d damages were found before", len(missing), len(found)))
			}
			return nil
		})
}

// storeCommand returns a command that opens a store and does something with it.
func storeCommand(use, short, long string, args int, declare func(*cli.Settings),
	do func(context.Context, *cobra.Command, *natsstore.Store, []string) error) *cobra.Command {
	var s storeSettings
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: command.Positional(cobra.ExactArgs(args))}
	set := cli.NewSettings(cmd.Flags())
	cmd.Flags().SortFlags = false
	set.Subject("The store")
	s.declareDir(set)
	s.declareCluster(set)
	if declare != nil {
		declare(set)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := set.Resolve()
		if err == nil {
			err = s.check()
		}
		if err == nil && !s.given() {
			err = errors.New("--jobs or --nats is missing: where the store is")
		}
		if err != nil {
			return command.UsageError(cmd, "%w", err)
		}
		// A store is made where there is none, which only restore wants.
		if s.dir != "" && cmd.Name() != "restore" {
			if _, err := os.Stat(filepath.Join(s.dir, "format")); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no store in %s", s.dir)
			}
		}
		logger := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		warnOldNames(logger, cli.OldNames(cmd.Flags()))
		store, err := s.open(cmd.Context(), logger, func(time.Duration) {})
		if err != nil {
			return explainStore(err)
		}
		err = do(cmd.Context(), cmd, store, args)
		return errors.Join(err, store.Close())
	}
	describe(cmd, set)
	return cmd
}
