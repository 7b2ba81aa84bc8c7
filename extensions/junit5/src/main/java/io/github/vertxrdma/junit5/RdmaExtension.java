package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test a Vert.x with RDMA over its own in-memory fabric, and closes it:
 *
 * <pre>
 * &#64;ExtendWith(RdmaExtension.class)
 * class OrdersTest {
 *   &#64;Test
 *   void anOrderIsConfirmed(Vertx vertx, Rdma rdma) { … }
 * }
 * </pre>
 *
 * Parameters of a test, and of the methods before and after each test, may be
 * <ul>
 * <li>{@link Vertx}: closed at most 20 s after the test
 * <li>{@link Rdma}: of this Vert.x
 * <li>{@link RdmaTestFabric}: further nodes, and faults between them
 * <li>{@link RdmaOptions}: for nodes that the test creates and closes: {@code Rdma.create(Vertx.vertx(), options)}
 * </ul>
 * A test that succeeded fails if it left objects open on the fabric. Do not use vertx-junit5's extension
 * together with this one: both provide a {@link Vertx}.
 */
public final class RdmaExtension implements AfterEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(RdmaExtension.class);
  private static final Set<Class<?>> PARAMETERS = Set.of(Vertx.class, Rdma.class, RdmaOptions.class, RdmaTestFabric.class);

  private static TestNodes nodes(ExtensionContext context) {
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(TestNodes.class, type -> new TestNodes(), TestNodes.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return context.getTestMethod().isPresent() && PARAMETERS.contains(type);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    TestNodes nodes = nodes(context);
    return type == Vertx.class ? nodes.vertx(RdmaTestFabric.TEST) : type == Rdma.class ? nodes.node(RdmaTestFabric.TEST)
      : type == RdmaOptions.class ? nodes.options() : nodes;
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    TestNodes nodes = context.getStore(NAMESPACE).remove(TestNodes.class, TestNodes.class);
    if (nodes != null) {
      nodes.close(context.getExecutionException().isEmpty());
    }
  }
}
