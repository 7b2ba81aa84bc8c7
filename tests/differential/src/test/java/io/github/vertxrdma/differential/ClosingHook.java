package io.github.vertxrdma.differential;

import io.vertx.core.Closeable;
import io.vertx.core.Completable;
import io.vertx.core.internal.VertxInternal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** A planted regression: the transport's close hook closes its node before verticles are undeployed. */
public final class ClosingHook {
  private ClosingHook() {
  }

  /** Adds a hook in place of the transport's own. */
  public static void add(VertxInternal vertx, Closeable hook, Object transport) {
    vertx.addCloseHook((Completable<Void> done) -> {
      call(transport, "leave");
      call(transport, "release");
      hook.close(done);
    });
  }

  private static void call(Object transport, String name) {
    try {
      Method method = transport.getClass().getDeclaredMethod(name);
      method.setAccessible(true);
      method.invoke(transport);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }
}
