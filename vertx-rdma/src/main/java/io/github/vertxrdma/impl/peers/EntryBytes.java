package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Admission;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;

/** Bytes of the directory entries from each network, where one process may have many node ids. Thread-safe. */
final class EntryBytes {
  private static final Object THIS_HOST = "this host";

  private final Map<Object, Long> bytes = new HashMap<>();
  private final long most;

  EntryBytes() {
    this(Math.max(PeerEntries.MAX_BYTES, Runtime.getRuntime().maxMemory() / 8));
  }

  EntryBytes(long most) {
    this.most = most;
  }

  static Object source(SocketAddress of) {
    return of instanceof InetSocketAddress inet && !inet.getAddress().isLoopbackAddress()
      ? Admission.source(inet.getAddress().getAddress()) : THIS_HOST;
  }

  /** @throws IllegalArgumentException if an addition exceeds the limit */
  synchronized void add(Object source, long change) {
    long now = bytes.getOrDefault(source, 0L) + change;
    if (change > 0 && now > most) {
      throw new IllegalArgumentException("the entries of all nodes of that network would have " + now + " bytes, more than the allowed "
        + most + ". Use fewer names, or a larger heap");
    }
    if (now == 0) {
      bytes.remove(source);
    } else {
      bytes.put(source, now);
    }
  }
}
