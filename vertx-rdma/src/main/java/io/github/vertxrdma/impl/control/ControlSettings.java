package io.github.vertxrdma.impl.control;

import java.time.Duration;
import java.util.Objects;

/**
 * How control connections are made and judged.
 *
 * @param host the address to listen on, which peers can reach; a literal or a name
 * @param firstPort first port to try, 0 for any
 * @param lastPort last port to try
 * @param suspectMillis silence after which a peer is suspected
 * @param deadMillis time without an acknowledgement, even of the peer's kernel, after which the peer is dead
 * @param connectTimeoutMillis how long connecting may take, handshake included
 */
public record ControlSettings(String host, int firstPort, int lastPort, long suspectMillis, long deadMillis, int connectTimeoutMillis) {

  /** Any port of that address, suspect after 2 s, dead after 40 s, 5 s to connect. */
  public ControlSettings(String host) {
    this(host, 0, 0, 2_000, 40_000, 5_000);
  }

  public ControlSettings {
    Objects.requireNonNull(host, "host");
    if (firstPort < 0 || lastPort < firstPort || lastPort > 65535) {
      throw new IllegalArgumentException("control ports " + firstPort + "-" + lastPort + ": use a range within 1-65535, or 0 for any");
    }
    if (suspectMillis < 10 || deadMillis < suspectMillis) {
      throw new IllegalArgumentException("suspect after " + suspectMillis + " ms, dead after " + deadMillis
        + " ms: at least 10 ms, and dead not before suspect");
    }
  }

  public ControlSettings withPorts(int first, int last) {
    return new ControlSettings(host, first, last, suspectMillis, deadMillis, connectTimeoutMillis);
  }

  public ControlSettings withSilence(long suspect, long dead) {
    return new ControlSettings(host, firstPort, lastPort, suspect, dead, connectTimeoutMillis);
  }

  /** Half of the time that connecting over a fabric may take, which comes behind it; these settings' own if that is longer. */
  public ControlSettings withConnectTimeout(Duration ofConnections) {
    return new ControlSettings(host, firstPort, lastPort, suspectMillis, deadMillis,
      Math.clamp(ofConnections.toMillis() / 2, connectTimeoutMillis, Integer.MAX_VALUE));
  }

  /** Silence in milliseconds after which the peer's control address is dialled again: what is left of {@link #deadMillis} is for that. */
  long verifyMillis() {
    return Math.max(suspectMillis, deadMillis / 2);
  }

  /** Milliseconds between two looks at the peers, at least. */
  long tickMillis() {
    return Math.max(5, suspectMillis / 4);
  }
}
