package cli

import (
	"strconv"
	"strings"
)

// sizeUnits are what a size may end in. All are powers of 1024.
var sizeUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}}

// SizeText returns n bytes in the largest unit that it is a whole number of, such as "64MiB".
func SizeText(n int64) string {
	for _, u := range sizeUnits {
		if n%u.size == 0 && n >= u.size {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return "0"
}

// ParseSize reads a number of bytes as SizeText writes it, or a larger unit than that.
func ParseSize(text string) (int64, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err == nil && n > (1<<62)/u.size {
			err = strconv.ErrRange
		}
		return n * u.size, err
	}
	return 0, strconv.ErrSyntax
}

// A Size is a flag that holds a number of bytes.
type Size int64

func (b Size) String() string { return SizeText(int64(b)) }
func (b *Size) Type() string  { return "size" }

// Set parses a size. The caller checks its range.
func (b *Size) Set(text string) error {
	n, err := ParseSize(text)
	if err != nil {
		return Errorf("it must be a size such as 512M or 4GiB", "512M や 4GiB のような大きさを指定してください。")
	}
	*b = Size(n)
	return nil
}
