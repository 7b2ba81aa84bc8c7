package io.github.vertxrdma.provider.verbs;

import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/** Fails tests of the contract that a personality skips unless {@code allowed-skips.txt} lists them, with the driver's source. */
final class AllowedSkips implements InvocationInterceptor {
  private static final Set<String> COMPLETE = Set.of("ib", "roce-multiport");
  private static final Set<String> ALLOWED = allowed();

  /** For JUnit. */
  AllowedSkips() {
  }

  private static Set<String> allowed() {
    try (InputStream in = AllowedSkips.class.getResourceAsStream("/allowed-skips.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> {
          String[] parts = line.split(" ", 3);
          if (parts.length < 3) {
            throw new IllegalStateException("no source in: " + line);
          }
          return parts[0] + ' ' + parts[1];
        }).collect(toSet());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> context, ExtensionContext extension)
    throws Throwable {
    try {
      invocation.proceed();
    } catch (TestAbortedException e) {
      String personality = ((VerbsContractTest) extension.getRequiredTestInstance()).personality();
      if (COMPLETE.contains(personality) && !ALLOWED.contains(personality + ' ' + context.getExecutable().getName())) {
        throw new AssertionError("skipped on " + personality + " and not in allowed-skips.txt: " + e.getMessage(), e);
      }
      throw e;
    }
  }
}
