package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.rdm.AddressVector;
import java.util.ArrayList;
import java.util.List;

/** The peers of an RDM endpoint; fi_av(3). A handle is an index here, so a stale one never reaches the library. */
final class FabricAddressVector implements AddressVector {
  private final RdmFabricDomain domain;
  private final RdmFabricEndpoint endpoint;
  private final Fid av;
  private final long remove;
  private final long out = Memory.allocate(8);
  private final List<Peer> peers = new ArrayList<>();
  /** Null where a peer is removed when it is not used. */
  private final SharedMemoryPeers shared;

  /**
   * A peer.
   *
   * @param name its address
   * @param address fi_addr_t
   * @param local the endpoint itself if it shares this one's memory in this process, else null
   */
  record Peer(EndpointAddress name, long address, SendWork work, RdmFabricEndpoint local) {
  }

  FabricAddressVector(RdmFabricDomain domain, RdmFabricEndpoint endpoint) {
    this.domain = domain;
    this.endpoint = endpoint;
    av = open(domain);
    remove = av.function(Structs.AV_OPS, Structs.AV_REMOVE);
    shared = domain.sharesMemory() ? new SharedMemoryPeers(domain.device().name(), this::insertNative, this::removeNative) : null;
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
    return insert(address, false);
  }

  @Override
  public long insertHeard(EndpointAddress address) {
    return insert(address, true);
  }

  private long insert(EndpointAddress address, boolean heard) {
    Peer peer;
    if (shared == null) {
      peer = new Peer(address, insertNative(address), endpoint.workOfPeer(), null);
    } else {
      RdmFabricEndpoint local = LocalEndpoints.acquaint(endpoint, address);
      peer = new Peer(address, shared.enter(address, heard), endpoint.workOfPeer(), local);
    }
    int free = peers.indexOf(null);
    if (free >= 0) {
      peers.set(free, peer);
      return free;
    }
    peers.add(peer);
    return peers.size() - 1L;
  }

  /** The endpoint of this process at that address is about to send to this one. @return fi_addr_t */
  long greeted(EndpointAddress by) {
    return shared.enter(by, true);
  }

  private long insertNative(EndpointAddress address) {
    return insert(domain, av, address);
  }

  /** fi_av_insert(3). @return fi_addr_t; the same as before if it is there already */
  static long insert(FabricDomain domain, Fid av, EndpointAddress address) {
    byte[] bytes = AddressFormats.toNative(domain.device().info().addressFormat(), address);
    String what = domain.device().name() + ": inserting " + address;
    long function = av.require(domain.library(), Structs.AV_OPS, Structs.AV_INSERT, "fi_av_insert");
    long cAddress = Memory.allocate(Math.max(Structs.ROOM, bytes.length));
    long result = Memory.allocate(8);
    try {
      Memory.putBytes(cAddress, bytes);
      Memory.putLong(result, Fi.ADDR_UNSPEC);
      int inserted = Calls.number(function, av.address(), cAddress, 1, result, 0, 0);
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
      if (shared == null) {
        removeNative(gone.address());
      } else {
        shared.leave(gone.name());
      }
    }
  }

  /** fi_av_remove(3). */
  private void removeNative(long address) {
    if (remove != 0) {
      Memory.putLong(out, address);
      Calls.number(remove, av.address(), out, 1, 0);
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
