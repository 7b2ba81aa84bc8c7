package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionClientImpl;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Calls functions on leased workers. Arguments go straight to a worker, and the result straight back: small ones as messages, larger ones
 * into memory by notified writes; nobody stands between.
 *
 * <p>Methods may be called from any thread; futures complete on the context of the caller. It works on one event loop, the one it was
 * created on; calls from there need no hop. Failures are {@link FunctionException}s.
 */
public interface FunctionClient {

  /** With default options. */
  static FunctionClient create(Vertx vertx, Rdma rdma) {
    return create(vertx, rdma, new FunctionClientOptions());
  }

  /** It closes with the Vert.x, or with {@link #close}. */
  static FunctionClient create(Vertx vertx, Rdma rdma, FunctionClientOptions options) {
    return new FunctionClientImpl(vertx, rdma, options);
  }

  /**
   * Leases workers, from several servers if need be, evenly.
   *
   * @return a lease for each server that gave some; fails with {@code NO_CAPACITY} if there are not enough in time, and keeps none then
   */
  Future<List<Lease>> lease(LeaseOptions options);

  /**
   * Leases cold workers that run code of the caller's beside what they have, each in a process of its own. The code is in memory alone, and
   * gone with the lease.
   *
   * @param options with {@link WorkerMode#COLD}
   * @return fails with {@code CODE_REFUSED} if a server does not take it, else as {@link #lease(LeaseOptions)}
   */
  Future<List<Lease>> lease(LeaseOptions options, SignedCode code);

  /** The leases that are active. */
  List<Lease> leases();

  /** Calls a function. */
  default Future<Buffer> invoke(String function, Buffer arguments) {
    return call(function, arguments, CallOptions.DEFAULT).result();
  }

  /** Calls a function. */
  default Future<Buffer> invoke(String function, Buffer arguments, CallOptions options) {
    return call(function, arguments, options).result();
  }

  /** Calls a function, in a way that can be taken back. The arguments must not be changed before the result is there. */
  Call call(String function, Buffer arguments, CallOptions options);

  /** Calls a function for each of many arguments; small ones share a write. @return the calls, in order */
  List<Call> callAll(String function, List<Buffer> arguments, CallOptions options);

  /**
   * Calls a function that sends its result part by part. It begins paused, until it has a handler. Its worker's slot is taken until it
   * ends. It is not made again once a part has come.
   */
  ResultStream stream(String function, Buffer arguments, CallOptions options);

  /** Calls that wait for a free slot. */
  int waiting();

  /** Ends all leases, also those that are being asked for; calls and requests for leases fail with {@code CLOSED}. Idempotent. */
  Future<Void> close();
}
