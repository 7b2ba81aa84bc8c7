package io.github.vertxrdma.provider.shm;

/** Callback on the completion queue's thread when a socket may be readable. */
interface Pollable {
  void ready();
}
