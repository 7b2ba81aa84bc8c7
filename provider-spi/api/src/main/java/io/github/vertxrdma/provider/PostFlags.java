package io.github.vertxrdma.provider;

/** Flags of a {@link WorkRequest}, to be or-ed. */
public final class PostFlags {
  /**
   * Makes a completion when done. Without it only an error makes one; a later signalled operation covers it. The error of an inline send
   * may come with the request id -1: its memory is its owner's already, and the endpoint is over.
   */
  public static final int SIGNALED = 1;
  /** The data is copied before the call returns; at most {@link Endpoint#inlineSize()} bytes. The buffer is free at once. */
  public static final int INLINE = 2;
  /** More posts follow directly; the provider may hold this one back until a post without it, or {@link Endpoint#flush()}. */
  public static final int MORE = 4;
  /** A write completes only when the target's memory holds the data; needs {@link Capabilities#deliveryComplete()}. */
  public static final int DELIVERY_COMPLETE = 8;
  /** Waits for earlier reads and atomics of this endpoint first (verbs: IBV_SEND_FENCE). */
  public static final int FENCE = 16;
  /** Wakes a target that armed its completion queue for solicited events only. */
  public static final int SOLICITED = 32;

  /**
   * Together with {@link #SIGNALED}: if the operation is done when the post returns, the post may return {@link Status#DONE} and makes no
   * completion then. Used where {@link Capabilities#sendCompletion()} is {@link Capabilities.SendCompletion#SHARED_MEMORY}, and ignored
   * elsewhere.
   */
  public static final int UNLESS_DONE = 64;

  private PostFlags() {
  }

  /** Whether a send with these flags may be done when it is posted: its bytes are copied, and nobody waits for its completion. */
  public static boolean silent(int flags) {
    return (flags & (INLINE | SIGNALED)) == INLINE;
  }
}
