package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/** Instances of a service, and connections to them: those of a node and its directory, or a model of both. */
public interface BusInstances {

  /** Milliseconds that closing a connection waits for the peer. */
  int closeMillis();

  /** Awaits instances. @return those there are, as soon as there are any; fails if none appears in time */
  Future<List<ServiceEntry>> await(long millis);

  /** Connects to one. @param opened makes what stands on the link; on the link's loop */
  <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened);
}
