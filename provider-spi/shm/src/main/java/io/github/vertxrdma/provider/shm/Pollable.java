package io.github.vertxrdma.provider.shm;

/** Callback of a queue when a socket may have something; it may have nothing. Called on the queue's thread. */
interface Pollable {
  void ready();
}
