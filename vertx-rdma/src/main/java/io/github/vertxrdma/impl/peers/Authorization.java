package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.impl.process.Loaders;
import io.github.vertxrdma.impl.process.Setting;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Applies a node's authorizer, and names both nodes in refusals. Thread-safe. @param self returns the id of this node */
public record Authorization(RdmaAuthorizer authorizer, Supplier<String> self) {
  /** System property, and environment variable {@code VERTX_RDMA_AUTHORIZER}: class of the authorizer if the options have none. */
  public static final String CLASS = "vertx.rdma.authorizer";

  public static final Authorization GROUP = new Authorization(RdmaAuthorizer.GROUP, () -> "");

  private static final Logger LOG = LoggerFactory.getLogger(Authorization.class);
  /** Authorizers by class. A class has one instance per process, so that equal options share a node. */
  private static final ClassValue<RdmaAuthorizer> CREATED = new ClassValue<>() {
    @Override
    protected RdmaAuthorizer computeValue(Class<?> named) {
      return create(named);
    }
  };

  /** Returns the authorizer of the options, or of the class named there or in {@value #CLASS}, or {@link RdmaAuthorizer#GROUP}. */
  public static RdmaAuthorizer authorizer(RdmaOptions options) {
    String named = options.getAuthorizerClass();
    if (options.getAuthorizer() == RdmaAuthorizer.GROUP) {
      String setting = Setting.of(CLASS);
      return named != null ? load(named, "authorizerClass")
        : setting != null ? load(setting, CLASS + " (" + Setting.variable(CLASS) + ')') : RdmaAuthorizer.GROUP;
    }
    if (named != null) {
      throw new IllegalArgumentException("options must not have both an authorizer and the class of one, " + named + ". Remove one "
        + "of them");
    }
    return options.getAuthorizer();
  }

  private static RdmaAuthorizer load(String name, String from) {
    try {
      return CREATED.get(find(name));
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

  private static RdmaAuthorizer create(Class<?> named) {
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

  public boolean isGroup() {
    return authorizer == RdmaAuthorizer.GROUP;
  }

  public String refuseConnect(String nodeId, String service) {
    return may(() -> authorizer.mayConnect(nodeId, service)) ? null : refusal(nodeId, "connect to '" + service + "'");
  }

  public Set<RegionAccess> allowed(String nodeId, String region, Set<RegionAccess> access) {
    return isGroup() ? access : access.stream().filter(right -> may(() -> authorizer.mayOpen(nodeId, region, right)))
      .collect(Collectors.toCollection(() -> EnumSet.noneOf(RegionAccess.class)));
  }

  public String refuseOpen(String nodeId, String region, Set<RegionAccess> access) {
    return refusal(nodeId, "open region '" + region + "' for " + access.stream().sorted().map(right -> switch (right) {
      case READ -> "reading";
      case WRITE -> "writing";
      case ATOMIC -> "atomics";
    }).collect(Collectors.joining(" or ")));
  }

  private String refusal(String nodeId, String what) {
    return "node " + nodeId + " may not " + what + ": the authorizer of node " + self.get() + " refused it";
  }

  private static boolean may(BooleanSupplier permission) {
    try {
      return permission.getAsBoolean();
    } catch (RuntimeException e) {
      LOG.error("The RdmaAuthorizer threw an exception, so the peer is refused", e);
      return false;
    }
  }
}
