package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
)

// An OldName is the old name of a flag, which works for one version more.
type OldName struct {
	Commands string // that have the flag, with spaces between them; those below a command by its name
	Old, Now string // Now as in cli.Rename
}

// AddOldNames adds old names to the flags of the commands below c.
func AddOldNames(c *cobra.Command, names []OldName) {
	for _, sub := range c.Commands() {
		AddOldNames(sub, names)
	}
	if c.HasSubCommands() || !c.HasParent() {
		return
	}
	top := strings.Fields(c.CommandPath())[1]
	for _, name := range names {
		if slices.Contains(strings.Fields(name.Commands), top) {
			cli.Rename(c.Flags(), name.Old, name.Now)
		}
	}
}
