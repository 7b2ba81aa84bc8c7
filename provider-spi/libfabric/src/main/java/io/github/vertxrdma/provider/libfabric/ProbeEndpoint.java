package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CapabilitiesBuilder;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;

/**
 * Endpoint that tests its provider. A connectionless one is enabled, because some providers cannot close an endpoint that is not enabled.
 */
final class ProbeEndpoint implements AutoCloseable {
  /** Nanoseconds in which a message within this process must arrive. */
  private static final long EXCHANGE_NANOS = 2_000_000_000;
  private static final int LEAST_LOOKS = 10_000;
  /** Maximum number of times that the fd may be readable although there is nothing to read. */
  private static final int FALSE_ALARMS = 16;
  private static final int ENTRIES = 8;
  private static final int MESSAGE = 64;

  private final FabricDomain domain;
  private final boolean waits;
  private Fid queue;
  private FabricAddressVector vector;
  private EventQueue events;
  Fid endpoint;
  private final long room = Memory.allocate((long) ENTRIES * Structs.CQ_ENTRY + Structs.ROOM);
  /** Buffer of a received message, followed by the buffer of a sent message. */
  private final long message = Memory.allocate(2 * MESSAGE);
  /** Context of a posted receive. */
  private final long context = Memory.allocate(Structs.ROOM);
  private Fid registered;

  ProbeEndpoint(FabricDomain domain) {
    this.domain = domain;
    Fid waiting = openWaiting(domain);
    waits = waiting != null;
    try {
      queue = waits ? waiting : domain.openCompletionQueue(64, false);
      if (domain.connected) {
        endpoint = domain.openEndpoint(domain.device().info);
      } else {
        vector = new FabricAddressVector(domain);
        events = domain.openEventQueue();
        openConnectionless();
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void openConnectionless() {
    try (FiInfo info = domain.device().info.copy()) {
      endpoint = domain.openEndpoint(info, queue, vector.fid, events == null ? null : events.fid);
    }
    String what = domain.device().name() + ": testing an endpoint";
    FabricErrors.check(domain.library, endpoint.bind(queue, Fi.TRANSMIT | Fi.RECV), what);
    domain.enable(endpoint, vector.fid, events, what);
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

  /**
   * Tests capabilities that some providers claim wrongly: an fd that is readable only if there is something to read, and atomics. Returns
   * the capabilities that the domain has.
   */
  static Capabilities testedCapabilities(FabricDomain domain) {
    CapabilitiesBuilder tested = domain.device().found.capabilities().toBuilder();
    try (ProbeEndpoint trial = new ProbeEndpoint(domain)) {
      tested.waiting(trial.isQuiet() && (domain.connected || trial.isQuietWithPeer()) ? Waiting.FD : Waiting.NONE);
      if (!trial.hasAtomics()) {
        tested.remove(Operation.FETCH_ADD, Operation.COMPARE_SWAP);
      }
    }
    return tested.build();
  }

  private boolean hasAtomics() {
    return domain.device().found.capabilities().atomics()
      && endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_READWRITEMSG) != 0
      && endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_COMPWRITEMSG) != 0
      && isValid(Structs.ATOMIC_READWRITEVALID, Fi.SUM)
      && isValid(Structs.ATOMIC_COMPWRITEVALID, Fi.CSWAP);
  }

  private boolean isValid(int offset, int operation) {
    long function = endpoint.function(Structs.EP_ATOMIC, offset);
    try (Scratch count = Scratch.of(8)) {
      return function != 0 && Calls.number(function, endpoint.address(), Fi.UINT64, operation, count.address()) == 0
        && Memory.getLong(count.address()) >= 1;
    }
  }

  /** Exchanges messages with another endpoint, after which the fd of some providers stays readable. */
  private boolean isQuietWithPeer() {
    try (ProbeEndpoint peer = new ProbeEndpoint(domain)) {
      return isQuietWith(peer);
    }
  }

  /** Returns whether the fd soon stops being readable when there is nothing to read. */
  boolean isQuiet() {
    int fd = fd();
    if (fd < 0) {
      return false;
    }
    for (int alarms = 0; alarms < FALSE_ALARMS;) {
      if (read() > 0) {
        alarms = 0;
        continue;
      }
      Memory.putLong(room, queue.address());
      if (Calls.number(domain.trywait(), domain.fabric.address(), room, 1) == 0 && !FileDescriptor.readable(fd, 0)) {
        return true;
      }
      alarms++;
    }
    return false;
  }

  /** Exchanges messages with a peer. Returns whether both fds are quiet afterwards. */
  boolean isQuietWith(ProbeEndpoint peer) {
    return receive() && peer.receive() && send(peer) && peer.send(this) && isQuiet() && peer.isQuiet();
  }

  private boolean receive() {
    long function = endpoint.function(Structs.EP_MSG, Structs.MSG_RECV);
    return function != 0 && Calls.pointer(function, endpoint.address(), message, MESSAGE, descriptor(), Fi.ADDR_UNSPEC, context) == 0;
  }

  private long descriptor() {
    if (!domain.registersLocalMemory()) {
      return 0;
    }
    if (registered == null) {
      registered = domain.registerFid(message, 2 * MESSAGE, Fi.SEND | Fi.RECV | Fi.WRITE);
    }
    return Memory.getLong(registered.address() + Structs.MR_DESC);
  }

  private boolean send(ProbeEndpoint to) {
    long function = endpoint.function(Structs.EP_MSG, Structs.MSG_INJECT);
    if (function == 0) {
      return false;
    }
    int format = domain.device().info.addressFormat();
    long peer = vector.find(vector.insert(domain.nameOf(to.endpoint, Structs.EP_CM, format)));
    long end = System.nanoTime() + EXCHANGE_NANOS;
    boolean sent = false;
    for (int looks = 0; looks < LEAST_LOOKS || System.nanoTime() - end < 0; looks++) {
      if (!sent) {
        long status = Calls.pointer(function, endpoint.address(), message + MESSAGE, 1, peer);
        if (status != 0 && FabricErrors.postStatus((int) status) != Status.AGAIN) {
          return false;
        }
        sent = status == 0;
      }
      read();
      if (to.read() > 0) {
        return true;
      }
    }
    return false;
  }

  int fd() {
    // The memory is larger than an int, because some providers write more.
    return waits && queue.control(Fi.GETWAIT, room) == 0 ? Memory.getInt(room) : -1;
  }

  private long read() {
    long function = queue.require(domain.library, Structs.CQ_OPS, Structs.CQ_READ, "fi_cq_read");
    return Calls.pointer(function, queue.address(), room, ENTRIES);
  }

  @Override
  public void close() {
    for (Fid made : new Fid[] {endpoint, queue, registered}) {
      if (made != null) {
        made.close();
      }
    }
    if (vector != null) {
      vector.close();
    }
    if (events != null) {
      events.close();
    }
    Memory.free(room);
    Memory.free(message);
    Memory.free(context);
  }
}
