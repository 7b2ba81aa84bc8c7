package io.github.vertxrdma.provider.verbs;

/** Entries of completion queues that are reserved for a queue pair. */
record QueueRoom(VerbsQueue sends, int sendEntries, VerbsQueue receives, int receiveEntries) {
  void release() {
    sends.release(sendEntries);
    receives.release(receiveEntries);
  }
}
