package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.vertx.core.Timer;
import java.util.concurrent.TimeUnit;

/**
 * The times that a call is made, and the pauses between them: they double, up to a longest, and each is a fifth shorter to a fifth longer
 * than that, so that the clients of a server that is lost do not come all at once. After gRPC's retry policy (proposal A6). Confined to the
 * call's context.
 */
final class Attempts {
  private static final double JITTER = 0.2;

  private final ClientImpl client;
  private final ClientCall<?, ?> call;
  private int made = 1;
  /** The next pause in nanoseconds, before chance; 0 before the first. */
  private long next;
  private Timer pause;

  Attempts(ClientImpl client, ClientCall<?, ?> call) {
    this.client = client;
    this.call = call;
  }

  /** Returns how often the call was made. */
  int made() {
    return made;
  }

  /**
   * Makes the call again.
   *
   * @param unseen no server has looked at it: the first of these needs no pause
   * @param left nanoseconds until its deadline; 0 if it has none
   * @return false if that was done as often as it may be, or a pause would outlast the deadline
   */
  boolean again(boolean unseen, long left) {
    RdmaGrpcClientOptions options = client.options();
    if (made >= options.getMaxAttempts()) {
      return false;
    }
    long nanos = 0;
    if (!unseen || made > 1) {
      long longest = options.getMaxBackoff().toNanos();
      next = Math.min(longest, next == 0 ? options.getInitialBackoff().toNanos() : 2 * next);
      nanos = (long) (next * (1 - JITTER + 2 * JITTER * client.chance()));
    }
    if (left > 0 && nanos >= left) {
      return false;
    }
    made++;
    if (nanos == 0) {
      call.again();
      return true;
    }
    client.pausing().add(call);
    pause = call.request.context.timer(nanos, TimeUnit.NANOSECONDS);
    pause.onSuccess(v -> {
      stop();
      call.again();
    });
    return true;
  }

  /** Ends a pause: the call is over, or goes on. */
  void stop() {
    if (pause != null) {
      pause.cancel();
      pause = null;
      client.pausing().remove(call);
    }
  }
}
