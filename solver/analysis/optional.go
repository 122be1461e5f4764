package analysis

// optional does what else was asked for.
func (w *work) optional() {
}
