package io.github.vertxrdma;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * Network device that one caller uses directly (raw mode), with a queue of completions (reports of finished operations) that an event loop
 * polls. Endpoints and operations are those of the package {@code io.github.vertxrdma.provider}, which follows verbs and libfabric. This
 * library adds no framing, ordering, encryption, keep-alive or authentication. The peer may be a C program.
 *
 * <p>Endpoints, listeners and receive queues belong to the event loop of the context that opened the device. Their handlers run on that
 * event loop, and operations must be started there. Other threads use {@link #run} and {@link #until}.
 *
 * <p>Memory keys of this {@link #domain} do not give access to memory of other domains (ibv_alloc_pd(3), fi_domain(3)). Registered memory
 * must stay allocated until its registration is closed; memory of {@code Arena.ofAuto()} does.
 *
 * <p>Closes with the verticle that opened it, and with its {@link Rdma}.
 */
public interface RdmaDevice {

  /** Returns the open device, to register memory, listen and create endpoints. Thread-safe. */
  Domain domain();

  /** Returns the completion queue for endpoints. Only the event loop polls it. */
  CompletionQueue queue();

  /**
   * Sets the handler of completions, called on the event loop. Without a handler, completions are dropped.
   *
   * @param handler must not block; a batch is valid until the handler returns
   */
  RdmaDevice completionHandler(Handler<CompletionBatch> handler);

  /**
   * Runs an action on the event loop, immediately if already there, then polls the queue. Thread-safe.
   *
   * @return the result or failure of the action; fails with {@link RdmaException.Reason#CLOSED} after the close
   */
  <T> Future<T> run(Callable<T> action);

  /**
   * Waits for a condition, which is evaluated on the event loop now and after each batch of completions. On a virtual thread: {@code
   * device.until(…).await()}. Thread-safe.
   *
   * @param condition must be short; reads state that handlers set on the event loop
   * @return fails with an exception of the condition, or with {@link RdmaException.Reason#CLOSED} when the device closes
   */
  Future<Void> until(BooleanSupplier condition);

  /** Closes everything created on the device, without notifying peers. Idempotent; thread-safe. */
  Future<Void> close();
}
