package jobs

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
)

// An ID names a job: 26 letters and digits, 128 bits that cannot be guessed. Who knows it may see
// the job and cancel it.
type ID string

const idLength = 26

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewID returns a random ID.
func NewID() ID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return ID(idEncoding.EncodeToString(b[:]))
}

// DeriveID returns the ID of the job that a client asks for under an idempotency key: the same for
// the same client and key, so that a second request finds the job of the first.
func DeriveID(secret []byte, client, key string) ID {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "%d %s %s", len(client), client, key)
	return ID(idEncoding.EncodeToString(h.Sum(nil)[:16]))
}

// ParseID reads an ID as a stranger sent it. Whoever reports the error says what the ID is of.
func ParseID(s string) (ID, error) {
	if len(s) != idLength {
		return "", fmt.Errorf("an ID has %d letters and digits", idLength)
	}
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || '2' <= c && c <= '7') {
			return "", fmt.Errorf("%q in an ID", c)
		}
	}
	return ID(s), nil
}

// Short returns the first letters of the ID, which name the job in a log and give nothing away.
func (id ID) Short() string { return string(id[:min(6, len(id))]) }
