package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import java.util.HashMap;
import java.util.Map;

/** The {@link RdmEndpoint} that connections share, with its address vector. */
final class SharedEndpoint {
  /**
   * Maximum number of addresses of unproven peers, which are not {@link Peer#known}. Any host can send a REQ that names any address. The
   * answer needs an entry in the address vector.
   */
  static final int MOST_UNPROVEN = 512;
  /** Maximum number of addresses of unproven peers per second, after a burst of {@link #MOST_UNPROVEN}. */
  static final int UNPROVEN_RATE = 1000;
  private static final long UNPROVEN_NANOS = 1_000_000_000L / UNPROVEN_RATE;

  private final ConnectedQueue queue;
  private final ConnectedDomain domain;
  final RdmEndpoint raw;
  final SendTable sends;
  final CompletionOrder order;
  final boolean silent;
  private final int reserved;
  final ControlSender control;
  private final Map<EndpointAddress, Peer> peers = new HashMap<>();
  private int unproven;
  /** Time until which earlier addresses of unproven peers use up the {@link #UNPROVEN_RATE}. */
  private long unprovenPaid;
  final long epoch;
  private boolean closed;

  SharedEndpoint(ConnectedQueue queue, RdmEndpoint raw) {
    this.queue = queue;
    this.domain = queue.domain;
    this.raw = raw;
    sends = new SendTable(Math.max(2, raw.sendDepth()));
    order = new CompletionOrder(sends, !domain.raw.capabilities().promises(Capabilities.Order.SEND_AFTER_SEND)
      || domain.raw.capabilities().sendCompletion() != Capabilities.SendCompletion.LOCAL);
    silent = raw.sendsSilently();
    reserved = Math.min(ControlSender.SLOTS, sends.capacity / 4 + 1);
    control = new ControlSender(this, queue);
    unprovenPaid = domain.now() - MOST_UNPROVEN * UNPROVEN_NANOS;
    epoch = domain.random();
  }

  EndpointAddress address() {
    return raw.localAddress();
  }

  /** Returns whether the application may post; other entries of the send queue are reserved for {@link ControlMessage}s. */
  boolean room() {
    return sends.freeCount > reserved;
  }

  /** Returns the number of {@link Quarantine} operations above which the endpoint should be replaced. */
  int quarantineBound() {
    return sends.capacity / 2;
  }

  /** Returns the number of {@link Quarantine} operations at which too few entries are left for others. */
  int quarantineLimit() {
    return sends.capacity - reserved - sends.capacity / 16;
  }

  Peer retain(EndpointAddress address) {
    Peer peer = peers.computeIfAbsent(address, added -> new Peer(added, raw.addressVector().insert(added), true));
    known(peer);
    return peer.retain();
  }

  /** @return null if no further address of an unproven peer is permitted @throws ProviderException if this fabric cannot use the address */
  Peer retainUnproven(EndpointAddress address) {
    Peer peer = peers.get(address);
    if (peer == null) {
      long now = domain.now();
      unprovenPaid = Math.max(unprovenPaid - now, -MOST_UNPROVEN * UNPROVEN_NANOS) + now;
      if (unproven >= MOST_UNPROVEN || unprovenPaid - now > -UNPROVEN_NANOS) {
        queue.deferred++;
        return null;
      }
      peer = new Peer(address, raw.addressVector().insert(address), false);
      peers.put(address, peer);
      unprovenPaid += UNPROVEN_NANOS;
      unproven++;
    }
    return peer.retain();
  }

  void known(Peer peer) {
    if (!peer.known) {
      peer.known = true;
      unproven--;
    }
  }

  void release(Peer peer) {
    if (peer.release() && !closed) {
      peers.remove(peer.address);
      if (!peer.known) {
        unproven--;
      }
      raw.addressVector().remove(peer.handle);
    }
  }

  void answer(EndpointAddress address, ControlMessage answer) {
    try {
      Peer peer = retainUnproven(address);
      if (peer != null) {
        control.send(peer, answer, null, ControlSender.SINGLE_MESSAGE_MILLIS);
        release(peer);
      }
    } catch (ProviderException | IllegalArgumentException e) {
      // This fabric cannot use the address.
    }
  }

  void close() {
    closed = true;
    raw.close();
    control.close();
  }
}
