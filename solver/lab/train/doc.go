// Package train makes the networks that package eval plays with: the records of positions that they
// learn from, the training and what is said of its result.
package train
