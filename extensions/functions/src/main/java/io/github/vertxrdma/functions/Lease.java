package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/** Workers of one server that a client may use until the time has passed, or either side ends the lease or dies. Thread-safe. */
public interface Lease {

  String id();

  /** Returns the id of the server's node. */
  String nodeId();

  /** Returns the name of the server's node, or its id if the name is unknown. */
  String nodeName();

  List<WorkerInfo> workers();

  Duration remaining();

  /** Returns the time that processes of {@link WorkerMode#COLD cold} workers took to start; zero for others. */
  Duration startupTime();

  boolean isActive();

  /**
   * Renews the lease for this time from now.
   *
   * @return the granted time; fails with {@code LEASE_ENDED}
   */
  Future<Duration> renew(Duration duration);

  /**
   * Reads the present bill. Time of polling, and use of cold workers, may be missing for the last half second.
   *
   * @return fails with {@code LEASE_ENDED}, {@code TIMEOUT} without an answer, or {@code WORKER_LOST} if the server cannot be reached
   */
  Future<Bill> bill();

  /**
   * Ends the lease. Calls in flight fail.
   *
   * @return the final bill; fails if the server has died
   */
  Future<Bill> end();

  /** Returns the final bill when the lease has ended; fails if the server has died. */
  Future<Bill> ended();
}
