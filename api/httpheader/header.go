// Package httpheader reads and makes the headers that the handlers of several packages share:
// entity tags, the language of the client, and the name by which it knows the service.
package httpheader

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"golang.org/x/text/language"
)

// Vary are the headers that Language and Origin look at, as a header Vary lists them.
const Vary = "Accept-Language, X-Forwarded-Proto"

// Language returns "ja" or "en": what the parameter lang of the address says, which is chosen then,
// else what the browser prefers.
func Language(r *http.Request) (lang string, chosen bool) {
	if lang := r.URL.Query().Get("lang"); lang == "ja" || lang == "en" {
		return lang, true
	}
	return Preferred(r.Header.Get("Accept-Language")), false
}

// maxAccept is how much of a header Accept-Language is read.
const maxAccept = 512

// Preferred returns the language for a browser: the first of the two that it lists. One that lists
// others only gets English, and one that lists none Japanese.
func Preferred(accept string) string {
	accept = accept[:min(len(accept), maxAccept)]
	tags, _, _ := language.ParseAcceptLanguage(accept) // what cannot be read says nothing
	lang := "ja"
	for _, tag := range tags {
		switch base, _ := tag.Base(); base.String() {
		case "ja":
			return "ja"
		case "en":
			return "en"
		case "mul", "und": // any
		default:
			lang = "en"
		}
	}
	return lang
}

// originKey is the key of the origin in the context of a request.
type originKey struct{}

// WithOrigin returns a context in which Origin is what the operator says.
func WithOrigin(ctx context.Context, origin string) context.Context {
	return context.WithValue(ctx, originKey{}, origin)
}

// CacheScope returns the directive of Cache-Control that says whether caches may share an answer:
// "private" if it has an origin in it that is known from the request alone, which may be a lie.
func CacheScope(r *http.Request, body []byte) string {
	_, host, _ := strings.Cut(Origin(r), ":")
	if _, said := r.Context().Value(originKey{}).(string); !said && bytes.Contains(body, []byte(host)) {
		return "private"
	}
	return "public"
}

// Origin returns the scheme and host of this service in links: what the operator says, or else those by
// which the client reached it. A proxy in front says in X-Forwarded-Proto that it speaks TLS. A client that sends a false one gets wrong links,
// but only itself, since caches keep pages apart by that header. The host comes from the Host
// header alone, by which every cache keeps answers apart; X-Forwarded-Host is not trusted.
func Origin(r *http.Request) string {
	if origin, ok := r.Context().Value(originKey{}).(string); ok {
		return origin
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]"
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	host := r.Host
	if host == "" || strings.Trim(host, letters) != "" {
		host = "localhost"
	}
	return scheme + "://" + host
}
