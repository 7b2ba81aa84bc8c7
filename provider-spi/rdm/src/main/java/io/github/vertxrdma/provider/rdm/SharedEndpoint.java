package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import java.util.HashMap;
import java.util.Map;

/** A raw endpoint that many connections share: its address vector, its operations in flight, and its control messages. */
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

  /** Whether a connection may post, which leaves some room to the layer's own messages. */
  boolean room() {
    return sends.free() > reserved;
  }

  /** Operations to peers that are gone which may hold places before something is done about it. */
  int quarantineBound() {
    return sends.capacity / 2;
  }

  /** As many as leave next to nothing for anybody else. */
  int quarantineLimit() {
    return sends.capacity - reserved - sends.capacity / 16;
  }

  /** The peer at an address that this side calls, retained. */
  Peer retain(EndpointAddress address) {
    Peer peer = peers.get(address);
    if (peer == null) {
      peer = new Peer(address, raw.addressVector().insert(address), true);
      peers.put(address, peer);
    }
    known(peer);
    return peer.retain();
  }

  /**
   * The peer at an address that a stranger named, retained.
   *
   * @return null if there are too many strangers
   * @throws ProviderException if it is no address of this fabric
   */
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

  /** A handshake proved that the peer is at its address, or this side calls it. */
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

  /** Answers a stranger, if there are not too many. */
  void answer(EndpointAddress address, ControlMessage answer) {
    try {
      Peer peer = retainStranger(address);
      if (peer != null) {
        control.send(peer, answer, null, ControlSender.COURTESY_MILLIS);
        release(peer);
      }
    } catch (ProviderException | IllegalArgumentException e) {
      // Not an address of this fabric: there is nobody to answer.
    }
  }

  /** Afterwards none of its operations touches memory. */
  void close() {
    closed = true;
    raw.close();
    control.close();
  }
}
