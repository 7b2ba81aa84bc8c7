package io.github.vertxrdma.provider;

/** Flags of a {@link WorkRequest}, combined by or. */
public final class PostFlags {
  /**
   * Makes a completion when the operation is done. Without it only an error makes one; a later signalled operation covers it. The error of
   * an inline send may come with the request id -1, because its memory was already free; the endpoint has then ended.
   */
  public static final int SIGNALED = 1;
  /** Copies the data before the call returns; at most {@link Endpoint#inlineSize()} bytes. The buffer is free at once. */
  public static final int INLINE = 2;
  /**
   * Says that more posts follow directly. The provider may hold this one back until a post without the flag, or {@link Endpoint#flush()}.
   */
  public static final int MORE = 4;
  /** Completes a write only when the target's memory holds the data; needs {@link Capabilities#deliveryComplete()}. */
  public static final int DELIVERY_COMPLETE = 8;
  /** Waits for earlier reads and atomics of this endpoint (verbs: IBV_SEND_FENCE). */
  public static final int FENCE = 16;
  /** Wakes a target that armed its completion queue for solicited events only. */
  public static final int SOLICITED = 32;

  /**
   * Together with {@link #SIGNALED}: if the operation is done when the post returns, the post may return {@link Status#DONE} and make no
   * completion. Used with {@link Capabilities.SendCompletion#SHARED_MEMORY}, and ignored otherwise.
   */
  public static final int UNLESS_DONE = 64;

  private PostFlags() {
  }

  /** Returns whether a send with these flags may be done when it is posted: its bytes are copied, and its completion is not needed. */
  public static boolean silent(int flags) {
    return (flags & (INLINE | SIGNALED)) == INLINE;
  }
}
