package io.github.vertxrdma.provider.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Skips the tests that {@code skips.txt} beside the test class lists. A line has a device or {@code any}, a test method, a colon, and the
 * reason with its source in parentheses. On an emulated device (stand-in), any other skipped test fails.
 */
public final class AllowedSkips implements InvocationInterceptor {
  private static final String FILE = "skips.txt";
  private static final Pattern LINE = Pattern.compile("(\\S+) (\\w+): .+ \\(.+\\)");

  public interface OnStandIn {
    boolean isOnStandIn();
  }

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
    for (String line : lines(context.getRequiredTestClass())) {
      if (line.startsWith("any " + test) || line.startsWith(device(context) + ' ' + test)) {
        invocation.skip();
        throw new TestAbortedException("SKIPPED " + line);
      }
    }
    try {
      invocation.proceed();
    } catch (TestAbortedException e) {
      if (((OnStandIn) context.getRequiredTestInstance()).isOnStandIn()) {
        throw new AssertionError(test + "was skipped, and " + FILE + " does not allow that: " + e.getMessage(), e);
      }
      throw e;
    }
  }

  private static String device(ExtensionContext context) {
    String name = context.getParent().orElseThrow().getDisplayName();
    return name.substring(name.indexOf(' ') + 1);
  }

  private static List<String> lines(Class<?> test) {
    try (InputStream in = test.getResourceAsStream(FILE)) {
      List<String> lines = new String(in.readAllBytes(), UTF_8).lines().toList();
      for (String line : lines) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches() || Arrays.stream(test.getMethods()).noneMatch(method -> method.getName().equals(parts.group(2)))) {
          throw new AssertionError(FILE + " has no device, test of " + test.getSimpleName() + ", reason and source in: " + line);
        }
      }
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
