package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test a Vert.x with RDMA over an in-memory fabric of its own, and closes it:
 *
 * <pre>
 * &#64;ExtendWith(RdmaExtension.class)
 * class OrdersTest {
 *   &#64;Test
 *   void anOrderIsConfirmed(Vertx vertx, Rdma rdma) { … }
 * }
 * </pre>
 *
 * Parameters of a test, and of what runs before and after each, may be
 * <ul>
 * <li>{@link Vertx}: one for the test, closed 20 s after it at the latest
 * <li>{@link Rdma}: that Vert.x's
 * <li>{@link RdmaOptions}: the test's fabric and directory, for further nodes: {@code Rdma.create(Vertx.vertx(), options)}. A copy each time;
 * the test closes what it makes of them
 * </ul>
 * Two tests, also at the same time, see nothing of each other. A test that passed fails if it left something open on the fabric: a Vert.x of
 * its own that was not closed. In place of vertx-junit5's extension, which gives a {@link Vertx} as well.
 */
public final class RdmaExtension implements AfterEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(RdmaExtension.class);

  private static TestNode node(ExtensionContext context) {
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(TestNode.class, type -> new TestNode(), TestNode.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return context.getTestMethod().isPresent() && (type == Vertx.class || type == Rdma.class || type == RdmaOptions.class);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    TestNode node = node(context);
    return type == Vertx.class ? node.vertx() : type == Rdma.class ? node.rdma() : node.options();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    TestNode node = context.getStore(NAMESPACE).remove(TestNode.class, TestNode.class);
    if (node != null) {
      node.close(context.getExecutionException().isEmpty());
    }
  }
}
