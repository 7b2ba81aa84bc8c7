package io.github.vertxrdma.provider.shm;

/** Callback of a queue, on its thread, when a socket may have something. */
interface Pollable {
  void ready();
}
