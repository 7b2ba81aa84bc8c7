package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionServerImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.List;

/**
 * Offers the cores and memory of a node as workers for remote functions, by a verticle, and one for each worker. It grants leases without
 * asking other nodes; a worker belongs to one lease at a time. Leases are only in its memory, so a restarted server does not know earlier
 * ones. Thread-safe.
 */
public interface FunctionServer extends FunctionRegistry {
  /** Name of servers that listen without one, and default of {@link LeaseOptions}. */
  String DEFAULT_SERVICE = "functions";

  /** Creates a server with default options. */
  static FunctionServer create(Rdma rdma) {
    return create(rdma, new FunctionServerOptions());
  }

  /** Creates a server, which does nothing before {@link #listen}. */
  static FunctionServer create(Rdma rdma, FunctionServerOptions options) {
    return new FunctionServerImpl(rdma, options);
  }

  @Override
  FunctionServer register(String name, FunctionOptions options, RemoteFunction function);

  @Override
  default FunctionServer register(String name, RemoteFunction function) {
    return register(name, new FunctionOptions(), function);
  }

  /** Sets a handler for the bill of each lease that ends. */
  FunctionServer billHandler(Handler<Bill> handler);

  /** Listens as {@link #DEFAULT_SERVICE}. */
  default Future<FunctionServer> listen() {
    return listen(DEFAULT_SERVICE);
  }

  /**
   * Deploys the verticles and offers the workers in the directory. May be called once.
   *
   * @param service name for clients; any number of servers may share a name
   */
  Future<FunctionServer> listen(String service);

  /** Returns the number of workers without a lease on which no function of an earlier lease runs. */
  int freeCores();

  /** Returns the bytes without a lease, except those of workers on which a function of an earlier lease runs. */
  long freeMemory();

  /** Returns the present bill of each active lease. */
  Future<List<Bill>> bills();

  /**
   * Returns the sum of all bills since the start, without name and client; workers and memory are those that are leased now. For
   * monitoring.
   */
  Future<Bill> total();

  /** Returns the number of refusals since the start, for monitoring: forged invocations, unknown functions and others. */
  long refusals();

  /** Withdraws the offer, ends all leases and undeploys the verticles. Idempotent. */
  Future<Void> close();
}
