package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/**
 * Workers of one server that a client has for a while. It ends when its time is up, when either side ends it, and with the death of
 * either side. Any thread.
 */
public interface Lease {

  /** Random; for people. */
  String id();

  /** The server's node. */
  String nodeId();

  /** The workers that are left. */
  List<WorkerInfo> workers();

  /** Time left; zero once it has ended. */
  Duration remaining();

  /** Time that it took the server to start the workers' processes; zero for workers that were there ({@link WorkerMode#COLD}). */
  Duration startupTime();

  /** Whether calls can be made on it. */
  boolean isActive();

  /** Has it last so long from now on. @return how long the server granted; fails with {@code LEASE_ENDED} */
  Future<Duration> renew(Duration duration);

  /**
   * The bill so far, read from the server's memory.
   *
   * @return fails with {@code LEASE_ENDED}, with {@code TIMEOUT} if the server does not answer, with {@code WORKER_LOST} if it cannot be
   *   asked or cannot read the bill now
   */
  Future<Bill> bill();

  /** Ends it; calls under way fail. @return what it has cost; fails if the server is gone */
  Future<Bill> end();

  /** Completes with its bill when it has ended, whoever ended it; fails with the reason if the server is gone. */
  Future<Bill> ended();
}
