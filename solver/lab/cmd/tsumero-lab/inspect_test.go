//go:build lab

package main

import "testing"

func TestInspect(t *testing.T) { runScripts(t, "testdata/inspect") }
