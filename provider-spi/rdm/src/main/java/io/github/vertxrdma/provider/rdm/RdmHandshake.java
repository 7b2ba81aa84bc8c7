package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;

/** One side of a handshake. Repeats its message until the peer answers, or until its deadline. */
final class RdmHandshake {
  private static final long FIRST_REPEAT_NANOS = 100_000_000;
  private static final long LAST_REPEAT_NANOS = 1_000_000_000;
  /** Number of send errors after which the peer is considered unreachable. */
  private static final int BELIEVED_ERRORS = 5;

  private final RdmConnection connection;
  private final ControlMessage message;
  private final int timeoutMillis;
  private final long deadline;
  private long nextRepeat;
  private long pause = FIRST_REPEAT_NANOS;
  private int errors;
  private String lastError;
  int inFlight;

  RdmHandshake(RdmConnection connection, ControlMessage message, int timeoutMillis, long now) {
    this.connection = connection;
    this.message = message;
    this.timeoutMillis = timeoutMillis;
    deadline = now + timeoutMillis * 1_000_000L;
    nextRepeat = now;
  }

  void tick(long now) {
    if (now - deadline >= 0) {
      connection.fail(errors > 0 ? Reason.REFUSED : Reason.TIMEOUT, " did not answer within " + timeoutMillis + " ms"
        + (lastError == null ? "" : " (" + lastError + ")") + ". Check that a process listens there and polls its completion queue",
        false);
    } else if (now - nextRepeat >= 0) {
      nextRepeat = now + pause;
      if (repeat()) {
        pause = Math.min(LAST_REPEAT_NANOS, pause * 2);
      }
    }
  }

  /** Sends the message again. @return false if no further address of an unproven peer is permitted */
  boolean repeat() {
    SharedEndpoint shared = connection.shared;
    if (connection.peer == null) {
      try {
        connection.peer = shared.retainUnproven(connection.remote);
      } catch (ProviderException | IllegalArgumentException e) {
        connection.fail(Reason.REFUSED, " cannot be reached: " + e.getMessage(), false);
      }
    }
    // Sends one message at a time: the fabric delivers it or reports an error.
    if (connection.peer != null && inFlight == 0) {
      shared.control.send(connection.peer, message, this, timeoutMillis);
    }
    return connection.peer != null;
  }

  void failed(int status, String error) {
    lastError = error == null ? Status.name(status) : error;
    if (++errors >= BELIEVED_ERRORS && connection.handshake == this) {
      connection.fail(Reason.REFUSED, " cannot be reached (" + lastError + "): no process listens there", false);
    }
  }
}
