package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.Traffic;

/** Traffic of a link. Plain fields of one loop: counting costs an addition, and whoever wants to know asks on the loop. */
public final class Counters {
  public long messagesSent;
  public long messagesReceived;
  public long bytesSent;
  public long bytesReceived;
  private long reads;
  private long writes;
  private long atomics;
  private long bytesRead;
  private long bytesWritten;
  /** Of requests of endpoints; null where there are none. Written by the loop of whoever makes them, which may be another. */
  private LatencyHistogram requests;

  /** Latencies of the requests over this link, recorded by one thread. */
  public LatencyHistogram requests() {
    if (requests == null) {
      requests = new LatencyHistogram();
    }
    return requests;
  }

  /** Counts a one-sided operation that ended well. */
  public void transferred(Operation operation, long bytes) {
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
    if (other.requests != null) {
      requests().add(other.requests);
    }
  }

  Latencies requestLatencies() {
    return requests == null ? Latencies.NONE : requests.latencies();
  }

  public Traffic traffic() {
    return new Traffic(messagesSent, messagesReceived, bytesSent, bytesReceived, reads, writes, atomics, bytesRead, bytesWritten);
  }
}
