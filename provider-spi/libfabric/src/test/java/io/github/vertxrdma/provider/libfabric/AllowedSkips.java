package io.github.vertxrdma.provider.libfabric;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.vertxrdma.fi.FiStandIn;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Skips the tests in {@code skips.txt}, where each line has a device or {@code any}, a test, a colon, and the reason with its source. Fails
 * other tests that are skipped.
 */
final class AllowedSkips implements InvocationInterceptor {

  @Override
  public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
    throws Throwable {
    check(invocation, method, context);
  }

  @Override
  public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
    ExtensionContext context) throws Throwable {
    check(invocation, method, context);
  }

  private static void check(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
    throws Throwable {
    String test = method.getExecutable().getName() + ": ";
    for (String line : lines()) {
      if (line.startsWith("any " + test) || line.startsWith(device(context) + ' ' + test)) {
        invocation.skip();
        throw new TestAbortedException("SKIPPED " + line);
      }
    }
    try {
      invocation.proceed();
    } catch (TestAbortedException e) {
      if (FiStandIn.built().missing() == null) {
        throw new AssertionError(test + "was skipped, and skips.txt does not allow that: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  /** Returns the parameter of the test class. */
  private static String device(ExtensionContext context) {
    String name = context.getParent().orElseThrow().getDisplayName();
    return name.substring(name.indexOf(' ') + 1);
  }

  private static List<String> lines() throws IOException {
    try (InputStream in = AllowedSkips.class.getResourceAsStream("skips.txt")) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }
}
