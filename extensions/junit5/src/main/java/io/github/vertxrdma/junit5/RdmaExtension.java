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
 * Creates and closes a Vert.x for each test, with RDMA over its own in-memory fabric:
 *
 * <pre>
 * &#64;ExtendWith(RdmaExtension.class)
 * class OrdersTest {
 *   &#64;Test
 *   void anOrderIsConfirmed(Vertx vertx, Rdma rdma) { … }
 * }
 * </pre>
 *
 * Parameters of tests, and of methods before and after each test, may be
 * <ul>
 * <li>{@link Vertx}: closed after the test, within 20 s or the test fails
 * <li>{@link Rdma}: of this Vert.x
 * <li>{@link RdmaTestFabric}: further nodes, and faults between them
 * <li>{@link RdmaOptions}: for nodes that the test creates and closes: {@code Rdma.create(Vertx.vertx(), options)}
 * </ul>
 * Tests fail if they leave objects open on the fabric. Do not combine with vertx-junit5's extension: both provide a {@link Vertx}.
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
