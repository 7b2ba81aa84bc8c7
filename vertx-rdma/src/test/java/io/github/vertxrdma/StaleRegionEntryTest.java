package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.RegionEntry;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A directory that still has the entry of a region which its owner has closed. */
@Timeout(60)
class StaleRegionEntryTest extends FabricPair {
  private final AtomicInteger looks = new AtomicInteger();
  private volatile RegionEntry stale;
  /** Number of looks after which the directory has the new entry. */
  private volatile int staleLooks = Integer.MAX_VALUE;
  private DirectoryBackend directory;
  private Rdma late;

  @BeforeEach
  void open() throws Exception {
    directory = await(DirectoryBackend.open(clientVertx, options().getDirectory()));
    late = Rdma.create(clientVertx, options(), (DirectoryBackend) Proxy.newProxyInstance(getClass().getClassLoader(),
      new Class<?>[] {DirectoryBackend.class}, (proxy, method, arguments) -> {
        RegionEntry entry = stale;
        if (entry != null && method.getName().equals("region")) {
          if (looks.incrementAndGet() > staleLooks) {
            stale = null;
          }
          return Optional.of(entry);
        }
        if (entry != null && method.getName().equals("awaitRegion")) {
          return Future.succeededFuture(entry);
        }
        try {
          return method.invoke(directory, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }));
  }

  @AfterEach
  void close() throws Exception {
    await(directory.close());
  }

  private MemoryRegion share(String content) throws Exception {
    MemoryRegion region = await(server.createRegion(new RegionOptions().setName("cache").setSize(64).setAccess(RegionAccess.READ)));
    region.write(0, Buffer.buffer(content));
    return region;
  }

  private void closeUnnoticed(MemoryRegion region) throws Exception {
    stale = await(directory.awaitRegion("cache", Duration.ofSeconds(20)));
    await(region.close());
  }

  @Test
  void openWaitsUntilDirectoryHasTheNewRegion() throws Exception {
    closeUnnoticed(share("first"));
    share("other");
    // The owner refuses after the first look.
    staleLooks = 2;
    Future<RemoteRegion> opening = late.openRegion("cache", new RegionOpenOptions().setLookupTimeout(Duration.ofSeconds(30)));
    assertEquals("other", await(await(opening).read(0, 5)).toString());
  }

  @Test
  void openFailsAfterItsTimeIfThereIsNoNewRegion() throws Exception {
    closeUnnoticed(share("first"));
    assertEquals(Reason.NOT_FOUND, reason(late.openRegion("cache", new RegionOpenOptions().setLookupTimeout(Duration.ofMillis(100)))));
  }

  @Test
  void openFindsTheNewOwner() throws Exception {
    closeUnnoticed(share("first"));
    MemoryRegion next = await(client.createRegion(new RegionOptions().setName("cache").setSize(64).setAccess(RegionAccess.READ)));
    next.write(0, Buffer.buffer("other"));
    // The owner refuses after the first look.
    staleLooks = 2;
    Future<RemoteRegion> opening = late.openRegion("cache", new RegionOpenOptions().setLookupTimeout(Duration.ofSeconds(30)));
    assertEquals("other", await(await(opening).read(0, 5)).toString());
  }
}
