package io.github.vertxrdma.provider;

/** Flags of a {@link WorkRequest}, combined by or. */
public final class PostFlags {
  /**
   * Reports the end of the operation with a completion, which also covers earlier operations without the flag. Without the flag only a
   * failure has a completion. The failure of an inline send may have the request id -1; the endpoint has failed then.
   */
  public static final int SIGNALED = 1;
  /** Copies the data, at most {@link Endpoint#inlineSize()} bytes, before the post returns. */
  public static final int INLINE = 2;
  /** Lets the provider delay the operation until {@link Endpoint#flush()} or a post without this flag. */
  public static final int MORE = 4;
  /** Completes a write when the target's memory holds the data; needs {@link Capabilities#deliveryComplete()}. */
  public static final int DELIVERY_COMPLETE = 8;
  /** Starts the operation after the endpoint's earlier reads and atomics have completed. */
  public static final int FENCE = 16;
  /** Marks a message as solicited event; ibv_post_send(3) IBV_SEND_SOLICITED. */
  public static final int SOLICITED = 32;

  /**
   * With {@link #SIGNALED}: lets the post return {@link Status#DONE}, without a completion, if the operation is done on return. Only with
   * {@link Capabilities.SendCompletion#SHARED_MEMORY}.
   */
  public static final int UNLESS_DONE = 64;

  private PostFlags() {
  }

  public static boolean silent(int flags) {
    return (flags & (INLINE | SIGNALED)) == INLINE;
  }
}
