package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.rdm.AddressVector;
import java.util.ArrayList;
import java.util.List;

/** The peers of an RDM endpoint; fi_av(3). A handle is an index here, so a stale one never reaches the library. */
final class FabricAddressVector implements AddressVector {
  private final RdmFabricDomain domain;
  private final RdmFabricEndpoint endpoint;
  private final Fid av;
  private final long insert;
  private final long remove;
  private final long out = Memory.allocate(8);
  private final List<Peer> peers = new ArrayList<>();

  /**
   * A peer.
   *
   * @param address fi_addr_t
   * @param local the endpoint itself if it shares this one's memory in this process, else null
   */
  record Peer(long address, SendWork work, RdmFabricEndpoint local) {
  }

  FabricAddressVector(RdmFabricDomain domain, RdmFabricEndpoint endpoint) {
    this.domain = domain;
    this.endpoint = endpoint;
    av = open(domain);
    insert = av.require(domain.library(), Structs.AV_OPS, Structs.AV_INSERT, "fi_av_insert");
    remove = av.function(Structs.AV_OPS, Structs.AV_REMOVE);
  }

  /** fi_av_open(3). */
  static Fid open(FabricDomain domain) {
    long attr = Memory.allocate(Structs.ROOM);
    try {
      Memory.putInt(attr + Structs.AV_ATTR_TYPE, Fi.AV_TABLE);
      Memory.putLong(attr + Structs.AV_ATTR_COUNT, 64);
      return domain.open(domain.fid(), "address vector", Structs.DOMAIN_OPS, Structs.DOMAIN_AV_OPEN, attr, domain.fid());
    } finally {
      Memory.free(attr);
    }
  }

  Fid fid() {
    return av;
  }

  @Override
  public long insert(EndpointAddress address) {
    RdmFabricEndpoint local = endpoint.sharesMemory() ? LocalEndpoints.acquaint(endpoint, address) : null;
    Peer peer = new Peer(insertNative(address), endpoint.workOfPeer(), local);
    int free = peers.indexOf(null);
    if (free >= 0) {
      peers.set(free, peer);
      return free;
    }
    peers.add(peer);
    return peers.size() - 1L;
  }

  /** fi_av_insert(3). @return fi_addr_t; the same as before if it is there already */
  long insertNative(EndpointAddress address) {
    byte[] bytes = SocketAddresses.toNative(domain.device().info().addressFormat(), address);
    long cAddress = Memory.allocate(Math.max(Structs.ROOM, bytes.length));
    long result = Memory.allocate(8);
    String what = domain.device().name() + ": inserting " + address;
    try {
      Memory.putBytes(cAddress, bytes);
      Memory.putLong(result, Fi.ADDR_UNSPEC);
      int inserted = Calls.status(insert, av.address(), cAddress, 1, result, 0, 0);
      FabricErrors.check(domain.library(), inserted, what);
      if (inserted != 1 || Memory.getLong(result) == Fi.ADDR_UNSPEC) {
        throw new ProviderException(ProviderException.Reason.UNREACHABLE, what + " failed: no such address");
      }
      return Memory.getLong(result);
    } finally {
      Memory.free(cAddress);
      Memory.free(result);
    }
  }

  @Override
  public void remove(long peer) {
    Peer gone = peer >= 0 && peer < peers.size() ? peers.get((int) peer) : null;
    if (gone != null) {
      peers.set((int) peer, null);
      // What a peer on shared memory sent may still be on its way, and its memory is needed for the answer: it stays mapped.
      if (remove != 0 && !endpoint.sharesMemory()) {
        Memory.putLong(out, gone.address());
        Calls.status(remove, av.address(), out, 1, 0);
      }
    }
  }

  /** Null if there is none to post to. */
  Peer find(long handle) {
    Peer peer = handle >= 0 && handle < peers.size() ? peers.get((int) handle) : null;
    return peer != null && peer.local != null && peer.local.isClosed() ? null : peer;
  }

  void close() {
    av.close();
    Memory.free(out);
  }
}
