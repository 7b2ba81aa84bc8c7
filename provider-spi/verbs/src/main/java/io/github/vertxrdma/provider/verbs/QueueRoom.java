package io.github.vertxrdma.provider.verbs;

record QueueRoom(VerbsQueue sends, int sendEntries, VerbsQueue receives, int receiveEntries) {
  void release() {
    sends.release(sendEntries);
    receives.release(receiveEntries);
  }
}
