package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Time for which the result of a proof holds. */
class ProvenPathsTest {
  private final AtomicLong now = new AtomicLong(-5);
  private ServiceEntry published = entry(1);
  private final ProvenPaths paths = new ProvenPaths((DirectoryBackend) Proxy.newProxyInstance(ProvenPathsTest.class.getClassLoader(),
    new Class<?>[] {DirectoryBackend.class}, (proxy, method, arguments) -> List.of(published)), now::get);

  private static ServiceEntry entry(long epoch) {
    return new ServiceEntry("tcp/10.0.0.1:8080", "node", epoch, 0, List.of(), new JsonObject());
  }

  @Test
  void confirmationHoldsForTenSeconds() {
    assertFalse(paths.isConfirmed(published));
    paths.note(published, false);
    now.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
    assertTrue(paths.isConfirmed(published));
    now.addAndGet(1);
    assertFalse(paths.isConfirmed(published));
    assertFalse(paths.isForeign(published));
  }

  @Test
  void foreignServerIsRememberedUntilTheDirectoryHasANewEntry() {
    ServiceEntry former = published;
    paths.note(former, true);
    now.addAndGet(TimeUnit.DAYS.toNanos(1));
    assertTrue(paths.isForeign(former));
    assertFalse(paths.isConfirmed(former));
    published = entry(2);
    assertFalse(paths.isForeign(published));
    paths.note(published, false);
    assertFalse(paths.isForeign(former), "entries that the directory does not have are forgotten");
  }
}
