package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UsageTest {
  private static final int ROW = 3;
  private final Map<Long, Long> accounts = new TreeMap<>();
  private RdmaException failure;
  private final RemoteRegion region = (RemoteRegion) Proxy.newProxyInstance(getClass().getClassLoader(),
    new Class<?>[] {RemoteRegion.class},
    (proxy, method, arguments) -> {
      if (method.getName().equals("closeHandler")) {
        return proxy;
      }
      assertEquals("fetchAndAdd", method.getName());
      if (failure != null) {
        return Future.failedFuture(failure);
      }
      accounts.merge((Long) arguments[0] - ROW * Accounts.ROW, (Long) arguments[1], Long::sum);
      return Future.succeededFuture(0L);
    });
  private final OpenAccounts opened = new OpenAccounts(() -> Future.succeededFuture(region));
  private final Usage usage = new Usage();

  private void use(long nanos) {
    usage.add(Accounts.EXECUTION, nanos);
    usage.add(Accounts.INVOCATIONS, 1);
  }

  private void account() {
    usage.account(opened, ROW).result();
  }

  @Test
  void usageIsAddedOnce() {
    use(100);
    use(20);
    account();
    account();
    use(3);
    account();
    assertEquals(Map.of((long) Accounts.EXECUTION, 123L, (long) Accounts.INVOCATIONS, 3L), accounts);
  }

  @Test
  void usageThatWasNotAddedIsAddedLater() {
    use(100);
    failure = new RdmaException(Reason.LIMIT, "too much is under way");
    account();
    use(20);
    failure = null;
    account();
    assertEquals(Map.of((long) Accounts.EXECUTION, 120L, (long) Accounts.INVOCATIONS, 2L), accounts);
  }

  @Test
  void usageThatMayHaveBeenAddedIsNotAddedAgain() {
    use(100);
    failure = new RdmaException(Reason.TIMEOUT, "whether it was added is unknown");
    account();
    failure = null;
    use(20);
    account();
    assertEquals(Map.of((long) Accounts.EXECUTION, 20L, (long) Accounts.INVOCATIONS, 1L), accounts);
  }
}
