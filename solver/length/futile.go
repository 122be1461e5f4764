package length

// A FutileType says how a futile drop is shown to do nothing.
type FutileType uint8

const (
	NotFutile FutileType = iota
	X                    // 透かし詰, X型: the checking piece takes, and that is mate
	Narrow               // 狭義無駄合: the checking piece takes, and the same play goes on
	XY                   // XY型: another piece takes with check, and that is mate
	XYZ                  // XYZ型: another piece takes and uncovers the check of a third one
	Any                  // any other removal by F3
)

// String returns "", "x", "narrow", "xy", "xyz" or "any".
func (t FutileType) String() string {
	return [...]string{"", "x", "narrow", "xy", "xyz", "any"}[t]
}
