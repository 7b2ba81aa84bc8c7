package io.github.vertxrdma.impl.peers;

import java.time.Duration;
import java.util.Objects;

/**
 * @param host local address to listen on
 * @param firstPort 0 for any free port
 * @param suspectMillis silence after which a peer is suspected: half before a PING, half without an answer
 * @param deadMillis time without an acknowledgement, even by the peer's kernel, after which the peer is dead
 * @param connectTimeoutMillis limit of connecting, including the handshake
 */
public record ControlSettings(String host, int firstPort, int lastPort, long suspectMillis, long deadMillis, int connectTimeoutMillis) {

  public ControlSettings(String host) {
    this(host, 0, 0, 2_000, 40_000, 5_000);
  }

  public ControlSettings {
    Objects.requireNonNull(host, "host");
    if (firstPort < 0 || lastPort < firstPort || lastPort > 65535) {
      throw new IllegalArgumentException("invalid range of control ports " + firstPort + "-" + lastPort + ": use a range within "
        + "1-65535, or 0 for any free port");
    }
    if (suspectMillis < 10 || deadMillis < suspectMillis) {
      throw new IllegalArgumentException("invalid suspectTimeout of " + suspectMillis + " ms or deadTimeout of " + deadMillis + " ms: "
        + "use at least 10 ms, and a deadTimeout that is not shorter than suspectTimeout");
    }
  }

  public ControlSettings withPorts(int first, int last) {
    return new ControlSettings(host, first, last, suspectMillis, deadMillis, connectTimeoutMillis);
  }

  public ControlSettings withSilence(long suspect, long dead) {
    return new ControlSettings(host, firstPort, lastPort, suspect, dead, connectTimeoutMillis);
  }

  /** Returns settings whose connect timeout is at least half that of a fabric. */
  public ControlSettings withConnectTimeout(Duration ofConnections) {
    return new ControlSettings(host, firstPort, lastPort, suspectMillis, deadMillis,
      Math.clamp(ofConnections.toMillis() / 2, connectTimeoutMillis, Integer.MAX_VALUE));
  }

  long verifyMillis() {
    return Math.max(suspectMillis, deadMillis / 2);
  }

  long tickMillis() {
    return Math.max(5, suspectMillis / 4);
  }
}
