package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Tries what a provider claims: an fd that can be waited for and is quiet while nothing happens, atomics behind their function
 * pointers, and how much private data a connection carries. Only a part of what is claimed holds on some.
 */
final class SelfTest {
  private final FabricDomain domain;
  private final Libfabric library;
  private Capabilities capabilities;
  private Limits limits;

  SelfTest(FabricDomain domain) {
    this.domain = domain;
    library = domain.library();
    FabricDevice device = domain.device();
    capabilities = device.rawCapabilities();
    limits = device.rawLimits();
    boolean fd;
    try (Trial trial = new Trial(domain)) {
      fd = trial.waits && waitFd(trial.queue) && quietWhenConnected();
      if (!atomics(trial.endpoint())) {
        capabilities = capabilities.toBuilder().remove(Operation.FETCH_ADD, Operation.COMPARE_SWAP).build();
      }
      if (domain.connected()) {
        limits = withPrivateData(privateData(trial.endpoint()));
      }
    }
    capabilities = capabilities.toBuilder().waiting(fd ? Waiting.FD : Waiting.NONE).build();
  }

  /** An endpoint to try things on. A connectionless one is bound and enabled, since some cannot be closed otherwise. */
  private static final class Trial implements AutoCloseable {
    private boolean waits;
    private final Fid queue;
    private final Fid vector;
    private final Fid endpoint;

    Trial(FabricDomain domain) {
      Libfabric library = domain.library();
      queue = open(domain);
      if (domain.connected()) {
        vector = null;
        endpoint = domain.openEndpoint(domain.device().info());
        return;
      }
      vector = FabricAddressVector.open(domain);
      try (FabricInfo info = domain.device().info().copy()) {
        endpoint = domain.openEndpoint(domain.device().reach() == Device.Reach.HOST ? info.source(SharedMemoryNames.next()) : info, queue,
          vector);
      }
      try {
        String what = domain.device().name() + ": testing an endpoint";
        FabricErrors.check(library, endpoint.bind(vector, 0), what);
        FabricErrors.check(library, endpoint.bind(queue, Fi.TRANSMIT | Fi.RECV), what);
        FabricErrors.check(library, endpoint.control(Fi.ENABLE, 0), what);
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }

    /** With an fd if it can have one. */
    private Fid open(FabricDomain domain) {
      if (domain.trywait() != 0) {
        try {
          Fid waiting = domain.openCompletionQueue(64, true);
          waits = true;
          return waiting;
        } catch (ProviderException e) {
          // It has none.
        }
      }
      return domain.openCompletionQueue(64, false);
    }

    Fid endpoint() {
      return endpoint;
    }

    @Override
    public void close() {
      endpoint.close();
      if (vector != null) {
        vector.close();
      }
      queue.close();
    }
  }

  Capabilities capabilities() {
    return capabilities;
  }

  Limits limits() {
    return limits;
  }

  /** The caps bit, the pointers, and what the provider says when asked for the very operations; fi_atomic(3). */
  private boolean atomics(Fid endpoint) {
    return capabilities.atomics()
      && endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_READWRITEMSG) != 0
      && endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_COMPWRITEMSG) != 0
      && valid(endpoint, Structs.ATOMIC_READWRITEVALID, Fi.SUM)
      && valid(endpoint, Structs.ATOMIC_COMPWRITEVALID, Fi.CSWAP);
  }

  private boolean valid(Fid endpoint, int offset, int operation) {
    long function = endpoint.function(Structs.EP_ATOMIC, offset);
    long count = Memory.allocate(8);
    try {
      return function != 0 && Calls.atomicValid(function, endpoint.address(), Fi.UINT64, operation, count) == 0
        && Memory.getLong(count) >= 1;
    } finally {
      Memory.free(count);
    }
  }

  private int privateData(Fid endpoint) {
    long function = endpoint.function(Structs.EP_OPS, Structs.EP_GETOPT);
    long size = Memory.allocate(16);
    try {
      Memory.putLong(size + 8, 8);
      boolean told = function != 0
        && Calls.getopt(function, endpoint.address(), Fi.OPT_ENDPOINT, Fi.OPT_CM_DATA_SIZE, size, size + 8) == 0;
      return told ? (int) Math.clamp(Memory.getLong(size), 0, 1 << 16) : limits.privateData();
    } finally {
      Memory.free(size);
    }
  }

  private Limits withPrivateData(int bytes) {
    int free = Math.clamp(domain.tagsImmediates() ? bytes - PrivateData.TRAILER : bytes, 0, limits.privateData());
    return new Limits(limits.maxMessageSize(), limits.maxTransferSize(), limits.inlineSize(), limits.sendDepth(), limits.receiveDepth(),
      limits.scatterGather(), limits.readsInFlight(), free, limits.maxRegionSize(), limits.maxRegions(), limits.completionQueueDepth(),
      limits.keySize());
  }

  /**
   * The connectionless stack of tcp (net in 1.17, tcp's own later) is quiet here and readable for ever once it has a peer, with nothing to
   * read: such an fd counts as none. It takes a peer to see it.
   */
  private boolean quietWhenConnected() {
    String provider = domain.device().info().provider();
    return domain.connected() || !(provider.equals("net") || provider.equals("tcp"));
  }

  private boolean waitFd(Fid queue) {
    // Some write more than an int, so there is room.
    long buffer = Memory.allocate(Structs.ROOM);
    try {
      if (queue.control(Fi.GETWAIT, buffer) != 0) {
        return false;
      }
      int fd = Memory.getInt(buffer);
      Memory.putLong(buffer, queue.address());
      return fd >= 0 && Calls.trywait(domain.trywait(), domain.fabric().address(), buffer, 1) == 0 && !FileDescriptor.readable(fd, 0);
    } finally {
      Memory.free(buffer);
    }
  }
}
