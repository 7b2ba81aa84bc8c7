package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenAccountsTest {
  private final List<Promise<RemoteRegion>> opening = new ArrayList<>();
  private final OpenAccounts accounts = new OpenAccounts(() -> {
    opening.add(Promise.promise());
    return opening.getLast().future();
  });
  private final List<Long> added = new ArrayList<>();
  private Handler<RegionEnd> lost;

  @SuppressWarnings("unchecked")
  private RemoteRegion region() {
    return (RemoteRegion) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {RemoteRegion.class},
      (self, method, arguments) -> switch (method.getName()) {
        case "closeHandler" -> {
          lost = (Handler<RegionEnd>) arguments[0];
          yield self;
        }
        case "fetchAndAdd" -> {
          added.add((Long) arguments[1]);
          yield Future.succeededFuture(0L);
        }
        case "close" -> Future.succeededFuture();
        default -> throw new AssertionError(method);
      });
  }

  @Test
  void regionIsOpenedOnceAndAgainAfterALoss() {
    Future<RemoteRegion> first = accounts.region();
    assertSame(first, accounts.region(), "while it is being opened");
    opening.getFirst().complete(region());
    assertSame(first, accounts.region());
    lost.handle(null);
    Future<RemoteRegion> second = accounts.region();
    assertNotSame(first, second);
    assertEquals(2, opening.size());
  }

  @Test
  void failedOpenIsRepeatedAndNoUsageIsLostMeanwhile() {
    Usage usage = new Usage();
    usage.add(Accounts.EXECUTION, 7);
    Future<Void> failed = usage.account(accounts, 0);
    opening.getFirst().fail("no way there");
    assertTrue(failed.succeeded(), "it is for the next time");
    usage.add(Accounts.EXECUTION, 1);
    usage.account(accounts, 0);
    opening.get(1).complete(region());
    assertEquals(List.of(8L), added);
  }

  @Test
  void closeSucceedsWithAndWithoutARegion() {
    assertTrue(accounts.close().succeeded());
    accounts.region();
    opening.getFirst().complete(region());
    assertTrue(accounts.close().succeeded());
  }
}
