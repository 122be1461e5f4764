package main

import (
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/scripttest"
)

func TestLanguages(t *testing.T) { scripttest.Languages(t, newRoot) }
