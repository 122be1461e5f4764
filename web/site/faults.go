package site

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// An errorPage says why there is no other page at its address.
type errorPage struct {
	layout
	Heading string
	inOther string
}

// newErrorPage returns the page that says why another one is not there.
func newErrorPage(of page) *errorPage {
	return &errorPage{layout: *of.common(), Heading: of.Lost(), inOther: of.InOther()}
}

func (v *errorPage) InOther() string { return v.inOther }

// Example returns a position as addresses have it.
func (v *errorPage) Example() template.URL { return samples[0].Link() }

// status returns that of a page, which says what is wrong with its address.
func (v *layout) status() int {
	if len(v.Faults) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// renderIfValid answers with a page, or, if its address has faults, with one that says so.
func (h *handler) renderIfValid(w http.ResponseWriter, r *http.Request, name string, p page) {
	status := p.common().status()
	if status != http.StatusOK {
		name, p = "error.html", newErrorPage(p)
	}
	h.render(w, r, status, name, p)
}

// worded returns a message in the language of the page.
func (v *layout) worded(m shogi.Message) string { return v.T(m.Japanese(), m.String()) }

// explain says what is wrong with the position of an address, for people.
func (v *layout) explain(err error) (faults []string) {
	var position *shogi.SFENError
	var address *sfenurl.Error
	var record *notation.Error
	switch {
	case errors.As(err, &position):
		for _, f := range position.Faults {
			place := ""
			if f.Offset >= 0 {
				place = fmt.Sprintf(v.T("%d文字目：", "Character %d: "), f.Offset+1)
			}
			faults = append(faults, place+v.worded(f.Msg))
		}
	case errors.As(err, &record):
		for _, f := range record.Faults {
			place := fmt.Sprintf(v.T("%d行%d文字目：", "Line %d, column %d: "), f.Line, f.Column)
			faults = append(faults, place+v.worded(f.Msg))
		}
	default:
		if m, ok := shogi.MessageOf(err); ok {
			faults = append(faults, v.worded(m))
		} else {
			faults = append(faults, err.Error())
		}
	}
	if errors.As(err, &address) && address.Plus {
		faults = append(faults, v.worded(sfenurl.PlusHint.With()))
	}
	return slices.Compact(faults)
}
