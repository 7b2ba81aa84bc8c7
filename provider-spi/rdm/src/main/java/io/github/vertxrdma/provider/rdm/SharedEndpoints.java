package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;

/**
 * The raw endpoint of a completion queue. It is opened on first use, and replaced by another at the same address when operations to dead
 * peers occupy too many of its places.
 */
final class SharedEndpoints {
  /** Time for good-byes when it closes. */
  private static final long GOODBYE_NANOS = 200_000_000;
  /** Polls after which a real clock shows another time. With a simulated clock peers stand still too. */
  private static final int GOODBYE_POLLS = 10_000;
  /** First pause between attempts; each is twice the one before. */
  private static final long REOPEN_PAUSE_NANOS = 1_000_000_000;
  private static final long LONGEST_REOPEN_PAUSE_NANOS = 30_000_000_000L;

  private static final System.Logger LOGGER = System.getLogger(SharedEndpoints.class.getName());

  private final ConnectedQueue queue;
  private final ConnectedDomain domain;
  private final CompletionQueue raw;
  SharedEndpoint current;
  /** The address at which to open it again. */
  private EndpointAddress reopenAt;
  private long nextReopen;
  private long reopenPause;
  private boolean crowded;

  SharedEndpoints(ConnectedQueue queue, CompletionQueue raw) {
    this.queue = queue;
    this.domain = queue.domain;
    this.raw = raw;
  }

  /** @param local its address; null for any */
  SharedEndpoint open(EndpointAddress local) {
    if (current != null) {
      EndpointAddress bound = current.address();
      if (local != null && !covers(local, bound)) {
        throw domain.invalid("the endpoint of this completion queue is bound to " + bound + " already, so it cannot be at " + local
          + " as well: use another completion queue");
      }
      return current;
    }
    RdmEndpoint endpoint = create(local == null ? reopenAt : local);
    try {
      checkLength(endpoint.localAddress());
      current = new SharedEndpoint(queue, endpoint);
    } catch (RuntimeException e) {
      endpoint.close();
      throw e;
    }
    reopenAt = null;
    queue.receives.opened(endpoint);
    return current;
  }

  private void checkLength(EndpointAddress address) {
    if (address.format().length() + address.bytes().length > ControlMessage.MAX_ADDRESS) {
      throw domain.invalid("the address " + address + " has more than " + ControlMessage.MAX_ADDRESS + " bytes");
    }
  }

  /** Returns whether the addresses are equal, or the port was left open. */
  private static boolean covers(EndpointAddress asked, EndpointAddress bound) {
    return asked.equals(bound) || asked.format().equals(EndpointAddress.INET) && bound.format().equals(EndpointAddress.INET)
      && asked.toInet().getPort() == 0 && asked.toInet().getAddress().equals(bound.toInet().getAddress());
  }

  private RdmEndpoint create(EndpointAddress local) {
    try {
      return domain.raw.createEndpoint(raw, local);
    } catch (ProviderException e) {
      if (local == null || e.getMessage().contains(local.toString())) {
        throw e;
      }
      throw new ProviderException(e.reason(), e.errno(), domain.name() + ": cannot use the address " + local + ": " + e.getMessage(), null,
        e);
    }
  }

  void poll() {
    boolean before = crowded;
    crowded = current != null && (queue.quarantine.operations > current.quarantineBound() || current.control.isChoked());
    if (crowded && !before) {
      queue.quarantine.postpone(domain.now());
    } else if (crowded) {
      relieve();
    }
    if (reopenAt != null && domain.now() - nextReopen > 0) {
      reopen();
    }
  }

  /**
   * Replaces the endpoint, unless connections are open: these are ended if there is almost no room, handshakes alone as soon as none can
   * continue.
   */
  private void relieve() {
    Quarantine quarantine = queue.quarantine;
    if (!quarantine.lasts(domain.now()) || queue.isReady()) {
      return;
    }
    int connections = queue.connections.size;
    if (connections == 0) {
      EndpointAddress address = current.address();
      close();
      reopenAt = address;
      queue.receives.closedRaw();
      reopenPause = 0;
      reopen();
      return;
    }
    boolean unused = current.control.isChoked() && connections == queue.connections.handshakes();
    if (unused || quarantine.operations >= current.quarantineLimit()) {
      if (!unused) {
        // The operations of these connections have time to complete.
        quarantine.postpone(domain.now());
      }
      queue.fail(new ProviderException(Reason.OTHER, gone() + "; it is replaced, and can be connected to again"));
    } else if (quarantine.report()) {
      LOGGER.log(System.Logger.Level.WARNING, "{0}; it will be replaced when the last of its {1} connections ends", gone(), connections);
    }
  }

  private String gone() {
    return domain.name() + ": " + queue.quarantine.operations + " operations to peers that are gone hold places of the endpoint at "
      + current.address();
  }

  private void reopen() {
    reopenPause = Math.clamp(2 * reopenPause, REOPEN_PAUSE_NANOS, LONGEST_REOPEN_PAUSE_NANOS);
    nextReopen = domain.now() + reopenPause;
    try {
      open(reopenAt);
    } catch (ProviderException e) {
      LOGGER.log(System.Logger.Level.WARNING, "{0}: the endpoint at {1} could not be replaced and is tried again: {2}", domain.name(),
        reopenAt, e.getMessage());
    }
  }

  /** Sends its last messages first. Its operations complete as flushed. */
  void close() {
    reopenAt = null;
    SharedEndpoint old = current;
    if (old != null) {
      sendGoodbyes(old.control);
      current = null;
      old.close();
      queue.flush(old.sends);
    }
  }

  private void sendGoodbyes(ControlSender control) {
    long now = domain.now();
    long deadline = now + GOODBYE_NANOS;
    for (int polls = 0; control.pending() > 0 && now - deadline < 0 && polls < GOODBYE_POLLS; polls++) {
      queue.pollAside();
      long later = domain.now();
      polls = later == now ? polls : 0;
      now = later;
      Thread.onSpinWait();
    }
  }
}
