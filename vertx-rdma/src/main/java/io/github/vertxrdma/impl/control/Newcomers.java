package io.github.vertxrdma.impl.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bounds the connections that have not proved the secret: of one source, and in all. The newest is always let in, and the oldest of the
 * source that has most must go: a proof takes a few turns of the loop, so whoever can prove it has done so long before. Confined to the
 * control loop.
 */
final class Newcomers {
  /** Connections that may be without proof at a time. */
  static final int MOST = 256;
  /** Those of one source: of an IPv4 address, or of the first 64 bits of an IPv6 one, whose rest is everybody's own choice. */
  static final int MOST_OF_ONE = 64;
  private static final int IPV6_PREFIX = 8;

  private final Map<ControlAccept, Object> sources = new LinkedHashMap<>();
  private final Map<Object, Integer> counts = new HashMap<>();

  /** Lets one in. @return the one that has to go for it; null if none has */
  ControlAccept add(ControlAccept accept, SocketAddress from) {
    Object source = source(from);
    sources.put(accept, source);
    int ofIt = counts.merge(source, 1, Integer::sum);
    if (ofIt <= MOST_OF_ONE && sources.size() <= MOST) {
      return null;
    }
    Object greediest = ofIt > MOST_OF_ONE ? source : counts.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    return sources.entrySet().stream().filter(each -> each.getValue().equals(greediest)).findFirst().orElseThrow().getKey();
  }

  /** Takes one out: it has proved itself, or is gone. Idempotent. */
  void remove(ControlAccept accept) {
    Object source = sources.remove(accept);
    if (source != null) {
      counts.computeIfPresent(source, (key, count) -> count == 1 ? null : count - 1);
    }
  }

  private static Object source(SocketAddress from) {
    InetAddress address = from instanceof InetSocketAddress inet ? inet.getAddress() : null;
    if (address == null) {
      return "nowhere";
    }
    byte[] bytes = address.getAddress();
    return Arrays.toString(bytes.length > 4 ? Arrays.copyOf(bytes, IPV6_PREFIX) : bytes);
  }
}
