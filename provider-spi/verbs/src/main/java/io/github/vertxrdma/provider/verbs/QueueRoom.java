package io.github.vertxrdma.provider.verbs;

record QueueRoom(VerbsQueue queue, int entries) {
  void release() {
    queue.release(entries);
  }
}
