package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Opens a same-host directory whose service entries differ at each lookup. A confirmed path holds for an entry, so a client with this
 * directory proves the path of each connection.
 */
public final class ChangingDirectory implements DirectoryBackendFactory {
  static final String TYPE = "changing";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    AtomicLong lookups = new AtomicLong();
    return DirectoryBackend.open(vertx, new DirectoryOptions(options).setType(DirectoryOptions.SAME_HOST))
      .map(directory -> (DirectoryBackend) Proxy.newProxyInstance(ChangingDirectory.class.getClassLoader(),
        new Class<?>[] {DirectoryBackend.class}, (proxy, method, arguments) -> {
          Object found = invoke(directory, method, arguments);
          return method.getName().equals("services") && arguments != null
            ? ((List<?>) found).stream().map(entry -> changed((ServiceEntry) entry, lookups.incrementAndGet())).toList() : found;
        }));
  }

  private static Object invoke(DirectoryBackend directory, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(directory, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static ServiceEntry changed(ServiceEntry entry, long lookup) {
    return new ServiceEntry(entry.name(), entry.nodeId(), entry.epoch(), entry.instance(), entry.addresses(),
      entry.metadata().put("lookup", lookup));
  }
}
