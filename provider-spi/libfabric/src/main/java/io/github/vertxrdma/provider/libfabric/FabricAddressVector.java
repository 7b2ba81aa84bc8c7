package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.rdm.AddressVector;
import java.util.ArrayList;
import java.util.List;

/**
 * Peers of a connectionless endpoint (RDM); fi_av(3). A handle is an index in this class, so the library never gets a handle of a removed
 * peer.
 */
final class FabricAddressVector implements AddressVector {
  private final FabricDomain domain;
  final Fid fid;
  private final long remove;
  private final long out = Memory.allocate(8);
  /** Each peer's fi_addr_t, or null. */
  private final List<Long> peers = new ArrayList<>();

  FabricAddressVector(FabricDomain domain) {
    this.domain = domain;
    try (Scratch attr = Scratch.of(Structs.ROOM)) {
      Memory.putInt(attr.address() + Structs.AV_ATTR_TYPE, Fi.AV_TABLE);
      Memory.putLong(attr.address() + Structs.AV_ATTR_COUNT, 64);
      fid = domain.open(domain.fid, "address vector", Structs.DOMAIN_OPS, Structs.DOMAIN_AV_OPEN, attr.address(), domain.fid);
    } catch (RuntimeException e) {
      Memory.free(out);
      throw e;
    }
    remove = fid.function(Structs.AV_OPS, Structs.AV_REMOVE);
  }

  @Override
  public long insert(EndpointAddress address) {
    long peer = insertNative(address);
    int free = peers.indexOf(null);
    if (free >= 0) {
      peers.set(free, peer);
      return free;
    }
    peers.add(peer);
    return peers.size() - 1L;
  }

  /** Calls fi_av_insert(3). Returns the fi_addr_t, which stays the same for a known address. */
  private long insertNative(EndpointAddress address) {
    byte[] bytes = AddressFormats.toNative(domain.device().info.addressFormat(), address);
    String what = domain.device().name() + ": inserting " + address;
    long function = fid.require(domain.library, Structs.AV_OPS, Structs.AV_INSERT, "fi_av_insert");
    try (Scratch cAddress = Scratch.of(Math.max(Structs.ROOM, bytes.length)); Scratch scratch = Scratch.of(8)) {
      long result = scratch.address();
      Memory.putBytes(cAddress.address(), bytes);
      Memory.putLong(result, Fi.ADDR_UNSPEC);
      int inserted = Calls.number(function, fid.address(), cAddress.address(), 1, result, 0, 0);
      FabricErrors.check(domain.library, inserted, what);
      if (inserted != 1 || Memory.getLong(result) == Fi.ADDR_UNSPEC) {
        throw new ProviderException(ProviderException.Reason.UNREACHABLE, what + " failed: no such address");
      }
      return Memory.getLong(result);
    }
  }

  @Override
  public void remove(long peer) {
    long removed = find(peer);
    if (removed != Fi.ADDR_UNSPEC) {
      peers.set((int) peer, null);
      if (remove != 0) {
        Memory.putLong(out, removed);
        Calls.number(remove, fid.address(), out, 1, 0);
      }
    }
  }

  /** Returns the fi_addr_t of a peer, or FI_ADDR_UNSPEC if there is none. */
  long find(long handle) {
    Long found = handle >= 0 && handle < peers.size() ? peers.get((int) handle) : null;
    return found == null ? Fi.ADDR_UNSPEC : found;
  }

  void close() {
    fid.close();
    Memory.free(out);
  }
}
