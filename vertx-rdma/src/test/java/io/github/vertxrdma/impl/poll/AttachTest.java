package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.poll.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Waiting;
import io.netty.channel.EventLoop;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
@Tag("polling")
class AttachTest {
  private static final Path MEMORY = Path.of("/dev/shm");

  @TempDir
  Path temporary;
  private Path folder;
  private Vertx vertx;

  @BeforeEach
  void ownFolder() throws IOException {
    folder = Files.createTempDirectory(Files.isDirectory(MEMORY) ? MEMORY : temporary, "run");
    System.setProperty("vertx.rdma.runtime", folder.toString());
  }

  @AfterEach
  void close() throws IOException {
    System.clearProperty("vertx.rdma.runtime");
    if (vertx != null) {
      join(vertx.close());
    }
    Files.delete(folder);
  }

  private List<String> files() {
    try (Stream<Path> files = Files.exists(folder) ? Files.list(folder) : Stream.empty()) {
      return files.map(file -> file.getFileName().toString().replaceFirst(".*\\.", "")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"epoll", "nio", "adaptive", "adaptive io_uring"})
  void whatPeersWakeItByIsMadeOffTheLoop(String kind) throws Exception {
    vertx = TestLoops.vertx(kind);
    ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    context.nettyEventLoop().execute(() -> {
      busy.countDown();
      try {
        free.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    busy.await();
    try (FakeQueue queue = new FakeQueue(Waiting.NONE)) {
      Future<QueuePoller> attaching = new EventLoopHost(context).attach(queue, Progress.AUTOMATIC, TestLoops.NOTHING);
      try {
        Await.until("its files are there, though its loop is busy", () -> files().equals(List.of("sock", "word")));
        assertFalse(attaching.isComplete());
      } finally {
        free.countDown();
      }
      join(join(attaching).detach());
      Await.until("its files are gone", () -> files().isEmpty());
    }
  }

  @ParameterizedTest
  @CsvSource({"FD", "NONE"})
  void aLoopThatLetsGoDoesNotWaitForTheThreadThatWatches(Waiting waiting) throws Exception {
    vertx = TestLoops.vertx("nio");
    EventLoop loop = TestLoops.loop(vertx);
    FdWatch.FdRelay relay = FdWatch.FdRelay.acquire();
    CountDownLatch free = new CountDownLatch(1);
    try (FakeQueue queue = new FakeQueue(waiting)) {
      CompletionPoller poller = join(CompletionPoller.attach(loop, queue, Progress.AUTOMATIC, TestLoops.NOTHING));
      Held held = new Held(free);
      Thread.ofPlatform().daemon().start(() -> relay.cancel(held));
      held.busy.await();
      Future<Void> detached = poller.detach();
      loop.submit(() -> {}).get(20, TimeUnit.SECONDS);
      assertFalse(detached.isComplete());
      free.countDown();
      join(detached);
      assertEquals(List.of(), files());
    } finally {
      free.countDown();
      relay.release();
    }
  }

  private record Held(CountDownLatch free, CountDownLatch busy) implements IoRegistration {
    Held(CountDownLatch free) {
      this(free, new CountDownLatch(1));
    }

    @Override
    public <T> T attachment() {
      return null;
    }

    @Override
    public long submit(IoOps ops) {
      throw new UnsupportedOperationException("It is registered for nothing");
    }

    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public boolean cancel() {
      busy.countDown();
      try {
        free.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return true;
    }
  }
}
