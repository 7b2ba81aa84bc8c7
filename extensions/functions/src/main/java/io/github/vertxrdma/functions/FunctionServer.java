package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.impl.FunctionServerImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.List;

/** Offers cores and memory of a node as workers. A worker belongs to one lease at a time. A restart ends all leases. Thread-safe. */
public interface FunctionServer extends FunctionRegistry {
  String DEFAULT_SERVICE = "functions";

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

  FunctionServer billHandler(Handler<Bill> handler);

  default Future<FunctionServer> listen() {
    return listen(DEFAULT_SERVICE);
  }

  /**
   * Deploys the verticles and offers the workers in the directory. May be called once.
   *
   * @param service name for clients, which servers may share
   */
  Future<FunctionServer> listen(String service);

  /** Returns the number of workers without a lease or a running function. */
  int freeCores();

  /** Returns the bytes of memory that can be leased now. Memory of an ended lease counts when its last function has ended. */
  long freeMemory();

  Future<List<Bill>> bills();

  /**
   * Returns the sum of all leases' times and invocations since the start, without name and client. Workers and memory are those leased now.
   */
  Future<Bill> total();

  /** Returns the number of refusals since the start, such as forged invocations and unknown functions. */
  long refusals();

  /** Withdraws the offer, ends all leases and undeploys the verticles. Idempotent. */
  Future<Void> close();
}
