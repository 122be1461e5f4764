package command

import "runtime/debug"

// Revision returns the commit that the program was built from, with "+changes" if some were not
// committed, and "dev" if it is unknown.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	var commit, changes string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if commit == "" {
		return "dev"
	}
	return commit + changes
}
