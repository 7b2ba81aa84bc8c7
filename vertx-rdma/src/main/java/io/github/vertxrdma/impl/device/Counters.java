package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.process.LatencyHistogram;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.Traffic;

/** Traffic counters of a link, or of several links together. */
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
  /** Latencies of service requests; null before the first one. Written by the requester's event loop, possibly not the link's. */
  private LatencyHistogram requests;

  public LatencyHistogram requests() {
    if (requests == null) {
      requests = new LatencyHistogram();
    }
    return requests;
  }

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
