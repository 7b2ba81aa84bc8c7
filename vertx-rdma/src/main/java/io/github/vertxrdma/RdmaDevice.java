package io.github.vertxrdma;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * Device in raw mode for one caller, with a completion queue polled by an event loop. Listeners, endpoints, posts and completions are those
 * of the provider SPI, which follows verbs and libfabric. There is no framing, ordering, encryption, keep-alive or authentication. The peer
 * may be a C program.
 *
 * <p>The queue and everything created on it (endpoints, listeners, receive queues) are confined to the event loop of the context that
 * opened the device. Their handlers run there, and posts are made there. Other code uses {@link #run} and {@link #until}.
 *
 * <p>The domain belongs to the caller (ibv_alloc_pd(3), fi_domain(3)): its keys do not give access to other domains, and misuse affects
 * only its connections. Memory must stay alive until its region is closed, as it does with {@code Arena.ofAuto()}.
 *
 * <p>Closes with the verticle that opened it, and with its {@link Rdma}.
 */
public interface RdmaDevice {

  /** Returns the open device, to register memory, listen and create endpoints. Any thread. */
  Domain domain();

  /** Returns the completion queue for endpoints. Only the event loop polls it. */
  CompletionQueue queue();

  /**
   * Sets the handler of completions, called on the event loop with batches. Without one they are dropped.
   *
   * @param handler must not block; the batch is valid until it returns
   */
  RdmaDevice completionHandler(Handler<CompletionBatch> handler);

  /**
   * Runs an action on the event loop, immediately if already there, then polls the queue. Any thread.
   *
   * @return the result or failure of the action; {@link RdmaException.Reason#CLOSED} after the close
   */
  <T> Future<T> run(Callable<T> action);

  /**
   * Waits for a condition, which is evaluated on the event loop now and after each batch of completions. On a virtual thread: {@code
   * device.until(…).await()}. Any thread.
   *
   * @param condition short, on state set by handlers on the event loop
   * @return fails with its exception, or {@link RdmaException.Reason#CLOSED} on close
   */
  Future<Void> until(BooleanSupplier condition);

  /** Closes queue, endpoints, listeners, regions and domain, without notifying peers. Idempotent; any thread. */
  Future<Void> close();
}
