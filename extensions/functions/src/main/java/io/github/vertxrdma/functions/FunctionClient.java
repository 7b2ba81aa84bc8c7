package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionClientImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Calls functions on leased workers, without an intermediate node. Thread-safe. Futures complete on the context of the caller, and fail
 * with {@link FunctionException}. Calls are fastest from the event loop on which the client was created.
 */
public interface FunctionClient {

  static FunctionClient create(Rdma rdma) {
    return create(rdma, new FunctionClientOptions());
  }

  /** Creates a client. It is closed with the Vert.x of the {@code Rdma}, or by {@link #close}. */
  static FunctionClient create(Rdma rdma, FunctionClientOptions options) {
    return new FunctionClientImpl(rdma, options);
  }

  /**
   * Leases workers, from several servers if one has not enough.
   *
   * @return a lease for each of these servers; fails with {@code NO_CAPACITY}, and keeps no worker, if too few are free in time
   */
  Future<List<Lease>> lease(LeaseOptions options);

  /**
   * Leases cold workers that also run functions of the caller's code. The workers hold the code in memory until the lease ends.
   *
   * @param options with {@link WorkerMode#COLD}
   * @return fails with {@code CODE_REFUSED} if a server does not accept the code
   */
  Future<List<Lease>> lease(LeaseOptions options, SignedCode code);

  List<Lease> leases();

  /** Sets a handler that is called on the caller's context when a lease begins or ends ({@link Lease#isActive}). Null removes it. */
  FunctionClient leaseHandler(Handler<Lease> handler);

  default Future<Buffer> invoke(String function, Buffer arguments) {
    return call(function, arguments, CallOptions.DEFAULT).result();
  }

  default Future<Buffer> invoke(String function, Buffer arguments, CallOptions options) {
    return call(function, arguments, options).result();
  }

  /** Calls a function. The returned object can cancel the call. Do not change the arguments before the result has arrived. */
  Call call(String function, Buffer arguments, CallOptions options);

  /** Calls a function several times; small arguments share a write. */
  List<Call> callAll(String function, List<Buffer> arguments, CallOptions options);

  /**
   * Calls a function that sends its result in parts. The stream is paused until it has a handler. The stream occupies a slot of its worker
   * until it ends. After the first part the call is not repeated on another worker.
   */
  ResultStream stream(String function, Buffer arguments, CallOptions options);

  int waiting();

  /** Ends all leases; calls and requests for leases fail with {@code CLOSED}. Idempotent. */
  Future<Void> close();
}
