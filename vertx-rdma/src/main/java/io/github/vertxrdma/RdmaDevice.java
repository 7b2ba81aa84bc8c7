package io.github.vertxrdma;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * Raw mode: a device opened for its caller alone, with a completion queue that an event loop polls. Listeners, endpoints, posts and
 * completions are those of the provider SPI, whose methods follow verbs and libfabric; nothing is framed, ordered, encrypted, kept alive or
 * proved, and the peer may be a program in C.
 *
 * <p>The queue and all that is made on it (endpoints, listeners, receive queues) are confined to one event loop: that of the context that
 * opened the device. Handlers of endpoints and listeners are called there, and there is the place to post. Code that runs elsewhere, on a
 * virtual thread or in another verticle, goes there with {@link #run} and waits with {@link #until}. The {@link #domain()} is used from any
 * thread.
 *
 * <p>The domain is the caller's own (ibv_alloc_pd(3), fi_domain(3)), so no key of its memory opens another's, nor the other way round, and
 * a program that misuses it harms no connection of this process but its own. Memory stays alive until its region is closed if its arena
 * does: {@code Arena.ofAuto()} does, since the region holds the segment.
 *
 * <p>Undeploying the verticle that opened it closes it, as closing its {@link Rdma} does.
 */
public interface RdmaDevice {

  /** The device, opened: registers memory, listens and makes endpoints. Closed with this; any thread. */
  Domain domain();

  /** The completion queue, for all that is made on it. The event loop polls it: nobody else does. */
  CompletionQueue queue();

  /**
   * Sets who hears of completions, on the event loop, as many as there are at once. Without one they are dropped.
   *
   * @param handler gets a batch that is valid until it returns; must not block, whatever the context is that opened the device
   * @return this
   */
  RdmaDevice completionHandler(Handler<CompletionBatch> handler);

  /**
   * Runs something on the event loop, and has the queue polled afterwards. At once if it is called there. Any thread.
   *
   * @return what it returned, or failed with what it threw; {@link RdmaException.Reason#CLOSED} after the end
   */
  <T> Future<T> run(Callable<T> action);

  /**
   * Polls until a condition holds, without keeping a thread busy or waiting: it is looked at on the event loop now, and each time that the
   * queue was polled, after the completions of that time were handled. On a virtual thread {@code device.until(…).await()} waits for it.
   * Any thread.
   *
   * @param condition short, of what handlers of completions, endpoints and listeners have noted on the event loop
   * @return completed once it held; failed with what the condition threw, or with {@link RdmaException.Reason#CLOSED} if this ends before
   */
  Future<Void> until(BooleanSupplier condition);

  /** Ends polling and closes queue, endpoints, listeners, regions and domain, without a word to peers. Idempotent; any thread. */
  Future<Void> close();
}
