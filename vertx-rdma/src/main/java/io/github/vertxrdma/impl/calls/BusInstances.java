package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/** Instances of a service and connections to them. */
public interface BusInstances {

  int closeMillis();

  boolean isSuspected(String nodeId);

  Future<List<ServiceEntry>> await(long millis);

  /** @param opened called on the link's loop; creates the link's owner */
  <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened);
}
