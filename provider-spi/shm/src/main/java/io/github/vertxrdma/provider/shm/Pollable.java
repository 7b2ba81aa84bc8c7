package io.github.vertxrdma.provider.shm;

/** Callback on the queue's thread when a socket may be readable. */
interface Pollable {
  void ready();
}
