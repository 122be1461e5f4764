// Package disk keeps the checkpoints of a long search in files, so that a search that was killed
// goes on instead of beginning anew. It knows files and when to write them.
//
// Who wants checkpoints puts a Keeper into the context of a search:
//
//	k := disk.New(disk.Options{Dir: dir, Name: id, Secret: secret})
//	r := s.Solve(checkpoint.With(ctx, k), p, lim)
//	if r.Reason == solver.NoReason {
//		k.Remove()
//	}
//
// # When
//
// The first checkpoint is begun after Options.First, a further one when the search has looked at a
// tenth more nodes than at the last, and Options.Every has passed. So kill -9 costs a long search a
// tenth of its work and what it does while a checkpoint is written, or First or Every if it is
// shorter.
//
// # A file
//
//	tsumero checkpoint 1 LF
//	blocks       what the search wrote, in pieces of at most 1 MiB
//	index        of each block its length (4 bytes) and its SHA-256
//	footer       JSON: the identity of the search, its state
//	lengths      of the index in blocks, of the footer in bytes (4 bytes each)
//	HMAC         SHA-256 with Options.Secret over all of this but the blocks
//
// Numbers are little-endian. The state is that of the end of the writing, so it stands at the end.
// The HMAC covers the digests and they cover the blocks, so no bit can change unseen, and who does
// not know the secret cannot make a file. A block is handed out only after its digest was compared.
//
// # Files
//
// Name.1, Name.2 and so on in Options.Dir. Each is written under another name, synced, renamed, and
// the directory is synced; then all but the newest Options.Keep are removed. A file that is damaged
// or belongs to another search is refused, and the next older one is tried.
package disk
