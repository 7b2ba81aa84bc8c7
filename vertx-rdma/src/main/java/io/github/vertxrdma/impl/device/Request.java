package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;

/**
 * Pooled request with a completion. Its id consists of an index, which {@link RequestTable} assigns, and a generation, which each use
 * changes.
 */
public abstract class Request {
  int index = -1;
  int generation;
  /** Index in {@link InFlight}. */
  int place = -1;

  /** Returns the id to post with, valid until {@link #used}. */
  public final long id() {
    return (long) generation << 32 | index;
  }

  /** Ends the current use. Later completions with its id are ignored. */
  public final void used() {
    generation++;
  }

  public abstract void completed(CompletionBatch batch, int i);
}
