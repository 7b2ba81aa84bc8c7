package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionServerImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.List;

/** Offers cores and memory of a node as workers, each of which belongs to at most one lease. A restart ends all leases. Thread-safe. */
public interface FunctionServer extends FunctionRegistry {
  String DEFAULT_SERVICE = "functions";

  static FunctionServer create(Rdma rdma) {
    return create(rdma, new FunctionServerOptions());
  }

  /** Creates a server, inactive until {@link #listen}. */
  static FunctionServer create(Rdma rdma, FunctionServerOptions options) {
    return new FunctionServerImpl(rdma, options);
  }

  @Override
  FunctionServer register(String name, FunctionOptions options, RemoteFunction function);

  @Override
  default FunctionServer register(String name, RemoteFunction function) {
    return register(name, new FunctionOptions(), function);
  }

  FunctionServer billHandler(Handler<Bill> handler);

  default Future<FunctionServer> listen() {
    return listen(DEFAULT_SERVICE);
  }

  /**
   * Deploys the verticles and publishes the workers in the directory. May be called once.
   *
   * @param service name for clients. Several servers may use the same
   */
  Future<FunctionServer> listen(String service);

  /** Returns the number of workers without lease and running function. */
  int freeCores();

  /** Returns the bytes of memory that can be leased now. A lease occupies memory until its last function ends. */
  long freeMemory();

  Future<List<Bill>> bills();

  /** Returns the sum of all leases' times and invocations since the start. Workers and memory are those leased now. */
  Future<Bill> total();

  /** Returns the number of refused requests and calls since the start. */
  long refusals();

  /** Ends all leases and undeploys the verticles. Idempotent. */
  Future<Void> close();
}
