package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

public interface BusInstances {

  int closeMillis();

  boolean isSuspected(String nodeId);

  Future<List<ServiceEntry>> await(long millis);

  /** @param opened creates the link's owner, on the link's event loop */
  <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened);
}
