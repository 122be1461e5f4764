package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"maps"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/tsumero/tsumero/deploy/licenses"
)

const modulePath = "github.com/tsumero/tsumero"

// sbom lists what the programs are made of, as the linker recorded it in them, in the JSON of
// CycloneDX 1.6: the programs, each with the modules that it links and their licences, the standard
// library, and the outlines that diagrams are drawn with. It has no serial number, and its time is that of the commit.
func (s *source) sbom(programs []file) ([]byte, error) {
	licensed := licenses.Modules()
	libraries := map[string]cdx.Component{}
	library := func(path, version, license string) string {
		ref := fmt.Sprintf("pkg:golang/%s@%s", path, version)
		c := cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: path, Version: version,
			PackageURL: ref}
		if strings.Contains(license, " ") {
			c.Licenses = &cdx.Licenses{{Expression: license}}
		} else {
			c.Licenses = &cdx.Licenses{{License: &cdx.License{ID: license}}}
		}
		libraries[ref] = c
		return ref
	}
	outlines := cdx.Component{BOMRef: "noto-serif-cjk-jp", Type: cdx.ComponentTypeData,
		Name: "Noto Serif CJK JP", Description: "outlines of the glyphs on boards and diagrams",
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "OFL-1.1"}}}}
	components := []cdx.Component{outlines}
	var dependencies []cdx.Dependency
	var names []string
	for _, p := range programs {
		info, err := buildinfo.Read(bytes.NewReader(p.data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		needs := []string{library("std", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause")}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			license, known := licensed[m.Path+" "+m.Version]
			if !known {
				return nil, fmt.Errorf("%s links %s %s, whose licence is not known: run go generate "+
					"./deploy/licenses", p.name, m.Path, m.Version)
			}
			needs = append(needs, library(m.Path, m.Version, license))
		}
		if name := strings.TrimSuffix(p.name, ".exe"); name == "tsumero" || name == "tsumero-server" {
			needs = append(needs, outlines.BOMRef)
		}
		components = append(components, cdx.Component{BOMRef: p.name, Type: cdx.ComponentTypeApplication,
			Name: p.name, Version: s.version,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256,
				Value: fmt.Sprintf("%x", sha256.Sum256(p.data))}},
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}}})
		dependencies = append(dependencies, cdx.Dependency{Ref: p.name, Dependencies: &needs})
		names = append(names, p.name)
	}
	for _, ref := range slices.Sorted(maps.Keys(libraries)) {
		components = append(components, libraries[ref])
	}
	purl := fmt.Sprintf("pkg:golang/%s@%s", modulePath, s.version)
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: s.date(), Component: &cdx.Component{
		BOMRef: purl, Type: cdx.ComponentTypeApplication, Name: modulePath, Version: s.version,
		PackageURL: purl, Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}}}}
	bom.Components = &components
	dependencies = append(dependencies, cdx.Dependency{Ref: purl, Dependencies: &names})
	bom.Dependencies = &dependencies
	var text bytes.Buffer
	err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).
		EncodeVersion(bom, cdx.SpecVersion1_6)
	return text.Bytes(), err
}
