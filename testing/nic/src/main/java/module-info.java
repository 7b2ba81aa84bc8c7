/** A verbs device in user space, for tests. */
module io.github.vertxrdma.nic {
  exports io.github.vertxrdma.nic;
}
