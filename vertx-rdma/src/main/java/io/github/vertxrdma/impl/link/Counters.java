package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.statistics.Traffic;

/** What went over a link. Plain fields of one loop: counting costs an addition, and whoever wants to know asks on the loop. */
final class Counters {
  long messagesSent;
  long messagesReceived;
  long bytesSent;
  long bytesReceived;
  private long reads;
  private long writes;
  private long atomics;
  private long bytesRead;
  private long bytesWritten;

  /** A one-sided operation has ended well. */
  void transferred(Operation operation, long bytes) {
    switch (operation) {
      case READ -> {
        reads++;
        bytesRead += bytes;
      }
      case WRITE -> {
        writes++;
        bytesWritten += bytes;
      }
      default -> atomics++;
    }
  }

  void add(Counters other) {
    messagesSent += other.messagesSent;
    messagesReceived += other.messagesReceived;
    bytesSent += other.bytesSent;
    bytesReceived += other.bytesReceived;
    reads += other.reads;
    writes += other.writes;
    atomics += other.atomics;
    bytesRead += other.bytesRead;
    bytesWritten += other.bytesWritten;
  }

  Traffic traffic() {
    return new Traffic(messagesSent, messagesReceived, bytesSent, bytesReceived, reads, writes, atomics, bytesRead, bytesWritten);
  }
}
