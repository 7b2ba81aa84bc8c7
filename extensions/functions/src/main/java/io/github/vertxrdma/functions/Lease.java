package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/**
 * Workers of one server that a client may use for some time. A lease ends when its time has passed, either side ends it, or either side
 * dies. Thread-safe.
 */
public interface Lease {

  String id();

  /** Returns the id of the server's node. */
  String nodeId();

  List<WorkerInfo> workers();

  Duration remaining();

  /** Returns the time in which the processes of {@link WorkerMode#COLD cold} workers started; zero for others. */
  Duration startupTime();

  boolean isActive();

  /**
   * Renews the lease, which then ends this time from now.
   *
   * @return the granted time; fails with {@code LEASE_ENDED}
   */
  Future<Duration> renew(Duration duration);

  /**
   * Reads the present bill.
   *
   * @return fails with {@code LEASE_ENDED}, {@code TIMEOUT} without an answer, {@code WORKER_LOST} if it cannot be read
   */
  Future<Bill> bill();

  /**
   * Ends the lease. Calls in flight fail.
   *
   * @return the final bill; fails if the server has died
   */
  Future<Bill> end();

  /** Returns the bill once either side has ended the lease; fails with the reason if the server has died. */
  Future<Bill> ended();
}
