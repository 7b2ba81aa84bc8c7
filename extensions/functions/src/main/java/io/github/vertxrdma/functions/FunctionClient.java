package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionClientImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Calls functions on leased workers, fastest on the event loop that created the client. Thread-safe. Futures complete on the caller's
 * context, and fail with {@link FunctionException}.
 */
public interface FunctionClient {

  static FunctionClient create(Rdma rdma) {
    return create(rdma, new FunctionClientOptions());
  }

  /** Creates a client, which closes with the verticle that creates it, or with Vert.x. */
  static FunctionClient create(Rdma rdma, FunctionClientOptions options) {
    return new FunctionClientImpl(rdma, options);
  }

  /**
   * Leases workers, from several servers if necessary.
   *
   * @return one lease for each server. Fails with {@code NO_CAPACITY} if too few workers are free within the wait time
   */
  Future<List<Lease>> lease(LeaseOptions options);

  /**
   * Leases cold workers that also run functions of the caller's code until the lease ends.
   *
   * @param options with {@link WorkerMode#COLD}
   * @return fails with {@code CODE_REFUSED} if a server does not accept the code
   */
  Future<List<Lease>> lease(LeaseOptions options, SignedCode code);

  List<Lease> leases();

  /** Sets a handler for leases that begin or end ({@link Lease#isActive}), called on the caller's context. Null removes it. */
  FunctionClient leaseHandler(Handler<Lease> handler);

  default Future<Buffer> invoke(String function, Buffer arguments) {
    return call(function, arguments, CallOptions.DEFAULT).result();
  }

  default Future<Buffer> invoke(String function, Buffer arguments, CallOptions options) {
    return call(function, arguments, options).result();
  }

  /** Calls a function. Do not change the arguments before the result arrives. */
  Call call(String function, Buffer arguments, CallOptions options);

  /** Calls a function several times, and sends small arguments together. */
  List<Call> callAll(String function, List<Buffer> arguments, CallOptions options);

  /**
   * Calls a function that sends its result in parts, which wait until the stream has a handler. After the first part, the call is not
   * repeated on another worker.
   */
  ResultStream stream(String function, Buffer arguments, CallOptions options);

  int waiting();

  /** Ends all leases. Calls and requests for leases fail with {@code CLOSED}. Idempotent. */
  Future<Void> close();
}
