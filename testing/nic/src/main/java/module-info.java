/** Simulated verbs devices in user space. */
module io.github.vertxrdma.nic {
  exports io.github.vertxrdma.nic;
}
