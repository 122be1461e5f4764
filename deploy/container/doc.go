// Package container holds no code, only the tests of the container image and of the compose file.
package container
