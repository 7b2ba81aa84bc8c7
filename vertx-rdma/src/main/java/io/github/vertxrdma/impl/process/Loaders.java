package io.github.vertxrdma.impl.process;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

public final class Loaders {
  private Loaders() {
  }

  /** Returns the thread's context class loader, then that of this library. In a fat jar, the former may lack nested jars. */
  public static List<ClassLoader> ordered() {
    return Stream.of(Thread.currentThread().getContextClassLoader(), Loaders.class.getClassLoader()).filter(Objects::nonNull).distinct()
      .toList();
  }

  public static String described() {
    return "the class loaders of thread '" + Thread.currentThread().getName() + "' (" + name(Thread.currentThread().getContextClassLoader())
      + ") and of vertx-rdma (" + name(Loaders.class.getClassLoader()) + ')';
  }

  private static String name(ClassLoader loader) {
    return loader == null ? "none" : loader.getClass().getName() + (loader.getName() == null ? "" : " '" + loader.getName() + '\'');
  }
}
