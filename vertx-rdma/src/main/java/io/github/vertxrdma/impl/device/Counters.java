package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.process.LatencyHistogram;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.Traffic;

/** Traffic counters of a link, or sums over several links. */
public final class Counters {
  public long messagesSent;
  public long messagesReceived;
  public long bytesSent;
  public long bytesReceived;
  private OneSided oneSided;
  /** Latencies of service requests, null before the first one. Written by the loop of the requester, which may be another loop. */
  private LatencyHistogram requests;

  private static final class OneSided {
    static final OneSided NONE = new OneSided();
    long reads;
    long writes;
    long atomics;
    long bytesRead;
    long bytesWritten;
  }

  private OneSided oneSided() {
    if (oneSided == null) {
      oneSided = new OneSided();
    }
    return oneSided;
  }

  public LatencyHistogram requests() {
    if (requests == null) {
      requests = new LatencyHistogram();
    }
    return requests;
  }

  public void transferred(Operation operation, long bytes) {
    OneSided all = oneSided();
    switch (operation) {
      case READ -> {
        all.reads++;
        all.bytesRead += bytes;
      }
      case WRITE -> {
        all.writes++;
        all.bytesWritten += bytes;
      }
      default -> all.atomics++;
    }
  }

  void add(Counters other) {
    messagesSent += other.messagesSent;
    messagesReceived += other.messagesReceived;
    bytesSent += other.bytesSent;
    bytesReceived += other.bytesReceived;
    if (other.oneSided != null) {
      OneSided all = oneSided();
      all.reads += other.oneSided.reads;
      all.writes += other.oneSided.writes;
      all.atomics += other.oneSided.atomics;
      all.bytesRead += other.oneSided.bytesRead;
      all.bytesWritten += other.oneSided.bytesWritten;
    }
    if (other.requests != null) {
      requests().add(other.requests);
    }
  }

  Latencies requestLatencies() {
    return requests == null ? Latencies.NONE : requests.latencies();
  }

  public Traffic traffic() {
    OneSided all = oneSided == null ? OneSided.NONE : oneSided;
    return new Traffic(messagesSent, messagesReceived, bytesSent, bytesReceived, all.reads, all.writes, all.atomics, all.bytesRead,
      all.bytesWritten);
  }
}
