package io.github.vertxrdma.provider;

/** Flags of a {@link WorkRequest}, combined by or. */
public final class PostFlags {
  /**
   * Makes a completion, which covers earlier operations. Without the flag only an error makes one. The error of an inline send may have the
   * request id -1; the endpoint has then ended.
   */
  public static final int SIGNALED = 1;
  /** Copies at most {@link Endpoint#inlineSize()} bytes before the post returns. */
  public static final int INLINE = 2;
  /** The provider may hold the post back until a post without the flag, or {@link Endpoint#flush()}. */
  public static final int MORE = 4;
  /** Completes a write when the target's memory holds the data; needs {@link Capabilities#deliveryComplete()}. */
  public static final int DELIVERY_COMPLETE = 8;
  /** Waits for earlier reads and atomics of the endpoint. */
  public static final int FENCE = 16;
  /** Wakes a target that armed its queue for solicited events only. */
  public static final int SOLICITED = 32;

  /**
   * With {@link #SIGNALED}: a post that is done when it returns may return {@link Status#DONE} and make no completion. Used only with
   * {@link Capabilities.SendCompletion#SHARED_MEMORY}.
   */
  public static final int UNLESS_DONE = 64;

  private PostFlags() {
  }

  /** Returns whether a send with these flags may be done when it is posted. */
  public static boolean silent(int flags) {
    return (flags & (INLINE | SIGNALED)) == INLINE;
  }
}
