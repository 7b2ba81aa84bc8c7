package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.process.Loaders;
import io.github.vertxrdma.impl.process.Setting;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;

/** Creates authorizers from class names. A class has one instance per process, so that equal options share a node. */
public final class Authorizers {
  /** System property, and environment variable {@code VERTX_RDMA_AUTHORIZER}: class of the authorizer if the options have none. */
  public static final String CLASS = "vertx.rdma.authorizer";

  private static final ClassValue<RdmaAuthorizer> MADE = new ClassValue<>() {
    @Override
    protected RdmaAuthorizer computeValue(Class<?> named) {
      return make(named);
    }
  };

  private Authorizers() {
  }

  /**
   * Returns the first that is set: the authorizer of the options, an instance of the class in the options, or of the class in {@value
   * #CLASS}. Otherwise returns {@link RdmaAuthorizer#GROUP}.
   *
   * @throws IllegalArgumentException if the class cannot be used, or the options have both
   */
  public static RdmaAuthorizer of(RdmaOptions options) {
    String named = options.getAuthorizerClass();
    boolean given = options.getAuthorizer() != RdmaAuthorizer.GROUP;
    if (given && named != null) {
      throw new IllegalArgumentException("options must not have both an authorizer and the class of one, " + named + ". Remove one "
        + "of them");
    }
    if (given) {
      return options.getAuthorizer();
    }
    if (named != null) {
      return load(named, "authorizerClass");
    }
    named = Setting.of(CLASS);
    return named == null ? RdmaAuthorizer.GROUP : load(named, CLASS + " (" + Setting.variable(CLASS) + ')');
  }

  private static RdmaAuthorizer load(String name, String from) {
    try {
      return MADE.get(find(name));
    } catch (LinkageError e) {
      throw new IllegalArgumentException(from + " names the authorizer " + name + ", which cannot be loaded: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(from + " names the authorizer " + name + ", which " + e.getMessage(), e.getCause());
    }
  }

  private static Class<?> find(String name) {
    ClassNotFoundException missing = null;
    for (ClassLoader loader : Loaders.ordered()) {
      try {
        return Class.forName(name, true, loader);
      } catch (ClassNotFoundException e) {
        missing = e;
      }
    }
    throw new IllegalArgumentException("is not on the class path: " + Loaders.described() + " lack it", missing);
  }

  private static RdmaAuthorizer make(Class<?> named) {
    if (!RdmaAuthorizer.class.isAssignableFrom(named)) {
      throw new IllegalArgumentException("does not implement " + RdmaAuthorizer.class.getName());
    }
    if (!Modifier.isPublic(named.getModifiers()) || Modifier.isAbstract(named.getModifiers())) {
      throw new IllegalArgumentException("has to be a public class that is not abstract");
    }
    try {
      return (RdmaAuthorizer) named.getConstructor().newInstance();
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException("has no public constructor without parameters", e);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException("could not be created: its constructor threw " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("is not accessible: its module must export its package to io.github.vertxrdma", e);
    }
  }
}
