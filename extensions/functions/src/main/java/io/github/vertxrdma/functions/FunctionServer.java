package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionServerImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import java.util.List;

/**
 * Offers the cores and memory of a node as workers for remote functions: a verticle, and one for each worker. It grants leases by itself,
 * without asking anybody; a worker belongs to one lease at a time. What it has granted lives in its memory alone, so a server that comes
 * back honours nothing of before. Any thread.
 */
public interface FunctionServer extends FunctionRegistry {
  /** The name of servers that listen without one, and that clients look for where {@link LeaseOptions} say no other. */
  String DEFAULT_SERVICE = "functions";

  /** With default options. */
  static FunctionServer create(Vertx vertx, Rdma rdma) {
    return create(vertx, rdma, new FunctionServerOptions());
  }

  /** It does nothing before {@link #listen}. */
  static FunctionServer create(Vertx vertx, Rdma rdma, FunctionServerOptions options) {
    return new FunctionServerImpl(vertx, rdma, options);
  }

  @Override
  FunctionServer register(String name, FunctionOptions options, RemoteFunction function);

  @Override
  default FunctionServer register(String name, RemoteFunction function) {
    return register(name, new FunctionOptions(), function);
  }

  /** Hears the bill of each lease that ends. */
  FunctionServer billHandler(Handler<Bill> handler);

  /** Listens as {@link #DEFAULT_SERVICE}. */
  default Future<FunctionServer> listen() {
    return listen(DEFAULT_SERVICE);
  }

  /**
   * Deploys the verticles and offers the workers in the directory. Once.
   *
   * @param service the name that clients look for; any number of servers share a name
   */
  Future<FunctionServer> listen(String service);

  /** Workers that no lease has, and on which no function of an earlier one goes on. */
  int freeCores();

  /** Bytes that no lease has, and no worker on which a function of an earlier one goes on. */
  long freeMemory();

  /** The bill of each active lease so far. */
  Future<List<Bill>> bills();

  /** The sum of all bills since the start, without name and client; workers and memory are those that are leased now. For monitoring. */
  Future<Bill> total();

  /** The number of refusals since the start, for monitoring: forged invocations, unknown functions and the like. */
  long refusals();

  /** Withdraws the offer, ends all leases and undeploys the verticles. Idempotent. */
  Future<Void> close();
}
