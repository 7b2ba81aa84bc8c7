package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionClientImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Calls functions on leased workers, without an intermediate node. Thread-safe; futures complete on the context of the caller, and fail
 * with {@link FunctionException}. Calls from the event loop on which the client was created need no hop.
 */
public interface FunctionClient {

  static FunctionClient create(Rdma rdma) {
    return create(rdma, new FunctionClientOptions());
  }

  /** Creates a client, which closes with the Vert.x of the {@code Rdma}. */
  static FunctionClient create(Rdma rdma, FunctionClientOptions options) {
    return new FunctionClientImpl(rdma, options);
  }

  /**
   * Leases workers, evenly from several servers if necessary.
   *
   * @return a lease for each server that granted some; fails with {@code NO_CAPACITY} if there are not enough in time, and then keeps none
   */
  Future<List<Lease>> lease(LeaseOptions options);

  /**
   * Leases cold workers that also run code of the caller, in memory only, as long as the lease.
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

  /** Calls a function, with a handle that can cancel it. Arguments must not be changed before the result has come. */
  Call call(String function, Buffer arguments, CallOptions options);

  /** Calls a function several times; small arguments share a write. */
  List<Call> callAll(String function, List<Buffer> arguments, CallOptions options);

  /**
   * Calls a function that sends its result in parts. The stream is paused until it has a handler, and occupies its worker's slot until it
   * ends. The call is not repeated once a part has come.
   */
  ResultStream stream(String function, Buffer arguments, CallOptions options);

  int waiting();

  /** Ends all leases; calls and requests for leases fail with {@code CLOSED}. Idempotent. */
  Future<Void> close();
}
