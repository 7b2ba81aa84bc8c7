package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/**
 * Workers of one server that a client has for some time. A lease ends when its time has passed, when either side ends it, and with the
 * death of either side. Thread-safe.
 */
public interface Lease {

  /** Returns a random id, for messages. */
  String id();

  /** Returns the server's node. */
  String nodeId();

  /** Returns the remaining workers. */
  List<WorkerInfo> workers();

  /** Returns the remaining time; zero once it has ended. */
  Duration remaining();

  /** Returns the time in which the server started the workers' processes; zero for existing workers ({@link WorkerMode#COLD}). */
  Duration startupTime();

  /** Returns whether calls can be made on it. */
  boolean isActive();

  /**
   * Extends the lease to that time from now on.
   *
   * @return the time that the server granted; fails with {@code LEASE_ENDED}
   */
  Future<Duration> renew(Duration duration);

  /**
   * Returns the present bill, read from the server's memory.
   *
   * @return fails with {@code LEASE_ENDED}, with {@code TIMEOUT} if the server does not answer, with {@code WORKER_LOST} if it cannot be
   * asked or cannot read the bill now
   */
  Future<Bill> bill();

  /**
   * Ends the lease; calls in flight fail.
   *
   * @return its bill; fails if the server has died
   */
  Future<Bill> end();

  /**
   * Returns a future that completes with the bill when either side has ended the lease; it fails with the reason if the server has died.
   */
  Future<Bill> ended();
}
