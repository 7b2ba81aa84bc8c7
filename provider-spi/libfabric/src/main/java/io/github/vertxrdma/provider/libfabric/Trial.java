package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * An endpoint for tests of its provider, with a completion queue that has an fd if the provider has one. A connectionless endpoint is bound
 * and enabled, since some providers cannot close it otherwise.
 */
final class Trial implements AutoCloseable {
  /** The number of times that an fd may be readable with nothing to read. */
  private static final int FALSE_ALARMS = 16;
  private static final int ENTRIES = 8;

  private final FabricDomain domain;
  private final boolean waits;
  private Fid queue;
  /** Null if endpoints are connected. */
  private Fid vector;
  private Fid endpoint;
  /** Memory for an fd or completions. */
  private final long room = Memory.allocate((long) ENTRIES * Structs.CQ_ENTRY + Structs.ROOM);

  Trial(FabricDomain domain) {
    this.domain = domain;
    Fid waiting = openWaiting(domain);
    waits = waiting != null;
    try {
      queue = waits ? waiting : domain.openCompletionQueue(64, false);
      if (domain.connected()) {
        endpoint = domain.openEndpoint(domain.device().info());
      } else {
        vector = FabricAddressVector.open(domain);
        openConnectionless();
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void openConnectionless() {
    try (FabricInfo info = domain.device().info().copy()) {
      endpoint = domain.openEndpoint(info, queue, vector);
    }
    Libfabric library = domain.library();
    String what = domain.device().name() + ": testing an endpoint";
    FabricErrors.check(library, endpoint.bind(vector, 0), what);
    FabricErrors.check(library, endpoint.bind(queue, Fi.TRANSMIT | Fi.RECV), what);
    FabricErrors.check(library, endpoint.control(Fi.ENABLE, 0), what);
  }

  private static Fid openWaiting(FabricDomain domain) {
    if (domain.trywait() == 0) {
      return null;
    }
    try {
      return domain.openCompletionQueue(64, true);
    } catch (ProviderException e) {
      return null;
    }
  }

  Fid endpoint() {
    return endpoint;
  }

  /** Whether there is an fd that can be waited for: with nothing to read it is not readable, or stops to be after some reads. */
  boolean isQuiet() {
    // Some write more than an int, so there is room.
    if (!waits || queue.control(Fi.GETWAIT, room) != 0 || Memory.getInt(room) < 0) {
      return false;
    }
    int fd = Memory.getInt(room);
    for (int alarms = 0; alarms < FALSE_ALARMS;) {
      if (read() > 0) {
        alarms = 0;
        continue;
      }
      Memory.putLong(room, queue.address());
      if (Calls.number(domain.trywait(), domain.fabric().address(), room, 1) == 0 && !FileDescriptor.readable(fd, 0)) {
        return true;
      }
      alarms++;
    }
    return false;
  }

  /** fi_cq_read(3); makes progress. @return completions, or a negative error number */
  private long read() {
    long function = queue.require(domain.library(), Structs.CQ_OPS, Structs.CQ_READ, "fi_cq_read");
    return Calls.pointer(function, queue.address(), room, ENTRIES);
  }

  @Override
  public void close() {
    for (Fid made : new Fid[] {endpoint, vector, queue}) {
      if (made != null) {
        made.close();
      }
    }
    Memory.free(room);
  }
}
