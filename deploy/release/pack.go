package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A file is one in an archive.
type file struct {
	name string // with slashes
	data []byte
	mode os.FileMode // whatever the umask of who builds it
}

// sorted returns the files by their names, in the folder of the archive, if it has one.
func sorted(folder string, files []file) []file {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i := range files {
		files[i].name = path.Join(folder, files[i].name)
	}
	return files
}

// packTar returns a compressed tar of the files in a folder. They belong to nobody.
func packTar(folder string, files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range sorted(folder, files) {
		h := tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at}
		if err := archive.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(archive.Close(), compressed.Close())
	return packed.Bytes(), err
}

// packZip returns a zip of the files in a folder.
func packZip(folder string, files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range sorted(folder, files) {
		h := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		w, err := archive.CreateHeader(&h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return packed.Bytes(), err
}
