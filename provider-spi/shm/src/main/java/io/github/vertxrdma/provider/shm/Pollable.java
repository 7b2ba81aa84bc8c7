package io.github.vertxrdma.provider.shm;

/** What a queue calls when a socket may have something; it may have nothing. On the queue's thread. */
interface Pollable {
  void ready();
}
