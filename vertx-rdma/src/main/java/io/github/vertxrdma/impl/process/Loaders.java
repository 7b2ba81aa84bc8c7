package io.github.vertxrdma.impl.process;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

public final class Loaders {
  private Loaders() {
  }

  /**
   * Returns the context class loader of the thread, if there is one, and then the loader of this library. The former may lack the jars
   * inside of a fat jar, from which this library was loaded.
   */
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
