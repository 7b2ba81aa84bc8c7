package io.github.vertxrdma.provider.verbs;

/**
 * Entries of completion queues that a queue pair has reserved.
 *
 * @param sends the queue for its sends, {@code sendEntries} of it
 * @param receives the queue for its receives, {@code receiveEntries} of it
 */
record QueueRoom(VerbsQueue sends, int sendEntries, VerbsQueue receives, int receiveEntries) {
  void release() {
    sends.release(sendEntries);
    receives.release(receiveEntries);
  }
}
