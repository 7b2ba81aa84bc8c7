package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.internal.ContextInternal;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ResultStreamImplTest {
  private final Vertx vertx = Vertx.vertx();
  private final Promise<Buffer> result = Promise.promise();
  private final ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
  private ResultStreamImpl stream;

  @BeforeEach
  void start() {
    stream = new ResultStreamImpl(context);
    stream.call(new CallImpl(null, "parts", Buffer.buffer(), 0, 0, 0, 0, result));
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  /** The last part may exceed the window, which was not used up before it. */
  @Test
  void theWindowIsHeldByItsReaderToo() {
    assertFalse(stream.arrived(Buffer.buffer(new byte[ResultStreamImpl.WINDOW - 1])));
    assertFalse(stream.arrived(Buffer.buffer(new byte[2 * ResultStreamImpl.WINDOW])));
    assertThrows(IllegalArgumentException.class, () -> stream.arrived(Buffer.buffer()));
  }

  @Test
  void emptyPartsAreBoundedByTheirNumber() {
    Buffer empty = Buffer.buffer();
    for (int i = 0; i < ResultStreamImpl.WINDOW; i++) {
      stream.arrived(empty);
    }
    assertThrows(IllegalArgumentException.class, () -> stream.arrived(empty));
  }

  @Test
  void partsAreDroppedOnceItHasFailed() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    stream.exceptionHandler(cause -> failed.countDown());
    result.fail("it was cancelled");
    assertTrue(failed.await(20, TimeUnit.SECONDS));
    WeakReference<Buffer> dropped = new WeakReference<>(arrives());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (dropped.get() != null && System.nanoTime() < end) {
      System.gc();
    }
    assertTrue(dropped.refersTo(null), "a part is held that nobody will read");
    // The last part frees its slot.
    assertFalse(stream.expect(3));
    assertFalse(stream.arrived(Buffer.buffer(new byte[2 * ResultStreamImpl.WINDOW])));
    assertTrue(stream.arrived(Buffer.buffer(new byte[1])));
  }

  @Test
  void partThatWasAskedForBeforeTheFailureIsDelivered() throws Exception {
    List<String> events = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch failed = new CountDownLatch(1);
    stream.pause().handler(part -> events.add("part")).exceptionHandler(cause -> {
      events.add("failure");
      failed.countDown();
    });
    stream.arrived(Buffer.buffer());
    CountDownLatch queued = new CountDownLatch(1);
    context.runOnContext(v -> queued.countDown());
    assertTrue(queued.await(20, TimeUnit.SECONDS));
    context.runOnContext(v -> {
      result.fail("it has failed");
      stream.resume();
    });
    assertTrue(failed.await(20, TimeUnit.SECONDS));
    assertEquals(List.of("part", "failure"), events);
  }

  private Buffer arrives() {
    Buffer part = Buffer.buffer("late");
    assertFalse(stream.arrived(part));
    return part;
  }

  private void hasFailed() throws Exception {
    result.fail("it has failed");
    CountDownLatch told = new CountDownLatch(1);
    context.runOnContext(v -> told.countDown());
    assertTrue(told.await(20, TimeUnit.SECONDS));
  }

  @Test
  void lateHandlerIsCalledWithTheFailureOnItsContext() throws Exception {
    hasFailed();
    Promise<Boolean> heard = Promise.promise();
    stream.exceptionHandler(cause -> heard.complete(Vertx.currentContext() == context));
    assertTrue(heard.future().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS));
    stream.exceptionHandler(null);
  }

  @Test
  void lateHandlerIsNotCalledBeforeItsSetterReturns() throws Exception {
    hasFailed();
    Promise<Boolean> isSet = Promise.promise();
    boolean[] returned = new boolean[1];
    context.runOnContext(v -> {
      stream.exceptionHandler(cause -> isSet.complete(returned[0]));
      returned[0] = true;
    });
    assertTrue(isSet.future().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS));
  }

  @Test
  void aPipeThatBeginsLateFails(@TempDir Path folder) throws Exception {
    hasFailed();
    Future<Void> piped = vertx.fileSystem().open(folder.resolve("parts").toString(), new OpenOptions()).compose(stream::pipeTo);
    Throwable cause = assertThrows(ExecutionException.class,
      () -> piped.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS));
    assertEquals("it has failed", cause.getCause().getMessage());
  }
}
