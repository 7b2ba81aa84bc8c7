package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** A raw endpoint that many connections share: its address vector, its operations in flight, and its control messages. */
final class SharedEndpoint {
  private final RdmEndpoint raw;
  private final SendTable sends;
  private final boolean silent;
  private final int reserved;
  private final ControlSender control;
  private final Map<EndpointAddress, Peer> peers = new HashMap<>();
  private boolean closed;
  private final long epoch = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);

  SharedEndpoint(RdmDomain domain, RdmEndpoint raw) {
    this.raw = raw;
    silent = raw.sendsSilently();
    sends = new SendTable(Math.max(2, raw.sendDepth()));
    reserved = Math.min(ControlSender.SLOTS, sends.capacity() / 4 + 1);
    control = new ControlSender(this, domain);
  }

  RdmEndpoint raw() {
    return raw;
  }

  /** Whether inline sends that are not signalled are done when they are posted. */
  boolean silent() {
    return silent;
  }

  SendTable sends() {
    return sends;
  }

  /** Whether a connection may post, which leaves some room to the layer's own messages. */
  boolean room() {
    return sends.free() > reserved;
  }

  /** Operations to peers that are gone which may hold places before something is done about it. */
  int quarantineBound() {
    return sends.capacity() / 2;
  }

  /** As many as leave next to nothing for anybody else. */
  int quarantineLimit() {
    return sends.capacity() - reserved - sends.capacity() / 16;
  }

  ControlSender control() {
    return control;
  }

  /** A random number by which peers tell this endpoint from an earlier one at the same address. */
  long epoch() {
    return epoch;
  }

  /** The peer at an address if there is something with it; else null. */
  Peer find(EndpointAddress address) {
    return peers.get(address);
  }

  /** The peer at an address that is to hear of this side first, retained. */
  Peer retain(EndpointAddress address) {
    Peer peer = peers.get(address);
    return retain(peer == null ? add(address, raw.addressVector().insert(address)) : peer);
  }

  /** The peer at an address from which a message has come, retained. */
  Peer retainHeard(EndpointAddress address) {
    Peer peer = peers.get(address);
    return retain(peer == null ? add(address, raw.addressVector().insertHeard(address)) : peer);
  }

  private Peer add(EndpointAddress address, long handle) {
    Peer peer = new Peer(address, handle);
    peers.put(address, peer);
    return peer;
  }

  private static Peer retain(Peer peer) {
    peer.retain();
    return peer;
  }

  void release(Peer peer) {
    if (peer.release() && !closed) {
      peers.remove(peer.address());
      raw.addressVector().remove(peer.handle());
    }
  }

  /** Afterwards none of its operations touches memory. */
  void close() {
    closed = true;
    raw.close();
    control.close();
  }
}
