package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;

/** Pooled request with a completion. {@link RequestTable} assigns its index. Each use has a new generation. */
public abstract class Request {
  int index = -1;
  int generation;
  /** Index in {@link InFlight}. */
  int place = -1;

  /** Id to post with, valid until {@link #used}. */
  public final long id() {
    return (long) generation << 32 | index;
  }

  /** Ends a use. Later completions with its id are dropped. */
  public final void used() {
    generation++;
  }

  /** Called on the polling thread. */
  public abstract void completed(CompletionBatch batch, int i);
}
