package io.github.vertxrdma.impl.memory;

import io.github.vertxrdma.provider.CompletionBatch;

/** Something whose completion is waited for. Pooled: {@link Requests} gives it an index, each use a new generation. */
public abstract class Request {
  int index = -1;
  int generation;
  /** Its index in {@link InFlight}. */
  int place = -1;

  /** The id to post with; valid until {@link #used}. */
  public final long id() {
    return (long) generation << 32 | index;
  }

  /** Its use is over: completions that still come for this id are dropped. */
  public final void used() {
    generation++;
  }

  /** Its completion came. Called on the polling thread. */
  public abstract void completed(CompletionBatch batch, int i);
}
