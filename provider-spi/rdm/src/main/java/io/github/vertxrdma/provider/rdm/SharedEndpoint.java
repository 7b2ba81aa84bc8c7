package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import java.util.HashMap;
import java.util.Map;

/** The {@link RdmEndpoint} that connections share, with its address vector. */
final class SharedEndpoint {
  private final ConnectedQueue queue;
  private final ConnectedDomain domain;
  final RdmEndpoint raw;
  final SendTable sends;
  final CompletionOrder order;
  final boolean silent;
  private final int reserved;
  final ControlSender control;
  private final Map<EndpointAddress, Peer> peers = new HashMap<>();
  private final Strangers strangers;
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
    strangers = new Strangers(domain.now());
    epoch = domain.random();
  }

  EndpointAddress address() {
    return raw.localAddress();
  }

  /** Returns whether the application may post; other entries of the send queue are reserved for {@link ControlMessage}s. */
  boolean room() {
    return sends.free() > reserved;
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
    Peer peer = peers.get(address);
    if (peer == null) {
      peer = new Peer(address, raw.addressVector().insert(address), true);
      peers.put(address, peer);
    }
    known(peer);
    return peer.retain();
  }

  /** @return null if {@link Strangers} permits no further address @throws ProviderException if this fabric cannot use the address */
  Peer retainStranger(EndpointAddress address) {
    Peer peer = peers.get(address);
    if (peer == null) {
      if (!strangers.mayEnter(domain.now())) {
        queue.deferred++;
        return null;
      }
      peer = new Peer(address, raw.addressVector().insert(address), false);
      peers.put(address, peer);
      strangers.enter();
    }
    return peer.retain();
  }

  void known(Peer peer) {
    if (!peer.known) {
      peer.known = true;
      strangers.leave();
    }
  }

  void release(Peer peer) {
    if (peer.release() && !closed) {
      peers.remove(peer.address);
      if (!peer.known) {
        strangers.leave();
      }
      raw.addressVector().remove(peer.handle);
    }
  }

  void answer(EndpointAddress address, ControlMessage answer) {
    try {
      Peer peer = retainStranger(address);
      if (peer != null) {
        control.send(peer, answer, null, ControlSender.COURTESY_MILLIS);
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
