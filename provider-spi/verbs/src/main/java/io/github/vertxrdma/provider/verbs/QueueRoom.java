package io.github.vertxrdma.provider.verbs;

/**
 * Entries of completion queues that are reserved for a queue pair.
 *
 * @param sends the queue for its sends, with {@code sendEntries} of them
 * @param receives the queue for its receives, with {@code receiveEntries} of them
 */
record QueueRoom(VerbsQueue sends, int sendEntries, VerbsQueue receives, int receiveEntries) {
  void release() {
    sends.release(sendEntries);
    receives.release(receiveEntries);
  }
}
