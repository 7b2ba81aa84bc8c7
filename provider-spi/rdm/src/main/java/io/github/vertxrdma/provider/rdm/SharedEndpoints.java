package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;

/**
 * Opens the {@link RdmEndpoint} of a completion queue on first use. Replaces it by one with the same address when {@link Quarantine}
 * operations occupy too much of its send queue.
 */
final class SharedEndpoints {
  /** Maximum time to send last messages before a close. */
  private static final long GOODBYE_NANOS = 200_000_000;
  /** Maximum number of polls for last messages while a simulated clock stands still. */
  private static final int GOODBYE_POLLS = 10_000;
  /** Pauses without randomness, so that a simulation is repeatable. */
  private static final Attempts.Limits REOPEN_PAUSES = Attempts.Limits.endless(1_000, 30_000, () -> 0.5);

  private static final System.Logger LOGGER = System.getLogger(SharedEndpoints.class.getName());

  private final ConnectedQueue queue;
  private final ConnectedDomain domain;
  private final CompletionQueue raw;
  SharedEndpoint current;
  /** Address of the endpoint to open again; null if none. */
  private EndpointAddress reopenAt;
  private long nextReopen;
  private Attempts reopens;
  private boolean crowded;

  SharedEndpoints(ConnectedQueue queue, CompletionQueue raw) {
    this.queue = queue;
    this.domain = queue.domain;
    this.raw = raw;
  }

  /** Opens the endpoint if none is open. @param local address; null for any */
  SharedEndpoint open(EndpointAddress local) {
    if (current != null) {
      EndpointAddress bound = current.address();
      if (local != null && !covers(local, bound)) {
        throw domain.invalid("cannot listen at " + local + ": the endpoint of this completion queue is already bound to "
          + bound + ". Use another completion queue");
      }
      return current;
    }
    RdmEndpoint endpoint = create(local == null ? reopenAt : local);
    try {
      EndpointAddress address = endpoint.localAddress();
      if (address.format().length() + address.bytes().length > ControlMessage.MAX_ADDRESS) {
        throw domain.invalid("the address " + address + " has more than " + ControlMessage.MAX_ADDRESS + " bytes");
      }
      current = new SharedEndpoint(queue, endpoint);
    } catch (RuntimeException e) {
      endpoint.close();
      throw e;
    }
    reopenAt = null;
    queue.receives.opened(endpoint);
    return current;
  }

  /** Returns whether the addresses are equal, or differ only because the requested port is 0. */
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
      throw new ProviderException(e.reason(), e.errno(), domain.name() + ": cannot use the address " + local + ": "
        + e.getMessage(), null,
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
      reopen(false);
    }
  }

  /**
   * Replaces the endpoint if it has no connections. Ends its connections if the send queue is almost full, or if all are handshakes that
   * cannot continue.
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
      reopens = new Attempts(REOPEN_PAUSES);
      reopen(true);
      return;
    }
    boolean unused = current.control.isChoked() && connections == queue.connections.handshakes();
    if (unused || quarantine.operations >= current.quarantineLimit()) {
      if (!unused) {
        // Gives operations of the ended connections time to complete.
        quarantine.postpone(domain.now());
      }
      queue.fail(new ProviderException(Reason.OTHER, occupiedByDeadPeers() + ", which was replaced. Connect again"));
    } else if (quarantine.report()) {
      LOGGER.log(System.Logger.Level.WARNING, "{0}; it will be replaced when the last of its {1} connections ends", occupiedByDeadPeers(),
        connections);
    }
  }

  private String occupiedByDeadPeers() {
    return domain.name() + ": " + queue.quarantine.operations + " operations to dead peers still occupy the endpoint at "
      + current.address();
  }

  /** Opens the endpoint again. Logs only a failure of the first attempt. */
  private void reopen(boolean first) {
    nextReopen = domain.now() + reopens.next(false, 0);
    try {
      open(reopenAt);
    } catch (ProviderException e) {
      if (first) {
        LOGGER.log(System.Logger.Level.WARNING, "{0}: the endpoint at {1} could not be replaced yet; this will be retried: "
          + "{2}", domain.name(),
          reopenAt, e.getMessage());
      }
    }
  }

  /** Sends waiting messages, then closes the endpoint. Its operations complete with FLUSHED. */
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
