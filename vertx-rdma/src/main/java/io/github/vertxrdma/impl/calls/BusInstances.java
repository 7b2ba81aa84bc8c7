package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/** Instances of a service and connections to them. */
public interface BusInstances {

  /** Returns the time that the close of a connection waits for the peer. */
  int closeMillis();

  /** Returns whether a node is silent. */
  boolean isSuspected(String nodeId);

  /** @return the first instances that appear; fails on timeout */
  Future<List<ServiceEntry>> await(long millis);

  /** @param opened creates the owner of the link; on the link's loop */
  <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened);
}
