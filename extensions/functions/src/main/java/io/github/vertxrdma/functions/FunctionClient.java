package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionClientImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Calls functions on leased workers. Arguments go directly to a worker, and the result directly back: small ones as messages, larger ones
 * into memory by notified writes, without an intermediate node.
 *
 * <p>Thread-safe; futures complete on the context of the caller. The client works on the event loop on which it was created; calls from
 * there need no hop. Failures are {@link FunctionException}s.
 */
public interface FunctionClient {

  /** Creates a client with default options. */
  static FunctionClient create(Rdma rdma) {
    return create(rdma, new FunctionClientOptions());
  }

  /** Creates a client, which closes with the Vert.x of the {@code Rdma}, or with {@link #close}. */
  static FunctionClient create(Rdma rdma, FunctionClientOptions options) {
    return new FunctionClientImpl(rdma, options);
  }

  /**
   * Leases workers, from several servers if necessary, evenly.
   *
   * @return a lease for each server that granted some; fails with {@code NO_CAPACITY} if there are not enough in time, and then keeps none
   */
  Future<List<Lease>> lease(LeaseOptions options);

  /**
   * Leases cold workers that run code of the caller besides the server's functions, each in its own process. The code is only in memory,
   * and is removed with the lease.
   *
   * @param options with {@link WorkerMode#COLD}
   * @return fails with {@code CODE_REFUSED} if a server does not accept it, otherwise like {@link #lease(LeaseOptions)}
   */
  Future<List<Lease>> lease(LeaseOptions options, SignedCode code);

  /** Returns the active leases. */
  List<Lease> leases();

  /**
   * Sets a handler that is called when this client gets a lease and when a lease ends, which {@link Lease#isActive} distinguishes. {@link
   * Lease#ended} has the reason of the end. The handler runs on the context of the caller of this method. Null removes it.
   */
  FunctionClient leaseHandler(Handler<Lease> handler);

  /** Calls a function with default options. */
  default Future<Buffer> invoke(String function, Buffer arguments) {
    return call(function, arguments, CallOptions.DEFAULT).result();
  }

  /** Calls a function. */
  default Future<Buffer> invoke(String function, Buffer arguments, CallOptions options) {
    return call(function, arguments, options).result();
  }

  /** Calls a function, with a handle that can cancel it. The arguments must not be changed before the result has come. */
  Call call(String function, Buffer arguments, CallOptions options);

  /**
   * Calls a function for each of several arguments; small ones share a write.
   *
   * @return the calls, in order
   */
  List<Call> callAll(String function, List<Buffer> arguments, CallOptions options);

  /**
   * Calls a function that sends its result in parts. The stream is paused until it has a handler. Its worker's slot is occupied until it
   * ends. The call is not repeated once a part has come.
   */
  ResultStream stream(String function, Buffer arguments, CallOptions options);

  /** Returns the number of calls that wait for a free slot. */
  int waiting();

  /** Ends all leases, including pending ones; calls and requests for leases fail with {@code CLOSED}. Idempotent. */
  Future<Void> close();
}
