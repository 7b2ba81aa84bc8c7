package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/** Entry of a port's GID table; ibv_query_gid_table(3). */
record Gid(int index, int type, byte[] bytes) {
  private static final int MOST = 1024;

  static List<Gid> table(IbVerbs verbs, long context, int port) {
    List<Gid> gids = new ArrayList<>();
    try (Scratch entries = Scratch.of((long) MOST * GID_ENTRY_SIZE)) {
      long count = Calls.pointer(verbs.queryGidTable, context, entries.address(), MOST, 0, GID_ENTRY_SIZE);
      for (int i = 0; i < count; i++) {
        long entry = entries.address() + (long) i * GID_ENTRY_SIZE;
        byte[] bytes = Memory.getBytes(entry, 16);
        if (Memory.getInt(entry + GID_ENTRY_PORT) == port && !Arrays.equals(bytes, new byte[16])) {
          gids.add(new Gid(Memory.getInt(entry + GID_ENTRY_INDEX), Memory.getInt(entry + GID_ENTRY_TYPE), bytes));
        }
      }
      return gids;
    }
  }

  /**
   * Returns the entry to use by default, or null if the table is empty. Prefers, in this order: the address, this network namespace, RoCE
   * v2, IPv4, other addresses than link-local ones.
   */
  static Gid choose(List<Gid> gids, InetAddress address) {
    List<Gid> ofAddress = gids.stream().filter(gid -> gid.type != GID_TYPE_IB && gid.address().equals(address)).toList();
    return (ofAddress.isEmpty() ? usable(gids) : ofAddress).stream().max(Comparator.comparingInt(Gid::rank)).orElse(null);
  }

  /** Removes entries of other network namespaces, unless none would remain. */
  private static List<Gid> usable(List<Gid> gids) {
    // Link-local entries remain, because a port has them even if its interface lacks the address.
    List<Gid> usable = gids.stream().filter(gid -> gid.type == GID_TYPE_IB || gid.isLinkLocal() || isLocal(gid.address())).toList();
    return usable.isEmpty() ? gids : usable;
  }

  /** Returns the local IP addresses among the GIDs of RoCE, without the connection manager. */
  static List<InetAddress> localAddresses(List<Gid> gids) {
    return gids.stream().filter(gid -> gid.type != GID_TYPE_IB).map(Gid::address).distinct().filter(Gid::isLocal)
      .sorted(AddressSearch.BEST_FIRST).toList();
  }

  private static boolean isLocal(InetAddress address) {
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  private int rank() {
    return type == GID_TYPE_IB ? 0 : (type == GID_TYPE_ROCE_V2 ? 4 : 0) + (isIpv4() ? 2 : 0) + (isLinkLocal() ? 0 : 1);
  }

  private boolean isIpv4() {
    return Arrays.equals(bytes, 0, 10, new byte[10], 0, 10) && bytes[10] == -1 && bytes[11] == -1;
  }

  private boolean isLinkLocal() {
    return bytes[0] == (byte) 0xfe && (bytes[1] & 0xc0) == 0x80;
  }

  private InetAddress address() {
    try {
      return InetAddress.getByAddress(isIpv4() ? Arrays.copyOfRange(bytes, 12, 16) : bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  String typeName() {
    return type == GID_TYPE_ROCE_V2 ? "RoCE v2" : type == GID_TYPE_ROCE_V1 ? "RoCE v1" : "InfiniBand";
  }

  /** Returns the subnet prefix, which is equal for all ports of one InfiniBand subnet. */
  String prefix() {
    return HexFormat.of().formatHex(bytes, 0, 8);
  }

  @Override
  public String toString() {
    return "GID " + index + ' ' + HexFormat.of().formatHex(bytes) + ' ' + typeName();
  }
}
